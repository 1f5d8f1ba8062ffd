import { join } from 'node:path'
import type { BacklogTask } from '../backlog/types.ts'
import { isPrinted } from '../core/loop-event.ts'
import { submissionOf } from './claim.ts'
import type { Database } from './database/connect.ts'
import type { StoredProgress } from './engine-dbos.ts'
import { entryIn } from './entry.ts'
import { FleetError, messageOf } from './errors.ts'
import { refuse } from './finish.ts'
import type { Lease } from './lease.ts'
import { retryWhileLeased } from './retry.ts'
import { RunLease } from './run-lease.ts'
import type { StoredResult } from './stored-result.ts'
import type { Claimed, FleetEnd, WorkerOptions } from './types.ts'
import { withoutSecrets } from './without-secrets.ts'

export interface ClaimedRun {
  readonly runLease: RunLease
  readonly progress: StoredProgress
  readonly entry: BacklogTask
  /** Events are reported only while `live` is true, so that a replay reports nothing twice. */
  reportWhen(live: () => boolean): void
}

export interface WorkerContext {
  readonly database: Database
  readonly lease: Lease
  readonly worker: WorkerOptions
  readonly folder: string
  readonly cache: string
  readonly secrets: readonly string[]
}

/** Loads everything a run needs before its first step here. If its task can't be read, the run ends and this returns the end. */
export async function openClaimedRun({ run, epoch }: Claimed, context: WorkerContext): Promise<ClaimedRun | FleetEnd> {
  const { database, lease, worker } = context
  const found = await retryWhileLeased(lease, () => submissionOf(database.query, run))
  if (found === undefined) throw new FleetError(`Run ${run} has no task any more`, 70)
  let entry: BacklogTask
  try {
    entry = entryIn(found)
  } catch (error) {
    return refuse(context, { run, epoch, task: found.task, name: found.name }, messageOf(error))
  }
  const progress = await retryWhileLeased(lease, () => storedProgressOf(database, run))
  let live = (): boolean => false
  const runLease = new RunLease({
    run,
    epoch,
    database,
    lease,
    worker,
    folder: join(context.folder, run),
    cache: context.cache,
    secrets: context.secrets,
    entry,
    backlog: found.backlog,
    emit(event) {
      // What agents print is already in their redacted transcripts and doesn't belong in a worker's log.
      if (live() && !isPrinted(event)) worker.emit({ type: 'loop', run, event: withoutSecrets(event, context.secrets) })
    },
  })
  return {
    runLease,
    progress,
    entry,
    reportWhen(when) {
      live = when
    },
  }
}

async function storedProgressOf({ query }: Database, run: string): Promise<StoredProgress> {
  const [row] = await query<{ seq: number; step: string | null; result: string | null }>(
    'SELECT seq, step, result FROM exitgate.runs WHERE id = $1',
    [run],
  )
  const { seq = 0, step, result } = row ?? {}
  const lines = await query<{ text: string }>(
    'SELECT text FROM exitgate.lines WHERE run = $1 AND seq <= $2 ORDER BY seq',
    [run, seq],
  )
  const texts = lines.map(({ text }) => text)
  return step && result ? { lines: texts, step, stored: JSON.parse(result) as StoredResult } : { lines: texts }
}
