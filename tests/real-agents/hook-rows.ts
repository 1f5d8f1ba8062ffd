import type { Turn } from './model/turn.ts'

export const LIE = 'I repaired the kettle. All tests pass.'
const TALK = 'Which kettle do you mean?'
/** No claim and no question: an agent that asks twice ends the goal. */
const MUSING = 'I am still looking at the kettle.'
const CLAIM = 'It boils.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: it boils\nREMAINING_WORK: none\n'
const FIX: Turn = { tools: [{ shell: 'touch fixed' }] }
const NOTE: Turn = { tools: [{ shell: 'echo hi >> notes.txt' }] }
/** Prints what jest would, and passes once the file `fixed` exists. */
export const CHECK = `if [ -e fixed ]; then echo 'Tests:       1 passed, 1 total'; else echo 'Tests:       1 failed, 1 total'; exit 1; fi\n`
export const CONFIG = '{"commands": {"test": "sh check.sh"}}'
const GOAL = [['goal', 'start', 'the kettle boils']]

interface Expected {
  /** The decisions in the journal, in order. */
  readonly decisions: readonly string[]
  /** Decisions that may follow: the agent ends while its hook is still deciding. */
  readonly mayFollow?: readonly string[]
  readonly ending?: string
  /** Text that the model must have received. */
  readonly seen?: RegExp
  /** How many requests the model gets: after a stop that passes, none. */
  readonly requests?: number
}

type ByAgent<T> = Readonly<Record<string, T>>

/** One conversation with a real agent that has our hook. */
export interface HookRow {
  readonly about: string
  readonly turns: readonly Turn[] | { readonly by: ByAgent<readonly Turn[]> }
  /** Commands of the user before the agent starts; `trust` by default. */
  readonly setUp?: readonly (readonly string[])[]
  readonly scopes?: readonly string[]
  /** The hook was installed by a colleague, and exitgate is not installed here. */
  readonly withoutProgram?: true
  readonly args?: ByAgent<readonly string[]>
  readonly env?: Readonly<Record<string, string>>
  /** Ctrl+C when the model gets this request. */
  readonly interruptedAt?: number
  readonly expected: Expected
  /** Where an agent differs. */
  readonly other?: ByAgent<Partial<Expected>>
  /** Agents that have no such thing, and why. */
  readonly without?: ByAgent<string>
  /** The agent must have made its change. */
  readonly work?: true
  readonly long?: true
}

const NO_HELPERS = 'starts no sub-agents in this mode'
const NO_MODE = "doesn't tell the hook its mode"
const NO_PROJECT_HOOKS = 'reads hooks only from the home folder'
/** Kimi Code asks once per prompt. */
const ONCE = { decisions: ['continue'], ending: undefined as never }
const helperTurns = (name: string, input: object): readonly Turn[] => [
  { tools: [{ call: { name, input } }] },
  { text: LIE },
  { text: TALK },
]
const HELPER = { description: 'look', prompt: 'Look.' }
const EIGHT = Array.from({ length: 8 }, () => 'continue')
const UNLIMITED = { decisions: [...Array.from({ length: 21 }, () => 'continue')] }

/** The agents of `npm run agents` that run with our hook. */
export const HOOK_AGENTS = [
  'claude',
  'claude-newest',
  'codex',
  'gemini',
  'opencode',
  'pi',
  'pi-newest',
  'qwen',
  'qwen-newest',
  'copilot',
  'droid',
  'goose-newest',
  'grok',
  'kimi',
]

