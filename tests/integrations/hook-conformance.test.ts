import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOOK_CLIENTS } from '../../src/hooks/index.ts'
import { type Answer, CLAIM, CONFIG, HALF, type HookProject, hookProject, LIE, STOPS, TALK } from './hook-project.ts'

const hosts = HOOK_CLIENTS.map(({ name }) => name)

/** What an agent CLI calls the things that the rows are about. A text instead of a field says why it has no such thing. */
interface Terms {
  readonly again: object
  readonly interrupted: object | string
  readonly error: object | string
  readonly plan: object | string
  readonly helper: object | string
  /** Refusals before the agent is let go, as installed. */
  readonly cap: number | string
  readonly args?: readonly string[]
}

const NOT_CALLED = 'does not call the hook then'
const TERMS: Readonly<Record<string, Terms>> = {
  claude: {
    again: { stop_hook_active: true },
    interrupted: NOT_CALLED,
    error: { hook_event_name: 'StopFailure', error: 'server_error' },
    plan: { permission_mode: 'plan' },
    helper: { hook_event_name: 'SubagentStop', agent_id: 'a1', agent_type: 'general-purpose' },
    cap: 7,
  },
  codex: {
    again: { stop_hook_active: true },
    interrupted: NOT_CALLED,
    error: NOT_CALLED,
    plan: { permission_mode: 'plan' },
    helper: { hook_event_name: 'SubagentStop', agent_id: 'a1', agent_type: 'worker' },
    cap: 20,
  },
  gemini: {
    again: { stop_hook_active: true },
    interrupted: NOT_CALLED,
    error: NOT_CALLED,
    plan: "doesn't tell the hook its mode",
    helper: NOT_CALLED,
    cap: 20,
  },
  copilot: {
    again: { stop_hook_active: true },
    interrupted: { stopReason: 'cancelled' },
    error: { stopReason: 'error' },
    plan: "doesn't tell the hook its mode",
    helper: { hookEventName: 'subagentStop' },
    cap: 7,
  },
  cursor: {
    again: { loop_count: 1 },
    interrupted: { status: 'aborted' },
    error: { status: 'error' },
    plan: "doesn't tell the hook its mode",
    helper: { hook_event_name: 'subagentStop' },
    cap: 19,
    args: ['--max-refusals', '19'],
  },
  opencode: {
    again: {},
    interrupted: 'is never asked: the plugin skips messages with an error',
    error: 'is never asked: the plugin skips messages with an error',
    plan: 'is never asked: the plugin skips the plan agent',
    helper: 'is never asked: the plugin skips sessions with a parent',
    cap: 20,
  },
  pi: {
    again: {},
    interrupted: { stopReason: 'aborted' },
    error: { stopReason: 'error' },
    plan: 'has no plan mode',
    helper: 'has no sub-agents',
    cap: 20,
  },
  qwen: {
    again: { stop_hook_active: true },
    interrupted: NOT_CALLED,
    error: NOT_CALLED,
    plan: { permission_mode: 'plan' },
    helper: { hook_event_name: 'SubagentStop', agent_id: 'a1' },
    cap: 7,
  },
  droid: {
    again: { stop_hook_active: true },
    interrupted: NOT_CALLED,
    error: NOT_CALLED,
    plan: { permission_mode: 'spec' },
    helper: { hook_event_name: 'SubagentStop' },
    cap: 20,
  },
  goose: {
    again: {},
    interrupted: NOT_CALLED,
    error: NOT_CALLED,
    plan: "doesn't tell the hook its mode",
    helper: NOT_CALLED,
    cap: 7,
  },
  grok: {
    again: { stopHookActive: true },
    interrupted: { hook_event_name: 'StopCancelled', reason: 'user_interrupt' },
    error: { hook_event_name: 'StopFailure', error: 'server_error' },
    plan: { permissionMode: 'plan', permission_mode: 'plan' },
    helper: { hook_event_name: 'SubagentStop', agent_id: 'a1' },
    cap: 7,
  },
  kimi: {
    again: {},
    interrupted: NOT_CALLED,
    error: NOT_CALLED,
    plan: "doesn't tell the hook its mode",
    helper: { hook_event_name: 'SubagentStop' },
    cap: 'asks once per prompt',
  },
  qoder: {
    again: { stop_hook_active: true },
    interrupted: NOT_CALLED,
    error: { hook_event_name: 'StopFailure', error: 'server_error' },
    plan: { permission_mode: 'plan' },
    helper: { hook_event_name: 'SubagentStop', agent_id: 'a1' },
    cap: 20,
  },
}

