import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import type { FleetEvent } from '../../src/fleet/types.ts'
import { isGone } from '../is-gone.ts'
import { comparableJournal, fleetProject, SHORT_LEASE_SECONDS, until } from './fleet-project.ts'
import { ask, ownPostgres } from './postgres.ts'

const pg = ownPostgres()
const MINUTES = 240_000
const SHORT_LEASE = { leaseSeconds: SHORT_LEASE_SECONDS }

type Fleet = Awaited<ReturnType<typeof fleetProject>>

const takenOver = (event: FleetEvent): boolean => event.type === 'claimed' && event.epoch > 1
const hasEnded = (event: FleetEvent): boolean => event.type === 'ended'

/** The journal of an undisturbed run by a single worker; it is the same in every database. */
let undisturbedJournal: Promise<unknown> | undefined
function undisturbed(): Promise<unknown> {
  undisturbedJournal ??= recordUndisturbed()
  return undisturbedJournal
}

async function recordUndisturbed(): Promise<unknown> {
  const fleet = await fleetProject(await pg.fleet())
  await fleet.submit([fleet.task('alone')])
  const worker = fleet.worker()
  const { run } = (await worker.until((event) => event.type === 'ended' && event.run.startsWith('alone'))) as {
    run: string
  }
  worker.child.kill('SIGTERM')
  await worker.exited
  return comparableJournal(await fleet.journal(run))
}

/** When a worker dies. Each case kills it at a moment it has observed. */
const crashes: readonly (readonly [string, (fleet: Fleet, pid: number, url: string) => Promise<void>])[] = [
  [
    'while its agent works',
    async (fleet, pid) => {
      await fleet.gateReached('agent.2')
      process.kill(pid, 'SIGKILL')
      fleet.openGate('agent.2')
    },
  ],
  [
    'while the checks run',
    async (fleet, pid) => {
      await fleet.gateReached('agent.2')
      fleet.closeGate('evidence')
      fleet.openGate('agent.2')
      await fleet.gateReached('evidence')
      process.kill(pid, 'SIGKILL')
      fleet.openGate('evidence')
    },
  ],
  [
    'before the database has its step',
    async (fleet, pid, url) => {
      await fleet.gateReached('agent.2')
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query('BEGIN')
      await client.query("SELECT 1 FROM exitgate.runs WHERE id LIKE 'one-%' FOR UPDATE")
      fleet.openGate('agent.2')
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
  it.for(crashes)(
    '%s is replaced, and the journal looks undisturbed',
    { timeout: MINUTES },
    async ([, kill], { skip }) => {
      skip(pg.missing !== undefined, pg.missing ?? '')
      const url = await pg.fleet()
      const fleet = await fleetProject(url)
      const expected = await undisturbed()
      fleet.closeGate('agent.2')
      await fleet.submit([fleet.task('one')])
      const first = fleet.worker(SHORT_LEASE)
      await first.until(({ type }) => type === 'claimed')
      const second = fleet.worker()
      await kill(fleet, first.child.pid ?? 0, url)
      await second.until(takenOver)
      const { run } = (await second.until(hasEnded)) as { run: string }
      expect(comparableJournal(await fleet.journal(run))).toEqual(expected)
      expect(await fleet.countedStarts(run)).toEqual([1, 2, 3])
      // No process of the dead worker's agents is left on this machine.
      await until(() => fleet.starts().every(({ pid }) => isGone(pid)))
    },
  )
})

describe('a worker that is late', () => {
  it('can write nothing after it wakes up', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    const expected = await undisturbed()
    fleet.closeGate('agent.2')
    await fleet.submit([fleet.task('one')])
    const first = fleet.worker()
    await fleet.gateReached('agent.2')
    const asleep = Number(readFileSync(join(fleet.gates, 'agent.2.reached'), 'utf8'))
    first.child.kill('SIGSTOP')
    await fleet.declareDead(first)
    const second = fleet.worker()
    await second.until(takenOver)
    fleet.openGate('agent.2')
    const { run } = (await second.until(hasEnded)) as { run: string }
    first.child.kill('SIGCONT')
    await first.until(({ type }) => type === 'lost')
    await until(() => isGone(asleep))
    expect(comparableJournal(await fleet.journal(run))).toEqual(expected)
    expect(await fleet.countedStarts(run)).toEqual([1, 2, 3])
    expect(fleet.git('for-each-ref', '--format=%(refname)', 'refs/heads').trim().split('\n')).toEqual([
      'refs/heads/exitgate/one',
      'refs/heads/main',
    ])
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
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
    fleet.closeGate('push')
    await fleet.submit([fleet.task('one')])
    const first = fleet.worker()
    await fleet.gateReached('push')
    first.child.kill('SIGSTOP')
    await fleet.declareDead(first)
    const second = fleet.worker()
    await second.until(hasEnded)
    const refs = (): string => fleet.git('for-each-ref', '--format=%(refname)', 'refs/exitgate').trim()
    expect(refs()).toBe('')
    fleet.openGate('push')
    await until(() => refs() !== '')
    first.child.kill('SIGCONT')
    await first.until(({ type }) => type === 'lost')
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    expect(refs()).toBe('')
  })
})

