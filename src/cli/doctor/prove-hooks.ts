import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Workspace } from '../../evidence/types.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
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

/** What a host sends at the end of a turn; where the message comes with an event of its own, that one first. */
type Sample = (dir: string, message: string, session: string) => readonly object[]

const stop = (dir: string, session: string): object => ({
  session_id: session,
  cwd: dir,
  transcript_path: join(dir, 'none.jsonl'),
  stop_hook_active: false,
})

/** By host. A host without one is not tried. */
export const SAMPLE_STOPS: Readonly<Record<string, Sample>> = {
  claude: (dir, message, session) => [
    { ...stop(dir, session), prompt_id: 'p', hook_event_name: 'Stop', last_assistant_message: message },
  ],
  codex: (dir, message, session) => [
    { ...stop(dir, session), turn_id: 't', hook_event_name: 'Stop', last_assistant_message: message },
  ],
  gemini: (dir, message, session) => [
    { ...stop(dir, session), hook_event_name: 'AfterAgent', prompt: 'Make it right', prompt_response: message },
  ],
  copilot: (dir, message, session) => [
    { sessionId: session, timestamp: 1, cwd: dir, stopReason: 'end_turn', last_assistant_message: message },
  ],
  cursor: (dir, message, session) => {
    const common = { conversation_id: session, generation_id: 'g', workspace_roots: [dir] }
    return [
      { ...common, hook_event_name: 'afterAgentResponse', text: message },
      { ...common, hook_event_name: 'stop', status: 'completed', loop_count: 0 },
    ]
  },
  opencode: (dir, message, session) => [{ event: 'idle', session, prompt: 'p', cwd: dir, message }],
  pi: (dir, message, session) => [{ event: 'end', session, prompt: '1', cwd: dir, message, stopReason: 'stop' }],
}

/** A small project of which one test fails, approved, with a state folder of its own. */
interface FailingProject {
  readonly dir: string
  /** What a program must have in its environment to find that state folder. */
  readonly env: Readonly<Record<string, string>>
  /** Now all tests pass. */
  mend(): void
  remove(): void
}

const TESTS = `const { test } = require('node:test')
const assert = require('node:assert')
const { add } = require('./add.cjs')
test('adds', () => assert.strictEqual(add(2, 2), 4))
test('adds nothing', () => assert.strictEqual(add(2, 0), 2))
`

async function openFailingProject(io: Io): Promise<FailingProject> {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'exitgate-doctor-')))
  const remove = (): void => removeFolderSync(root)
  // Whoever is interrupted in the middle leaves nothing behind either.
  process.once('exit', remove)
  const dir = join(root, 'project')
  const state = join(root, 'state')
  const source = (sign: string) => writeFileSync(join(dir, 'add.cjs'), `exports.add = (a, b) => a ${sign} b\n`)
  try {
    mkdirSync(dir)
    source('-')
    writeFileSync(join(dir, 'add.test.cjs'), TESTS)
    const config = { commands: { test: `"${process.execPath}" --test` } }
    writeFileSync(join(dir, 'exitgate.config.json'), `${JSON.stringify(config)}\n`)
    const env = { EXITGATE_STATE_DIR: state }
    const place = stateDirFor(dir, { env, home: io.home, platform: io.platform })
    approve(place.dir, await approvableIn(dir, io.platform), io.now())
    return {
      dir,
      env,
      mend: () => source('+'),
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

const LIE = 'I fixed it. All tests pass.'
const DEADLINE_MS = 120_000

/** Our calls in the configurations of all hosts, and the configurations that could not be read. */
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
        for (const { file, command } of found)
          if (!hooks.some((each) => each.file === file && each.command === command))
            hooks.push({ host: host.name, scope, file, command })
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        problems.push({ name: host.name, state: 'note', text: plain(text) })
      }
  return { hooks, problems }
}

/** Tries each of them as its host would: a false claim must be refused, a true one must pass. */
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
  const remedy = `Install it anew: exitgate hook install ${host}${scope === 'user' ? ' --user' : ''}`
  const project = await openFailingProject(io)
  try {
    const workspace = openWorkspace(project.dir, { env: io.env })
    const ask = (message: string, session: string) =>
      askHook(workspace, { host, command, message, session, project, signal })
    const lied = await ask(LIE, 'false')
    if (lied.refused === undefined) {
      const text = `a false "all tests pass" was NOT refused; ${lied.said}`
      return { name, state: 'bad', text, remedy }
    }
    project.mend()
    const true_ = await ask(LIE, 'true')
    if (true_.refused !== undefined) {
      const text = `a true "all tests pass" was refused too: ${plain(true_.refused).slice(0, 300)}`
      return { name, state: 'bad', text, remedy }
    }
    return { name, state: 'good', text: `a false "all tests pass" was refused, a true one passed (${scope})` }
  } finally {
    project.remove()
  }
}

interface Question {
  readonly host: string
  readonly command: string
  readonly message: string
  readonly session: string
  readonly project: FailingProject
  readonly signal: AbortSignal
}

async function askHook(
  workspace: Workspace,
  { host, command, message, session, project, signal }: Question,
): Promise<{ readonly refused?: string; readonly said: string }> {
  let answer: { readonly refused?: string; readonly said: string } = { said: 'how this host asks is not known' }
  for (const payload of SAMPLE_STOPS[host]?.(project.dir, message, session) ?? []) {
    const ran = await workspace.run(command, {
      deadlineMs: DEADLINE_MS,
      input: JSON.stringify(payload),
      env: project.env,
      separate: true,
      signal,
    })
    if (ran.ended !== 'exit') return { said: `it did not answer: ${ran.problem ?? ran.ended}` }
    const refused = refusalIn(ran.stdout ?? '')
    const printed = plain(ran.output.trim()).slice(0, 300)
    const said = `it ended with ${ran.code}${printed === '' ? ' and said nothing' : `: ${printed}`}`
    answer = refused === undefined ? { said } : { refused, said }
  }
  return answer
}

/** The reason in an answer by which one of the hosts would let its agent go on. */
function refusalIn(stdout: string): string | undefined {
  try {
    const { decision, reason, followup_message: next } = JSON.parse(stdout) as Readonly<Record<string, unknown>>
    const blocks = decision === 'block' || decision === 'deny'
    if (blocks) return typeof reason === 'string' ? reason : ''
    return typeof next === 'string' ? next : undefined
  } catch {
    return undefined
  }
}
