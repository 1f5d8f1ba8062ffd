import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { run as hook } from '../../src/cli/commands/hook.ts'
import type { JournalEvent } from '../../src/core/journal/events.ts'
import { stateDirFor } from '../../src/journal/place.ts'
import { readEvents } from '../../src/journal/read.ts'
import { sessionsOf } from '../../src/journal/sessions.ts'
import { project } from '../cli/run-cli.ts'
import { prepareRepository } from '../prepared-repository.ts'

/** A test command that passes as soon as there is a file `fixed`; it prints what jest would print. */
export const CHECK = `if [ -e fixed ]; then
  printf 'PASS ./calc.test.js\\n  \\342\\234\\223 adds (1 ms)\\n  \\342\\234\\223 subtracts (1 ms)\\n\\nTests:       2 passed, 2 total\\n'
else
  printf 'FAIL ./calc.test.js\\n  \\342\\234\\223 adds (1 ms)\\n  \\342\\234\\225 subtracts (1 ms)\\n\\nTests:       1 failed, 1 passed, 2 total\\n'
  exit 1
fi
`
export const CONFIG = '{"commands": {"test": "sh check.sh"}}\n'

export interface Answer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** What a blocked stop tells the agent; undefined if the stop passes. */
  readonly refused: string | undefined
  /** What the user sees. */
  readonly told: string
}

/** A repository with one failing test, its own state folder, and CLIs that call the hook. */
export function hookProject(files: Readonly<Record<string, string>> = {}) {
  const all = { 'check.sh': CHECK, 'exitgate.config.json': CONFIG, '.gitignore': '.exitgate/\n', ...files }
  const made = project(all)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: made.dir,
      stdio: 'pipe',
    })
  prepareRepository(made.dir, 'hook', all, () => {
    git('init', '-q')
    git('add', '-A')
    git('commit', '-qm', 'start')
  })
  const stateDir = stateDirFor(made.dir, {
    env: { EXITGATE_STATE_DIR: made.state },
    home: made.root,
    platform: 'linux',
  }).dir
  let now = Date.UTC(2026, 1, 3, 4, 5, 6)
  return {
    ...made,
    git,
    stateDir,
    fix: () => made.write('fixed', ''),
    unfix: () => rmSync(join(made.dir, 'fixed'), { force: true }),
    /** The events of the workspace's journal, then those of the sessions. */
    events: (): readonly JournalEvent[] =>
      [stateDir, ...sessionsOf(stateDir).map(({ dir }) => dir)].flatMap((dir) => [...readEvents(dir)]),
    /** One call of `exitgate hook` with this on its standard input. */
    async ask(host: string, input: unknown, how: { env?: Record<string, string>; args?: readonly string[] } = {}) {
      let stdout = ''
      let stderr = ''
      now += 1000
      const at = now
      const io = {
        stdout: { write: (text: string) => (stdout += text) },
        stderr: { write: (text: string) => (stderr += text) },
        env: { EXITGATE_STATE_DIR: made.state, PATH: process.env.PATH, ...how.env },
        cwd: made.dir,
        home: made.root,
        platform: 'linux',
        now: () => at,
      }
      // The age of a process counts towards the timeout of the CLI, and this process has already run many tests.
      const seconds = how.args?.includes('--timeout') ? [] : ['--timeout', '36000']
      const code = await hook([host, ...seconds, ...(how.args ?? [])], io, () =>
        typeof input === 'string' ? input : JSON.stringify(input),
      )
      return { code, stdout, stderr, ...understood(stdout, stderr, code) } satisfies Answer
    },
  }
}
export type HookProject = ReturnType<typeof hookProject>

/** As a CLI would read it. */
function understood(stdout: string, stderr: string, code: number): Pick<Answer, 'refused' | 'told'> {
  const { hookSpecificOutput, ...said } = (stdout === '' ? {} : JSON.parse(stdout)) as Record<string, string> & {
    readonly hookSpecificOutput?: Readonly<Record<string, string>>
  }
  const blocks = said.decision === 'block' || said.decision === 'deny'
  const denies = hookSpecificOutput?.permissionDecision === 'deny'
  const next = denies ? hookSpecificOutput.permissionDecisionReason : hookSpecificOutput?.additionalContext
  const refused = blocks ? said.reason : (said.followup_message ?? next ?? (code === 2 ? stderr : undefined))
  return { refused, told: said.systemMessage ?? stderr }
}

