import { hostname } from 'node:os'
import type { Control } from '../core/run.ts'
import type { Database } from './database/connect.ts'
import { LostRun } from './errors.ts'
import type { Lease } from './lease.ts'
import type { PendingControl, RunLease } from './run-lease.ts'

interface WorkerRowOptions {
  readonly worker: string
  readonly queue: string
  readonly concurrency: number
  readonly leaseSeconds: number
  readonly folder: string
}

/** This worker in the list of all. */
interface RegisteredWorker {
  /** Somebody removed the row of a worker that was silent for long; it is back. */
  again(): Promise<void>
  leave(): Promise<void>
}

/** Workers that were silent for so long do not come back. */
const FORGOTTEN = '1 day'

export async function registerWorker({ query }: Database, options: WorkerRowOptions): Promise<RegisteredWorker> {
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

export interface HeartbeatAnswer {
  /** Somebody asked this worker to end. */
  readonly draining: boolean
}

interface RunOfMine {
  readonly id: string
  readonly epoch: number
  readonly control: string | null
  readonly kind: Control['kind'] | null
  readonly by: string | null
  readonly reason: string | null
}

/**
 * One sign of life, and what the database has to say to it: which runs are still this worker's, and what people ask of them. Without an
 * answer the runs go on until the lease is over by this worker's own clock, and then no further.
 */
export async function sendHeartbeat(
  database: Database,
  lease: Lease,
  { worker, queue, draining }: { readonly worker: string; readonly queue: string; readonly draining: boolean },
  runLeases: ReadonlyMap<string, RunLease>,
): Promise<HeartbeatAnswer | undefined> {
  // Seats that are taken while the question is under way cannot be in the answer.
  const asked = [...runLeases.values()]
  const sentAt = performance.now()
  try {
    const [row] = await database.query<{ draining: boolean }>(
      `UPDATE exitgate.workers SET beat = now(), draining = $2 OR EXISTS (SELECT 1 FROM exitgate.drains WHERE worker = $1)
       WHERE id = $1 RETURNING draining`,
      [worker, draining],
    )
    if (row === undefined) throw new LostRun('the database does not know this worker any more')
    lease.renewed(sentAt)
    hear(
      asked,
      await database.query<RunOfMine>(
        `SELECT r.id, r.epoch, c.id AS control, c.kind, c.by, c.reason FROM exitgate.runs r
         LEFT JOIN exitgate.controls c ON c.run = r.id AND c.taken IS NULL
         WHERE r.queue = $2 AND r.worker = $1 AND r.standing = 'running' ORDER BY c.id`,
        [worker, queue],
      ),
    )
    return row
  } catch (error) {
    if (error instanceof LostRun) throw error
    if (lease.held()) return undefined
    for (const runLease of asked)
      runLease.lose(new LostRun('the database could not be reached for longer than the lease'))
    return undefined
  }
}

function hear(runLeases: readonly RunLease[], rows: readonly RunOfMine[]): void {
  for (const runLease of runLeases) {
    const mine = rows.filter(({ id, epoch }) => id === runLease.run && epoch === runLease.epoch)
    if (mine.length === 0) {
      runLease.lose(new LostRun('another worker has the run'))
      continue
    }
    const untaken = mine.flatMap(({ control, kind, by, reason }): PendingControl[] =>
      control === null || kind === null ? [] : [{ id: control, kind, by: by ?? '', reason: reason ?? '' }],
    )
    runLease.setPending(untaken)
  }
}
