import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import type { FleetEvent } from '../../src/fleet/types.ts'
import { fleetProject, story, until } from './fleet-project.ts'
import { ask, ownPostgres } from './postgres.ts'

const pg = ownPostgres()
const MINUTES = 240_000
/** Soon taken for dead. */
const HASTY = { leaseSeconds: 3 }

type Fleet = Awaited<ReturnType<typeof fleetProject>>

const takenOver = (event: FleetEvent): boolean => event.type === 'claimed' && event.epoch > 1
const over = (event: FleetEvent): boolean => event.type === 'ended'
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux'
  }
}

/** The story that an undisturbed run tells, by a worker that does nothing else; it is the same in every database. */
let calmStory: Promise<unknown> | undefined
function undisturbed(): Promise<unknown> {
  calmStory ??= tellCalmly()
  return calmStory
}

async function tellCalmly(): Promise<unknown> {
  const fleet = await fleetProject(await pg.fleet())
  await fleet.submit([fleet.task('calm')])
  const worker = fleet.worker()
  const { run } = (await worker.until((event) => event.type === 'ended' && event.run.startsWith('calm'))) as {
    run: string
  }
  worker.child.kill('SIGTERM')
  await worker.gone
  return story(await fleet.journal(run))
}

/** Whatever was begun, of every iteration one start alone has come to something. */
async function publishedOnce(fleet: Fleet, run: string): Promise<void> {
  const started = (await fleet.journal(run)).filter(({ type }) => type === 'agent.started')
  expect(started.map((event) => 'iteration' in event && event.iteration)).toEqual([1, 2, 3])
}

/** How a worker dies, and what it was doing: each brings it about at the moment it has seen for itself. */
const deaths: readonly (readonly [string, (fleet: Fleet, pid: number, url: string) => Promise<void>])[] = [
  [
    'while its agent works',
    async (fleet, pid) => {
      await fleet.reached('agent.2')
      process.kill(pid, 'SIGKILL')
      fleet.open('agent.2')
    },
  ],
  [
    'while evidence is gathered',
    async (fleet, pid) => {
      await fleet.reached('agent.2')
      fleet.shut('evidence')
      fleet.open('agent.2')
      await fleet.reached('evidence')
      process.kill(pid, 'SIGKILL')
      fleet.open('evidence')
    },
  ],
  [
    'between its journal and the database',
    async (fleet, pid, url) => {
      await fleet.reached('agent.2')
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query('BEGIN')
      await client.query("SELECT 1 FROM exitgate.runs WHERE id LIKE 'one-%' FOR UPDATE")
      fleet.open('agent.2')
      await until(
        async () => (await ask(url, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).length > 0,
      )
      process.kill(pid, 'SIGKILL')
      await client.query('ROLLBACK')
      await client.end()
    },
  ],
]

describe('a worker that dies', () => {
  it.for(deaths)(
    '%s is taken over, and the journal tells nothing of it',
    { timeout: MINUTES },
    async ([, kill], { skip }) => {
      skip(pg.missing !== undefined, pg.missing ?? '')
      const url = await pg.fleet()
      const fleet = await fleetProject(url)
      const calm = await undisturbed()
      fleet.shut('agent.2')
      await fleet.submit([fleet.task('one')])
      const first = fleet.worker(HASTY)
      await first.until(({ type }) => type === 'claimed')
      const second = fleet.worker(HASTY)
      await kill(fleet, first.child.pid ?? 0, url)
      await second.until(takenOver)
      const { run } = (await second.until(over)) as { run: string }
      expect(story(await fleet.journal(run))).toEqual(calm)
      await publishedOnce(fleet, run)
      // Nothing of the dead one's agents is left on this machine.
      await until(() => fleet.starts().every(({ pid }) => !alive(pid)))
    },
  )
})

describe('a worker that is late', () => {
  it('finds the door shut when it wakes', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    const calm = await undisturbed()
    fleet.shut('agent.2')
    await fleet.submit([fleet.task('one')])
    const first = fleet.worker(HASTY)
    await fleet.reached('agent.2')
    const asleep = Number(readFileSync(join(fleet.gates, 'agent.2.reached'), 'utf8'))
    first.child.kill('SIGSTOP')
    const second = fleet.worker(HASTY)
    await second.until(takenOver)
    fleet.open('agent.2')
    const { run } = (await second.until(over)) as { run: string }
    first.child.kill('SIGCONT')
    await first.until(({ type }) => type === 'lost')
    await until(() => !alive(asleep))
    expect(story(await fleet.journal(run))).toEqual(calm)
    await publishedOnce(fleet, run)
    expect(fleet.git('for-each-ref', '--format=%(refname)', 'refs/heads').trim().split('\n')).toEqual([
      'refs/heads/exitgate/one',
      'refs/heads/main',
    ])
    first.child.kill('SIGTERM')
    expect(await first.gone).toBe(0)
  })

  it('removes the work it pushed after another worker finished the run', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const fleet = await fleetProject(await pg.fleet())
    const gate = join(fleet.gates, 'push')
    const hook = `#!/bin/sh
read -r _ _ ref
case "$ref" in refs/exitgate/*/1/*) [ -e '${gate}' ] && : > '${gate}.reached'; while [ -e '${gate}' ]; do sleep 0.05; done ;; esac
`
    mkdirSync(join(fleet.bare, 'hooks'), { recursive: true })
    writeFileSync(join(fleet.bare, 'hooks/pre-receive'), hook, { mode: 0o755 })
    fleet.shut('push')
    await fleet.submit([fleet.task('one')])
    const first = fleet.worker(HASTY)
    await fleet.reached('push')
    first.child.kill('SIGSTOP')
    const second = fleet.worker(HASTY)
    await second.until(over)
    const refs = (): string => fleet.git('for-each-ref', '--format=%(refname)', 'refs/exitgate').trim()
    expect(refs()).toBe('')
    fleet.open('push')
    await until(() => refs() !== '')
    first.child.kill('SIGCONT')
    await first.until(({ type }) => type === 'lost')
    first.child.kill('SIGTERM')
    expect(await first.gone).toBe(0)
    expect(refs()).toBe('')
  })
})

