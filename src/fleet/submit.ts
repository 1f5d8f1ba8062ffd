import type { Backlog, BacklogTask } from '../backlog/types.ts'
import { codeOf, notifyWorkers, type Query, withDatabase } from './database/connect.ts'
import { assertMigrated } from './database/migrate.ts'
import { FleetError } from './errors.ts'
import type { Submitted } from './types.ts'

/** Rows per INSERT. */
const ROWS_PER_INSERT = 1_000

/** Puts a backlog into a queue, all of it or nothing. From then on the database decides which task may start. */
export async function submit(url: string, backlog: Backlog, { queue }: { readonly queue: string }): Promise<Submitted> {
  assertQueue(queue)
  for (const task of backlog.tasks) assertSubmittable(task)
  return withDatabase(url, async ({ query, transaction }) => {
    await assertMigrated(query)
    try {
      await transaction(async (inside) => {
        await insert(inside, backlog, queue)
        await notifyWorkers(inside)
      })
    } catch (error) {
      if (codeOf(error) !== '23505') throw error
      throw new FleetError(
        `A task of this backlog is already in the queue "${queue}" and not finished (${detailOf(error)}). Wait for it, or change the id.`,
      )
    }
    const tasks = backlog.tasks.map(({ id, after }) => ({ task: id, standing: statusOf(after) }))
    return { queue, tasks }
  })
}

const statusOf = (after: readonly string[]) => (after.length > 0 ? ('waiting' as const) : ('ready' as const))

async function insert(query: Query, { tasks, limits }: Backlog, queue: string): Promise<void> {
  const { usd = null, tokens = null, minutes = null, callsPerHour = null } = limits
  const [backlog] = await query<{ id: string }>(
    'INSERT INTO exitgate.backlogs (queue, usd, tokens, minutes, calls_per_hour) VALUES ($1, $2, $3, $4, $5) RETURNING id',
    [queue, usd, tokens, minutes, callsPerHour],
  )
  const lanes = new Map<string, number>()
  const ids = new Map<string, string>()
  for (let from = 0; from < tasks.length; from += ROWS_PER_INSERT) {
    const some = tasks.slice(from, from + ROWS_PER_INSERT)
    for (const task of some) if (!lanes.has(laneName(task))) lanes.set(laneName(task), await laneOf(query, queue, task))
    // The rows can come back in any order, so they are matched by name.
    const rows = await query<{ id: string; name: string }>(
      `INSERT INTO exitgate.tasks (backlog, queue, name, lane, priority, entry, standing, open_needs)
       SELECT $1, $2, name, lane, priority, entry, CASE WHEN needs > 0 THEN 'waiting' ELSE 'ready' END, needs
       FROM unnest($3::text[], $4::int[], $5::int[], $6::text[], $7::int[])
         WITH ORDINALITY AS t (name, lane, priority, entry, needs, nth) ORDER BY nth
       RETURNING id, name`,
      [
        backlog?.id,
        queue,
        some.map(({ id }) => id),
        some.map((task) => lanes.get(laneName(task))),
        some.map(({ priority }) => priority),
        some.map((task) => JSON.stringify(task)),
        some.map(({ after }) => new Set(after).size),
      ],
    )
    for (const { id, name } of rows) ids.set(name, id)
  }
  const needs = tasks.flatMap(({ id, after }) =>
    [...new Set(after)].map((each) => [ids.get(id), ids.get(each)] as const),
  )
  for (let from = 0; from < needs.length; from += ROWS_PER_INSERT) {
    const some = needs.slice(from, from + ROWS_PER_INSERT)
    await query('INSERT INTO exitgate.needs (task, needs) SELECT * FROM unnest($1::bigint[], $2::bigint[])', [
      some.map(([task]) => task),
      some.map(([, each]) => each),
    ])
  }
}

const laneName = ({ repository = '', key = '' }: BacklogTask): string => `${repository}\n${key}`

async function laneOf(query: Query, queue: string, { repository = '', key = '' }: BacklogTask): Promise<number> {
  const lane = [queue, repository, key]
  await query('INSERT INTO exitgate.lanes (queue, repository, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', lane)
  const [row] = await query<{ id: number }>(
    'SELECT id FROM exitgate.lanes WHERE queue = $1 AND repository = $2 AND key = $3',
    lane,
  )
  if (row === undefined) throw new FleetError('The database did not return a lane that was just inserted', 70)
  return row.id
}

/** The name of a queue is used in tables, files and terminals. */
export function assertQueue(queue: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(queue))
    throw new FleetError(`--queue is ${JSON.stringify(queue)}. Use only letters, digits, ".", "_" and "-".`)
}

function assertSubmittable({ id, repository }: BacklogTask): void {
  if (repository === undefined || repository === '')
    throw new FleetError(`The task "${id}" has no repository. Add \`repository: ADDRESS\`.`)
  // A password in an address would be visible to every reader of the database.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/@]*:[^/@]*@/i.test(repository))
    throw new FleetError(
      `The repository of the task "${id}" has a password in its address. Remove it; the worker's own git settings provide the login.`,
    )
}

const detailOf = (error: unknown): string =>
  error instanceof Error && 'detail' in error ? (/=\([^,]*, ([^)]*)\)/.exec(String(error.detail))?.[1] ?? '') : ''
