import { hostname } from 'node:os'
import type { Control } from '../core/run.ts'
import { ANYTHING_READY, ORPHAN } from './claim.ts'
import { type Database, notifyWorkers } from './database/connect.ts'
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

/** This worker's row in the database. */
interface RegisteredWorker {
  /** Enters the worker again after its row was removed because it was silent for long. */
  again(): Promise<void>
  leave(): Promise<void>
}

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
  return {
    again: enter,
    async leave() {
      await query('DELETE FROM exitgate.drains WHERE worker = $1', [worker])
      await query('DELETE FROM exitgate.workers WHERE id = $1', [worker])
      await notifyWorkers(query)
    },
  }
}

/** The state of the fleet as one heartbeat found it. */
export interface HeartbeatAnswer {
  /** Somebody asked this worker to end. */
  readonly draining: boolean
  /** A task is ready, or a run is free. */
  readonly work: boolean
  /** Milliseconds until the first lease of another worker of this queue runs out, if it is not renewed; null when no other one has runs. */
  readonly expiresMs: number | null
}

interface RunOfMine {
  readonly id: string
  readonly epoch: number
  readonly control: string | null
  readonly kind: Control['kind'] | null
  readonly by: string | null
  readonly reason: string | null
}

/** Everything a worker asks of the database while it has nothing to do, in one transaction. */
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
 * One sign of life, and the answer of the database: which runs are still this worker's, and what users ask of them. Without an answer
 * the runs go on until the lease is over by this worker's own clock, and no longer.
 */
export async function sendHeartbeat(
  database: Database,
  lease: Lease,
  { worker, queue, draining }: { readonly worker: string; readonly queue: string; readonly draining: boolean },
  runLeases: ReadonlyMap<string, RunLease>,
  mine: readonly string[],
): Promise<HeartbeatAnswer | undefined> {
  // Runs that are claimed while the query is under way cannot be in the answer.
  const asked = [...runLeases.values()]
  const sentAt = performance.now()
  try {
    const [row] = await database.query<HeartbeatAnswer & { readonly runs: readonly RunOfMine[] }>(HEARTBEAT, [
      queue,
      worker,
      mine,
      draining,
    ])
    if (row === undefined) throw new LostRun('the database does not know this worker any more')
    lease.renewed(sentAt)
    hear(asked, row.runs)
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
