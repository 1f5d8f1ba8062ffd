import { tmpdir } from 'node:os'
import { lockFleet } from './claim.ts'
import { notifyWorkers, type Query } from './database/connect.ts'
import { messageOf } from './errors.ts'
import { inRawRepository } from './git-transfer/raw-repository.ts'
import { checkRemote, refPart, shownRemote } from './git-transfer/remote.ts'
import { pushResult } from './git-transfer/result.ts'
import type { TransferOptions } from './git-transfer/types.ts'
import { assertOwner, type RunEpoch } from './publish.ts'
import { retryRemote, retryWhileLeased } from './retry.ts'
import type { FleetEnd } from './types.ts'
import { withoutSecrets } from './without-secrets.ts'
import { branchOf, type WorkspaceOptions } from './worker-workspace.ts'
import { gitEnvironment } from './workspace-environment.ts'

/** How the loop ended, and whether there is work to push. */
export interface Finished extends Omit<FleetEnd, 'branch'> {
  readonly pushes: boolean
}

/** Pushes the branch, then records the end of the run in one transaction. Only the run's own worker can do either. */
export async function finish(
  options: WorkspaceOptions,
  workspace: string | undefined,
  end: Finished,
): Promise<FleetEnd> {
  const { database, lease, run, entry } = options
  const [row] = await retryWhileLeased(lease, () =>
    database.transaction(async (query) => {
      await assertOwner(query, options)
      return query<{ task: string }>('SELECT task FROM exitgate.runs WHERE id = $1', [run])
    }),
  )
  const { pushes, ...rest } = end
  const redacted = { ...rest, reason: withoutSecrets(rest.reason, options.secrets) }
  const finalEnd: FleetEnd =
    pushes && workspace !== undefined ? { ...redacted, ...(await push(options, workspace, redacted)) } : redacted
  await retryWhileLeased(lease, () =>
    database.transaction(async (query) => {
      await lockFleet(query)
      await assertOwner(query, options)
      await conclude(query, run, row?.task ?? '', entry.id, finalEnd)
    }),
  )
  if (finalEnd.branch !== undefined) await removePublishedRefs(options)
  return finalEnd
}

/** The branch has all the work now. Refs that can't be removed do no harm; a later sweep tries again. */
async function removePublishedRefs({ run, entry, worker, database, emit }: WorkspaceOptions): Promise<void> {
  try {
    await clearWork({ remote: entry.repository ?? '', run, env: gitEnvironment(worker.env) })
    await workCleared(database.query, run)
  } catch (error) {
    emit({ type: 'warning', text: messageOf(error), at: worker.now() })
  }
}

/**
 * If the branch can't be pushed, the outcome stays the same. The work is still under the run's own refs, and the reason reports the
 * failed push.
 */
async function push(
  { run, entry, worker, lease, emit }: WorkspaceOptions,
  workspace: string,
  { outcome, ending, reason }: Omit<FleetEnd, 'branch'>,
): Promise<Partial<FleetEnd>> {
  const remote = entry.repository ?? ''
  const message = `${entry.title} (exitgate: ${outcome}/${ending}, run ${run})`
  const warn = (text: string): void => emit({ type: 'warning', text, at: worker.now() })
  const transfer = { remote, warn, env: gitEnvironment(worker.env) }
  try {
    const pushed = await retryRemote(
      () => pushResult(workspace, { ...transfer, branch: branchOf(entry), message }),
      () => lease.held(),
    )
    return pushed === undefined ? {} : { branch: pushed.branch }
  } catch (error) {
    return { reason: `${reason}; ${notPushed(error)}` }
  }
}

/** Never removes the work: it stays under the run's own refs. */
export const notPushed = (error: unknown): string => `the branch was not pushed: ${messageOf(error)}`

/** Ends a run before its first step because its task can't be read. */
export async function refuse(
  { database, lease }: Pick<WorkspaceOptions, 'database' | 'lease'>,
  place: RunEpoch & { readonly task: string; readonly name: string },
  reason: string,
): Promise<FleetEnd> {
  const end: FleetEnd = { outcome: 'aborted', ending: 'fatal', reason, iterations: 0, usd: 0, tokens: 0 }
  await retryWhileLeased(lease, () =>
    database.transaction(async (query) => {
      await lockFleet(query)
      await assertOwner(query, place)
      await conclude(query, place.run, place.task, place.name, end)
    }),
  )
  return end
}

