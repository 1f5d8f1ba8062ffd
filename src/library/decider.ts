import { openReader } from '../agents/reader.ts'
import type { Config } from '../core/config.ts'
import { beforeOf } from '../core/journal/before.ts'
import { eventInputsOf } from '../core/journal/event-inputs.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { emptyState, reduce } from '../core/journal/reduce.ts'
import { decideIteration } from '../core/policy/decide-iteration.ts'
import { observation } from '../core/policy/start.ts'
import { policyFor } from '../core/presets/index.ts'
import { read } from '../core/signals/read.ts'
import type { Policy, ReadOptions, Scalar, Signals, Transcript, Verdict } from '../core/types.ts'
import { type EvidenceInput, readEvidence } from './evidence-input.ts'

/** What the agent printed in one iteration. */
export interface AgentOutput {
  readonly output: string | Uint8Array
  /** `auto` unless you know it: text, claude, codex, gemini, opencode, pi, acp or json. */
  readonly format?: string
  /** The prompt the agent was given: text it only repeats is not a claim. */
  readonly prompt?: string
  /** What the agent passed to the `exit_signal` tool, if it called it. */
  readonly signal?: Readonly<Record<string, Scalar>>
}

export interface DecideInput<Own extends string = never> extends AgentOutput {
  readonly evidence: EvidenceInput<Own>
  readonly task?: string
  /** When the iteration ended, in ms since 1970; now unless given. */
  readonly at?: number
}

export interface Decider<Own extends string = never> {
  /** Decides one iteration. Counters carry over to the next call; after a stop, the next call begins a new run. */
  decide(input: DecideInput<Own>): Verdict
  readonly policy: Policy
  readonly state: State
}

export interface DeciderOptions {
  /** Names of your own checks and commands. */
  readonly own?: readonly string[]
  readonly read?: (transcript: Transcript, options: ReadOptions) => Signals
}

/** The decision alone: no file, no process, no clock but the one that stamps `at`. Runs in a browser. */
export function createDecider<Own extends string = never>(
  config: Config,
  { own = [], read: listen = read }: DeciderOptions = {},
): Decider<Own> {
  const policy = policyFor(config)
  let state = emptyState()
  return {
    policy,
    get state() {
      return state
    },
    decide(input) {
      const at = input.at ?? Date.now()
      const signals = listen(transcriptOf(input), readingOf(policy, input))
      const seen = observation(signals, readEvidence(input.evidence, own), {
        ...(input.task === undefined ? {} : { task: input.task }),
      })
      if (state.run === undefined || state.ended !== undefined) record([started(config, policy, state)], at)
      const decided = decideIteration(beforeOf(state), seen, policy, at)
      record(eventInputsOf(seen, decided), at)
      return decided.verdict
    },
  }

  function record(events: readonly EventInput[], at: number): void {
    for (const event of events) state = reduce(state, { v: 1, seq: state.seq + 1, at, prev: '', ...event })
  }
}

export function transcriptOf({ output, format = 'auto', signal }: AgentOutput): Transcript {
  const reader = openReader(format)
  reader.write(output)
  const transcript = reader.end()
  return signal === undefined ? transcript : { ...transcript, toolSignals: [...transcript.toolSignals, signal] }
}

export function readingOf(policy: Policy, { prompt }: AgentOutput): ReadOptions {
  return { ...policy.reading, ...(prompt === undefined ? {} : { prompt }) }
}

function started(config: Config, policy: Policy, { totals }: State): EventInput {
  const phase = policy.phases?.[0]
  return { type: 'run.started', run: `run-${totals.runs + 1}`, config, ...(phase === undefined ? {} : { phase }) }
}
