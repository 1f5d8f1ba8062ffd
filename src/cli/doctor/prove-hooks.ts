import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderDistrust } from '../../../packages/exitgate/src/hooks/folder-trust.ts'
import { SAMPLE_STOPS } from '../../../packages/exitgate/src/hooks/sample-stops.ts'
import type { Workspace } from '../../evidence/types.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { fieldsOf, textIn } from '../../hooks/fields.ts'
import { HOOK_CLIENTS } from '../../hooks/index.ts'
import { installed } from '../../hooks/install/install.ts'
import type { Scope } from '../../hooks/install/installation.ts'
import { approvableIn } from '../../hooks/trust.ts'
import { approve } from '../../hooks/trust-file.ts'
import { stateDirFor } from '../../journal/place.ts'
import type { Looked } from '../../reports/doctor-text.ts'
import { plain } from '../../reports/verdict-text.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import type { Io } from '../io.ts'

/** A small approved project with a failing test and its own state folder. */
interface FailingProject {
  readonly dir: string
  /** The environment that points a program to that state folder. */
  readonly env: Readonly<Record<string, string>>
  /** Makes all tests pass. */
  fix(): void
  remove(): void
}

/** Prints its results as TAP. A hook runs it several times, and a shell starts much faster than Node. */
const TESTS = `. ./add.sh
if [ "$(add 2 2)" = 4 ]; then failed=0; echo 'ok 1 - adds'; else failed=1; echo 'not ok 1 - adds'; fi
echo 'ok 2 - is loaded'
echo 1..2
exit $failed
`

async function openFailingProject(io: Io): Promise<FailingProject> {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'exitgate-doctor-')))
  const remove = (): void => removeFolderSync(root)
  // Removes it after an interrupt too.
  process.once('exit', remove)
  const dir = join(root, 'project')
  const state = join(root, 'state')
  const source = (sign: string) => writeFileSync(join(dir, 'add.sh'), `add() { echo $(($1 ${sign} $2)); }\n`)
  try {
    mkdirSync(dir)
    source('-')
    writeFileSync(join(dir, 'test.sh'), TESTS)
    const config = { commands: { test: 'sh test.sh' } }
    writeFileSync(join(dir, 'exitgate.config.json'), `${JSON.stringify(config)}\n`)
    const env = { EXITGATE_STATE_DIR: state }
    const place = stateDirFor(dir, { env, home: io.home, platform: io.platform })
    approve(place.dir, await approvableIn(dir, io.platform), io.now())
    return {
      dir,
      env,
      fix: () => source('+'),
      remove() {
        process.off('exit', remove)
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

export interface InstalledHook {
  readonly host: string
  readonly scope: Scope
  readonly file: string
  readonly command: string
}

const CLAIM = 'I fixed it. All tests pass.'
const DEADLINE_MS = 120_000

/** Our hooks in the configurations of all agents, and the configurations that can't be read. */
export async function findHooks(
  dir: string,
  io: Io,
): Promise<{ readonly hooks: readonly InstalledHook[]; readonly problems: readonly Looked[] }> {
  const hooks: InstalledHook[] = []
  const problems: Looked[] = []
  for (const host of HOOK_CLIENTS)
    for (const scope of ['project', 'user'] as const)
      try {
        const found = await installed(host, { scope, dir, home: io.home, env: io.env })
        if (found.length > 0) problems.push(...distrusted(host.name, scope, { dir, home: io.home, env: io.env }))
        for (const { file, command } of found)
          if (!hooks.some((each) => each.file === file && each.command === command))
            hooks.push({ host: host.name, scope, file, command })
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        problems.push({ name: host.name, state: 'note', text: plain(text) })
      }
  return { hooks, problems }
}

/** The agent doesn't call a hook in a folder that its user has not trusted. */
function distrusted(host: string, scope: Scope, place: Parameters<typeof folderDistrust>[1]): readonly Looked[] {
  const found = scope === 'project' ? folderDistrust(host, place) : undefined
  return found === undefined ? [] : [{ name: `${host} hook`, state: 'note', ...found }]
}

/** Calls each hook as its agent would: it must refuse a false claim and let a true one pass. */
export async function proveHooks(
  hooks: readonly InstalledHook[],
  io: Io,
  signal: AbortSignal,
): Promise<readonly Looked[]> {
  const looked: Looked[] = []
  for (const hook of hooks) looked.push(await proveHook(hook, io, signal))
  return looked
}

async function proveHook({ host, scope, command }: InstalledHook, io: Io, signal: AbortSignal): Promise<Looked> {
  const name = `${host} hook`
  const remedy = `Reinstall it: exitgate hook install ${host}${scope === 'user' ? ' --user' : ''}`
  const project = await openFailingProject(io)
  try {
    const workspace = openWorkspace(project.dir, { env: io.env })
    const ask = (message: string, session: string) =>
      askHook(workspace, { host, command, message, session, project, signal })
    const answerToFalse = await ask(CLAIM, 'false')
    if (answerToFalse.refused === undefined) {
      const text = `did NOT refuse a false "all tests pass"; ${answerToFalse.printed}`
      return { name, state: 'bad', text, remedy }
    }
    project.fix()
    const answerToTrue = await ask(CLAIM, 'true')
    if (answerToTrue.refused !== undefined) {
      const text = `also refused a true "all tests pass": ${plain(answerToTrue.refused).slice(0, 300)}`
      return { name, state: 'bad', text, remedy }
    }
    return { name, state: 'good', text: `refused a false "all tests pass" and let a true one through (${scope})` }
  } finally {
    project.remove()
  }
}

interface HookCall {
  readonly host: string
  readonly command: string
  readonly message: string
  readonly session: string
  readonly project: FailingProject
  readonly signal: AbortSignal
}

async function askHook(
  workspace: Workspace,
  { host, command, message, session, project, signal }: HookCall,
): Promise<{ readonly refused?: string; readonly printed: string }> {
  let answer: { readonly refused?: string; readonly printed: string } = {
    printed: 'exitgate has no sample event for this agent',
  }
  for (const payload of SAMPLE_STOPS[host]?.(project.dir, message, session) ?? []) {
    const ran = await workspace.run(command, {
      deadlineMs: DEADLINE_MS,
      input: JSON.stringify(payload),
      env: project.env,
      separate: true,
      signal,
    })
    if (ran.ended !== 'exit') return { printed: `it did not answer: ${ran.problem ?? ran.ended}` }
    const refused = refusalIn(ran.stdout ?? '')
    const output = plain(ran.output.trim()).slice(0, 300)
    const printed = `it exited with ${ran.code}${output === '' ? ' and printed nothing, as it does if exitgate is missing' : `: ${output}`}`
    answer = refused === undefined ? { printed } : { refused, printed }
  }
  return answer
}

/** The reason in an answer that makes the agent continue; undefined if it may stop. */
function refusalIn(stdout: string): string | undefined {
  try {
    const said = JSON.parse(stdout) as Readonly<Record<string, unknown>>
    const { decision, reason } = said
    const blocks = decision === 'block' || decision === 'deny'
    if (blocks) return typeof reason === 'string' ? reason : ''
    const specific = fieldsOf(said.hookSpecificOutput) ?? {}
    return textIn(said, 'followup_message') ?? textIn(specific, 'additionalContext', 'permissionDecisionReason')
  } catch {
    return undefined
  }
}
