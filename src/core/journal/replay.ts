import type { Config } from '../config.ts'
import { type After, type DecidedIteration, decideIteration } from '../policy/decide.ts'
import type { Policy } from '../types.ts'
import { beforeOf } from './before.ts'
import { withoutTrace } from './event-inputs.ts'
import type { CountersAfter, Decided, JournalEvent, State } from './events.ts'
import { Fold } from './fold.ts'

/** The first difference between two values: its dotted path and both values. */
export interface Difference {
  readonly field: string
  readonly recorded: unknown
  readonly today: unknown
}

/** A past decision, made again from the same facts. */
export interface Replayed {
  readonly event: Extract<JournalEvent, { type: 'iteration.decided' }>
  /** Without `starts`, which no decision uses. */
  readonly before: State
  readonly policy: Policy
  readonly decision: DecidedIteration
  /** Whether the decision is the same. Its sentences may differ: releases rewrite them. */
  readonly same: boolean
  /** The first difference in the verdict, or else in the counters for the next iteration (`after`). */
  readonly difference?: Difference
}

/** Returns the policy of a recorded configuration, or undefined if its code isn't available. Such decisions are skipped. */
export type PolicyLookup = (config: Config) => Policy | undefined

/** Decides every iteration of a journal again. Pure: the same journal always gives the same result. */
export function* replay(events: Iterable<JournalEvent>, policyFor: PolicyLookup): Generator<Replayed> {
  const fold = new Fold()
  const decideAgain = decideAgainWith(policyFor)
  for (const event of events) {
    const before = fold.past
    fold.add(event)
    const again = event.type === 'iteration.decided' ? decideAgain(event, before) : undefined
    if (again !== undefined) yield again
  }
}

/** Makes one past decision again, from the state before it. Undefined if its configuration or code isn't available. */
export function decideAgainWith(
  policyFor: PolicyLookup,
): (event: Replayed['event'], before: State) => Replayed | undefined {
  let policy: Policy | undefined
  let config: Config | undefined
  return (event, before) => {
    if (before.config === undefined) return undefined
    if (before.config !== config) policy = policyFor(before.config)
    config = before.config
    if (policy === undefined) return undefined
    const again = decideIteration(beforeOf(before), event.observation, policy, event.at)
    const verdict = withoutTrace(again.verdict)
    const inVerdict = differenceOf(withoutText(event.verdict), withoutText(verdict))
    // The next past decision starts from the recorded counters, so a change in counting must show up here.
    const difference =
      inVerdict ??
      counterDifference(event.after, onlyKnownStreaks(again.after, event.after)) ??
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

/** Ignores streaks that were added after the journal was written. No recorded verdict depends on them. */
function onlyKnownStreaks(after: After, { streaks: then }: CountersAfter): After {
  const streaks = Object.fromEntries(Object.entries(after.streaks).filter(([name]) => Object.hasOwn(then, name)))
  return { ...after, streaks }
}

function counterDifference(recorded: CountersAfter, today: After): Difference | undefined {
  const found = differenceOf(recorded, today)
  return found === undefined ? undefined : withPrefix('after', found)
}

/** Compares the values as JSON would store them: undefined counts as absent, NaN and Infinity as null. */
function differenceOf(recorded: unknown, today: unknown): Difference | undefined {
  const one = asJson(recorded)
  const two = asJson(today)
  if (one === two) return undefined
  if (!isTable(one) || !isTable(two) || Array.isArray(one) !== Array.isArray(two))
    return { field: '', recorded: one, today: two }
  for (const key in one) {
    const found = differenceOf(own(one, key), own(two, key))
    if (found !== undefined) return withPrefix(key, found)
  }
  for (const key in two) {
    const found = Object.hasOwn(one, key) ? undefined : differenceOf(undefined, own(two, key))
    if (found !== undefined) return withPrefix(key, found)
  }
  return undefined
}

const withPrefix = (key: string, found: Difference): Difference => ({
  ...found,
  field: found.field === '' ? key : `${key}.${found.field}`,
})

const asJson = (value: unknown): unknown => (typeof value === 'number' && !Number.isFinite(value) ? null : value)

const own = (table: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(table, key) ? table[key] : undefined

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
