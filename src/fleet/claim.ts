import type { Database, Query } from './database/connect.ts'
import type { Claimed } from './types.ts'

/** Whoever changes how tasks and runs stand does it alone, so that what was free is still free when it is taken. */
const FLEET_LOCK = 4_873_002

export const lockFleet = (query: Query) => query('SELECT pg_advisory_xact_lock($1)', [FLEET_LOCK])

/**
 * The heads of all lanes that have something to do and something free, the best first. Lanes are few, however many tasks there are:
 * nothing here grows with the length of a queue.
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

/** Rows when a task of the queue $1 is ready, whether or not limits let it start. */
export const ANYTHING_READY = `
  SELECT 1 FROM exitgate.lanes l JOIN LATERAL (
    SELECT id FROM exitgate.tasks WHERE lane = l.id AND standing = 'ready' ORDER BY priority DESC, id LIMIT 1
  ) head ON true WHERE l.queue = $1 LIMIT 1`

/** The first task that may start becomes a run of this worker. Nothing, when nothing may start. */
export async function claim(database: Database, queue: string, worker: string): Promise<Claimed | undefined> {
  // Most looks find nothing, and need not stand in line for that.
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
 * A run that no worker works on: its worker was silent for longer than its lease, or gave it back, or is this one and does not hold
 * it. From now on it is this worker's; because of the new epoch nothing its previous worker writes counts.
 */
export async function clearLeftovers(
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

/** A run of the queue $1 that is free for the worker $2, which works on the runs $3. */
export const ORPHAN = `
  SELECT r.id, r.worker FROM exitgate.runs r LEFT JOIN exitgate.workers w ON w.id = r.worker
  WHERE r.queue = $1 AND r.standing <> 'ended' AND NOT (r.id = ANY($3::text[]))
    AND (r.worker IS NULL OR r.worker = $2 OR w.id IS NULL OR w.beat < now() - make_interval(secs => w.lease_seconds))
  ORDER BY r.started_at LIMIT 1`

/** What the worker is to do, as it was submitted. */
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
