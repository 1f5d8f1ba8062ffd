import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { BacklogTask } from '../../src/backlog/types.ts'
import { claim, lockFleet, takeOver } from '../../src/fleet/claim.ts'
import { connect, type Database } from '../../src/fleet/database/connect.ts'
import { migrate } from '../../src/fleet/database/migrate.ts'
import { leaseOf } from '../../src/fleet/lease.ts'
import { drain, setLimit, signal } from '../../src/fleet/operate.ts'
import { publish } from '../../src/fleet/publish.ts'
import { fleetLimits } from '../../src/fleet/shared-limits.ts'
import { status } from '../../src/fleet/status.ts'
import { submit } from '../../src/fleet/submit.ts'
import { patience } from '../timing.ts'
import { ask, postgres } from './postgres.ts'

const pg = postgres()
beforeEach(({ skip }) => skip(pg.missing !== undefined, pg.missing ?? ''))

const NONE = { usd: 0, tokens: 0, ms: 0 }

const task = (id: string, more: Partial<BacklogTask> = {}): BacklogTask => ({
  id,
  prompt: 'do it',
  title: id,
  after: [],
  priority: 0,
  limits: {},
  repository: 'https://example.org/one.git',
  ...more,
})

async function fleet(tasks: readonly BacklogTask[], limits = {}): Promise<{ url: string; database: Database }> {
  const url = await pg.fleet()
  await submit(url, { tasks, limits }, { queue: 'q' })
  return { url, database: await connect(url) }
}

async function enter(database: Database, worker: string): Promise<void> {
  await database.query(
    "INSERT INTO exitgate.workers (id, host, folder, queue, concurrency, lease_seconds) VALUES ($1, 'here', '/', 'q', 1, 600)",
    [worker],
  )
}

/** Claims everything that may start now, in order. */
async function claimAll(database: Database): Promise<readonly string[]> {
  const runs: string[] = []
  for (let next = await claim(database, 'q', 'w'); next !== undefined; next = await claim(database, 'q', 'w'))
    runs.push(next.run.replace(/-\d+$/, ''))
  return runs
}

