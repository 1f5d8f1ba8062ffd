import type { Submission } from './claim.ts'
import type { Database, Query } from './database/connect.ts'
import type { SweepFacts } from './dbos.ts'
import { entryIn } from './entry.ts'
import { messageOf } from './errors.ts'
import { clearWork, workCleared } from './finish.ts'
import { shownRemote } from './git-transfer/remote.ts'
import type { WorkerOptions } from './types.ts'
import { gitEnvironment } from './workspace-environment.ts'

/** A worker without runs that was silent for 20 leases is probably gone. If it comes back, it registers again. */
const IS_GONE = `w.beat < now() - make_interval(secs => w.lease_seconds * 20)
  AND NOT EXISTS (SELECT 1 FROM exitgate.runs r WHERE r.queue = w.queue AND r.worker = w.id AND r.standing = 'running')`
const MOST_RUNS_PER_REMOTE = 20
const MOST_RUNS = 200
/** A remote that doesn't answer can take minutes, and the others must not wait for it. */
const REMOTES_AT_ONCE = 4

type SweepOptions = Pick<WorkerOptions, 'queue' | 'env' | 'emit' | 'now'>
type Orphaned = Submission & { readonly run: string; readonly repository: string }

/**
 * Removes what dead workers left: their rows in the database, and refs in remotes whose run ended but whose worker died before
 * removing them. The set `reported` holds the remotes whose failure was already reported.
 */
export async function sweepFleet(
  { query }: Database,
  options: SweepOptions,
  worker: string,
  reported: Set<string>,
): Promise<void> {
  await query(`DELETE FROM exitgate.workers w WHERE w.id <> $1 AND ${IS_GONE}`, [worker])
  await query('DELETE FROM exitgate.drains d WHERE NOT EXISTS (SELECT 1 FROM exitgate.workers w WHERE w.id = d.worker)')
  const orphaned = await query<Orphaned>(
    `SELECT * FROM (
       SELECT r.id AS run, t.id AS task, t.name, t.backlog, t.entry, l.repository, r.started_at,
         row_number() OVER (PARTITION BY l.repository ORDER BY r.started_at DESC) AS n
       FROM exitgate.runs r JOIN exitgate.tasks t ON t.id = r.task JOIN exitgate.lanes l ON l.id = t.lane
       WHERE r.queue = $1 AND r.started_at > now() - interval '30 days' AND r.standing = 'ended' AND r.branch IS NOT NULL
         AND r.work IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM exitgate.workers w WHERE w.id = r.worker AND w.beat > now() - make_interval(secs => w.lease_seconds))
     ) newest WHERE n <= ${MOST_RUNS_PER_REMOTE} ORDER BY n, started_at DESC LIMIT ${MOST_RUNS}`,
    [options.queue],
  )
  const remotes = [...new Set(orphaned.map(({ repository }) => repository))]
  const sweepNext = async (): Promise<void> => {
    for (let remote = remotes.shift(); remote !== undefined; remote = remotes.shift()) {
      const runs = orphaned.filter(({ repository }) => repository === remote)
      await sweepRemote(query, options, remote, runs, reported)
    }
  }
  await Promise.all(Array.from({ length: REMOTES_AT_ONCE }, sweepNext))
}

/** After the first failure, the other runs of this remote are left for the next sweep. */
async function sweepRemote(
  query: Query,
  { env, emit, now }: SweepOptions,
  remote: string,
  runs: readonly Orphaned[],
  reported: Set<string>,
): Promise<void> {
  for (const [done, submission] of runs.entries()) {
    const { run } = submission
    try {
      await clearWork({ remote: entryIn(submission).repository ?? '', run, env: gitEnvironment(env) })
    } catch (error) {
      const left = runs.length - done
      if (!reported.has(remote)) emit({ type: 'warning', text: notRemoved(remote, left, error), at: now() })
      reported.add(remote)
      return
    }
    await workCleared(query, run)
  }
  reported.delete(remote)
}

function notRemoved(remote: string, runs: number, error: unknown): string {
  const problem = messageOf(error).replace(/\.$/, '')
  return `Can't remove leftover refs of ${runs} ended ${runs === 1 ? 'run' : 'runs'} from ${shownRemote(remote)}: ${problem}. They do no harm, and other repositories are not affected. The worker tries again every 10 minutes.`
}

/** What DBOS needs to delete data of dead workers and ended runs. It may ask before `sweepFleet` has removed the dead workers. */
export const sweepFacts = ({ query }: Database): SweepFacts => ({
  async goneWorkers(workers) {
    const rows = await query<{ id: string }>(
      `SELECT id FROM unnest($1::text[]) id
       WHERE NOT EXISTS (SELECT 1 FROM exitgate.workers w WHERE w.id = id.id AND NOT (${IS_GONE}))`,
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
