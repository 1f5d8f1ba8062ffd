import { describe, expect, it } from 'vitest'
import type { FleetEvent } from '../../src/fleet/types.ts'
import { comparableJournal, until } from './fleet-project.ts'
import { ask, ownPostgres } from './postgres.ts'
import { programFleet } from './program-fleet.ts'

const pg = ownPostgres()
const MINUTES = 280_000

describe('a fleet with failing workers', () => {
  it('ends every task once, although a worker dies, another is suspended, and the database restarts', {
    timeout: MINUTES,
  }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await programFleet(url)
    const submit = async (tasks: readonly Readonly<Record<string, unknown>>[]) =>
      expect((await fleet.call('submit', fleet.writeTasks(tasks), '--queue', 'q')).code).toBe(0)
    await submit([{ id: 'one' }, { id: 'two' }, { id: 'three', after: ['one', 'two'] }])
    fleet.closeGate('agent.2')
    const [dies, sleeps] = [fleet.start(), fleet.start()]
    const begun = (n: number): number => fleet.starts().filter((start) => start.n === n).length
    await until(() => begun(2) >= 2)
    dies.child.kill('SIGKILL')
    sleeps.child.kill('SIGSTOP')
    for (const worker of [dies, sleeps]) await fleet.declareDead(worker)

    const rest = [fleet.start(['--once']), fleet.start(['--once'])]
    for (const worker of rest) await worker.until((event) => event.type === 'claimed' && event.epoch > 1)
    await until(() => begun(2) >= 4)
    // Not earlier, because a worker busy with this run could not take over another.
    await submit([{ id: 'alone' }])
    await (await pg.server()).restart()
    fleet.openGate('agent.2')
    for (const worker of rest) expect(await worker.exited).toBe(0)
    sleeps.child.kill('SIGCONT')
    await sleeps.until(({ type }) => type === 'lost')
    sleeps.child.kill('SIGTERM')
    expect(await sleeps.exited).toBe(0)

    const ended = [dies, sleeps, ...rest].flatMap(({ events }) =>
      events.filter((event): event is FleetEvent & { readonly type: 'ended' } => event.type === 'ended'),
    )
    expect(ended.map(({ run, end }) => `${run} ${end.outcome}`).sort()).toEqual([
      'alone-4 completed',
      'one-1 completed',
      'three-3 completed',
      'two-2 completed',
    ])
    const expected = comparableJournal(await fleet.journal('alone-4'))
    for (const run of ['one-1', 'two-2']) expect(comparableJournal(await fleet.journal(run))).toEqual(expected)
    expect(
      await ask(url, 'SELECT task, count(*)::int AS n FROM exitgate.runs GROUP BY task HAVING count(*) > 1'),
    ).toEqual([])
    expect(fleet.git('for-each-ref', '--format=%(refname:short)').trim().split('\n')).toEqual([
      'exitgate/alone',
      'exitgate/one',
      'exitgate/three',
      'exitgate/two',
      'main',
    ])
    // The commands show the same undisturbed history.
    expect((await fleet.call('show', 'one', 'replay')).stdout).toBe('3 decisions of 1 run: all the same\n')
  })
})