describe('fleet tables', () => {
  it('are created once, however often you migrate, and never by an older release', async () => {
    const url = await pg.database()
    expect(await migrate(url)).toMatchObject({ from: 0, to: 1, notes: [] })
    expect(await migrate(url)).toMatchObject({ from: 1, to: 1 })
    await ask(url, 'UPDATE exitgate.version SET n = 99')
    await expect(migrate(url)).rejects.toThrow('Install a newer release.')
    await expect(submit(url, { tasks: [task('a')], limits: {} }, { queue: 'q' })).rejects.toThrow('version 99')
  })

  const refused: readonly (readonly [string, BacklogTask, string, string])[] = [
    ['an invalid queue name', task('a'), '../q', 'Use only letters, digits'],
    ['no repository', { ...task('a'), repository: '' }, 'q', 'The task "a" has no repository'],
    ['a password', task('a', { repository: 'https://me:pw@example.org/x.git' }), 'q', 'has a password in its address'],
    ['a duplicate task', task('there'), 'q', '(there)'],
  ]
  it.each(refused)('reject a backlog with %s', async (_, entry, queue, words) => {
    const { url, database } = await fleet([task('there')])
    await expect(submit(url, { tasks: [entry], limits: {} }, { queue })).rejects.toThrow(words)
    await database.close()
  })

  it('that are missing give an error with a remedy', async () => {
    await expect(status(await pg.database())).rejects.toThrow('Run `exitgate fleet migrate --db URL` once.')
  })

  const may: readonly (readonly [string, string, boolean])[] = [
    ['exitgate_submit', "INSERT INTO exitgate.lanes (queue, repository, key) VALUES ('q', 'r', '')", true],
    ['exitgate_submit', 'SELECT entry FROM exitgate.tasks', false],
    [
      'exitgate_submit',
      "INSERT INTO exitgate.controls (run, kind, by, reason) VALUES ('x', 'force', 'me', 'y')",
      false,
    ],
    ['exitgate_submit', "UPDATE exitgate.tasks SET standing = 'completed'", false],
    ['exitgate_operate', "INSERT INTO exitgate.drains (worker) VALUES ('w')", true],
    ['exitgate_operate', "UPDATE exitgate.runs SET standing = 'ended'", false],
    ['exitgate_operate', 'SELECT text FROM exitgate.lines', false],
    ['exitgate_read', 'SELECT text FROM exitgate.lines', true],
    ['exitgate_read', 'DELETE FROM exitgate.runs', false],
    ['exitgate_read', "INSERT INTO exitgate.drains (worker) VALUES ('w')", false],
    ['exitgate_read', 'SELECT 1 FROM exitgate_dbos.workflow_status', false],
  ]
  it.each(may)('let %s do %s: %s', async (role, sql, allowed) => {
    const { url, database } = await fleet([])
    const tried = database.transaction(async (query) => {
      await query(`SET LOCAL ROLE ${role}`)
      await query(sql)
    })
    if (allowed) await tried
    else await expect(tried).rejects.toThrow('permission denied')
    await database.close()
    expect(await status(url)).toBeDefined()
  })

  it('work for roles that may only submit or only operate', async () => {
    const { url, database } = await fleet([task('a')])
    for (const role of ['submit', 'operate'])
      await database.query(`DO $$ BEGIN CREATE ROLE only_${role} LOGIN PASSWORD 'x' IN ROLE exitgate_${role};
        EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
    const as = (role: string): string => url.replace(/\/\/[^@]+@/, `//only_${role}:x@`)
    await submit(as('submit'), { tasks: [task('b'), task('c', { after: ['b'] })], limits: {} }, { queue: 'q' })
    const claimed = await claim(database, 'q', 'w')
    await signal(as('operate'), claimed?.run ?? '', { kind: 'pause', by: 'me', reason: 'lunch' })
    expect(await drain(as('operate'))).toEqual([])
    await expect(submit(as('operate'), { tasks: [task('d')], limits: {} }, { queue: 'q' })).rejects.toThrow(
      'lacks the permission',
    )
    await database.close()
  })

  const orders: readonly (readonly [
    string,
    readonly BacklogTask[],
    readonly Parameters<typeof setLimit>[1][],
    readonly string[],
  ])[] = [
    ['higher priority first', [task('a'), task('b', { priority: 2 }), task('c', { priority: 1 })], [], ['b', 'c', 'a']],
    ['nothing before what it waits for', [task('a', { after: ['b'] }), task('b')], [], ['b']],
    [
      'as many of a queue as may run',
      [task('a'), task('b'), task('c')],
      [{ kind: 'queue', name: 'q', atOnce: 2 }],
      ['a', 'b'],
    ],
    [
      'the next repository when one is busy',
      [
        task('a', { priority: 1 }),
        task('b', { priority: 1 }),
        task('c', { repository: 'https://example.org/two.git' }),
      ],
      [{ kind: 'repository', name: 'https://example.org/one.git', atOnce: 1 }],
      ['a', 'c'],
    ],
    [
      'as many of a provider key as may run, and tasks without one',
      [task('a', { key: 'k' }), task('b', { key: 'k' }), task('c')],
      [{ kind: 'key', name: 'k', atOnce: 1 }],
      ['a', 'c'],
    ],
  ]
  it.each(orders)('give out %s', async (_, tasks, limits, expected) => {
    const { url, database } = await fleet(tasks)
    for (const limit of limits) await setLimit(url, limit)
    expect(await claimAll(database)).toEqual(expected)
    await database.close()
  })

  it('give every task to one worker, however many claim at once', async () => {
    const { url, database } = await fleet(Array.from({ length: 12 }, (_, i) => task(`t${i}`)))
    await database.close()
    // Connected before, because a claim waits only a few seconds for a connection.
    const databases: Database[] = []
    for (let i = 0; i < 20; i++) {
      const each = await connect(url, { max: 1, idleMs: 0 })
      databases.push(each)
      await each.query('SELECT 1')
    }
    const found = await Promise.all(databases.map((each, i) => claim(each, 'q', `w${i}`)))
    const runs = found.flatMap((each) => (each === undefined ? [] : [each.run]))
    expect(new Set(runs).size).toBe(12)
    expect(runs).toHaveLength(12)
    for (const each of databases) await each.close()
  })

  it('give a run to another worker only after its worker is silent, and reject later writes of the silent one', async () => {
    const { database } = await fleet([task('a')])
    for (const worker of ['w', 'other']) await enter(database, worker)
    const first = await claim(database, 'q', 'w')
    const place = { run: first?.run ?? '', epoch: 1 }
    const change = {
      step: 'begin',
      stored: {},
      seq: 1,
      iterations: 0,
      lines: [{ seq: 1, text: '{}' }],
      files: [],
      removed: [],
    }
    expect(await takeOver(database, 'q', 'other', [])).toBeUndefined()
    await database.transaction((query) => publish(query, place, change))
    // Once more, as after a connection that broke at the commit.
    await database.transaction((query) => publish(query, place, change))
    await database.query("UPDATE exitgate.workers SET beat = now() - interval '1 hour' WHERE id = 'w'")
    expect(await takeOver(database, 'q', 'other', [])).toEqual({ run: place.run, epoch: 2, from: 'w' })
    const late = { ...change, step: 'record start 1', seq: 2, lines: [{ seq: 2, text: '{}' }] }
    await expect(database.transaction((query) => publish(query, place, late))).rejects.toThrow(
      'another worker has the run',
    )
    expect(await database.query('SELECT seq FROM exitgate.lines')).toEqual([{ seq: 1 }])
    // Its own run, which it lost for a while and no longer knows.
    expect(await takeOver(database, 'q', 'other', [place.run])).toBeUndefined()
    expect(await takeOver(database, 'q', 'other', [])).toMatchObject({ epoch: 3 })
    await database.close()
  })

  it('read only a few rows for a claim among ten thousand tasks', { timeout: patience(120_000) }, async () => {
    const { database } = await fleet(Array.from({ length: 10_000 }, (_, i) => task(`t${i}`, { priority: i % 7 })))
    await database.query('ANALYZE exitgate.tasks')
    const counted = await database.transaction(async (query) => {
      await lockFleet(query)
      const inside: Database = { query, transaction: (work) => work(query), cut() {}, close: async () => {} }
      await claim(inside, 'q', 'w')
      const [row] = await query<{ n: string }>(
        "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS n FROM pg_stat_xact_user_tables WHERE relname = 'tasks'",
      )
      return Number(row?.n ?? 0)
    })
    expect(counted).toBeLessThan(50)
    await database.close()
  })
})

describe('limits shared by all runs of the fleet', () => {
  const lease = leaseOf(60)

  it('never let more calls of a key through than its hourly limit', async () => {
    const { url, database } = await fleet([task('a', { key: 'k' }), task('b', { key: 'k' })])
    await setLimit(url, { kind: 'key', name: 'k', callsPerHour: 5 })
    const runs = [await claim(database, 'q', 'w'), await claim(database, 'q', 'w')].map((each) => each?.run ?? '')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ run: fc.integer({ min: 0, max: 1 }), iteration: fc.integer({ min: 1, max: 6 }) }), {
          maxLength: 12,
        }),
        async (asked) => {
          await database.query('DELETE FROM exitgate.calls')
          const answers = await Promise.all(
            asked.map(({ run, iteration }) =>
              fleetLimits(database, lease, { run: runs[run] ?? '', key: 'k', backlog: '1' }).ask({
                run: 'x',
                iteration,
                attempt: 1,
                at: 1_000,
              }),
            ),
          )
          const different = new Set(asked.map(({ run, iteration }) => `${run} ${iteration}`)).size
          const [row] = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM exitgate.calls')
          expect(row?.n).toBe(Math.min(5, different))
          for (const answer of answers)
            if (answer.kind === 'waits') expect(answer).toMatchObject({ why: 'the key "k" used its 5 calls per hour' })
          expect(answers.some(({ kind }) => kind === 'waits')).toBe(different > 5)
        },
      ),
      { numRuns: 15 },
    )
    await database.close()
  })

  it('end the tasks of a backlog that has used up its budget', async () => {
    const { database } = await fleet([task('a')], { usd: 1 })
    const limits = fleetLimits(database, lease, {
      run: (await claim(database, 'q', 'w'))?.run ?? '',
      key: '',
      backlog: '1',
    })
    const start = { run: 'x', iteration: 1, attempt: 1 }
    expect(await limits.ask({ ...start, at: 0 })).toEqual({ kind: 'go' })
    await limits.report(start, { ...NONE, usd: 1.5 })
    expect(await limits.ask({ ...start, at: 0 })).toEqual({ kind: 'go' })
    expect(await limits.ask({ ...start, iteration: 2, at: 0 })).toEqual({
      kind: 'ends',
      ending: 'cost',
      reason: 'the tasks of this backlog cost $1.50 of $1.00 in total',
    })
    await database.close()
  })
})
