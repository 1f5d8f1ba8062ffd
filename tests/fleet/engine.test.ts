import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replay } from '../../src/core/journal/replay.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { materialise } from '../../src/fleet/materialise.ts'
import { drain, setLimit, signal } from '../../src/fleet/operate.ts'
import { status } from '../../src/fleet/status.ts'
import { readEvents, readJournal, verifyJournal } from '../../src/journal/read.ts'
import { comparableJournal, fleetProject, SECRET, until } from './fleet-project.ts'
import { ask, everything, postgres } from './postgres.ts'

const pg = postgres()
const MINUTES = 180_000

describe('a run of the fleet', () => {
  it('is worked on from its submission to a pushed branch, and stores no secret', { timeout: MINUTES }, async ({
    skip,
  }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    await fleet.submit([fleet.task('one')])
    const worker = fleet.worker()
    expect(await worker.until(({ type }) => type === 'ended')).toMatchObject({
      end: { outcome: 'completed', ending: 'verified', iterations: 3, branch: 'exitgate/one' },
    })
    expect(fleet.git('show', '--format=', '--name-only', 'exitgate/one').trim().split('\n')).toEqual([
      'first.txt',
      'notes.txt',
      'second.txt',
    ])
    expect(fleet.git('for-each-ref', 'refs/exitgate')).toBe('')
    expect((await fleet.journal('one-1')).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run.started', 'iteration.started', 'agent.started', 'step.done', 'iteration.decided']),
    )
    expect(await everything(url)).toContain('the key is [redacted]')
    for (const secret of [SECRET, 'not-for-agents-0123']) {
      expect((await everything(url)).includes(secret)).toBe(false)
      expect(JSON.stringify(worker.events).includes(secret)).toBe(false)
    }
    for (const { env } of fleet.starts()) {
      expect(env).toContain('SOME_API_KEY')
      expect(env.filter((name) => !/^(?:EXITGATE_|PATH|HOME|LANG|TMPDIR|TEST_GATES|SOME_API_KEY)/.test(name))).toEqual(
        [],
      )
    }
    // DBOS's data is deleted when the run is over.
    await until(async () => (await ask(url, 'SELECT 1 FROM exitgate_dbos.operation_outputs LIMIT 1')).length === 0)
    worker.child.kill('SIGTERM')
    expect(await worker.exited).toBe(0)
    expect(await status(url)).toMatchObject({ queues: [{ queue: 'q', completed: 1, running: 0 }], workers: [] })

    const dir = join(fleet.root, 'shown')
    expect(await materialise(url, 'one', dir)).toMatchObject({ run: 'one-1', standing: 'ended' })
    expect(verifyJournal(dir)).toMatchObject({ ok: true })
    const again = [...replay(readEvents(dir), policyFor)]
    expect(again.map(({ same }) => same)).toEqual([true, true, true])
    const { run = '' } = readJournal(dir).state
    expect(readdirSync(join(dir, 'transcripts', run))).toEqual(
      expect.arrayContaining(['1.1.out', '3.1.out', '3.1.prompt.md']),
    )
    await expect(materialise(url, 'one', dir)).rejects.toThrow('is not empty')
  })

  it('receives controls from users, and blocks the tasks that depend on it when it is interrupted', {
    timeout: MINUTES,
  }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    fleet.closeGate('agent.2')
    await fleet.submit([
      fleet.task('one'),
      fleet.task('two', { after: ['one'] }),
      fleet.task('three', { after: ['two'] }),
    ])
    const worker = fleet.worker()
    await fleet.gateReached('agent.2')
    await signal(url, 'one', { kind: 'guidance', by: 'ann', reason: 'check the second half' })
    await signal(url, 'one-1', { kind: 'interrupt', by: 'ann', reason: 'enough for today' })
    fleet.openGate('agent.2')
    expect(await worker.until(({ type }) => type === 'ended')).toMatchObject({
      end: { outcome: 'interrupted', ending: 'interrupt', iterations: 2, branch: 'exitgate/one' },
    })
    const asked = (await fleet.journal('one-1')).filter(({ type }) => type === 'control')
    expect(asked).toMatchObject([{ kind: 'guidance', by: 'ann' }, { kind: 'interrupt' }])
    const now = await status(url)
    expect(now.queues).toMatchObject([{ failed: 1, blocked: 2, ready: 0, waiting: 0 }])
    expect(now.blocked.map(({ task, reason }) => `${task}: ${reason}`)).toEqual([
      'three: it depends on "one", which ended as interrupted/interrupt',
      'two: it depends on "one", which ended as interrupted/interrupt',
    ])
    await expect(signal(url, 'one', { kind: 'force', by: 'ann', reason: 'late' })).rejects.toThrow('has already ended')
  })

  it('can be forced while its agent works', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    fleet.closeGate('agent.1')
    await fleet.submit([fleet.task('one')])
    const worker = fleet.worker()
    await fleet.gateReached('agent.1')
    await signal(url, 'one', { kind: 'force', by: 'ann', reason: 'good enough' })
    expect(await worker.until(({ type }) => type === 'ended')).toMatchObject({
      end: { outcome: 'completed', ending: 'forced', iterations: 1 },
    })
  })

  it('is given back by a draining worker and continues on another with the same journal', {
    timeout: MINUTES,
  }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    fleet.closeGate('agent.2')
    await fleet.submit([fleet.task('one'), fleet.task('two')])
    const [first] = [fleet.worker()]
    await fleet.gateReached('agent.2')
    expect(await drain(url)).toHaveLength(1)
    await first.until(({ type }) => type === 'draining')
    fleet.openGate('agent.2')
    await first.until(({ type }) => type === 'given-back')
    expect(await first.exited).toBe(0)
    const second = fleet.worker()
    await second.until((event) => event.type === 'ended' && event.run === 'one-1')
    await second.until((event) => event.type === 'ended' && event.run === 'two-2')
    expect(comparableJournal(await fleet.journal('one-1'))).toEqual(comparableJournal(await fleet.journal('two-2')))
    expect(fleet.starts().map(({ n }) => n)).toEqual([1, 2, 3, 1, 2, 3])
  })

  it('ends once per task, whichever worker does it, within the limits of its repository', { timeout: MINUTES }, async ({
    skip,
  }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    await setLimit(url, { kind: 'repository', name: fleet.bare, atOnce: 2 })
    await fleet.submit([
      fleet.task('one', { priority: 5 }),
      fleet.task('two', { priority: 9 }),
      fleet.task('three', { after: ['one', 'two'] }),
      fleet.task('four', { agent: 'nobody' }),
    ])
    const workers = [fleet.worker({ concurrency: 2 }), fleet.worker({ concurrency: 2 })]
    const ended = () => workers.flatMap(({ events }) => events.filter(({ type }) => type === 'ended'))
    const all = workers.map(({ until }) => until(() => ended().length === 4))
    await Promise.race(all)
    all.map((each) => each.catch(() => {}))
    const { runs, queues } = await status(url)
    expect(queues).toMatchObject([{ completed: 3, failed: 1, running: 0 }])
    expect(runs.map(({ task, epoch, end }) => `${task} ${epoch} ${end?.outcome}`).sort()).toEqual([
      'four 1 aborted',
      'one 1 completed',
      'three 1 completed',
      'two 1 completed',
    ])
    expect(runs.find(({ task }) => task === 'four')?.end?.reason).toContain('nobody')
    // The third task started from the work of the other two.
    expect(fleet.git('log', '--format=%s', 'exitgate/three')).toContain('the task one')
  })

  it('starts right after it is submitted, however long the lease of an idle worker is', { timeout: MINUTES }, async ({
    skip,
  }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    // Without a notification, this worker would look again after fifteen minutes.
    const worker = fleet.worker({ leaseSeconds: 3600 })
    await worker.until(({ type }) => type === 'worker')
    await until(
      async () =>
        (
          await ask(
            url,
            "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%UPDATE exitgate.workers%' AND state = 'idle' AND datname = current_database()",
          )
        ).length > 0,
    )
    await fleet.submit([fleet.task('one')])
    expect(await worker.until(({ type }) => type === 'claimed')).toMatchObject({ epoch: 1 })
    await drain(url)
    await worker.until(({ type }) => type === 'draining')
  })
})