/** One conversation: each stop as the agent CLI reports it, with all earlier messages. */
function conversation(p: HookProject, host: string) {
  const said: string[] = []
  const path = join(p.root, `talk-${host}.jsonl`)
  writeFileSync(path, '')
  const { again, args = [] } = TERMS[host]!
  const log = join(p.root, 'kimi', 'sessions', 'w', 's-1', 'agents', 'main', 'wire.jsonl')
  mkdirSync(dirname(log), { recursive: true })
  return {
    async stop(message: string, more: object = {}, before = ''): Promise<Answer> {
      const first = said.length === 0
      said.push(...(before === '' ? [] : [before]), message)
      const entries = TRANSCRIPTS[host]
      if (entries !== undefined) writeFileSync(host === 'kimi' ? log : path, lines(said.flatMap(entries)))
      const how = { args, env: { KIMI_CODE_HOME: join(p.root, 'kimi') } }
      const common = { conversation_id: 's-1', generation_id: 'g', workspace_roots: [p.dir] }
      if (host === 'cursor')
        for (const text of before === '' ? [message] : [before, message])
          await p.ask('cursor', { ...common, hook_event_name: 'afterAgentResponse', text }, how)
      const own: Readonly<Record<string, object>> = {
        gemini: { prompt_response: said.join('\n'), transcript_path: path },
        copilot: { last_assistant_message: undefined, transcriptPath: path },
        droid: { last_assistant_message: undefined, transcript_path: path },
        kimi: { last_assistant_message: undefined },
        qoder: { last_assistant_message: said.join('\n'), transcript_path: path },
      }
      const payload = STOPS[host]!(p.dir, message, { ...(first ? {} : again), ...own[host], ...more })
      return p.ask(host, payload, how)
    },
  }
}

const lines = (entries: readonly object[]): string => entries.map((each) => `${JSON.stringify(each)}\n`).join('')
const ofClaude = (content: string): readonly object[] => [
  { type: 'user', message: { role: 'user', content: 'go on' } },
  { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: content }] } },
]
/** What each CLI writes for one message, if the hook reads it from there. */
const TRANSCRIPTS: Readonly<Record<string, (content: string, nth: number) => readonly object[]>> = {
  gemini: (content, nth) => [
    { id: `u${nth}`, type: 'user', content: [{ text: 'go on' }] },
    { id: `g${nth}`, type: 'gemini', content },
    { id: `g${nth}`, type: 'gemini', content, toolCalls: [] },
    { $set: { lastUpdated: '2026-02-03T04:05:06Z' } },
  ],
  copilot: (content) => [
    { type: 'user.message', data: { content: 'go on' } },
    { type: 'assistant.message', data: { content } },
    { type: 'assistant.turn_end', data: {} },
    // The call of the hook, with the time of its payload: the hook waits for it.
    { type: 'hook.start', data: { hookType: 'agentStop', input: { sessionId: 's-1', timestamp: 1 } } },
  ],
  droid: ofClaude,
  qoder: ofClaude,
  kimi: (content) => [
    { type: 'context.append_message', message: { role: 'user', content: [{ type: 'text', text: 'go on' }] } },
    loopEvent({ type: 'step.begin' }),
    loopEvent({ type: 'content.part', part: { type: 'think', think: LIE } }),
    loopEvent({ type: 'content.part', part: { type: 'text', text: content } }),
    loopEvent({ type: 'step.end', finishReason: 'end_turn' }),
  ],
}
const loopEvent = (event: object): object => ({ type: 'context.append_loop_event', event })

/** The counters of refusals. */
const stopsIn = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /stops\/\w+\.json$/.test(name))
    .map((name) => join(root, name))

