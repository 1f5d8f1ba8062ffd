import { notifyWorkers, withDatabase } from './database/connect.ts'
import { FleetError } from './errors.ts'
import { findRun } from './status.ts'
import type { FleetControl, LimitRow, RunRow } from './types.ts'

/** A control that was sent to a run. */
export interface ControlRequest {
  readonly run: RunRow
  readonly id: string
}

/** Sends a control to a run, whichever worker has it. It arrives within half a second, and the journal records the sender. */
export async function signal(url: string, name: string, { kind, by, reason }: FleetControl): Promise<ControlRequest> {
  if (reason.trim() === '')
    throw new FleetError(`fleet signal ${kind} needs --reason "...". The reason is recorded in the journal.`)
  return withDatabase(url, async ({ query }) => {
    const found = await findRun(query, name)
    if (found === undefined)
      throw new FleetError(`No run or started task is called "${name}". \`exitgate fleet status\` lists them.`)
    if (found.standing === 'ended')
      throw new FleetError(
        `Run ${found.run} has already ended (${found.end?.outcome}/${found.end?.ending}), so it can't be controlled`,
      )
    const [row] = await query<{ id: string }>(
      'INSERT INTO exitgate.controls (run, kind, by, reason) VALUES ($1, $2, $3, $4) RETURNING id',
      [found.run, kind, by, reason],
    )
    await notifyWorkers(query)
    return { run: found, id: row?.id ?? '' }
  })
}

/** Whether the run has received it. */
export async function wasTaken(url: string, id: string): Promise<boolean> {
  return withDatabase(url, async ({ query }) => {
    const rows = await query('SELECT 1 FROM exitgate.controls WHERE id = $1 AND taken IS NOT NULL', [id])
    return rows.length > 0
  })
}

/** Makes workers give their runs back after the current iterations and exit. Returns their names. */
export async function drain(
  url: string,
  { worker, queue }: { readonly worker?: string; readonly queue?: string } = {},
): Promise<readonly string[]> {
  return withDatabase(url, async ({ query }) => {
    const rows = await query<{ id: string }>(
      'SELECT id FROM exitgate.workers WHERE ($1::text IS NULL OR id = $1) AND ($2::text IS NULL OR queue = $2) ORDER BY id',
      [worker ?? null, queue ?? null],
    )
    if (rows.length === 0 && worker !== undefined)
      throw new FleetError(`No worker is called "${worker}". \`exitgate fleet status\` lists them.`)
    for (const { id } of rows) await query('INSERT INTO exitgate.drains (worker) VALUES ($1)', [id])
    await notifyWorkers(query)
    return rows.map(({ id }) => id)
  })
}

/** Limits how many tasks of a queue, repository or provider key run at once, and how often per hour a key is used. */
export async function setLimit(url: string, { kind, name, atOnce, callsPerHour }: LimitRow): Promise<void> {
  for (const [what, value] of [
    ['at once', atOnce],
    ['calls per hour', callsPerHour],
  ] as const)
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      throw new FleetError(`${what} of the ${kind} "${name}" is ${value}. Use a whole number above 0.`)
  await withDatabase(url, async ({ query }) => {
    await query(
      `INSERT INTO exitgate.limits (kind, name, at_once, calls_per_hour) VALUES ($1, $2, $3, $4)
       ON CONFLICT (kind, name) DO UPDATE SET at_once = EXCLUDED.at_once, calls_per_hour = EXCLUDED.calls_per_hour`,
      [kind, name, atOnce ?? null, callsPerHour ?? null],
    )
    await notifyWorkers(query)
  })
}
