import type { ConfigPatch, PresetName } from '../../src/core/config.ts'
import type { Answer, Breaker, Observation, Scalar, Signals, Spent, Transcript } from '../../src/core/types.ts'

/** One run of the gate, told in a row: what each iteration brought, and what was decided about it. */
export interface Row {
  /** Where the case comes from: `cub-12`, `ralph-A7`, or several, separated by blanks. New cases have a name of their own. */
  readonly id: string
  readonly name: string
  readonly preset: PresetName
  readonly config?: ConfigPatch
  readonly taskType?: string
  /** Where ours differs from the system the case was seen in, and why. */
  readonly note?: string
  /** Evidence taken before the first iteration, in the form that `--evidence` takes. */
  readonly baseline?: Given
  readonly turns: readonly (readonly [Turn, Expected])[]
}

export type Given = Readonly<Record<string, unknown>>

/** What one iteration brings. */
export interface Turn {
  /** The agent's final message. */
  readonly says?: string
  /** What else the agent's stream held: refused tools, tool calls, fields beside the text. */
  readonly stream?: Partial<Transcript>
  /** The prompt the agent had been given. */
  readonly prompt?: string
  /** Evidence in the form that `--evidence` takes. */
  readonly evidence?: Given
  /** The plan as Markdown, read by the real reader. */
  readonly plan?: string
  /** Identity of the tree the evidence was taken on. */
  readonly tree?: string
  /** The signature of an error, where its making is not the matter. */
  readonly error?: string
  readonly task?: string
  readonly phase?: string
  readonly failed?: string
  readonly stalled?: Observation['stalled']
  readonly interrupted?: true
  readonly forced?: 'run' | 'phase'
  readonly given?: Observation['given']
  readonly spent?: Partial<Spent>
  /** Minutes since the iteration before; one unless told. */
  readonly after?: number
  /** A person did this before the iteration: closed the breaker, or started a new run. */
  readonly before?: 'breaker reset' | 'new run'
}

/** `continue`, `advance GREEN` or `completed/verified`; the rule; and whatever else matters. */
export type Expected = readonly [decision: string, rule: string, more?: More]

type Text = string | RegExp

export interface More {
  readonly reason?: Text
  /** Each must be among the warnings; an empty list allows none. */
  readonly warnings?: readonly Text[]
  /** Each must be among what is missing; an empty list allows none. */
  readonly missing?: readonly Text[]
  readonly measures?: Readonly<Record<string, number>>
  /** Measures that must have nothing to say. */
  readonly unmeasured?: readonly string[]
  readonly claim?: Answer
  readonly proof?: Answer
  readonly phase?: string
  /** The breaker as the iteration left it. */
  readonly breaker?: Partial<Breaker>
  readonly streaks?: Readonly<Record<string, number>>
  /** `closed>half-open half-open>open`; empty for none. */
  readonly moves?: string
  readonly said?: Readonly<Record<string, Scalar>>
  readonly signals?: Partial<Signals>
  readonly answers?: Readonly<Record<string, Answer>>
}

/** A status block of the phase dialect, as small as it may be. */
export const phaseBlock = (phase: string, signal: boolean, more = ''): string =>
  ['---PRP_PHASE_STATUS---', `PHASE: ${phase}`, more, `EXIT_SIGNAL: ${signal}`, '---END_PRP_PHASE_STATUS---', '']
    .filter((line, i) => line !== '' || i === 5)
    .join('\n')

export const doyakenBlock = ({ complete, tests = 'pass' }: { complete: string; tests?: string }): string =>
  [
    'DOYAKEN_STATUS:',
    `  PHASE_COMPLETE: ${complete}`,
    '  FILES_MODIFIED: 3',
    `  TESTS_STATUS: ${tests}`,
    '  CONFIDENCE: high',
    '  REMAINING_WORK: none',
    '',
  ].join('\n')

/** A plan with so many ticked and so many open tasks. */
export const ticks = (done: number, open: number): string =>
  [
    ...Array.from({ length: done }, (_, i) => `- [x] ready ${i}\n`),
    ...Array.from({ length: open }, (_, i) => `- [ ] left ${i}\n`),
  ].join('')

export const ralphBlock = (signal: boolean, more = 'STATUS: IN_PROGRESS'): string =>
  [
    '---RALPH_STATUS---',
    signal ? 'STATUS: COMPLETE' : more,
    'TASKS_COMPLETED_THIS_LOOP: 1',
    'FILES_MODIFIED: 2',
    'TESTS_STATUS: NOT_RUN',
    `EXIT_SIGNAL: ${signal}`,
    'RECOMMENDATION: see above',
    '---END_RALPH_STATUS---',
    '',
  ].join('\n')
