import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Host } from '../hooks/host.ts'
import { HOSTS } from '../hooks/index.ts'
import { install, installed, uninstall } from '../hooks/install/install.ts'
import type { Call, Scope } from '../hooks/install/installation.ts'
import { findProgram } from '../system/find-program.ts'
import { hostNamed } from './commands/hook.ts'
import { InputError } from './errors.ts'
import { SETUP_OPTIONS } from './hook-options.ts'
import type { Io } from './io.ts'
import { parse, wholeNumber } from './parse.ts'
import { peopleOnly } from './people-only.ts'
import { workspaceOf } from './workspace.ts'

interface Values {
  readonly user?: boolean
  readonly project?: boolean
  readonly timeout?: string
  readonly dir?: string
  readonly json?: boolean
}

/** Long enough for most tests; what takes longer is cut off and said to be so. */
export const SECONDS = 600

/** `exitgate hook install|uninstall|status`: the host's own configuration, and nothing else in it. */
export async function setUp(args: readonly string[], io: Io): Promise<number> {
  const { values, words } = parse<Values>('hook', args, SETUP_OPTIONS, 2)
  const [verb, name] = words
  if (values.user && values.project) throw new InputError('--user and --project exclude each other; give one')
  const scope: Scope = values.user ? 'user' : 'project'
  const where = { scope, dir: workspaceOf(io.cwd, values.dir), home: io.home, env: io.env }
  if (verb === 'status') return status(name === undefined ? HOSTS : [hostNamed(name)], where, values, io)
  const host = hostNamed(name)
  if (verb === 'uninstall') {
    peopleOnly('hook uninstall', io)
    const gone = (await uninstall(host, where)).filter(({ changed }) => changed).map(({ file }) => file)
    const text =
      gone.length === 0 ? `there was no hook of ${host.name} to remove` : `removed from ${gone.join(' and ')}`
    tell(io, values, { host: host.name, scope, files: gone }, [text])
    return 0
  }
  const seconds = wholeNumber('--timeout', values.timeout, 5) ?? SECONDS
  const done = await install(host, where, (more) => callOf(host, scope, seconds, more, io))
  const text = done.changed
    ? `${host.name} asks exitgate before it stops: ${done.file}`
    : `it is there already: ${done.file}`
  const next = `Then let exitgate run the commands of a project: exitgate trust`
  tell(io, values, { host: host.name, scope, ...done }, [text, ...done.notes, next])
  return 0
}

/**
 * The call that is written into the host's configuration: by name where a project is shared and the name is known, else by full
 * paths, which do not depend on the host's search path.
 */
export function callOf(host: Host, scope: Scope, seconds: number, more: readonly string[], io: Io): Call {
  const words = ['hook', host.name, '--timeout', String(seconds), ...more]
  const byName = scope === 'project' && findProgram('exitgate', io.cwd, io.env, io.platform) !== undefined
  const argv = byName ? ['exitgate', ...words] : [process.execPath, programFile(), ...words]
  return { argv, line: argv.map((word) => quoted(word, io.platform)).join(' '), seconds }
}

/** Sources and program lie equally deep. */
function programFile(): string {
  const path = fileURLToPath(new URL('../../dist/cli/cli.cjs', import.meta.url))
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function quoted(word: string, platform: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (platform === 'win32') return `"${word.replace(/"/g, '\\"')}"`
  return `'${word.replace(/'/g, `'\\''`)}'`
}

async function status(
  hosts: readonly Host[],
  where: { readonly dir: string; readonly home: string; readonly env: Io['env'] },
  values: Values,
  io: Io,
): Promise<number> {
  const rows: { host: string; scope: Scope; file?: string; command?: string; problem?: string }[] = []
  for (const host of hosts)
    for (const scope of ['project', 'user'] as const) {
      const row = { host: host.name, scope }
      try {
        const found = await installed(host, { ...where, scope })
        rows.push(...(found.length === 0 ? [row] : found.map((each) => ({ ...row, ...each }))))
      } catch (error) {
        rows.push({ ...row, problem: error instanceof Error ? error.message : String(error) })
      }
    }
  const lines = rows.flatMap(({ host, scope, file, command, problem }) => {
    if (problem !== undefined) return [`${host.padEnd(9)} ${scope.padEnd(8)} ${problem}`]
    return file === undefined ? [] : [`${host.padEnd(9)} ${scope.padEnd(8)} ${file}: ${command}`]
  })
  tell(io, values, { hooks: rows }, lines.length === 0 ? ['no hook is installed; see exitgate hook --help'] : lines)
  return 0
}

function tell(io: Io, { json }: Values, data: object, lines: readonly string[]): void {
  io.stdout.write(json ? `${JSON.stringify(data)}\n` : `${lines.join('\n')}\n`)
}
