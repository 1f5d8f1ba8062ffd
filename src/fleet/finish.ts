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

/** How the loop ended, and whether there is work to be pushed. */
export interface Finished extends Omit<FleetEnd, 'branch'> {
  readonly pushes: boolean
}

/** Pushes the branch, then says in one transaction that the run is over. Nobody but the run's own worker gets to either. */
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
  const told = { ...rest, reason: withoutSecrets(rest.reason, options.secrets) }
  const whole: FleetEnd =
    pushes && workspace !== undefined ? { ...told, ...(await push(options, workspace, told)) } : told
  await retryWhileLeased(lease, () =>
    database.transaction(async (query) => {
      await lockFleet(query)
      await assertOwner(query, options)
      await conclude(query, run, row?.task ?? '', entry.id, whole)
    }),
  )
  if (whole.branch !== undefined) await clear(options)
  return whole
}

/** The branch has all of it now. Refs that cannot be removed do no harm; a later sweep tries again. */
async function clear({ run, entry, worker, database, tell }: WorkspaceOptions): Promise<void> {
  try {
    await clearWork({ remote: entry.repository ?? '', run, env: gitEnvironment(worker.env) })
    await workCleared(database.query, run)
  } catch (error) {
    tell({ type: 'warning', text: messageOf(error), at: worker.now() })
  }
}

/** A branch that could not be pushed takes no ending back: the work lies under the run's own refs, and the reason says so. */
async function push(
  { run, entry, worker, lease, tell }: WorkspaceOptions,
  workspace: string,
  { outcome, ending, reason }: Omit<FleetEnd, 'branch'>,
): Promise<Partial<FleetEnd>> {
  const remote = entry.repository ?? ''
  const message = `${entry.title} (exitgate: ${outcome}/${ending}, run ${run})`
  const warn = (text: string): void => tell({ type: 'warning', text, at: worker.now() })
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

/** The work lies under the run's own refs then, where it is cleared by nobody. */
export const notPushed = (error: unknown): string => `its branch was not pushed: ${messageOf(error)}`

/** Ends a run whose task cannot be read, before its first step. */
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
  const reason = storable(end.reason)
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
      `WITH RECURSIVE behind AS (
         SELECT task FROM exitgate.needs WHERE needs = $1
         UNION SELECT n.task FROM exitgate.needs n JOIN behind b ON n.needs = b.task
       )
       UPDATE exitgate.tasks SET standing = 'blocked', reason = $2
       WHERE standing = 'waiting' AND id IN (SELECT task FROM behind)`,
      [task, `it waits for "${name}", which ended as ${outcome}/${ending}`],
    )
  // Tasks may have become ready, or a limit free.
  await notifyWorkers(query)
}

/** A reason may be anything an agent brought about; this one character a database does not take. */
const storable = (text: string): string => text.replaceAll('\0', '')

/** Removes pushed work that the database refused: after the end of the run nothing else removes it. */
export async function withdraw(options: WorkspaceOptions, ref: string): Promise<void> {
  const { database, run, epoch, entry, worker, tell } = options
  try {
    const [row] = await database.query<{ epoch: number; work: string | null }>(
      'SELECT epoch, work FROM exitgate.runs WHERE id = $1',
      [run],
    )
    // The commit may have succeeded although the connection broke; then this is the work to continue from.
    if (row === undefined || row.epoch === epoch || row.work?.includes(ref)) return
    await clearWork({ remote: entry.repository ?? '', run, only: ref, env: gitEnvironment(worker.env) })
  } catch (error) {
    tell({ type: 'warning', text: messageOf(error), at: worker.now() })
  }
}

/** Says that the refs of an ended run are out of the remote. */
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
  const under = `refs/exitgate/${refPart(run)}/`
  const place = { top: tmpdir(), ...(env && { env }) }
  const listed = await inRawRepository({ ...place, format: 'sha1' }, (raw) =>
    raw.git(`ask ${shownRemote(remote)}`, ['ls-remote', '--', remote, `${under}*`]),
  )
  const lines = listed.split('\n').map((line) => line.split('\t'))
  const refs = lines.map(([, ref = '']) => ref).filter((ref) => ref.startsWith(under) && ref === (only ?? ref))
  if (refs.length === 0) return 0
  // Git deletes from within a repository of the same kind; what lies in it does not matter.
  const format = lines[0]?.[0]?.length === 64 ? 'sha256' : 'sha1'
  const gone = refs.map((ref) => `:${ref}`)
  await inRawRepository({ ...place, format }, (raw) =>
    raw.git('clear the refs of the run', ['push', '-q', '--no-verify', '--', remote, ...gone]),
  )
  return refs.length
}
