/** Ten minutes, unless the user says otherwise. */
export const LONGEST_MS = 600_000
const SHORTEST_MS = 30_000
const TIMES = 5

/**
 * How long a check may take: five times its slowest earlier run, within bounds. Without any earlier run, as in the
 * baseline, it has the maximum.
 */
export function deadlineFor(history: readonly number[], maximumMs: number = LONGEST_MS): number {
  const known = history.filter((ms) => Number.isFinite(ms) && ms >= 0)
  if (known.length === 0) return maximumMs
  return Math.min(maximumMs, Math.max(SHORTEST_MS, TIMES * Math.max(...known)))
}
