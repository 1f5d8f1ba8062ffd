import { COMMANDS } from './commands/index.ts'
import { USAGE } from './exit-codes.ts'
import { ABOUT } from './help/manual.ts'
import type { Io } from './io.ts'

const CODES = `Exit codes: 0 completed, 1 stuck, 2 aborted, 3 interrupted, 10 continue; 64 wrong usage or
configuration, 70 internal error. \`next\` swaps 0 and 10, so that 0 means: go on.`

/** Help that fits a screen: the commands, or one command with examples. */
export async function help(name: string | undefined, io: Io): Promise<number> {
  if (name === undefined || name.startsWith('-') || name === 'help') {
    const width = Math.max(...Object.keys(COMMANDS).map((command) => command.length))
    const rows = Object.entries(COMMANDS).map(([command, { about }]) => `  ${command.padEnd(width)} ${about}`)
    io.stdout.write(`exitgate ${ABOUT}.\n\nUsage: exitgate <command> [options]\n\n${rows.join('\n')}\n\n`)
    io.stdout.write(`exitgate <command> --help shows its options and examples.\n${CODES}\n`)
    return 0
  }
  const { PAGES } = await import('./help-pages.ts')
  const page = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined
  if (page === undefined) {
    io.stderr.write(`exitgate: there is no command "${name}"; see exitgate --help\n`)
    return USAGE
  }
  io.stdout.write(page)
  return 0
}
