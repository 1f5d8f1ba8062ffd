import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from './database/connect.ts'
import { LostRun } from './errors.ts'
import type { Lease } from './lease.ts'

const AGAIN_MS = 250

/** Asks again while the database is away and the lease lasts: a restart of the database costs no agent its work. */
export async function patiently<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
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
