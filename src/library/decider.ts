import { openReader } from '../agents/reader.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { observation } from '../core/policy/look.ts'
import { policyFor } from '../core/presets/index.ts'
import { read } from '../core/signals/read.ts'
import type { Policy, ReadOptions, Scalar, Signals, Transcript, Verdict } from '../core/types.ts'
import { decideAndRecord, memoryJournal } from '../journal/decide-and-record.ts'
import { type EvidenceInput, readEvidence } from './evidence-input.ts'

/** What the agent printed in one iteration. */
export interface AgentOutput {
  readonly output: string | Uint8Array
  /** `auto` unless you know it: text, claude, codex, gemini, opencode, pi, acp or json. */
  readonly format?: string
  /** The prompt the agent was given: text it only repeats is not a claim. */
  readonly prompt?: string
  /** What the agent passed to the `exit_signal` tool, if it called it. */
  readonly exitSignal?: Readonly<Record<string, Scalar>>
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
  const journal = memoryJournal()
  return {
    policy,
    get state() {
      return journal.state
    },
    decide(input) {
      const { state } = journal
      const signals = listen(transcriptOf(input), readingOf(policy, input))
      const evidence = readEvidence(input.evidence, own)
      const seen = observation(signals, evidence, input.task === undefined ? {} : { task: input.task })
      const fresh = state.run === undefined || state.ended !== undefined
      const first = fresh ? [started(config, policy, state)] : []
      return decideAndRecord(journal, seen, { policy, now: input.at ?? Date.now(), first }).verdict
    },
  }
}

export function transcriptOf({ output, format = 'auto', exitSignal }: AgentOutput): Transcript {
  const reader = openReader(format)
  reader.write(output)
  const transcript = reader.end()
  return exitSignal === undefined ? transcript : { ...transcript, toolSignals: [...transcript.toolSignals, exitSignal] }
}

export function readingOf(policy: Policy, { prompt }: AgentOutput): ReadOptions {
  return { ...policy.reading, ...(prompt === undefined ? {} : { prompt }) }
}

function started(config: Config, policy: Policy, { totals }: State): EventInput {
  const phase = policy.phases?.[0]
  return { type: 'run.started', run: `run-${totals.runs + 1}`, config, ...(phase === undefined ? {} : { phase }) }
}
