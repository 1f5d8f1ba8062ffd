import type { Ending, Outcome } from '../core/types.ts'
import { type Query, withDatabase } from './database/connect.ts'
import { titleIn } from './entry.ts'
import type { FleetStatus, LastVerdict, LimitRow, RunRow, RunStatus, TaskCounts, WorkerRow } from './types.ts'

export interface StatusOptions {
  readonly queue?: string
  /** Maximum number of runs to list. */
  readonly most?: number
}

/** The current state of the fleet. */
export async function status(url: string, { queue, most = 50 }: StatusOptions = {}): Promise<FleetStatus> {
  return withDatabase(url, ({ transaction }) =>
    transaction(async (query) => {
      // All queries see the same moment.
      await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const only = queue ?? null
      return {
        queues: await counts(query, only),
        runs: await runRows(query, only, most),
        blocked: await query<FleetStatus['blocked'][number]>(
          `SELECT name AS task, queue, coalesce(reason, '') AS reason FROM exitgate.tasks
           WHERE standing = 'blocked' AND ($1::text IS NULL OR queue = $1) ORDER BY id DESC LIMIT $2`,
          [only, most],
        ),
        workers: await workers(query, only),
        limits: await limitRows(query),
      }
    }),
  )
}

/** The run with this name, or the newest run of the task with this name. */
export async function findRun(query: Query, name: string): Promise<RunRow | undefined> {
  const rows = await query<StoredRun>(
    `${RUNS} WHERE r.id = $1 OR r.task IN (SELECT id FROM exitgate.tasks WHERE name = $1)
     ORDER BY (r.id = $1) DESC, r.started_at DESC LIMIT 1`,
    [name],
  )
  return rows.map(runRow)[0]
}

const TASK_STATUSES = ['waiting', 'ready', 'running', 'completed', 'failed', 'blocked'] as const

async function counts(query: Query, queue: string | null): Promise<readonly TaskCounts[]> {
  const rows = await query<{ queue: string; standing: (typeof TASK_STATUSES)[number]; n: number }>(
    `SELECT queue, standing, count(*)::int AS n FROM exitgate.tasks WHERE $1::text IS NULL OR queue = $1
     GROUP BY queue, standing ORDER BY queue`,
    [queue],
  )
  const all = new Map<string, TaskCounts>()
  for (const { queue: name, standing, n } of rows)
    all.set(name, { ...(all.get(name) ?? { queue: name, ...ZERO }), [standing]: n })
  return [...all.values()]
}

const ZERO = { waiting: 0, ready: 0, running: 0, completed: 0, failed: 0, blocked: 0 }

interface StoredRun {
  readonly id: string
  readonly name: string
  readonly entry: string
  readonly queue: string
  readonly standing: RunStatus
  readonly epoch: number
  readonly worker: string | null
  readonly iterations: number
  readonly verdict: string | null
  readonly started: number
  readonly ended: number | null
  readonly outcome: Outcome | null
  readonly ending: Ending | null
  readonly reason: string | null
  readonly usd: number | null
  readonly tokens: number | null
  readonly branch: string | null
}

const RUNS = `SELECT r.id, t.name, t.entry, r.queue, r.standing, r.epoch, r.worker, r.iterations, r.verdict,
  (extract(epoch FROM r.started_at) * 1000)::float8 AS started, (extract(epoch FROM r.ended_at) * 1000)::float8 AS ended,
  r.outcome, r.ending, r.reason, r.usd, r.tokens, r.branch
  FROM exitgate.runs r JOIN exitgate.tasks t ON t.id = r.task`

async function runRows(query: Query, queue: string | null, most: number): Promise<readonly RunRow[]> {
  const running = await query<StoredRun>(
    `${RUNS} WHERE r.standing <> 'ended' AND ($1::text IS NULL OR r.queue = $1) ORDER BY r.started_at DESC LIMIT $2`,
    [queue, most],
  )
  const ended = await query<StoredRun>(
    `${RUNS} WHERE r.standing = 'ended' AND ($1::text IS NULL OR r.queue = $1) ORDER BY r.started_at DESC LIMIT $2`,
    [queue, Math.max(0, most - running.length)],
  )
  return [...running, ...ended].map(runRow)
}

function runRow(row: StoredRun): RunRow {
  const { outcome, ending, branch } = row
  return {
    run: row.id,
    task: row.name,
    title: titleIn(row.entry, row.name),
    queue: row.queue,
    standing: row.standing,
    epoch: row.epoch,
    ...(row.worker === null ? {} : { worker: row.worker }),
    iterations: row.iterations,
    usd: row.usd ?? 0,
    ...(row.verdict === null ? {} : { verdict: JSON.parse(row.verdict) as LastVerdict }),
    startedAt: Math.round(row.started),
    ...(row.ended === null ? {} : { endedAt: Math.round(row.ended) }),
    ...(outcome === null || ending === null
      ? {}
      : {
          end: {
            outcome,
            ending,
            reason: row.reason ?? '',
            iterations: row.iterations,
            usd: row.usd ?? 0,
            tokens: row.tokens ?? 0,
            ...(branch === null ? {} : { branch }),
          },
        }),
  }
}

async function workers(query: Query, queue: string | null): Promise<readonly WorkerRow[]> {
  return query<WorkerRow>(
    `SELECT w.id AS worker, w.host, w.queue, w.concurrency, w.draining,
       (SELECT count(*)::int FROM exitgate.runs r WHERE r.queue = w.queue AND r.worker = w.id AND r.standing = 'running') AS running,
       (extract(epoch FROM now() - w.beat) * 1000)::float8 AS "silentMs"
     FROM exitgate.workers w WHERE $1::text IS NULL OR w.queue = $1 ORDER BY w.queue, w.id`,
    [queue],
  )
}

async function limitRows(query: Query): Promise<readonly LimitRow[]> {
  const rows = await query<{
    kind: LimitRow['kind']
    name: string
    at_once: number | null
    calls_per_hour: number | null
  }>('SELECT kind, name, at_once, calls_per_hour FROM exitgate.limits ORDER BY kind, name')
  return rows.map(({ kind, name, at_once, calls_per_hour }) => ({
    kind,
    name,
    ...(at_once === null ? {} : { atOnce: at_once }),
    ...(calls_per_hour === null ? {} : { callsPerHour: calls_per_hour }),
  }))
}
