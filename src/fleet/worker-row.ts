import { hostname } from 'node:os'
import type { Database } from './database/connect.ts'

export interface WorkerRowOptions {
  readonly worker: string
  readonly queue: string
  readonly concurrency: number
  readonly leaseSeconds: number
  readonly folder: string
}

/** This worker in the list of all. */
export interface EnlistedWorker {
  /** Somebody removed the row of a worker that was silent for long; it is back. */
  again(): Promise<void>
  leave(): Promise<void>
}

/** Workers that were silent for so long do not come back. */
const FORGOTTEN = '1 day'

export async function enlist({ query }: Database, options: WorkerRowOptions): Promise<EnlistedWorker> {
  const { worker, queue, concurrency, leaseSeconds, folder } = options
  const enter = async (): Promise<void> => {
    await query(
      `INSERT INTO exitgate.workers (id, host, folder, queue, concurrency, lease_seconds) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO UPDATE SET beat = now()`,
      [worker, hostname(), folder, queue, concurrency, leaseSeconds],
    )
  }
  await enter()
  await query(
    `DELETE FROM exitgate.workers w WHERE beat < now() - interval '${FORGOTTEN}'
       AND NOT EXISTS (SELECT 1 FROM exitgate.runs r WHERE r.worker = w.id AND r.standing = 'running')`,
  )
  return {
    again: enter,
    async leave() {
      await query('DELETE FROM exitgate.drains WHERE worker = $1', [worker])
      await query('DELETE FROM exitgate.workers WHERE id = $1', [worker])
    },
  }
}
