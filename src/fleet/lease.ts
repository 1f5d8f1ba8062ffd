/** A worker's right to its runs, measured by its own clock. */
export interface Lease {
  /** True while no other worker can have taken the runs because of silence. */
  held(): boolean
  /** The database received a heartbeat sent at this time. */
  renewed(sentAt: number): void
}

/** `sentAt` is the time before the query, so this worker's lease never lasts longer here than in the database. */
export function leaseOf(seconds: number, clock: () => number = () => performance.now()): Lease {
  let last = clock()
  return {
    held: () => clock() - last < seconds * 1000,
    renewed(sentAt) {
      last = Math.max(last, sentAt)
    },
  }
}
