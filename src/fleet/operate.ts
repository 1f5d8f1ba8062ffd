import { notifyWorkers, withDatabase } from './database/connect.ts'
import { FleetError } from './errors.ts'
import { findRun } from './status.ts'
import type { FleetControl, LimitRow, RunRow } from './types.ts'

/** Something that was asked of a run. */
export interface ControlRequest {
  readonly run: RunRow
  readonly id: string
}

/** Asks something of a run, wherever it runs; it is told within half a second, and its journal says who asked. */
export async function signal(url: string, name: string, { kind, by, reason }: FleetControl): Promise<ControlRequest> {
  if (reason.trim() === '')
    throw new FleetError(`fleet signal ${kind} needs --reason "..."; it is written into the journal`)
  return withDatabase(url, async ({ query }) => {
    const found = await findRun(query, name)
    if (found === undefined)
      throw new FleetError(`there is no run or task "${name}" that has begun; \`exitgate fleet status\` lists them`)
    if (found.standing === 'ended')
      throw new FleetError(
        `the run ${found.run} has ended (${found.end?.outcome}/${found.end?.ending}); nothing can be asked of it`,
      )
    const [row] = await query<{ id: string }>(
      'INSERT INTO exitgate.controls (run, kind, by, reason) VALUES ($1, $2, $3, $4) RETURNING id',
      [found.run, kind, by, reason],
    )
    await notifyWorkers(query)
    return { run: found, id: row?.id ?? '' }
  })
}

/** Whether the run has heard it. */
export async function wasTaken(url: string, id: string): Promise<boolean> {
  return withDatabase(url, async ({ query }) => {
    const rows = await query('SELECT 1 FROM exitgate.controls WHERE id = $1 AND taken IS NOT NULL', [id])
    return rows.length > 0
  })
}

/** Asks workers to give their runs back after the iterations at hand, and to end; tells which ones that are. */
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
      throw new FleetError(`there is no worker "${worker}"; \`exitgate fleet status\` lists them`)
    for (const { id } of rows) await query('INSERT INTO exitgate.drains (worker) VALUES ($1)', [id])
    await notifyWorkers(query)
    return rows.map(({ id }) => id)
  })
}

/** How many tasks of a queue, a repository or a provider key may run at once, and how often an hour a key may be called. */
export async function setLimit(url: string, { kind, name, atOnce, callsPerHour }: LimitRow): Promise<void> {
  for (const [what, value] of [
    ['at once', atOnce],
    ['calls per hour', callsPerHour],
  ] as const)
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      throw new FleetError(`${what} of the ${kind} "${name}" is ${value}; give a whole number above 0`)
  await withDatabase(url, async ({ query }) => {
    await query(
      `INSERT INTO exitgate.limits (kind, name, at_once, calls_per_hour) VALUES ($1, $2, $3, $4)
       ON CONFLICT (kind, name) DO UPDATE SET at_once = EXCLUDED.at_once, calls_per_hour = EXCLUDED.calls_per_hour`,
      [kind, name, atOnce ?? null, callsPerHour ?? null],
    )
    await notifyWorkers(query)
  })
}
