import type { ConfigPatch, PresetName } from '../../src/core/config.ts'
import type { FailureCause } from '../../src/core/failure-cause.ts'
import type { Answer, Breaker, Observation, Scalar, Signals, Spent, Transcript } from '../../src/core/types.ts'

/** One run as a row: the input of each iteration, and the expected decision. */
export interface Row {
  /** The source of the case: `cub-12`, `ralph-A7`, or several, separated by spaces. New cases have their own names. */
  readonly id: string
  readonly name: string
  readonly preset: PresetName
  readonly config?: ConfigPatch
  readonly taskType?: string
  /** How exitgate differs from the original tool here, and why. */
  readonly note?: string
  /** Evidence before the first iteration, in the format of `--evidence`. */
  readonly baseline?: Given
  readonly turns: readonly (readonly [Turn, Expected])[]
}

export type Given = Readonly<Record<string, unknown>>

/** The input of one iteration. */
export interface Turn {
  /** The agent's final message. */
  readonly says?: string
  /** Other content of the agent's stream: denied tools, tool calls, fields outside the text. */
  readonly stream?: Partial<Transcript>
  /** The agent's prompt. */
  readonly prompt?: string
  /** Evidence in the format of `--evidence`. */
  readonly evidence?: Given
  /** Checks whose failure is only a change to the tests that the user can accept. */
  readonly toAccept?: readonly string[]
  /** The plan as Markdown, parsed by the real reader. */
  readonly plan?: string
  /** Identifies the state of the files. */
  readonly tree?: string
  /** An error signature, for rows that don't test how it is computed. */
  readonly error?: string
  readonly task?: string
  readonly phase?: string
  readonly failed?: string
  readonly cause?: FailureCause
  readonly stalled?: Observation['stalled']
  readonly interrupted?: true
  readonly forced?: 'run' | 'phase'
  readonly given?: Observation['given']
  readonly spent?: Partial<Spent>
  /** Minutes since the previous iteration. Default: 1. */
  readonly after?: number
  /** What the user did before the iteration: closed the breaker, or started a new run. */
  readonly before?: 'breaker reset' | 'new run'
}

/** `continue`, `advance GREEN` or `completed/verified`, the rule, and other expectations. */
export type Expected = readonly [decision: string, rule: string, more?: More]

type Text = string | RegExp

export interface More {
  readonly reason?: Text
  /** Each must be among the warnings; an empty list allows none. */
  readonly warnings?: readonly Text[]
  /** Each must be among what is missing; an empty list allows none. */
  readonly missing?: readonly Text[]
  readonly measures?: Readonly<Record<string, number>>
  /** Measures that must be absent. */
  readonly unmeasured?: readonly string[]
  readonly claim?: Answer
  readonly proof?: Answer
  readonly phase?: string
  /** The breaker after the iteration. */
  readonly breaker?: Partial<Breaker>
  readonly streaks?: Readonly<Record<string, number>>
  /** `closed>half-open half-open>open`; empty for none. */
  readonly moves?: string
  readonly said?: Readonly<Record<string, Scalar>>
  readonly signals?: Partial<Signals>
  readonly answers?: Readonly<Record<string, Answer>>
}

/** A minimal status block of the phase dialect. */
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

/** A plan with this many ticked and open tasks. */
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
