import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, connect as dial, type Socket } from 'node:net'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { lockFleet } from '../../src/fleet/claim.ts'
import type { FleetEvent } from '../../src/fleet/types.ts'
import { isGone } from '../is-gone.ts'
import { patience } from '../timing.ts'
import { comparableJournal, SHORT_LEASE_SECONDS, until } from './fleet-project.ts'
import { ask, postgres } from './postgres.ts'
import { programFleet } from './program-fleet.ts'

const pg = postgres()
const MINUTES = 240_000
const ended = (event: FleetEvent): boolean => event.type === 'ended'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup()
})

/** The connection of one worker to the database. */
interface NetworkPath {
  readonly db: string
  /** The command that starts the worker. */
  readonly before: readonly string[]
  cut(): void
  repair(): void
}

/** A proxy to the database. While it is cut, bytes are dropped and neither side gets an error. */
async function proxy(url: string, host: string): Promise<NetworkPath> {
  const target = new URL(url)
  const pairs: (readonly [Socket, Socket])[] = []
  let isCut = false
  const link = (one: Socket, two: Socket): void => {
    one.pipe(two)
    two.pipe(one)
  }
  const drop = (...sockets: readonly Socket[]): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((from) => {
    const to = dial(Number(target.port), target.hostname)
    for (const socket of [from, to]) socket.on('error', () => drop(from, to))
    pairs.push([from, to])
    if (!isCut) link(from, to)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  cleanups.push(() => {
    for (const pair of pairs) drop(...pair)
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    db: url.replace(`${target.hostname}:${target.port}`, `${host}:${port}`),
    before: [],
    cut() {
      isCut = true
      for (const [from, to] of pairs) {
        from.unpipe(to).pause()
        to.unpipe(from).pause()
      }
    },
    repair() {
      isCut = false
      for (const [from, to] of pairs) link(from, to)
    },
  }
}

const ip = (...args: readonly string[]): void => {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** A network namespace for the worker with one virtual cable, which can be unplugged. */
async function namespace(url: string): Promise<NetworkPath | string> {
  const name = `exitgate-${process.pid}`
  const [here, there] = [`eg${process.pid % 100_000}a`, `eg${process.pid % 100_000}b`]
  const at = (n: number): string => `169.254.${(process.pid >> 6) & 255}.${((process.pid & 63) << 2) + n}`
  try {
    ip('netns', 'add', name)
    cleanups.push(() => ip('netns', 'del', name))
    ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name)
    ip('addr', 'add', `${at(1)}/30`, 'dev', here)
    ip('link', 'set', here, 'up')
    for (const words of [`addr add ${at(2)}/30 dev ${there}`, `link set ${there} up`, 'link set lo up'])
      ip('-n', name, ...words.split(' '))
  } catch (error) {
    return `no network of its own may be made here: ${error instanceof Error ? error.message.split('\n')[0] : ''}`
  }
  const networkPath = await proxy(url, at(1))
  return {
    db: networkPath.db,
    before: ['ip', 'netns', 'exec', name],
    cut: () => ip('link', 'set', here, 'down'),
    repair: () => ip('link', 'set', here, 'up'),
  }
}

const networkPaths: readonly (readonly [string, (url: string) => Promise<NetworkPath | string>])[] = [
  ['stops carrying', (url) => proxy(url, '127.0.0.1')],
  ['is pulled out', namespace],
]

describe('the network between a worker and the database', () => {
  it.for(networkPaths)(
    '%s: another worker continues, and the first one works again after the repair',
    { timeout: MINUTES },
    async ([, make], { skip }) => {
      skip(pg.missing !== undefined, pg.missing ?? '')
      const url = await pg.fleet()
      const made = await make(url)
      if (typeof made === 'string') return skip(made)
      const fleet = await programFleet(url)
      await fleet.call('submit', fleet.writeTasks([{ id: 'one' }]), '--queue', 'q')
      fleet.closeGate('agent.2')
      const far = fleet.start(['--lease', String(SHORT_LEASE_SECONDS)], made)
      await fleet.gateReached('agent.2')
      const agent = readFileSync(join(fleet.gates, 'agent.2.reached'), 'utf8')
      made.cut()
      await far.until(({ type }) => type === 'lost')
      // An agent that still runs would report again.
      await until(() => fleet.starts().every(({ pid }) => isGone(pid)))
      fleet.forgetGate('agent.2')
      const near = fleet.start()
      await near.until((event) => event.type === 'claimed' && event.epoch > 1)
      await fleet.gateReached('agent.2')
      expect(readFileSync(join(fleet.gates, 'agent.2.reached'), 'utf8')).not.toBe(agent)
      fleet.openGate('agent.2')
      await near.until(ended)
      near.child.kill('SIGTERM')
      await near.exited
      made.repair()
      await fleet.call('submit', fleet.writeTasks([{ id: 'two' }]), '--queue', 'q')
      expect(await far.until(ended)).toMatchObject({ run: 'two-2', end: { outcome: 'completed' } })
      expect(comparableJournal(await fleet.journal('one-1'))).toEqual(comparableJournal(await fleet.journal('two-2')))
      for (const run of ['one-1', 'two-2']) expect(await fleet.countedStarts(run)).toEqual([1, 2, 3])
    },
  )

  it('does not keep a worker that waits for an answer from exiting', { timeout: patience(50_000) }, async ({
    skip,
  }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const path = await proxy(url, '127.0.0.1')
    const fleet = await programFleet(url)
    // It gives up the claim when its lease expires.
    const worker = fleet.start(['--lease', '2'], path)
    await worker.until(({ type }) => type === 'worker')
    // A claim waits for this lock.
    const holder = new Client({ connectionString: url })
    await holder.connect()
    await holder.query('BEGIN')
    await lockFleet(async (sql, values = []) => (await holder.query(sql, [...values])).rows)
    await fleet.submit([fleet.task('one')])
    await until(
      async () =>
        (
          await ask(
            url,
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory' AND datname = current_database()",
          )
        ).length > 0,
    )
    path.cut()
    worker.child.kill('SIGTERM')
    expect(await worker.exited).toBe(0)
    await holder.end()
  })

  it('loses nothing if it is repaired within the lease', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const way = await proxy(url, '127.0.0.1')
    const fleet = await programFleet(url)
    await fleet.call('submit', fleet.writeTasks([{ id: 'one' }]), '--queue', 'q')
    fleet.closeGate('agent.2')
    const worker = fleet.start(['--lease', '120'], way)
    await fleet.gateReached('agent.2')
    way.cut()
    fleet.openGate('agent.2')
    await until(() => fleet.starts().length === 2)
    way.repair()
    expect(await worker.until(ended)).toMatchObject({ end: { outcome: 'completed' } })
    expect(fleet.starts().map(({ n }) => n)).toEqual([1, 2, 3])
    expect(worker.events.filter(({ type }) => type === 'lost')).toEqual([])
  })
})
