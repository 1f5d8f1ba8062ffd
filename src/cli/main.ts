import { nearest } from '../config/nearest.ts'
import { COMMANDS } from './commands/index.ts'
import { INTERNAL, USAGE } from './exit-codes.ts'
import type { Io } from './io.ts'

/** From arguments to exit code. What the user can fix is one sentence on stderr. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    return await started(args, io)
  } catch (error) {
    return printError(error, io)
  }
}

async function started([name, ...rest]: readonly string[], io: Io): Promise<number> {
  // Everything after `--` belongs to another program.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (
    name === undefined ||
    name === '--help' ||
    name === '-h' ||
    name === 'help' ||
    own.includes('--help') ||
    own.includes('-h')
  ) {
    const { help } = await import('./help.ts')
    return help(name === 'help' ? rest[0] : name, COMMANDS, io)
  }
  if (name === '--version' || name === '-V') {
    const { VERSION } = await import('./version.ts')
    io.stdout.write(`${VERSION}\n`)
    return 0
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (entry === undefined) return unknownCommand(name, io)
  const command = await entry.load()
  return command.run(rest, io)
}

function unknownCommand(name: string, io: Io): number {
  const near = nearest(name, Object.keys(COMMANDS))
  io.stderr.write(
    `exitgate: there is no command "${name}"${near === undefined ? '' : `; did you mean "${near}"?`} See exitgate --help\n`,
  )
  return USAGE
}

function printError(error: unknown, io: Io): number {
  if (error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number') {
    for (const line of error.message.split('\n')) io.stderr.write(`exitgate: ${line}\n`)
    return error.exitCode
  }
  const text = error instanceof Error ? error.message : String(error)
  if (/^Cannot find module '\.\//.test(text)) {
    io.stderr.write(`exitgate: ${text.split('\n')[0]}: a file of the program is missing; install exitgate again\n`)
    return INTERNAL
  }
  io.stderr.write(`exitgate: internal error: ${text}; EXITGATE_DEBUG=1 shows where\n`)
  if (io.env.EXITGATE_DEBUG && error instanceof Error) io.stderr.write(`${error.stack}\n`)
  return INTERNAL
}
