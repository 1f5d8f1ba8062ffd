import { type CompatInput, compatWrites } from '../../src/compat/index.ts'
import { configure } from '../../src/config/project-config.ts'
import type { ConfigPatch, PresetName } from '../../src/core/config.ts'
import { beforeOf } from '../../src/core/journal/before.ts'
import { eventInputsOf } from '../../src/core/journal/event-inputs.ts'
import type { EventInput, JournalEvent, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { decideIteration } from '../../src/core/policy/decide.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { NO_SIGNALS } from '../../src/core/signals/read-signals.ts'
import type { Observation, Signals } from '../../src/core/types.ts'
import { readGiven } from '../../src/evidence/given/given.ts'

export interface PlayedIteration {
  readonly signals?: Partial<Signals>
  readonly evidence?: unknown
  readonly failed?: string
  readonly interrupted?: boolean
  readonly forced?: Observation['forced']
  readonly seconds?: number
}

export interface Case {
  readonly preset: PresetName
  readonly config?: ConfigPatch
  readonly task?: string
  readonly phase?: string
  /** The content of the workspace before the first decision. */
  readonly files?: Readonly<Record<string, string>>
  readonly iterations: readonly PlayedIteration[]
}

const START = Date.UTC(2026, 0, 13, 10, 0, 0)
const STEP = 5 * 60_000

function observe(iteration: PlayedIteration, task: { readonly task?: string }): Observation {
  const { signals, evidence, failed, interrupted, forced, seconds = 90 } = iteration
  return {
    ...task,
    signals: { ...NO_SIGNALS, ...signals },
    evidence: readGiven(evidence ?? {}).evidence,
    spent: { ms: seconds * 1000, tokens: 0, usd: 0 },
    interrupted: interrupted === true,
    ...(forced !== undefined && { forced }),
    ...(failed !== undefined && { failed: { reason: failed } }),
  }
}

/** Decides every iteration with the real engine and applies the writers' output to files in memory. */
export function play(played: Case): { files: Map<string, string>; inputs: CompatInput[] } {
  const config = configure({ ...played.config, preset: played.preset })
  const policy = policyFor(config)
  const files = new Map(Object.entries(played.files ?? {}))
  const inputs: CompatInput[] = []
  let state: State = emptyState()
  const fold = (happening: EventInput, at: number) => {
    const event: JournalEvent = { v: 1, seq: state.seq + 1, at, prev: '', ...happening }
    state = reduce(state, event)
  }
  const phase = played.phase ?? policy.phases?.[0]
  const task = played.task === undefined ? {} : { task: played.task }
  fold({ type: 'run.started', run: 'run-1', config, ...task, ...(phase !== undefined && { phase }) }, START)
  for (const [index, iteration] of played.iterations.entries()) {
    const at = START + (index + 1) * STEP
    const observation = observe(iteration, task)
    const decided = decideIteration(beforeOf(state), observation, policy, at)
    for (const happening of eventInputsOf(observation, decided)) fold(happening, at)
    const { verdict, transitions } = decided
    const input: CompatInput = { config, state, observation, verdict, transitions, at, read: (path) => files.get(path) }
    inputs.push(input)
    for (const { path, mode, text } of compatWrites(input)) {
      files.set(path, mode === 'append' ? (files.get(path) ?? '') + text : text)
    }
  }
  return { files, inputs }
}
