import type { Backlog, BacklogTask } from '../backlog/types.ts'
import { codeOf, notifyWorkers, type Query, withDatabase } from './database/connect.ts'
import { assertMigrated } from './database/migrate.ts'
import { FleetError } from './errors.ts'
import type { Submitted } from './types.ts'

/** So many rows go to the database at once. */
const AT_ONCE = 1_000

/** Puts a backlog into a queue, all of it or nothing. Which task may start when is the database's to know from then on. */
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
        `a task of this backlog is in the queue "${queue}" already and not finished (${detailOf(error)}); wait for it, or give the new one another id`,
      )
    }
    const tasks = backlog.tasks.map(({ id, after }) => ({ task: id, standing: standingOf(after) }))
    return { queue, tasks }
  })
}

const standingOf = (after: readonly string[]) => (after.length > 0 ? ('waiting' as const) : ('ready' as const))

async function insert(query: Query, { tasks, limits }: Backlog, queue: string): Promise<void> {
  const { usd = null, tokens = null, minutes = null, callsPerHour = null } = limits
  const [backlog] = await query<{ id: string }>(
    'INSERT INTO exitgate.backlogs (queue, usd, tokens, minutes, calls_per_hour) VALUES ($1, $2, $3, $4, $5) RETURNING id',
    [queue, usd, tokens, minutes, callsPerHour],
  )
  const lanes = new Map<string, number>()
  const ids = new Map<string, string>()
  for (let from = 0; from < tasks.length; from += AT_ONCE) {
    const some = tasks.slice(from, from + AT_ONCE)
    for (const task of some) if (!lanes.has(laneName(task))) lanes.set(laneName(task), await laneOf(query, queue, task))
    // The rows come back in the order they went in only by their names.
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
  for (let from = 0; from < needs.length; from += AT_ONCE) {
    const some = needs.slice(from, from + AT_ONCE)
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
  if (row === undefined) throw new FleetError('the database gave no lane back that it was given', 70)
  return row.id
}

/** A queue's name stands in tables, files and terminals. */
export function assertQueue(queue: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(queue))
    throw new FleetError(
      `--queue is ${JSON.stringify(queue)}; a queue's name has letters, digits, ".", "_" and "-" alone`,
    )
}

function assertSubmittable({ id, repository }: BacklogTask): void {
  if (repository === undefined || repository === '')
    throw new FleetError(`the task "${id}" names no repository; a fleet needs one: repository: ADDRESS`)
  // A password in an address would stand in the database for everybody who may read it.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/@]*:[^/@]*@/i.test(repository))
    throw new FleetError(
      `the repository of the task "${id}" has a password in its address; leave it out, the worker's own git settings know how to log in`,
    )
}

const detailOf = (error: unknown): string =>
  error instanceof Error && 'detail' in error ? (/=\([^,]*, ([^)]*)\)/.exec(String(error.detail))?.[1] ?? '') : ''