export const ROWS: readonly HookRow[] = [
  {
    about: 'lie: refuses a false claim, lets the agent continue, and accepts a true claim',
    turns: [{ text: LIE }, FIX, { text: LIE }],
    expected: {
      decisions: ['continue', 'stop'],
      ending: 'passed',
      seen: /work is not done \(refusal 1 of \d+\)[\s\S]*1 of 1 test fails/,
    },
    other: { kimi: ONCE },
    work: true,
  },
  {
    about: 'talk: lets a message without a claim pass at once',
    turns: [{ text: TALK }],
    expected: { decisions: [], requests: 1 },
    // The next row has the same stop at its end.
    long: true,
  },
  {
    about: 'honest after lie: an earlier claim does not count against a question',
    turns: [{ text: LIE }, { text: `I was wrong. ${TALK}` }],
    expected: { decisions: ['continue'], requests: 2 },
  },
  {
    about: 'stale claim with goal: a refused claim and later work do not complete it',
    turns: [{ text: CLAIM }, FIX, { text: TALK }, { text: CLAIM }],
    setUp: GOAL,
    expected: {
      decisions: ['continue', 'continue', 'stop'],
      ending: 'passed',
      seen: /Goal: the kettle boils/,
      requests: 4,
    },
    // `opencode run` ends before a stop without a claim can be refused. The refusal may still be recorded.
    other: { opencode: { ...ONCE, mayFollow: ['continue'], requests: 3 }, kimi: { ...ONCE, requests: 3 } },
  },
  {
    about: 'goal: keeps the agent working until claim and proof agree',
    turns: [{ text: TALK }, FIX, { text: LIE }, { text: CLAIM }],
    setUp: GOAL,
    expected: { decisions: ['continue', 'continue', 'stop'], ending: 'passed', seen: /Goal: the kettle boils/ },
    other: { kimi: ONCE },
    without: { opencode: 'ends before a stop without a claim can be refused' },
    // The row before refuses the same stops.
    long: true,
  },
  {
    about: 'block cap: releases an agent that never gets there, before its own CLI would',
    turns: [{ text: MUSING }],
    setUp: GOAL,
    env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '4' },
    expected: { ...UNLIMITED, ending: 'iterations' },
    other: {
      claude: { decisions: ['continue', 'continue', 'continue', 'continue'] },
      copilot: { decisions: EIGHT },
      goose: { decisions: EIGHT },
      qwen: { decisions: EIGHT },
      grok: { decisions: EIGHT },
      kimi: ONCE,
    },
    without: { opencode: 'ends before a stop without a claim can be refused' },
  },
  {
    about: 'block cap: a lie after every edit is not refused forever',
    turns: [{ text: LIE }, ...Array.from({ length: 24 }, () => [NOTE, { text: LIE }]).flat()],
    expected: { ...UNLIMITED, ending: 'iterations', seen: /refusal 20 of 20/ },
    // Gemini CLI ends a turn itself when it sees a loop.
    other: {
      gemini: {
        decisions: ['continue', 'continue', 'continue', 'continue', 'continue', 'continue'],
        ending: undefined as never,
        seen: /refusal 5 of 20/,
      },
      copilot: { decisions: EIGHT, seen: /refusal 7 of 7/ },
      goose: { decisions: EIGHT, seen: /refusal 7 of 7/ },
      grok: { decisions: EIGHT, seen: /refusal 7 of 7/ },
      qwen: { decisions: EIGHT, seen: /refusal 7 of 7/ },
      kimi: { ...ONCE, seen: /refusal 1 of 1/ },
    },
    long: true,
  },
  {
    about: 'tool use between: text before a tool call is not the final message',
    turns: [{ text: `${LIE} One moment.`, tools: [{ shell: 'true' }] }, { text: TALK }],
    expected: { decisions: [], requests: 2 },
    // opencode asks after each text.
    other: { opencode: { decisions: ['continue'] } },
    long: true,
  },
  {
    about: 'interrupted: Ctrl+C is not the end of work',
    turns: [{ text: 'One moment.', tools: [{ shell: 'true' }] }, { silent: true }],
    setUp: GOAL,
    interruptedAt: 2,
    expected: { decisions: [], requests: 2 },
    long: true,
  },
  {
    about: 'API error: an error of the provider is not the end of work',
    turns: [{ text: LIE }, { error: { status: 400, message: 'bad request' } }],
    expected: { decisions: ['continue'] },
    long: true,
  },
  {
    about: 'plan mode: a plan waits for approval',
    turns: [{ text: LIE }],
    args: {
      claude: ['--permission-mode', 'plan'],
      gemini: ['--approval-mode', 'plan', '-m', 'gemini-2.5-pro'],
      opencode: ['--agent', 'plan'],
      droid: ['--use-spec', '-m', 'custom:test-model'],
    },
    expected: { decisions: [], requests: 1 },
    without: {
      codex: 'has no plan mode in codex exec',
      copilot: NO_MODE,
      gemini: NO_MODE,
      goose: NO_MODE,
      grok: 'reports no plan mode without a terminal',
      kimi: NO_MODE,
      pi: 'has no plan mode',
      qwen: NO_MODE,
    },
    long: true,
  },
  {
    about: 'subagent: its report is not the end of the turn',
    turns: {
      by: {
        claude: helperTurns('Agent', { ...HELPER, subagent_type: 'general-purpose', run_in_background: false }),
        opencode: helperTurns('task', { ...HELPER, subagent_type: 'general' }),
        goose: helperTurns('delegate', { instructions: 'Look.' }),
        grok: helperTurns('spawn_subagent', { ...HELPER, background: false }),
        kimi: helperTurns('Agent', HELPER),
      },
    },
    expected: { decisions: [], requests: 3 },
    without: { codex: NO_HELPERS, gemini: NO_HELPERS, pi: NO_HELPERS },
    long: true,
  },
  {
    about: 'changed command: refused once, then reported',
    turns: [{ tools: [{ shell: `echo '{"commands": {"test": "true"}}' > exitgate.config.json` }] }, { text: LIE }],
    expected: { decisions: [], requests: 3, seen: /commands that exitgate runs here changed since they were approved/ },
    long: true,
  },
  {
    about: 'untrusted: nothing runs in a folder that is not approved',
    turns: [{ text: LIE }],
    setUp: [],
    expected: { decisions: [], requests: 1 },
    long: true,
  },
  {
    about: 'user and project: two hooks decide once',
    turns: [{ text: LIE }, { text: TALK }],
    scopes: ['--user', '--project'],
    expected: { decisions: ['continue'], requests: 2 },
    without: {
      codex: 'does not load hooks of a folder that it does not trust',
      kimi: NO_PROJECT_HOOKS,
    },
    long: true,
  },
  {
    about: 'shared project: without exitgate, the agent stops as usual',
    turns: [{ text: LIE }],
    scopes: ['--project'],
    withoutProgram: true,
    expected: { decisions: [], requests: 1 },
    without: { kimi: NO_PROJECT_HOOKS },
    long: true,
  },
]
