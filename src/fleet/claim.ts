import type { Database, Query } from './database/connect.ts'
import type { Claimed } from './types.ts'

/** Only one transaction at a time changes the status of tasks and runs, so a free task is still free when a worker takes it. */
const FLEET_LOCK = 4_873_002

export const lockFleet = (query: Query) => query('SELECT pg_advisory_xact_lock($1)', [FLEET_LOCK])

/**
 * The first ready task of every lane that is below its limits, best first. There are few lanes, however many tasks there are, so
 * the cost doesn't grow with the length of a queue.
 */
const BEST_HEAD = `
  WITH busy AS (SELECT lane, count(*) AS n FROM exitgate.tasks WHERE standing = 'running' GROUP BY lane),
  used AS (SELECT l.queue, l.repository, l.key, b.n FROM busy b JOIN exitgate.lanes l ON l.id = b.lane)
  SELECT head.id, head.name FROM exitgate.lanes l
  JOIN LATERAL (
    SELECT id, name, priority FROM exitgate.tasks WHERE lane = l.id AND standing = 'ready' ORDER BY priority DESC, id LIMIT 1
  ) head ON true
  WHERE l.queue = $1
    AND NOT EXISTS (
      SELECT 1 FROM exitgate.limits x WHERE x.at_once <= CASE x.kind
        WHEN 'queue' THEN (SELECT coalesce(sum(n), 0) FROM used u WHERE u.queue = l.queue)
        WHEN 'repository' THEN (SELECT coalesce(sum(n), 0) FROM used u WHERE u.repository = l.repository)
        ELSE (SELECT coalesce(sum(n), 0) FROM used u WHERE u.key = l.key) END
      AND ((x.kind = 'queue' AND x.name = l.queue) OR (x.kind = 'repository' AND x.name = l.repository)
        OR (x.kind = 'key' AND x.name = l.key AND l.key <> ''))
    )
  ORDER BY head.priority DESC, head.id LIMIT 1`

/** Returns a row if a task of queue $1 is ready, even if limits keep it from starting. */
export const ANYTHING_READY = `
  SELECT 1 FROM exitgate.lanes l JOIN LATERAL (
    SELECT id FROM exitgate.tasks WHERE lane = l.id AND standing = 'ready' ORDER BY priority DESC, id LIMIT 1
  ) head ON true WHERE l.queue = $1 LIMIT 1`

/** Turns the first task that may start into a run of this worker. Returns undefined if nothing may start. */
export async function claim(database: Database, queue: string, worker: string): Promise<Claimed | undefined> {
  // Most looks find nothing, so they don't wait for the lock.
  if ((await database.query(ANYTHING_READY, [queue])).length === 0) return undefined
  return database.transaction(async (query) => {
    await lockFleet(query)
    const [task] = await query<{ id: string; name: string }>(BEST_HEAD, [queue])
    if (task === undefined) return undefined
    const run = `${task.name}-${task.id}`
    await query("UPDATE exitgate.tasks SET standing = 'running' WHERE id = $1", [task.id])
    await query(
      "INSERT INTO exitgate.runs (id, task, queue, epoch, worker, standing) VALUES ($1, $2, $3, 1, $4, 'running')",
      [run, task.id, queue, worker],
    )
    return { run, epoch: 1 }
  })
}

/**
 * Takes over a run without a live worker: its lease expired, it was given back, or this worker restarted and no longer works on it.
 * The new epoch makes everything the previous worker writes invalid.
 */
export async function takeOver(
  database: Database,
  queue: string,
  worker: string,
  mine: readonly string[],
): Promise<Claimed | undefined> {
  if ((await database.query(ORPHAN, [queue, worker, mine])).length === 0) return undefined
  return database.transaction(async (query) => {
    await lockFleet(query)
    const [orphan] = await query<{ id: string; worker: string | null }>(ORPHAN, [queue, worker, mine])
    if (orphan === undefined) return undefined
    const [row] = await query<{ epoch: number }>(
      "UPDATE exitgate.runs SET epoch = epoch + 1, worker = $2, standing = 'running' WHERE id = $1 RETURNING epoch",
      [orphan.id, worker],
    )
    return { run: orphan.id, epoch: row?.epoch ?? 0, ...(orphan.worker === null ? {} : { from: orphan.worker }) }
  })
}

/** A run of queue $1 that worker $2, which already works on the runs $3, may take over. */
export const ORPHAN = `
  SELECT r.id, r.worker FROM exitgate.runs r LEFT JOIN exitgate.workers w ON w.id = r.worker
  WHERE r.queue = $1 AND r.standing <> 'ended' AND NOT (r.id = ANY($3::text[]))
    AND (r.worker IS NULL OR r.worker = $2 OR w.id IS NULL OR w.beat < now() - make_interval(secs => w.lease_seconds))
  ORDER BY r.started_at LIMIT 1`

/** A task as it was submitted. */
export interface Submission {
  readonly task: string
  readonly name: string
  readonly backlog: string
  readonly entry: string
}

export async function submissionOf(query: Query, run: string): Promise<Submission | undefined> {
  const [row] = await query<Submission>(
    'SELECT t.id AS task, t.name, t.backlog, t.entry FROM exitgate.runs r JOIN exitgate.tasks t ON t.id = r.task WHERE r.id = $1',
    [run],
  )
  return row
}
