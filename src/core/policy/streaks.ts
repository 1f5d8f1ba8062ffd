import type { Facts, Streak, StreakPolicy, Streaks } from '../types.ts'

/** Carry every streak over this iteration. Facts hold the streaks of the iteration before. */
export function advanceStreaks(facts: Facts, policies: Readonly<Record<string, StreakPolicy>>): Streaks {
  const next: Record<string, Streak> = {}
  for (const [name, policy] of Object.entries(policies)) next[name] = advance(facts.streaks[name], facts, policy)
  return next
}

function advance(before: Streak | undefined, facts: Facts, policy: StreakPolicy): Streak {
  if (policy.hold?.(facts).answer === 'yes') return before ?? { n: 0 }
  const counts = policy.when(facts).answer === 'yes'
  if (policy.window !== undefined) return inWindow(before, facts.iteration, policy.window, counts)
  if (!counts) return { n: 0 }
  const key = policy.key?.(facts)
  const goesOn = before !== undefined && before.n > 0 && before.key === key
  const n = goesOn ? before.n + 1 : 1
  return key === undefined ? { n } : { n, key }
}

function inWindow(before: Streak | undefined, iteration: number, window: number, counts: boolean): Streak {
  const recent = [...(before?.recent ?? []), ...(counts ? [iteration] : [])].filter((each) => each > iteration - window)
  return { n: recent.length, recent }
}