describe('a database outage', () => {
  it('within the lease loses no work of an agent', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    const expected = await undisturbed()
    fleet.closeGate('agent.2')
    await fleet.submit([fleet.task('one')])
    const worker = fleet.worker({ leaseSeconds: 120 })
    await fleet.gateReached('agent.2')
    const server = await pg.server()
    await server.restart()
    fleet.openGate('agent.2')
    const { run } = (await worker.until(hasEnded)) as { run: string }
    expect(comparableJournal(await fleet.journal(run))).toEqual(expected)
    expect(fleet.starts().map(({ n }) => n)).toEqual([1, 2, 3])
  })

  it('longer than the lease ends the agent, and the run continues afterwards', { timeout: MINUTES }, async ({
    skip,
  }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    const expected = await undisturbed()
    fleet.closeGate('agent.2')
    await fleet.submit([fleet.task('one')])
    const worker = fleet.worker(SHORT_LEASE)
    await fleet.gateReached('agent.2')
    const agent = Number(readFileSync(join(fleet.gates, 'agent.2.reached'), 'utf8'))
    const server = await pg.server()
    await server.kill()
    await worker.until(({ type }) => type === 'lost')
    await until(() => isGone(agent))
    await server.start()
    fleet.openGate('agent.2')
    const { run } = (await worker.until(hasEnded)) as { run: string }
    expect(comparableJournal(await fleet.journal(run))).toEqual(expected)
    expect(await fleet.countedStarts(run)).toEqual([1, 2, 3])
  })

  it('does not keep a worker from exiting', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const fleet = await fleetProject(await pg.fleet())
    fleet.closeGate('agent.1')
    await fleet.submit([fleet.task('one')])
    const worker = fleet.worker(SHORT_LEASE)
    await fleet.gateReached('agent.1')
    const server = await pg.server()
    await server.kill()
    await worker.until(({ type }) => type === 'lost')
    worker.child.kill('SIGTERM')
    expect(await worker.exited).toBe(0)
    await server.start()
  })

  it('makes a starting worker wait', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const fleet = await fleetProject(await pg.fleet())
    const server = await pg.server()
    await server.kill()
    const [waits, ends] = [fleet.worker(), fleet.worker()]
    const warning = (event: FleetEvent): boolean =>
      event.type === 'warning' && /^Can't reach the database: .* retries every second/.test(event.text)
    for (const worker of [waits, ends]) await worker.until(warning)
    ends.child.kill('SIGTERM')
    expect(await ends.exited).toBe(0)
    await server.start()
    await waits.until(({ type }) => type === 'worker')
    expect(waits.events.filter(warning as (event: unknown) => boolean)).toHaveLength(1)
  })
})

describe('a run whose workflow is assigned to another worker', () => {
  /** As after an outage, when another worker's call to DBOS arrives late: the run's row names one worker, DBOS another. */
  const astray = (url: string) =>
    ask(
      url,
      `CREATE FUNCTION astray() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.queue_name := 'exitgate.elsewhere'; RETURN NEW; END $$;
       CREATE TRIGGER astray BEFORE UPDATE ON exitgate_dbos.workflow_status FOR EACH ROW
       WHEN (NEW.status = 'ENQUEUED') EXECUTE FUNCTION astray()`,
    )

  it('is given back when its worker drains, and requested again otherwise', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    fleet.closeGate('agent.2')
    await fleet.submit([fleet.task('one')])
    const first = fleet.worker()
    await fleet.gateReached('agent.2')
    await astray(url)
    first.child.kill('SIGKILL')
    await first.exited
    await fleet.declareDead(first)
    const second = fleet.worker()
    await second.until(takenOver)
    second.child.kill('SIGTERM')
    expect(await second.exited).toBe(0)
    expect(second.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['given-back', 'over']))
    const third = fleet.worker()
    await third.until(takenOver)
    await ask(url, 'DROP TRIGGER astray ON exitgate_dbos.workflow_status')
    fleet.openGate('agent.2')
    const { run } = (await third.until(hasEnded)) as { run: string }
    expect(await fleet.countedStarts(run)).toEqual([1, 2, 3])
  })
})

describe('leftovers of dead workers', () => {
  // The fleet's tables and those of DBOS are swept at the same time, and either may be first.
  it.for(['before', 'after'])(
    'are removed by the next worker, rows of dead workers %s its first run',
    { timeout: MINUTES },
    async (order, { skip }) => {
      skip(pg.missing !== undefined, pg.missing ?? '')
      const url = await pg.fleet()
      const fleet = await fleetProject(url)
      await fleet.submit([fleet.task('one')])
      const first = fleet.worker()
      const { run } = (await first.until(hasEnded)) as { run: string }
      first.child.kill('SIGTERM')
      await first.exited
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
      const client = new Client({ connectionString: url })
      await client.connect()
      if (order === 'after')
        await client.query("BEGIN; SELECT 1 FROM exitgate.workers WHERE id LIKE 'dead%' FOR UPDATE")
      const second = fleet.worker()
      // A worker's first run registers no queue.
      await until(async () => (await ask(url, 'SELECT 1 FROM exitgate_dbos.queues')).length === 0)
      await client.end()
      await second.until(hasEnded)
      const leftovers = `SELECT name FROM exitgate_dbos.queues UNION ALL SELECT id FROM exitgate.workers WHERE id LIKE 'dead%'
      UNION ALL SELECT worker FROM exitgate.drains UNION ALL SELECT id FROM exitgate.runs WHERE work IS NOT NULL`
      await until(async () => (await ask(url, leftovers)).length === 0)
      expect(fleet.git('for-each-ref', 'refs/exitgate')).toBe('')
    },
  )
})
