import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from './database/connect.ts'
import { FleetError, LostRun } from './errors.ts'
import type { Lease } from './lease.ts'

const TRIES = 6
const FIRST_MS = 500

/**
 * Retries what a remote refused, with growing pauses. The last error is thrown, and at once one that only the user can fix.
 */
export async function retryRemote<T>(
  work: () => Promise<T>,
  wanted: () => boolean,
  refused: (error: unknown) => void = () => {},
): Promise<T> {
  for (let tries = 1, pause = FIRST_MS; ; tries++, pause *= 2) {
    try {
      return await work()
    } catch (error) {
      const isFinal = error instanceof FleetError && error.exitCode === 64
      if (isFinal || tries === TRIES || !wanted()) throw error
      refused(error)
      await sleep(pause)
    }
  }
}

const AGAIN_MS = 250

/** Retries while the database is unreachable and the lease lasts, so that a restart of the database costs no agent its work. */
export async function retryWhileLeased<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isOutage(error)) throw error
      if (!lease.held()) throw new LostRun('the database could not be reached for longer than the lease')
      await sleep(AGAIN_MS)
    }
  }
}
