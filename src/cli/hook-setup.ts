import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { HookClient } from '../hooks/hook-client.ts'
import { HOOK_CLIENTS } from '../hooks/index.ts'
import { install, installed, uninstall } from '../hooks/install/install.ts'
import type { Call, Scope } from '../hooks/install/installation.ts'
import { findProgram } from '../system/find-program.ts'
import { InputError } from './errors.ts'
import { type Io, printResult } from './io.ts'
import { wholeNumber } from './parse.ts'
import { workspaceOf } from './place.ts'
import { peopleOnly } from './refuse-agent.ts'

/** Programs that are not called like their host. */
const PROGRAMS: Readonly<Record<string, string>> = { cursor: 'cursor-agent' }

/** The hosts whose program is on the search path. */
export function hostsHere(
  dir: string,
  { env, platform }: Io,
): readonly { readonly host: HookClient; readonly program: string }[] {
  return HOOK_CLIENTS.map((host) => ({ host, program: PROGRAMS[host.name] ?? host.name })).filter(
    ({ program }) => findProgram(program, dir, env, platform) !== undefined,
  )
}

interface SetupValues {
  readonly verb?: string | undefined
  readonly user?: boolean
  readonly project?: boolean
  readonly timeout?: string
  readonly dir?: string
  readonly json?: boolean
}

/** Long enough for most tests; what takes longer is cut off and said to be so. */
export const SECONDS = 600

/** `exitgate hook install|uninstall|status`: the host's own configuration, and nothing else in it. */
export async function setUp(hosts: readonly HookClient[], values: SetupValues, io: Io): Promise<number> {
  if (values.user && values.project) throw new InputError('--user and --project exclude each other; give one')
  const scope: Scope = values.user ? 'user' : 'project'
  const where = { scope, dir: workspaceOf(io.cwd, values.dir), home: io.home, env: io.env }
  const [host] = hosts
  if (values.verb === 'status' || host === undefined) return status(hosts, where, values, io)
  if (values.verb === 'uninstall') {
    peopleOnly('hook uninstall', io)
    const gone = (await uninstall(host, where)).filter(({ changed }) => changed).map(({ file }) => file)
    const text =
      gone.length === 0 ? `there was no hook of ${host.name} to remove` : `removed from ${gone.join(' and ')}`
    return printResult(io, values, { host: host.name, scope, files: gone }, [text])
  }
  const seconds = wholeNumber('--timeout', values.timeout, 5) ?? SECONDS
  const done = await install(host, where, (more) => callOf(host, scope, seconds, more, io))
  const text = done.changed
    ? `${host.name} asks exitgate before it stops: ${done.file}`
    : `it is there already: ${done.file}`
  const next = `Then let exitgate run the commands of a project: exitgate trust`
  return printResult(io, values, { host: host.name, scope, ...done }, [text, ...done.notes, next])
}

/**
 * The call that is written into the host's configuration: by name where a project is shared and the name is known, else by full
 * paths, which do not depend on the host's search path.
 */
export function callOf(host: HookClient, scope: Scope, seconds: number, more: readonly string[], io: Io): Call {
  const args = ['hook', host.name, '--timeout', String(seconds), ...more]
  const byName = scope === 'project' && findProgram('exitgate', io.cwd, io.env, io.platform) !== undefined
  const argv = byName ? ['exitgate', ...args] : [process.execPath, programFile(), ...args]
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
  hosts: readonly HookClient[],
  where: { readonly dir: string; readonly home: string; readonly env: Io['env'] },
  values: SetupValues,
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
  return printResult(
    io,
    values,
    { hooks: rows },
    lines.length === 0 ? ['no hook is installed; see exitgate hook --help'] : lines,
  )
}
