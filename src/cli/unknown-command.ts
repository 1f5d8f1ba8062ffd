import { nearest } from '../../packages/core/src/nearest.ts'
import { LAUNCHERS } from '../agents/launch/index.ts'
import { ALIASES, COMMANDS, GROUPS } from './commands/index.ts'
import { InputError } from './errors.ts'
import { overview, subcommands } from './help.ts'
import type { Io } from './io.ts'

/** Words from other tools, and the command that does that here. */
const SYNONYMS: Readonly<Record<string, string>> = {
  start: 'run',
  loop: 'run',
  verify: 'check',
  test: 'check',
  why: 'explain',
  show: 'report',
  list: 'ls',
  ps: 'ls',
  dashboard: 'watch',
  serve: 'watch',
  ui: 'watch',
  kill: 'stop',
  cancel: 'stop',
  abort: 'stop',
  continue: 'resume',
  unpause: 'resume',
  setup: 'init',
  install: 'hook install',
  approve: 'trust',
  docs: 'help',
  man: 'help',
}

/** Suggests a command for a word that isn't one. `lab` alone, or with only --help, lists its subcommands. */
export function unknownCommand(name: string, rest: readonly string[], io: Io): number {
  if (name === 'lab') return subcommands('lab', COMMANDS, rest, io)
  if (name.startsWith('-') && rest.some((arg) => arg === '--help' || arg === '-h')) return overview(GROUPS, io)
  if (name.startsWith('-')) {
    const near = nearest(name, ['--version', '--help'])
    const hint = near === undefined ? ' Options go after the command.' : ` Did you mean ${near}?`
    throw new InputError(`Unknown option ${name}.${hint} See exitgate --help.`)
  }
  const meant = LAUNCHERS.some((agent) => agent.name === name)
    ? `run --agent ${name}`
    : (SYNONYMS[name] ?? nearest(name, [...Object.keys(COMMANDS), ...Object.keys(ALIASES)]))
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new InputError(`Unknown command "${name}".${hint} See exitgate --help.`)
}
