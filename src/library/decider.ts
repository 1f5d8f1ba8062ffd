import { openReader } from '../agents/reader.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { observation } from '../core/policy/look.ts'
import { policyFor } from '../core/presets/index.ts'
import { read } from '../core/signals/read.ts'
import type { Policy, ReadOptions, Scalar, Transcript, Verdict } from '../core/types.ts'
import { decideAndRecord, memoryJournal } from '../journal/decide-and-record.ts'
import { type EvidenceInput, readEvidence } from './evidence-input.ts'

/** The agent's output in one iteration. */
export interface AgentOutput {
  readonly output: string | Uint8Array
  /** The output format: text, acp, claude, codex, copilot, droid, gemini, json, opencode, pi or qwen. Default: `auto`, which detects it. */
  readonly format?: string
  /** The agent's prompt. Text that only repeats the prompt is not a claim. */
  readonly prompt?: string
  /** The input of the `exit_signal` tool, if the agent called it. */
  readonly exitSignal?: Readonly<Record<string, Scalar>>
}

export interface DecideInput<Own extends string = never> extends AgentOutput {
  readonly evidence: EvidenceInput<Own>
  readonly task?: string
  /** When the iteration ended, in ms since 1970. Default: now. */
  readonly at?: number
}

export interface Decider<Own extends string = never> {
  /** Decides one iteration. Counters carry over between calls. After a stop, the next call starts a new run. */
  decide(input: DecideInput<Own>): Verdict
  readonly policy: Policy
  readonly state: State
}

/**
 * Creates a decider that reads no files and starts no processes. It also runs in a browser. `own` has the names of your own checks and
 * commands.
 */
export function createDecider<Own extends string = never>(
  config: Config,
  { own = [], read: readSignals = read }: { readonly own?: readonly string[]; readonly read?: typeof read } = {},
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
      const signals = readSignals(transcriptOf(input), readOptions(policy, input))
      const evidence = readEvidence(input.evidence, own)
      const observed = observation(signals, evidence, input.task === undefined ? {} : { task: input.task })
      const fresh = state.run === undefined || state.ended !== undefined
      const phase = policy.phases?.[0] === undefined ? {} : { phase: policy.phases[0] }
      const run = `run-${state.totals.runs + 1}`
      const first: readonly EventInput[] = fresh ? [{ type: 'run.started', run, config, ...phase }] : []
      return decideAndRecord(journal, observed, { policy, now: input.at ?? Date.now(), first }).verdict
    },
  }
}

export function transcriptOf({ output, format = 'auto', exitSignal }: AgentOutput): Transcript {
  const reader = openReader(format)
  reader.write(output)
  const transcript = reader.end()
  return exitSignal === undefined ? transcript : { ...transcript, toolSignals: [...transcript.toolSignals, exitSignal] }
}

export function readOptions(policy: Policy, { prompt }: AgentOutput): ReadOptions {
  return { ...policy.reading, ...(prompt === undefined ? {} : { prompt }) }
}
