import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from './database/connect.ts'
import { FleetError, LostRun } from './errors.ts'
import type { Lease } from './lease.ts'

const TRIES = 6
const FIRST_MS = 500

/**
 * Retries failed remote operations with growing pauses, then throws the last error. Errors only the user can fix are thrown at
 * once.
 */
export async function retryRemote<T>(
  work: () => Promise<T>,
  mayRetry: () => boolean,
  onFailure: (error: unknown) => void = () => {},
): Promise<T> {
  for (let tries = 1, pause = FIRST_MS; ; tries++, pause *= 2) {
    try {
      return await work()
    } catch (error) {
      const isFinal = error instanceof FleetError && error.exitCode === 64
      if (isFinal || tries === TRIES || !mayRetry()) throw error
      onFailure(error)
      await sleep(pause)
    }
  }
}

const RETRY_MS = 250

/** Retries while the database is unreachable and the lease lasts, so that a database restart doesn't lose an agent's work. */
export async function retryWhileLeased<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isOutage(error)) throw error
      if (!lease.held()) throw new LostRun('the database was unreachable for longer than the lease')
      await sleep(RETRY_MS)
    }
  }
}
