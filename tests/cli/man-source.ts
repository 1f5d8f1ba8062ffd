import { type CommandGroups, rowsOf } from '../../src/cli/command.ts'
import { ABOUT, callOf } from '../../src/cli/help.ts'
import { manPage } from './man-page.ts'

/** The source of the man page in the package, from the help of all commands. */
export async function manSource(groups: CommandGroups): Promise<string> {
  const entries = groups.flatMap(([, commands]) => Object.entries(commands))
  const commands = await Promise.all(
    entries.map(async ([name, { help }]) => {
      const page = await help()
      return { name, ...page, rows: rowsOf(page), usage: page.usage.map(callOf) }
    }),
  )
  return manPage({ about: ABOUT, commands, ...SECTIONS })
}

const SECTIONS = {
  codes: [
    ['0', 'completed (next: continue)'],
    ['1', 'stuck (lab replay: some decisions differ)'],
    ['2', 'aborted (doctor: something important is missing)'],
    ['3', 'interrupted'],
    ['10', 'continue (next: completed)'],
    ['64', 'wrong usage or configuration'],
    ['70', 'internal error, or a decision that could not be recorded'],
    ['75', 'another exitgate uses this folder; try again later'],
    ['130', 'ended at once by a second Ctrl+C'],
  ],
  environment: [
    ['EXITGATE_STATE_DIR', 'folder for journals'],
    ['EXITGATE_DEBUG', 'print a stack trace for internal errors'],
    ['NO_COLOR', 'print without colors'],
    ['PAGER', 'program that shows long help pages (default: less)'],
    ['EXITGATE_*', 'settings; exitgate config shows which are in effect'],
  ],
  files: [
    ['exitgate.config.json, .yaml, .mjs, .ts', "the project's configuration"],
    ['~/.local/state/exitgate', 'journals, one folder per project'],
    ['.exitgate', 'readable copies of status and report, in the project'],
  ],
} as const
