import type { Manual } from '../../reports/man-page.ts'
import { HELP } from './index.ts'
import { callOf } from './page.ts'

export const ABOUT = 'knows when an autonomous coding agent is really done'

/** What the manual says besides the pages of the commands. */
export const MANUAL: Manual = {
  about: ABOUT,
  commands: Object.entries(HELP).map(([name, page]) => ({ name, ...page, usage: page.usage.map(callOf) })),
  codes: [
    ['0', 'completed (next: go on)'],
    ['1', 'stuck'],
    ['2', 'aborted; doctor: something that matters is missing'],
    ['3', 'interrupted'],
    ['10', 'continue (next: completed)'],
    ['64', 'wrong usage or configuration'],
    ['70', 'internal error, or a decision that could not be recorded'],
    ['130', 'ended at once by a second Ctrl+C'],
  ],
  environment: [
    ['EXITGATE_STATE_DIR', 'where journals live'],
    ['EXITGATE_DEBUG', 'shows where an internal error came from'],
    ['NO_COLOR', 'no colours'],
    ['EXITGATE_*', 'values of the configuration; exitgate config shows which is in force'],
  ],
  files: [
    ['exitgate.config.json, exitgate.config.yaml', 'the configuration of a project'],
    ['~/.local/state/exitgate', 'journals, one folder for each project'],
    ['.exitgate', 'copies for people, in the project'],
  ],
}
