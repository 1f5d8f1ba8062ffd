import { manPage } from '../../reports/man-page.ts'
import { type CommandGroups, type CommandWithHelp, rowsOf } from '../command.ts'
import { ABOUT, callOf, pageText } from '../help.ts'
import { type Io, usesColor } from '../io.ts'
import { showInPager } from '../pager.ts'
import { parse } from '../parse.ts'

const OPTIONS = { roff: { type: 'boolean' } } as const

/** The manual: in a pager, as plain text in a pipe, or as the source of the man page. */
export const manCommand = (groups: CommandGroups): CommandWithHelp => ({
  OPTIONS,
  HELP: {
    usage: ['man [--roff]'],
    about: 'Open the manual, with every command, its options and examples.',
    rows: [['--roff', 'print the source of the man page']],
    more: 'In a pipe it prints plain text. PAGER selects the pager (default: less).',
    examples: [
      'exitgate man',
      'exitgate man | grep breaker',
      'exitgate man --roff > ~/.local/share/man/man1/exitgate.1',
    ],
  },
  async run(args, io) {
    const { values } = parse('man', args, OPTIONS)
    const pages = await Promise.all(
      groups.flatMap(([, commands]) =>
        Object.entries(commands).map(async ([name, { help }]) => ({ name, page: await help() })),
      ),
    )
    if (!values.roff) {
      await showInPager(manualText(pages, io), io)
      return 0
    }
    const commands = pages.map(({ name, page }) => ({
      name,
      ...page,
      rows: rowsOf(page),
      usage: page.usage.map(callOf),
    }))
    io.stdout.write(manPage({ about: ABOUT, commands, ...SECTIONS }))
    return 0
  },
})

type Pages = readonly { readonly name: string; readonly page: Parameters<typeof pageText>[0] }[]

function manualText(pages: Pages, io: Io): string {
  const color = usesColor(io.stdout, io.env, false)
  const heading = (text: string): string => (color ? `\u001b[1m${text}\u001b[22m` : text)
  const listed = (title: string, rows: readonly (readonly [string, string])[]): string => {
    const width = Math.max(...rows.map(([name]) => name.length))
    return `${heading(title)}\n\n${rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n')}\n`
  }
  return [
    `${ABOUT}\n`,
    ...pages.map(({ name, page }) => `${heading(`exitgate ${name}`)}\n\n${pageText(page)}`),
    listed('Exit codes', SECTIONS.codes),
    listed('Environment', SECTIONS.environment),
    listed('Files', SECTIONS.files),
  ].join('\n')
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
    ['PAGER', 'program that shows this manual (default: less)'],
    ['EXITGATE_*', 'settings; exitgate config shows which are in effect'],
  ],
  files: [
    ['exitgate.config.json, .yaml, .mjs, .ts', "the project's configuration"],
    ['~/.local/state/exitgate', 'journals, one folder per project'],
    ['.exitgate', 'readable copies of status and report, in the project'],
  ],
} as const
