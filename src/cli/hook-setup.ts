import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { shellWord } from '../../packages/core/src/shell-word.ts'
import { type Distrust, folderDistrust } from '../../packages/exitgate/src/hooks/folder-trust.ts'
import type { HookClient } from '../hooks/hook-client.ts'
import { HOOK_CLIENTS } from '../hooks/index.ts'
import { insideAgent } from '../hooks/inside-agent.ts'
import { install, installed, type RecordIn, uninstall } from '../hooks/install/install.ts'
import type { Call, Scope } from '../hooks/install/installation.ts'
import { stateDirFor } from '../journal/place.ts'
import { findProgram } from '../system/find-program.ts'
import { InputError } from './errors.ts'
import { type Io, printResult } from './io.ts'
import { wholeNumber } from './parse.ts'
import { workspaceOf } from './place.ts'
import { userOnly } from './refuse-agent.ts'

/** Programs whose name differs from the agent's. */
const PROGRAMS: Readonly<Record<string, string>> = { cursor: 'cursor-agent' }

/** The agents whose program is on the PATH. */
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

/** Long enough for most test suites. Slower checks are cut off and reported. */
export const SECONDS = 600

/** `exitgate hook install|uninstall|status`: changes only our entries in the agent's configuration. */
export async function setUp(hosts: readonly HookClient[], values: SetupValues, io: Io): Promise<number> {
  if (values.user && values.project) throw new InputError('Pass either --user or --project, not both.')
  const scope: Scope = values.user ? 'user' : 'project'
  const where = { scope, dir: workspaceOf(io.cwd, values.dir), home: io.home, env: io.env }
  const [host] = hosts
  if (values.verb === 'status' || host === undefined) return status(hosts, where, values, io)
  if (values.verb === 'uninstall') {
    userOnly('hook uninstall', io)
    const gone = (await uninstall(host, where, recordIn(where, io)))
      .filter(({ changed }) => changed)
      .map(({ file }) => file)
    const text =
      gone.length === 0 ? `No hook is installed for ${host.name}.` : `Removed the hook from ${gone.join(' and ')}.`
    return printResult(io, values, { host: host.name, scope, files: gone }, [text])
  }
  const seconds = wholeNumber('--timeout', values.timeout, 5) ?? SECONDS
  const done = await install(host, where, (more) => callOf(host, scope, seconds, more, io), recordIn(where, io))
  const text = done.changed
    ? `Installed the stop hook for ${host.name} in ${done.file}.`
    : `The stop hook for ${host.name} is already installed in ${done.file}.`
  const distrust = scope === 'project' ? folderDistrust(host.name, where) : undefined
  const notes = [...done.notes, ...(distrust === undefined ? [] : [trustLine(distrust)])]
  const next = `Next: approve the commands that it may run with exitgate trust.`
  return printResult(io, values, { host: host.name, scope, ...done, notes }, [text, ...notes, next])
}

const trustLine = ({ text, remedy }: Distrust): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}. ${remedy}`

/** Where the change is recorded as the user's. A change by an agent is not recorded, so that its checks show it. */
export function recordIn({ scope, dir }: { readonly scope: Scope; readonly dir: string }, io: Io): RecordIn {
  if (insideAgent(io.env, io.pid) !== undefined) return undefined
  return stateDirFor(scope === 'project' ? dir : io.home, io).dir
}

/**
 * The command written into the agent's configuration: `exitgate` for a shared project if it is on the PATH, else full paths, which
 * don't depend on the agent's PATH.
 */
export function callOf(host: HookClient, scope: Scope, seconds: number, more: readonly string[], io: Io): Call {
  const args = ['hook', host.name, '--timeout', String(seconds), ...more]
  const byName = scope === 'project' && findProgram('exitgate', io.cwd, io.env, io.platform) !== undefined
  const argv = byName ? ['exitgate', ...args] : [process.execPath, programFile(), ...args]
  const words =
    io.platform === 'win32' ? argv : ['sh', '-c', harmless(host, byName), ...(byName ? [] : ['sh']), ...argv]
  return { argv, line: words.map((word) => shellWord(word, io.platform)).join(' '), seconds }
}

/**
 * A shell script that calls exitgate. If exitgate is missing or fails, the agent may stop. Gemini CLI takes any exit code above 1 for a
 * refusal. The agent may use any shell, so the line starts `sh`.
 */
function harmless(host: HookClient, byName: boolean): string {
  const found = byName ? 'command -v exitgate >/dev/null 2>&1' : '[ -x "$1" ] && [ -f "$2" ]'
  const call = byName ? 'exitgate "$@"' : '"$@"'
  return host.refusesByCode ? `${found} || exit 0; exec ${call}` : `${found} || exit 0; ${call} || exit 0`
}

/** Sources and built program are equally deep in the package. */
function programFile(): string {
  const path = fileURLToPath(new URL('../../dist/cli/cli.cjs', import.meta.url))
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

async function status(
  hosts: readonly HookClient[],
  where: { readonly dir: string; readonly home: string; readonly env: Io['env'] },
  values: SetupValues,
  io: Io,
): Promise<number> {
  const rows: { host: string; scope: Scope; file?: string; command?: string; problem?: string; notCalled?: string }[] =
    []
  for (const host of hosts)
    for (const scope of ['project', 'user'] as const) {
      const distrust = scope === 'project' ? folderDistrust(host.name, where) : undefined
      const row = { host: host.name, scope }
      try {
        const found = await installed(host, { ...where, scope })
        rows.push(
          ...(found.length === 0
            ? [row]
            : found.map((each) => ({ ...row, ...each, ...(distrust && { notCalled: trustLine(distrust) }) }))),
        )
      } catch (error) {
        rows.push({ ...row, problem: error instanceof Error ? error.message : String(error) })
      }
    }
  const lines = rows.flatMap(({ host, scope, file, command, problem, notCalled }) => {
    if (problem !== undefined) return [`${host.padEnd(9)} ${scope.padEnd(8)} ${problem}`]
    const called = notCalled === undefined ? [] : [`  ${notCalled}`]
    return file === undefined ? [] : [`${host.padEnd(9)} ${scope.padEnd(8)} ${file}: ${command}`, ...called]
  })
  const none = ['No hook is installed. Install one with exitgate hook install AGENT.']
  // An agent with two events has the same command twice.
  return printResult(io, values, { hooks: rows }, lines.length === 0 ? none : [...new Set(lines)])
}
