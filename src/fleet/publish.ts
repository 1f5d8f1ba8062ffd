import type { State } from '../core/journal/events.ts'
import type { Query } from './database/connect.ts'
import { LostRun } from './errors.ts'
import type { Work } from './git-transfer/types.ts'
import type { StoredResult } from './stored-result.ts'
import type { LastVerdict, Pinned } from './types.ts'

/** A worker's claim on a run. What it writes counts only while the run has this epoch. */
export interface RunEpoch {
  readonly run: string
  readonly epoch: number
}

interface Progress {
  readonly usd: number
  readonly tokens: number
  readonly verdict?: LastVerdict
}

export function progressOf({ counters, last }: State): Progress {
  const { usd, tokens } = counters.total
  if (last === undefined) return { usd, tokens }
  const { gate, missing } = last.verdict
  return { usd, tokens, verdict: { gate, ...(missing[0] === undefined ? {} : { missing: missing[0] }) } }
}

/** What one step changed. It is published completely or not at all. */
export interface StepChange {
  readonly step: string
  readonly stored: StoredResult
  readonly seq: number
  readonly iterations: number
  /** Shown in the list of runs. */
  readonly standing?: Progress
  /** New journal lines, directly after those the database has. */
  readonly lines: readonly { readonly seq: number; readonly text: string }[]
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[]
  /** Files that no longer exist. */
  readonly removed: readonly string[]
  readonly work?: Work
  readonly plan?: string
  readonly pinned?: Pinned
}

/** Throws if another worker has a newer epoch, and locks the run's row against changes. Returns the last published step. */
export async function assertOwner(query: Query, { run, epoch }: RunEpoch): Promise<string | undefined> {
  const [row] = await query<{ epoch: number; standing: string; step: string | null }>(
    'SELECT epoch, standing, step FROM exitgate.runs WHERE id = $1 FOR UPDATE',
    [run],
  )
  if (row === undefined) throw new LostRun('the run is no longer in the database')
  if (row.epoch !== epoch || row.standing !== 'running')
    throw new LostRun(`another worker has the run (epoch ${row.epoch}, ours was ${epoch})`)
  return row.step ?? undefined
}

/** Publishes one step in one transaction. Repeating it after a connection broke at the commit changes nothing. */
export async function publish(query: Query, place: RunEpoch, change: StepChange): Promise<void> {
  const { run } = place
  if ((await assertOwner(query, place)) === change.step) return
  const { lines, files, removed, work, plan, pinned, standing } = change
  if (lines.length > 0)
    await query('INSERT INTO exitgate.lines (run, seq, text) SELECT $1, * FROM unnest($2::int[], $3::text[])', [
      run,
      lines.map(({ seq }) => seq),
      lines.map(({ text }) => text),
    ])
  for (const { path, bytes } of files)
    await query(
      `INSERT INTO exitgate.files (run, path, bytes) VALUES ($1, $2, $3)
       ON CONFLICT (run, path) DO UPDATE SET bytes = EXCLUDED.bytes`,
      [run, path, bytes],
    )
  if (removed.length > 0) await query('DELETE FROM exitgate.files WHERE run = $1 AND path = ANY($2)', [run, removed])
  await query(
    `UPDATE exitgate.runs SET step = $2, result = $3, seq = $4, iterations = $5,
       work = coalesce($6, work), plan = coalesce($7, plan), pinned = coalesce($8, pinned), usd = $9, tokens = $10,
       verdict = coalesce($11, verdict) WHERE id = $1`,
    [
      run,
      change.step,
      JSON.stringify(change.stored),
      change.seq,
      change.iterations,
      work === undefined ? null : JSON.stringify(work),
      plan === undefined ? null : JSON.stringify(plan),
      pinned === undefined ? null : JSON.stringify(pinned),
      standing?.usd ?? null,
      standing?.tokens ?? null,
      standing?.verdict === undefined ? null : JSON.stringify(standing.verdict),
    ],
  )
}
