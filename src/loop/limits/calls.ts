const HOUR = 3_600_000

/** When the next start of the agent is allowed, if not now: within any hour there are at most so many. */
export function nextCallAt(
  starts: readonly number[],
  callsPerHour: number | undefined,
  now: number,
): number | undefined {
  if (callsPerHour === undefined) return undefined
  // A clock that was put back must not make us wait for longer than the hour it is about.
  const within = starts.map((start) => Math.min(start, now)).filter((start) => now - start < HOUR)
  if (within.length < callsPerHour) return undefined
  const oldest = within.toSorted((a, b) => a - b)[within.length - callsPerHour]
  return oldest === undefined ? undefined : oldest + HOUR
}
