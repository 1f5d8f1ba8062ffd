import { count } from '../../packages/core/src/count.ts'
import type { Backlog } from '../backlog/types.ts'
import type { Spent } from '../core/types.ts'
import { nextCallAt } from '../loop/limits/budget.ts'
import type { SharedAnswer, SharedLimits, Start } from '../loop/shared-limits.ts'

/** What a task had used before this process started counting. */
export interface UsedBefore {
  readonly total: Spent
  /** Start times of its iterations in the last hour. */
  readonly starts: readonly number[]
}

const NOTHING: Spent = { ms: 0, tokens: 0, usd: 0 }
const HOUR = 3_600_000

/** One kind of limit: how much is used, and the ending it causes. */
const AMOUNTS = [
  { ending: 'cost', limit: 'usd', used: ({ usd }: Spent) => usd, text: 'dollars spent' },
  { ending: 'tokens', limit: 'tokens', used: ({ tokens }: Spent) => tokens, text: 'tokens used' },
  { ending: 'time', limit: 'minutes', used: ({ ms }: Spent) => ms / 60_000, text: 'minutes used' },
] as const

export interface SharedCount {
  /** The limits as one task sees them; runs of two tasks may have the same name. */
  forTask(task: string): SharedLimits
  total(): Spent
}

/** Limits shared by the tasks of a backlog, counted in this process. Nothing else runs between a request and its answer. */
export function countSharedLimits(limits: Backlog['limits'], before: readonly UsedBefore[]): SharedCount {
  const base = before.map(({ total }) => total).reduce(sum, NOTHING)
  const costs = new Map<string, Spent>()
  const granted = new Map<string, number>()
  let starts = before.flatMap((each) => each.starts)
  const total = (): Spent => [...costs.values()].reduce(sum, base)

  const answer = (key: string, at: number): SharedAnswer => {
    if (granted.has(key)) return { kind: 'go' }
    const spent = total()
    for (const { ending, limit, used, text: words } of AMOUNTS) {
      const maximum = limits[limit]
      if (maximum !== undefined && used(spent) >= maximum)
        return { kind: 'ends', ending, reason: `${Math.round(used(spent) * 100) / 100} of ${maximum} ${words}` }
    }
    const next = nextCallAt(starts, limits.callsPerHour, at)
    if (next !== undefined && next > at)
      return {
        kind: 'waits',
        until: next,
        why: `the limit is ${count(limits.callsPerHour ?? 0, 'iteration')} per hour`,
      }
    granted.set(key, at)
    starts = [...starts.filter((start) => at - start < HOUR), at]
    return { kind: 'go' }
  }

  return {
    total,
    forTask(task) {
      const keyOf = ({ run, iteration, attempt }: Start & { readonly run: string }): string =>
        `${task} ${run} ${iteration}.${attempt}`
      return {
        ask: async (start) => answer(keyOf(start), start.at),
        report: async (start, spent) => void costs.set(keyOf(start), spent),
      }
    },
  }
}

const sum = (a: Spent, b: Spent): Spent => ({ ms: a.ms + b.ms, tokens: a.tokens + b.tokens, usd: a.usd + b.usd })
