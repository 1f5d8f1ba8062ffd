import type { Submission } from './claim.ts'
import type { Database } from './database/connect.ts'
import type { SweepFacts } from './dbos.ts'
import { entryIn } from './entry.ts'
import { clearWork, workCleared } from './finish.ts'
import type { WorkerOptions } from './types.ts'
import { gitEnvironment } from './workspace-environment.ts'

/** A worker that was silent for this many leases is probably gone. If it comes back, it registers again. */
const SILENT_LEASES = 20
const MOST_RUNS = 20

/**
 * Removes what dead workers left: their rows in the database, and refs in remotes whose run ended but whose worker died before
 * removing them.
 */
export async function sweepFleet({ query }: Database, { queue, env }: WorkerOptions, worker: string): Promise<void> {
  await query(
    `DELETE FROM exitgate.workers w WHERE id <> $1 AND beat < now() - make_interval(secs => lease_seconds * ${SILENT_LEASES})
       AND NOT EXISTS (SELECT 1 FROM exitgate.runs r WHERE r.queue = w.queue AND r.worker = w.id AND r.standing = 'running')`,
    [worker],
  )
  await query('DELETE FROM exitgate.drains d WHERE NOT EXISTS (SELECT 1 FROM exitgate.workers w WHERE w.id = d.worker)')
  const orphaned = await query<Submission & { readonly run: string }>(
    `SELECT r.id AS run, t.id AS task, t.name, t.backlog, t.entry FROM exitgate.runs r JOIN exitgate.tasks t ON t.id = r.task
     WHERE r.queue = $1 AND r.started_at > now() - interval '30 days' AND r.standing = 'ended' AND r.branch IS NOT NULL
       AND r.work IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM exitgate.workers w WHERE w.id = r.worker AND w.beat > now() - make_interval(secs => w.lease_seconds))
     ORDER BY r.started_at DESC LIMIT ${MOST_RUNS}`,
    [queue],
  )
  for (const submission of orphaned) {
    const { run } = submission
    await clearWork({ remote: entryIn(submission).repository ?? '', run, env: gitEnvironment(env) })
    await workCleared(query, run)
  }
}

/** What DBOS needs to delete data of dead workers and ended runs. */
export const sweepFacts = ({ query }: Database): SweepFacts => ({
  async goneWorkers(workers) {
    const rows = await query<{ id: string }>(
      'SELECT id FROM unnest($1::text[]) id WHERE NOT EXISTS (SELECT 1 FROM exitgate.workers w WHERE w.id = id.id)',
      [workers],
    )
    return rows.map(({ id }) => id)
  },
  async endedRuns(runs) {
    const rows = await query<{ id: string }>(
      `SELECT id FROM exitgate.runs WHERE id = ANY($1) AND standing = 'ended' AND ended_at < now() - interval '1 minute'`,
      [runs],
    )
    return rows.map(({ id }) => id)
  },
})