async function conclude(query: Query, run: string, task: string, name: string, end: FleetEnd): Promise<void> {
  const { outcome, ending, iterations, usd, tokens, branch } = end
  const reason = withoutNul(end.reason)
  await query(
    `UPDATE exitgate.runs SET standing = 'ended', outcome = $2, ending = $3, reason = $4,
       iterations = greatest(iterations, $5), usd = greatest(usd, $6), tokens = greatest(tokens, $7), branch = $8, ended_at = now() WHERE id = $1`,
    [run, outcome, ending, reason, iterations, usd, tokens, branch ?? null],
  )
  const completed = outcome === 'completed'
  await query('UPDATE exitgate.tasks SET standing = $2, reason = $3 WHERE id = $1', [
    task,
    completed ? 'completed' : 'failed',
    reason,
  ])
  if (completed)
    await query(
      `UPDATE exitgate.tasks SET open_needs = open_needs - 1, standing = CASE WHEN open_needs = 1 THEN 'ready' ELSE standing END
       WHERE standing = 'waiting' AND id IN (SELECT task FROM exitgate.needs WHERE needs = $1)`,
      [task],
    )
  else
    await query(
      `WITH RECURSIVE dependents AS (
         SELECT task FROM exitgate.needs WHERE needs = $1
         UNION SELECT n.task FROM exitgate.needs n JOIN dependents d ON n.needs = d.task
       )
       UPDATE exitgate.tasks SET standing = 'blocked', reason = $2
       WHERE standing = 'waiting' AND id IN (SELECT task FROM dependents)`,
      [task, `it depends on "${name}", which ended as ${outcome}/${ending}`],
    )
  // Tasks may have become ready, or a limit may have room again.
  await notifyWorkers(query)
}

/** An agent's output can end up in a reason, and PostgreSQL rejects the NUL character. */
const withoutNul = (text: string): string => text.replaceAll('\0', '')

/** Removes pushed work that the database refused: after the end of the run nothing else removes it. */
export async function withdraw(options: WorkspaceOptions, ref: string): Promise<void> {
  const { database, run, epoch, entry, worker, emit } = options
  try {
    const [row] = await database.query<{ epoch: number; work: string | null }>(
      'SELECT epoch, work FROM exitgate.runs WHERE id = $1',
      [run],
    )
    // The commit may have succeeded although the connection broke; then this is the work to continue from.
    if (row === undefined || row.epoch === epoch || row.work?.includes(ref)) return
    await clearWork({ remote: entry.repository ?? '', run, only: ref, env: gitEnvironment(worker.env) })
  } catch (error) {
    emit({ type: 'warning', text: messageOf(error), at: worker.now() })
  }
}

/** Records that the refs of an ended run were removed from the remote. */
export const workCleared = (query: Query, run: string) =>
  query("UPDATE exitgate.runs SET work = NULL WHERE id = $1 AND standing = 'ended'", [run])

interface ClearOptions extends TransferOptions {
  readonly run: string
  /** The ref to remove; all refs of the run if not given. */
  readonly only?: string
}

/** Removes a run's published work from the remote. Returns the number of removed refs. */
export async function clearWork({ remote, run, only, env }: ClearOptions): Promise<number> {
  checkRemote(remote)
  const prefix = `refs/exitgate/${refPart(run)}/`
  const place = { top: tmpdir(), ...(env && { env }) }
  const listed = await inRawRepository({ ...place, format: 'sha1' }, (raw) =>
    raw.git(`ask ${shownRemote(remote)}`, ['ls-remote', '--', remote, `${prefix}*`]),
  )
  const lines = listed.split('\n').map((line) => line.split('\t'))
  const refs = lines.map(([, ref = '']) => ref).filter((ref) => ref.startsWith(prefix) && ref === (only ?? ref))
  if (refs.length === 0) return 0
  // Git needs some repository of the same object format to delete refs from; its content doesn't matter.
  const format = lines[0]?.[0]?.length === 64 ? 'sha256' : 'sha1'
  const deletions = refs.map((ref) => `:${ref}`)
  await inRawRepository({ ...place, format }, (raw) =>
    raw.git('delete the refs of the run', ['push', '-q', '--no-verify', '--', remote, ...deletions]),
  )
  return refs.length
}