describe('a database that goes away', () => {
  it('and comes back within the lease costs no agent its work', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    const calm = await undisturbed()
    fleet.shut('agent.2')
    await fleet.submit([fleet.task('one')])
    const worker = fleet.worker({ leaseSeconds: 120 })
    await fleet.reached('agent.2')
    const server = await pg.server()
    await server.restart()
    fleet.open('agent.2')
    const { run } = (await worker.until(over)) as { run: string }
    expect(story(await fleet.journal(run))).toEqual(calm)
    expect(fleet.starts().map(({ n }) => n)).toEqual([1, 2, 3])
  })

  it('for longer ends the agent, and the run goes on when it is back', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    const calm = await undisturbed()
    fleet.shut('agent.2')
    await fleet.submit([fleet.task('one')])
    const worker = fleet.worker(HASTY)
    await fleet.reached('agent.2')
    const agent = Number(readFileSync(join(fleet.gates, 'agent.2.reached'), 'utf8'))
    const server = await pg.server()
    await server.kill()
    await worker.until(({ type }) => type === 'lost')
    await until(() => !alive(agent))
    await server.start()
    fleet.open('agent.2')
    const { run } = (await worker.until(over)) as { run: string }
    expect(story(await fleet.journal(run))).toEqual(calm)
    await publishedOnce(fleet, run)
  })

  it('keeps no worker from ending', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const fleet = await fleetProject(await pg.fleet())
    fleet.shut('agent.1')
    await fleet.submit([fleet.task('one')])
    const worker = fleet.worker(HASTY)
    await fleet.reached('agent.1')
    const server = await pg.server()
    await server.kill()
    await worker.until(({ type }) => type === 'lost')
    worker.child.kill('SIGTERM')
    expect(await worker.gone).toBe(0)
    await server.start()
  })

  it('is waited for by a worker that starts meanwhile', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const fleet = await fleetProject(await pg.fleet())
    const server = await pg.server()
    await server.kill()
    const [waits, ends] = [fleet.worker(), fleet.worker()]
    const told = (event: FleetEvent): boolean =>
      event.type === 'warning' && /^The database cannot be reached: .* tries again every second/.test(event.text)
    for (const worker of [waits, ends]) await worker.until(told)
    ends.child.kill('SIGTERM')
    expect(await ends.gone).toBe(0)
    await server.start()
    await waits.until(({ type }) => type === 'worker')
    expect(waits.events.filter(told as (event: unknown) => boolean)).toHaveLength(1)
  })
})

describe('a run whose workflow goes elsewhere', () => {
  /** As after an outage, when another worker's call to DBOS comes late: the row of the run names one worker, DBOS another. */
  const astray = (url: string) =>
    ask(
      url,
      `CREATE FUNCTION astray() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.queue_name := 'exitgate.elsewhere'; RETURN NEW; END $$;
       CREATE TRIGGER astray BEFORE UPDATE ON exitgate_dbos.workflow_status FOR EACH ROW
       WHEN (NEW.status = 'ENQUEUED') EXECUTE FUNCTION astray()`,
    )

  it('is given back when its worker drains, and asked for again otherwise', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    fleet.shut('agent.2')
    await fleet.submit([fleet.task('one')])
    const first = fleet.worker(HASTY)
    await fleet.reached('agent.2')
    await astray(url)
    first.child.kill('SIGKILL')
    await first.gone
    const second = fleet.worker()
    await second.until(takenOver)
    second.child.kill('SIGTERM')
    expect(await second.gone).toBe(0)
    expect(second.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['given-back', 'over']))
    const third = fleet.worker()
    await third.until(takenOver)
    await ask(url, 'DROP TRIGGER astray ON exitgate_dbos.workflow_status')
    fleet.open('agent.2')
    const { run } = (await third.until(over)) as { run: string }
    await publishedOnce(fleet, run)
  })
})

describe('what dead workers left', () => {
  it('is swept by the next one', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    await fleet.submit([fleet.task('one')])
    const first = fleet.worker()
    const { run } = (await first.until(over)) as { run: string }
    first.child.kill('SIGTERM')
    await first.gone
    // As if it had died between the end of the run and the removal of its refs.
    const ref = `refs/exitgate/${run}/1/work`
    fleet.git('update-ref', ref, 'main')
    await ask(
      url,
      `UPDATE exitgate.runs SET work = '{}', ended_at = now() - interval '1 hour';
       INSERT INTO exitgate.workers (id, host, folder, queue, concurrency, lease_seconds, beat)
       SELECT 'dead-' || n, 'there', '/', 'q', 1, 5, now() - interval '1 hour' FROM generate_series(1, 3) n;
       INSERT INTO exitgate.drains (worker) VALUES ('dead-1');
       INSERT INTO exitgate_dbos.queues (name) VALUES ('exitgate.dead-1')`,
    )
    await fleet.submit([fleet.task('two')])
    const second = fleet.worker()
    await second.until(over)
    const left = `SELECT name FROM exitgate_dbos.queues UNION ALL SELECT id FROM exitgate.workers WHERE id LIKE 'dead%'
      UNION ALL SELECT worker FROM exitgate.drains UNION ALL SELECT id FROM exitgate.runs WHERE work IS NOT NULL`
    await until(async () => (await ask(url, left)).length === 0)
    expect(fleet.git('for-each-ref', 'refs/exitgate')).toBe('')
  })
})
