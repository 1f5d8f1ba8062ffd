import { beforeOf } from '../core/journal/before.ts'
import type { JournalEvent, Label, State } from '../core/journal/events.ts'
import { Fold } from '../core/journal/fold.ts'
import type { PolicyLookup } from '../core/journal/replay.ts'
import { fixedConfidence, traitsOf } from '../core/policy/confidence.ts'
import { decideIteration } from '../core/policy/decide.ts'

/** The last decision of a labelled run: the score of the fixed weights, other facts, and the label. */
export interface Example {
  readonly run: string
  /** Runs of the same task are similar, so cross-validation keeps them in one fold. */
  readonly group: string
  readonly label: Label
  /** The confidence shown at the time, 0 to 100; absent if the policy shows none. */
  readonly shown?: number
  /** The score of the fixed weights, 0 to 100. */
  readonly fixed: number
  readonly traits: Readonly<Record<string, number>>
}

type DecidedEvent = Extract<JournalEvent, { type: 'iteration.decided' }>

/** The labelled runs of `default` in a journal; other presets have their own scores. */
export function examplesOf(
  events: Iterable<JournalEvent>,
  labels: ReadonlyMap<string, { readonly label: Label }>,
  policyFor: PolicyLookup,
): readonly Example[] {
  const examples: Example[] = []
  const fold = new Fold()
  let last: { readonly before: State; readonly event: DecidedEvent } | undefined
  const close = (): void => {
    const example = last && exampleOf(last.before, last.event, labels, policyFor)
    if (example !== undefined) examples.push(example)
    last = undefined
  }
  for (const event of events) {
    if (event.type === 'run.started') close()
    const before = fold.past
    if (event.type === 'iteration.decided' && labels.has(before.run ?? '')) last = { before, event }
    fold.add(event)
  }
  close()
  return examples
}

function exampleOf(
  before: State,
  { observation, verdict, at }: DecidedEvent,
  labels: ReadonlyMap<string, { readonly label: Label }>,
  policyFor: PolicyLookup,
): Example | undefined {
  const { run = '', config } = before
  const label = labels.get(run)?.label
  if (label === undefined || config === undefined) return undefined
  const policy = policyFor(config)
  if (policy?.calibrated !== true) return undefined
  const { facts } = decideIteration(beforeOf(before), observation, policy, at)
  const fixed = fixedConfidence(policy.claim, policy.proof)(facts) ?? 0
  const shown = verdict.measures.confidence
  const task = observation.task ?? before.task
  return {
    run,
    group: task === undefined ? `run ${run}` : `task ${task}`,
    label,
    ...(shown === undefined ? {} : { shown }),
    fixed,
    traits: traitsOf(facts, fixed),
  }
}
