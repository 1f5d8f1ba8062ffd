import { commandIn, GROUPS } from './commands/index.ts'
import { INTERNAL } from './exit-codes.ts'
import { type Io, meanwhile, usesColor } from './io.ts'

/** From arguments to exit code. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io)
  } catch (error) {
    return printError(error, io)
  }
}

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h'

async function dispatch(args: readonly string[], io: Io): Promise<number> {
  const [first] = args
  if (first === undefined || isHelp(first)) {
    const { overview } = await import('./help.ts')
    return overview(GROUPS, io)
  }
  if (['--version', '-V', '-v', 'version'].includes(first)) {
    const { VERSION } = await import('./version.ts')
    io.stdout.write(`${VERSION}\n`)
    return 0
  }
  const { name, rest, entry } = commandIn(args)
  if (entry === undefined) {
    const { unknownCommand } = await import('./unknown-command.ts')
    return unknownCommand(name, rest, io)
  }
  // Everything after `--` belongs to another program.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (own.some(isHelp)) {
    const { pageText } = await import('./help.ts')
    io.stdout.write(pageText(await entry.help()))
    return 0
  }
  const command = await entry.load()
  try {
    return await command.run(rest, io)
  } finally {
    await Promise.all(meanwhile.splice(0))
  }
}

function printError(error: unknown, io: Io): number {
  const label = usesColor(io.stderr, io.env, false) ? '\u001b[31merror:\u001b[39m' : 'error:'
  const print = (text: string): unknown => io.stderr.write(`${label} ${text}\n`)
  if (error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number') {
    // An indented line belongs to the message before it.
    for (const line of error.message.split('\n')) /^(?: |$)/.test(line) ? io.stderr.write(`${line}\n`) : print(line)
    return error.exitCode
  }
  const text = error instanceof Error ? error.message : String(error)
  if (/^Cannot find module '\.\//.test(text)) {
    print(`A file of the program is missing. Reinstall exitgate. (${text.split('\n')[0]})`)
    return INTERNAL
  }
  print(`Internal error: ${text}. Set EXITGATE_DEBUG=1 to see where.`)
  if (io.env.EXITGATE_DEBUG && error instanceof Error) io.stderr.write(`${error.stack}\n`)
  return INTERNAL
}