export const TALK = 'Which of the two formats do you need?'
/** No claim and no question: an agent that asks twice may stop, because only you can answer. */
export const HALF = 'The first format works. The second one is next.'
export const LIE = 'I fixed it. All tests pass.'
export const CLAIM = 'It works.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: it works\nREMAINING_WORK: none\n'

/** The end of a turn with this message, as each CLI sends it. */
export const STOPS: Readonly<Record<string, (dir: string, message: string, more?: object) => object>> = {
  claude: (dir, message, more) => ({
    session_id: 's-1',
    prompt_id: 'p-1',
    transcript_path: join(dir, 'none.jsonl'),
    cwd: dir,
    permission_mode: 'acceptEdits',
    hook_event_name: 'Stop',
    stop_hook_active: false,
    last_assistant_message: message,
    background_tasks: [],
    session_crons: [],
    ...more,
  }),
  codex: (dir, message, more) => ({
    session_id: 's-1',
    turn_id: 't-1',
    transcript_path: null,
    cwd: dir,
    hook_event_name: 'Stop',
    model: 'm',
    permission_mode: 'default',
    stop_hook_active: false,
    last_assistant_message: message,
    ...more,
  }),
  gemini: (dir, message, more) => ({
    session_id: 's-1',
    transcript_path: join(dir, 'none.jsonl'),
    cwd: dir,
    hook_event_name: 'AfterAgent',
    timestamp: '2026-02-03T04:05:06Z',
    prompt: 'Repair it',
    prompt_response: message,
    stop_hook_active: false,
    ...more,
  }),
  copilot: (dir, message, more) => ({
    sessionId: 's-1',
    timestamp: 1,
    cwd: dir,
    stopReason: 'end_turn',
    last_assistant_message: message,
    ...more,
  }),
  cursor: (dir, message, more) => ({
    conversation_id: 's-1',
    generation_id: 'g-1',
    model: 'm',
    hook_event_name: 'stop',
    cursor_version: '3.9',
    workspace_roots: [dir],
    status: 'completed',
    loop_count: 0,
    ...(message === '' ? {} : { last: message }),
    ...more,
  }),
  qwen: (dir, message, more) => ({
    session_id: 's-1',
    transcript_path: join(dir, 'none.jsonl'),
    cwd: dir,
    hook_event_name: 'Stop',
    timestamp: '2026-02-03T04:05:06Z',
    stop_hook_active: true,
    last_assistant_message: message,
    ...more,
  }),
  droid: (dir, message, more) => ({
    session_id: 's-1',
    transcript_path: join(dir, 'none.jsonl'),
    cwd: dir,
    permission_mode: 'auto-medium',
    hook_event_name: 'Stop',
    stop_hook_active: false,
    last_assistant_message: message,
    ...more,
  }),
  goose: (dir, message, more) => ({
    event: 'Stop',
    session_id: 's-1',
    matcher_context: null,
    last_assistant_message: message,
    working_dir: dir,
    ...more,
  }),
  // Grok has most fields twice.
  grok: (dir, message, more) => ({
    hookEventName: 'stop',
    sessionId: 's-1',
    cwd: dir,
    workspaceRoot: dir,
    transcriptPath: join(dir, 'none.jsonl'),
    promptId: 'p-1',
    permissionMode: 'default',
    reason: 'end_turn',
    stopHookActive: false,
    lastAssistantMessage: message,
    backgroundTasks: [],
    sessionCrons: [],
    hook_event_name: 'Stop',
    session_id: 's-1',
    permission_mode: 'default',
    ...more,
  }),
  kimi: (dir, message, more) => ({
    hook_event_name: 'Stop',
    session_id: 's-1',
    cwd: dir,
    client_type: 'kimi_code_cli',
    stop_hook_active: false,
    last_assistant_message: message,
    ...more,
  }),
  qoder: (dir, message, more) => ({
    session_id: 's-1',
    transcript_path: join(dir, 'none.jsonl'),
    cwd: dir,
    hook_event_name: 'Stop',
    permission_mode: 'default',
    stop_hook_active: false,
    last_assistant_message: message,
    ...more,
  }),
  opencode: (dir, message, more) => ({ event: 'idle', session: 's-1', prompt: 'p-1', cwd: dir, message, ...more }),
  pi: (dir, message, more) => ({
    event: 'end',
    session: 's-1',
    prompt: '1',
    cwd: dir,
    message,
    stopReason: 'stop',
    ...more,
  }),
}