type Talk = ReturnType<typeof conversation>
interface Row {
  readonly about: string
  readonly goal?: true
  readonly trust?: false
  /** Which of its own terms the row needs. */
  readonly needs?: 'interrupted' | 'error' | 'plan' | 'helper' | 'cap'
  readonly play: (talk: Talk, p: HookProject, more: object, host: string) => Promise<readonly Answer[]>
  /** Refused or not, in order. */
  readonly refused: readonly boolean[]
}

const ROWS: readonly Row[] = [
  { about: 'lie', play: async (talk) => [await talk.stop(LIE)], refused: [true] },
  {
    about: 'honest after lie',
    play: async (talk) => [await talk.stop(LIE), await talk.stop(`I was wrong. ${TALK}`), await talk.stop(LIE)],
    refused: [true, false, true],
  },
  {
    about: 'stale claim with goal',
    goal: true,
    play: async (talk, p) => {
      const claim = await talk.stop(CLAIM)
      p.fix()
      return [claim, await talk.stop(TALK), await talk.stop(CLAIM)]
    },
    refused: [true, true, false],
  },
  { about: 'talk', play: async (talk) => [await talk.stop('Here is how the importer works.')], refused: [false] },
  {
    about: 'question',
    play: async (talk) => [await talk.stop('Should I run the tests until they pass?')],
    refused: [false],
  },
  {
    about: 'tool use between',
    play: async (talk) => [await talk.stop(TALK, {}, LIE), await talk.stop(LIE, {}, TALK)],
    refused: [false, true],
  },
  {
    about: 'interrupted',
    goal: true,
    needs: 'interrupted',
    play: async (talk, _p, more) => [await talk.stop(LIE, more)],
    refused: [false],
  },
  {
    about: 'API error',
    goal: true,
    needs: 'error',
    play: async (talk, _p, more) => [await talk.stop(LIE, more)],
    refused: [false],
  },
  {
    about: 'plan mode',
    goal: true,
    needs: 'plan',
    play: async (talk, _p, more) => [await talk.stop(LIE, more)],
    refused: [false],
  },
  {
    about: 'subagent',
    needs: 'helper',
    play: async (talk, _p, more) => [await talk.stop(LIE, more)],
    refused: [false],
  },
  {
    about: 'changed command',
    play: async (talk, p) => {
      p.write('exitgate.config.json', CONFIG.replace('sh check.sh', 'true'))
      return [await talk.stop(LIE), await talk.stop(LIE)]
    },
    refused: [true, false],
  },
  {
    about: 'untrusted',
    trust: false,
    play: async (talk) => [await talk.stop(LIE), await talk.stop(LIE)],
    refused: [false, false],
  },
  {
    about: 'block cap',
    goal: true,
    needs: 'cap',
    play: async (talk, p, _more, host) => {
      const cap = Number(TERMS[host]!.cap)
      expect((await talk.stop(HALF)).refused).toContain(`refusal 1 of ${cap}`)
      // The rows with the real agents count every refusal.
      for (const file of stopsIn(p.root)) {
        const kept = JSON.parse(readFileSync(file, 'utf8'))
        if (kept.row === 1) writeFileSync(file, JSON.stringify({ ...kept, row: cap - 1, idle: cap - 1 }))
      }
      const last = await talk.stop(HALF)
      expect(last.refused).toContain(`refusal ${cap} of ${cap}`)
      return [last, await talk.stop(HALF)]
    },
    refused: [true, false],
  },
]

describe.each(hosts)('%s', (host) => {
  it.for(ROWS.map((row) => [row.about, row] as const))('%s', async ([, row], { skip }) => {
    const term = row.needs === undefined ? {} : TERMS[host]![row.needs]
    skip(typeof term === 'string', `${host} ${String(term)}`)
    const p = hookProject()
    const setUp = row.goal ? ['goal', 'start', 'subtraction works'] : ['trust']
    if (row.trust !== false) expect((await p.run(setUp)).code).toBe(0)
    const answers = await row.play(conversation(p, host), p, typeof term === 'object' ? term : {}, host)
    expect(answers.map(({ refused }) => refused !== undefined)).toEqual(row.refused)
  })
})
