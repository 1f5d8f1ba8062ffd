/** A worker's right to its runs, by its own clock, which no network can delay. */
export interface Lease {
  /** The worker surely still has its runs, unless somebody took them by hand. */
  held(): boolean
  /** A sign of life that was sent at this moment has arrived. */
  renewed(sentAt: number): void
}

/** `sentAt` is taken before the question goes out, so that the others count from a later moment than this worker does. */
export function leaseOf(seconds: number, clock: () => number = () => performance.now()): Lease {
  let last = clock()
  return {
    held: () => clock() - last < seconds * 1000,
    renewed(sentAt) {
      last = Math.max(last, sentAt)
    },
  }
}
