import { hostname } from 'node:os'
import type { Control } from '../core/run.ts'
import { ANYTHING_READY, ORPHAN } from './claim.ts'
import { type Database, notifyWorkers } from './database/connect.ts'
import { LostRun } from './errors.ts'
import type { Lease } from './lease.ts'
import type { PendingControl } from './run-controls.ts'
import type { RunLease } from './run-lease.ts'

interface WorkerRowOptions {
  readonly worker: string
  readonly queue: string
  readonly concurrency: number
  readonly leaseSeconds: number
  readonly folder: string
}

/** This worker's row in the database. */
interface RegisteredWorker {
  /** Adds the worker again after its row was removed because it was silent for too long. */
  reregister(): Promise<void>
  unregister(): Promise<void>
}

export async function registerWorker({ query }: Database, options: WorkerRowOptions): Promise<RegisteredWorker> {
  const { worker, queue, concurrency, leaseSeconds, folder } = options
  const insertRow = async (): Promise<void> => {
    await query(
      `INSERT INTO exitgate.workers (id, host, folder, queue, concurrency, lease_seconds) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO UPDATE SET beat = now()`,
      [worker, hostname(), folder, queue, concurrency, leaseSeconds],
    )
  }
  await insertRow()
  return {
    reregister: insertRow,
    async unregister() {
      await query('DELETE FROM exitgate.drains WHERE worker = $1', [worker])
      await query('DELETE FROM exitgate.workers WHERE id = $1', [worker])
      await notifyWorkers(query)
    },
  }
}

/** The state of the fleet at one heartbeat. */
export interface HeartbeatAnswer {
  /** The worker should finish its iterations and exit. */
  readonly draining: boolean
  /** A task is ready, or a run is free. */
  readonly work: boolean
  /**
   * Milliseconds until the first lease of another worker of this queue expires, if it is not renewed. Null if no other worker has
   * runs.
   */
  readonly expiresMs: number | null
}

interface OwnedRun {
  readonly id: string
  readonly epoch: number
  readonly control: string | null
  readonly kind: Control['kind'] | null
  readonly by: string | null
  readonly reason: string | null
}

/** Everything an idle worker needs from the database, in one transaction. */
const HEARTBEAT = `
  WITH me AS (
    UPDATE exitgate.workers SET beat = now(), draining = $4 OR EXISTS (SELECT 1 FROM exitgate.drains WHERE worker = $2)
    WHERE id = $2 RETURNING draining
  )
  SELECT me.draining, EXISTS (${ANYTHING_READY}) OR EXISTS (${ORPHAN}) AS work,
    (SELECT min(extract(epoch FROM w.beat - now()) + w.lease_seconds) * 1000 FROM exitgate.workers w
     WHERE w.queue = $1 AND w.id <> $2
       AND EXISTS (SELECT 1 FROM exitgate.runs r WHERE r.queue = $1 AND r.worker = w.id AND r.standing = 'running'))::float8 AS "expiresMs",
    (SELECT coalesce(json_agg(mine), '[]') FROM (
       SELECT r.id, r.epoch, c.id::text AS control, c.kind, c.by, c.reason FROM exitgate.runs r
       LEFT JOIN exitgate.controls c ON c.run = r.id AND c.taken IS NULL
       WHERE r.queue = $1 AND r.worker = $2 AND r.standing = 'running' ORDER BY c.id) mine) AS runs
  FROM me`

/**
 * Sends one heartbeat. The answer tells which runs this worker still owns and which controls users sent. Without an answer the runs
 * continue until the lease expires by this worker's own clock.
 */
export async function sendHeartbeat(
  database: Database,
  lease: Lease,
  { worker, queue, draining }: { readonly worker: string; readonly queue: string; readonly draining: boolean },
  runLeases: ReadonlyMap<string, RunLease>,
  mine: readonly string[],
): Promise<HeartbeatAnswer | undefined> {
  // Runs claimed while the query is in flight can't be in the answer.
  const heldBefore = [...runLeases.values()]
  const sentAt = performance.now()
  try {
    const [row] = await database.query<HeartbeatAnswer & { readonly runs: readonly OwnedRun[] }>(HEARTBEAT, [
      queue,
      worker,
      mine,
      draining,
    ])
    if (row === undefined) throw new LostRun('the worker is no longer registered in the database')
    lease.renewed(sentAt)
    applyAnswer(heldBefore, row.runs)
    return row
  } catch (error) {
    if (error instanceof LostRun) throw error
    if (lease.held()) return undefined
    for (const runLease of heldBefore)
      runLease.lose(new LostRun('the database was unreachable for longer than the lease'))
    return undefined
  }
}

function applyAnswer(runLeases: readonly RunLease[], rows: readonly OwnedRun[]): void {
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
