import type { Backlog } from '../backlog/types.ts'
import { count } from '../core/count.ts'
import type { Spent } from '../core/types.ts'
import { nextCallAt } from '../loop/limits/budget.ts'
import type { SharedAnswer, SharedLimits, Start } from '../loop/shared-limits.ts'

/** What a task had used before this process began to count. */
export interface UsedBefore {
  readonly total: Spent
  /** When its iterations of the last hour were started. */
  readonly starts: readonly number[]
}

const NOTHING: Spent = { ms: 0, tokens: 0, usd: 0 }
const HOUR = 3_600_000

/** One kind of amount: what is used of it, and how its end is called. */
const AMOUNTS: readonly {
  readonly ending: 'cost' | 'tokens' | 'time'
  readonly limit: 'usd' | 'tokens' | 'minutes'
  readonly used: (spent: Spent) => number
  readonly words: string
}[] = [
  { ending: 'cost', limit: 'usd', used: ({ usd }) => usd, words: 'dollars were spent' },
  { ending: 'tokens', limit: 'tokens', used: ({ tokens }) => tokens, words: 'tokens were used' },
  { ending: 'time', limit: 'minutes', used: ({ ms }) => ms / 60_000, words: 'minutes were used' },
]

export interface SharedCount {
  /** The same limits as one task sees them: runs of two tasks may have the same name. */
  forTask(task: string): SharedLimits
  total(): Spent
}

/** What the tasks of a backlog may use together, counted in this process. Between a question and its answer nothing else runs. */
export function countTogether(limits: Backlog['limits'], before: readonly UsedBefore[]): SharedCount {
  const base = before.map(({ total }) => total).reduce(sum, NOTHING)
  const costs = new Map<string, Spent>()
  const granted = new Map<string, number>()
  let starts = before.flatMap((each) => each.starts)
  const total = (): Spent => [...costs.values()].reduce(sum, base)

  const answer = (key: string, at: number): SharedAnswer => {
    if (granted.has(key)) return { kind: 'go' }
    const spent = total()
    for (const { ending, limit, used, words } of AMOUNTS) {
      const most = limits[limit]
      if (most !== undefined && used(spent) >= most)
        return { kind: 'ends', ending, reason: `${Math.round(used(spent) * 100) / 100} of ${most} ${words}` }
    }
    const next = nextCallAt(starts, limits.callsPerHour, at)
    if (next !== undefined && next > at)
      return {
        kind: 'waits',
        until: next,
        why: `the limit of ${count(limits.callsPerHour ?? 0, 'iteration')} per hour is reached`,
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
