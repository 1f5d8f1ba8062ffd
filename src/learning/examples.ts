import { beforeOf } from '../core/journal/before.ts'
import type { JournalEvent, Label, State } from '../core/journal/events.ts'
import { Fold } from '../core/journal/fold.ts'
import type { PolicyLookup } from '../core/journal/replay.ts'
import { fixedConfidence, traitsOf } from '../core/policy/confidence.ts'
import { decideIteration } from '../core/policy/decide.ts'

/** The last decision of a labelled run: what the fixed weights say of it, what else stood in its facts, and how it turned out. */
export interface Example {
  readonly run: string
  /** Runs of one task are not strangers to each other: they are kept together when a fit is tried on what it has not seen. */
  readonly group: string
  readonly label: Label
  /** What was shown then, 0 to 100; nothing when the policy shows no completion confidence. */
  readonly shown?: number
  /** What the fixed weights say, 0 to 100. */
  readonly fixed: number
  readonly traits: Readonly<Record<string, number>>
}

type DecidedEvent = Extract<JournalEvent, { type: 'iteration.decided' }>

/** The labelled runs of `default` in a journal: the other presets have scores of their own. */
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
