import type { Config } from '../config.ts'
import { type After, type DecidedIteration, decideIteration } from '../policy/decide.ts'
import type { Policy } from '../types.ts'
import { beforeOf } from './before.ts'
import { withoutTrace } from './event-inputs.ts'
import type { CountersAfter, Decided, JournalEvent, State } from './events.ts'
import { Fold } from './fold.ts'

/** The first place at which two values are not alike: its dotted path, and what stands there in each. */
export interface Difference {
  readonly field: string
  readonly recorded: unknown
  readonly today: unknown
}

/** One decision of the past, decided again on the same facts. */
export interface Replayed {
  readonly event: Extract<JournalEvent, { type: 'iteration.decided' }>
  /** Without `starts`, which no decision looks at. */
  readonly before: State
  readonly policy: Policy
  readonly decision: DecidedIteration
  /** Whether the decision is the same. Its sentences may differ: releases rewrite them. */
  readonly same: boolean
  /** Where the verdict, or else what it left behind for the next iteration (`after`), is another one. */
  readonly difference?: Difference
}

/** The policy of a recorded configuration; undefined when it was code that is not here. Such decisions are left out. */
export type PolicyOfPast = (config: Config) => Policy | undefined

/** Decide every iteration of a journal again. Pure: the same journal always gives the same answers. */
export function* replay(events: Iterable<JournalEvent>, policyFor: PolicyOfPast): Generator<Replayed> {
  const fold = new Fold()
  const decideAgain = decideAgainWith(policyFor)
  for (const event of events) {
    const before = fold.past
    fold.add(event)
    const again = event.type === 'iteration.decided' ? decideAgain(event, before) : undefined
    if (again !== undefined) yield again
  }
}

/**
 * Decides one decision of the past again, on the state before it. Undefined when its configuration or the code that it names is
 * not there.
 */
export function decideAgainWith(
  policyFor: PolicyOfPast,
): (event: Replayed['event'], before: State) => Replayed | undefined {
  let policy: Policy | undefined
  let config: Config | undefined
  return (event, before) => {
    if (before.config === undefined) return undefined
    if (before.config !== config || policy === undefined) policy = policyFor(before.config)
    config = before.config
    if (policy === undefined) return undefined
    const again = decideIteration(beforeOf(before), event.observation, policy, event.at)
    const verdict = withoutTrace(again.verdict)
    const inVerdict = differenceOf(withoutText(event.verdict), withoutText(verdict))
    // The next decision of the past begins with the counters that were recorded, so a change in counting must show here.
    const difference =
      inVerdict ??
      inCounters(event.after, countedThen(again.after, event.after)) ??
      differenceOf(event.verdict, verdict)
    return {
      event,
      before,
      policy,
      decision: again,
      same: inVerdict === undefined,
      ...(difference === undefined ? {} : { difference }),
    }
  }
}

/** Sentences for people are not part of the comparison; whether anything is missing is. */
function withoutText(verdict: Decided): object {
  const { reason: _reason, missing, ...codes } = verdict
  const { warnings: _warnings, ...rest } = { warnings: undefined, ...codes }
  return { ...rest, complete: missing.length === 0 }
}

/** A streak that came with a later release was not counted when the journal was written, and no verdict there rests on it. */
function countedThen(after: After, { streaks: then }: CountersAfter): After {
  const streaks = Object.fromEntries(Object.entries(after.streaks).filter(([name]) => Object.hasOwn(then, name)))
  return { ...after, streaks }
}

function inCounters(recorded: CountersAfter, today: After): Difference | undefined {
  const found = differenceOf(recorded, today)
  return found === undefined ? undefined : inside('after', found)
}

/** Compared as a journal would hold both: absent is absent, and a number that JSON cannot write is null. */
function differenceOf(recorded: unknown, today: unknown): Difference | undefined {
  const one = written(recorded)
  const two = written(today)
  if (one === two) return undefined
  if (!isTable(one) || !isTable(two) || Array.isArray(one) !== Array.isArray(two))
    return { field: '', recorded: one, today: two }
  for (const key in one) {
    const found = differenceOf(own(one, key), own(two, key))
    if (found !== undefined) return inside(key, found)
  }
  for (const key in two) {
    const found = Object.hasOwn(one, key) ? undefined : differenceOf(undefined, own(two, key))
    if (found !== undefined) return inside(key, found)
  }
  return undefined
}

const inside = (key: string, found: Difference): Difference => ({
  ...found,
  field: found.field === '' ? key : `${key}.${found.field}`,
})

const written = (value: unknown): unknown => (typeof value === 'number' && !Number.isFinite(value) ? null : value)

const own = (table: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(table, key) ? table[key] : undefined

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
