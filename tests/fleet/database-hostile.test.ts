import { beforeEach, describe, expect, it } from 'vitest'
import type { BacklogTask } from '../../src/backlog/types.ts'
import { claim } from '../../src/fleet/claim.ts'
import { connect } from '../../src/fleet/database/connect.ts'
import { migrate } from '../../src/fleet/database/migrate.ts'
import { setLimit } from '../../src/fleet/operate.ts'
import { submit } from '../../src/fleet/submit.ts'
import { patience } from '../timing.ts'
import { ask, postgres } from './postgres.ts'

const pg = postgres()
beforeEach(({ skip }) => skip(pg.missing !== undefined, pg.missing ?? ''))

const task = (id: string): BacklogTask => ({
  id,
  prompt: 'do it',
  title: id,
  after: [],
  priority: 0,
  limits: {},
  repository: 'https://example.org/one.git',
})

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

describe('fleet tables under attack', () => {
  it('are created once by concurrent migrations', { timeout: patience(60_000) }, async () => {
    const url = await pg.database()
    const made = await Promise.all(Array.from({ length: 4 }, () => migrate(url)))
    expect(made.map(({ from }) => from).sort()).toEqual([0, 1, 1, 1])
    expect(await ask(url, 'SELECT n FROM exitgate.version')).toEqual([{ n: 1 }])
  })

  it('never exceed a limit, whatever the default isolation level of the database', async () => {
    for (const level of ['read committed', 'repeatable read', 'serializable']) {
      const url = await pg.fleet()
      await ask(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = '${level}'`)
      const names = Array.from({ length: 8 }, (_, i) => `t${i}`)
      await submit(url, { tasks: names.map(task), limits: {} }, { queue: 'q' })
      await setLimit(url, { kind: 'queue', name: 'q', atOnce: 2 })
      const database = await connect(url, { max: 8 })
      const found = await Promise.all(names.map((name) => claim(database, 'q', name)))
      expect(found.filter((each) => each !== undefined)).toHaveLength(2)
      await database.close()
    }
  })

  const names = ['../../../escape', 'a/b', '..', 'a..b', '', '-rf', '.hidden', 'a b', 'a\nb', 'y'.repeat(61)]
  it('reject task names that could be another folder or branch', async () => {
    const url = await pg.fleet()
    await submit(url, { tasks: [task('there')], limits: {} }, { queue: 'q' })
    for (const name of names)
      await expect(
        ask(
          url,
          `INSERT INTO exitgate.tasks (backlog, queue, name, lane, priority, entry, standing, open_needs)
           SELECT backlog, queue, ${quoted(name)}, lane, priority, entry, standing, open_needs FROM exitgate.tasks`,
        ),
        JSON.stringify(name),
      ).rejects.toThrow('violates check constraint')
  })
})

describe('a broken connection', () => {
  it('between two queries fails the transaction, not the process', async () => {
    const database = await connect(await pg.database())
    const broken = database.transaction(async (query) => {
      const [row] = await query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await database.query('SELECT pg_terminate_backend($1, 10000)', [row?.pid])
      await query('SELECT 1')
    })
    await expect(broken).rejects.toThrow(/terminat|not queryable|connection/i)
    expect(await database.query('SELECT 1 AS n')).toEqual([{ n: 1 }])
    await database.close()
  })
})
