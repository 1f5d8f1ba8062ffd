import { manPage } from '../../reports/man-page.ts'
import type { Commands, CommandWithHelp } from '../command.ts'
import { ABOUT, callOf } from '../help.ts'
import { parse } from '../parse.ts'

const OPTIONS = {}

/** `exitgate man`: the manual page, for `man -l -` and for packages. */
export const manCommand = (commands: Commands): CommandWithHelp => ({
  OPTIONS,
  HELP: {
    usage: ['man'],
    about: 'The manual page: every command with its options and examples.',
    rows: [],
    examples: ['exitgate man | man -l -', 'exitgate man > ~/.local/share/man/man1/exitgate.1'],
  },
  async run(args, io) {
    parse('man', args, OPTIONS)
    const pages = Object.entries(commands).map(async ([name, { help }]) => {
      const page = await help()
      return { name, ...page, usage: page.usage.map(callOf) }
    })
    io.stdout.write(manPage({ about: ABOUT, commands: await Promise.all(pages), ...SECTIONS }))
    return 0
  },
})

/** What the manual says besides the pages of the commands. */
const SECTIONS = {
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
} as const
