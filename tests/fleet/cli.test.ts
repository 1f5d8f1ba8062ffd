import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { insideAgent } from '../../src/hooks/inside-agent.ts'
import { isGone } from '../is-gone.ts'
import { comparableJournal, until } from './fleet-project.ts'
import { ask, postgres } from './postgres.ts'
import { programFleet } from './program-fleet.ts'

const pg = postgres()
const MINUTES = 240_000
const inside = insideAgent(process.env, process.pid)

describe('exitgate fleet', () => {
  it('submit, status, worker, show and drain work together', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await programFleet(url)
    expect(await fleet.call('migrate')).toEqual({
      code: 0,
      stdout: 'The tables are already at version 1.\n',
      stderr: '',
    })
    const tasks = fleet.writeTasks([{ id: 'one' }, { id: 'two', after: ['one'] }])
    expect(await fleet.call('submit', tasks, '--queue', 'q')).toMatchObject({
      code: 0,
      stdout: 'one\ntwo (waits for other tasks)\n',
    })
    const again = await fleet.call('submit', tasks, '--queue', 'q')
    expect([again.code, again.stdout]).toEqual([64, ''])
    expect(again.stderr).toMatch(
      /^error: A task of this backlog is already in the queue "q".*\(one\).*change the id\.\n$/,
    )

    fleet.closeGate('agent.2')
    const worker = fleet.start()
    await fleet.gateReached('agent.2')
    expect(JSON.parse((await fleet.call('status', '--json')).stdout)).toMatchObject({
      queues: [{ queue: 'q', running: 1, waiting: 1 }],
      workers: [{ queue: 'q', running: 1, draining: false }],
      runs: [{ run: 'one-1', iterations: 1, usd: 0, verdict: { gate: { claim: 'yes', proof: 'no' } } }],
    })
    const { stdout: text } = await fleet.call('status', '--queue', 'q')
    expect(text).toMatch(/^one +running +1 +\S+ +\$0 +claim +\S+ +tests: 2 of 2 tests fail/m)
    fleet.openGate('agent.2')
    await worker.until((event) => event.type === 'ended' && event.run === 'two-2')

    const said = new Map<string, string>()
    for (const command of ['explain', 'replay', 'state', 'history', 'report']) {
      const shown = await fleet.call('show', 'one', command)
      expect(shown, command).toMatchObject({ code: 0, stderr: '' })
      said.set(command, shown.stdout)
    }
    expect(said.get('explain')).toMatch(
      /^Verified: the agent reported COMPLETE, 2 of 2 tests pass .*\nRun .*, iteration 3, preset default\n/,
    )
    expect(said.get('replay')).toBe('3 decisions of 1 run: all the same\n')
    expect(said.get('history')?.trim().split('\n')).toHaveLength(5)
    expect(existsSync(join(fleet.root, 'one-1.html'))).toBe(true)
    expect((await fleet.call('show', 'one', 'report', '--', '--format', 'markdown')).stdout).toContain('verified')

    const drained = await fleet.call('drain')
    expect(drained.stdout).toContain('takes no new runs and exits after its current iterations.')
    expect(await worker.exited).toBe(0)
    expect(worker.stderr()).toBe('')
    expect(fleet.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').trim().split('\n')).toEqual([
      'exitgate/one',
      'exitgate/two',
      'main',
    ])
  })

  it('signal reaches a run, whichever worker has it', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    skip(inside !== undefined, 'the tests run within an agent, and this is for people')
    const url = await pg.fleet()
    const fleet = await programFleet(url)
    const taken = (kind: string) =>
      until(
        async () =>
          (await ask(url, `SELECT 1 FROM exitgate.controls WHERE kind = '${kind}' AND taken IS NOT NULL`)).length > 0,
      )
    const signal = async (task: string, kind: string): Promise<void> => {
      const { code, stdout, stderr } = await fleet.call('signal', task, kind, '--reason', `why ${kind}`, '--by', 'me')
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/^Run one-1 \(one\): [a-z-]+ (?:received|not received yet)/)
    }
    expect(await fleet.call('signal', 'one', 'force', '--reason', 'x')).toMatchObject({ code: 64, stdout: '' })
    await fleet.call('submit', fleet.writeTasks([{ id: 'one' }, { id: 'two' }]), '--queue', 'q')
    for (const gate of ['agent.1', 'agent.2']) fleet.closeGate(gate)
    const worker = fleet.start()
    await fleet.gateReached('agent.1')
    const asked = Promise.all(['guidance', 'reset-breaker', 'pause'].map((kind) => signal('one', kind)))
    await until(async () => (await ask(url, 'SELECT 1 FROM exitgate.controls')).length === 3)
    fleet.openGate('agent.1')
    await asked
    for (const kind of ['guidance', 'reset-breaker', 'pause']) await taken(kind)
    await worker.until((event) => event.type === 'loop' && event.event.type === 'waiting')
    await signal('one-1', 'resume')
    await taken('resume')
    await fleet.gateReached('agent.2')
    // This run has no task to skip, and its journal records that.
    await signal('one', 'skip')
    await signal('one', 'interrupt')
    // The current iteration is finished; the next run waits in its first one.
    fleet.closeGate('agent.1')
    fleet.openGate('agent.2')
    expect(await worker.until(({ type }) => type === 'ended')).toMatchObject({
      run: 'one-1',
      end: { outcome: 'interrupted', ending: 'interrupt' },
    })
    const late = await fleet.call('signal', 'one', 'force', '--reason', 'late')
    expect([late.code, late.stderr]).toEqual([
      64,
      "error: Run one-1 has already ended (interrupted/interrupt), so it can't be controlled\n",
    ])
    await worker.until((event) => event.type === 'claimed' && event.run === 'two-2')
    expect((await fleet.call('signal', 'two', 'force', '--reason', 'it will do')).code).toBe(0)
    expect(await worker.until((event) => event.type === 'ended' && event.run === 'two-2')).toMatchObject({
      end: { outcome: 'completed', ending: 'forced' },
    })
    expect((await fleet.call('show', 'two', 'explain')).stdout).toContain('it will do')
  })

  it('a worker interrupted twice gives its runs back at once', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await programFleet(url)
    await fleet.call('submit', fleet.writeTasks([{ id: 'one' }, { id: 'alone' }]), '--queue', 'q')
    fleet.closeGate('agent.2')
    // Within this time no worker could take the run because of silence.
    const first = fleet.start(['--lease', '600'])
    await fleet.gateReached('agent.2')
    const agent = Number(readFileSync(join(fleet.gates, 'agent.2.reached'), 'utf8'))
    first.child.kill('SIGINT')
    await first.until(({ type }) => type === 'draining')
    expect(isGone(agent)).toBe(false)
    first.child.kill('SIGINT')
    expect(await first.exited).toBe(0)
    await until(() => isGone(agent))
    fleet.openGate('agent.2')
    const second = fleet.start(['--once'])
    expect(await second.exited).toBe(0)
    expect(second.events.at(-1)).toMatchObject({ type: 'over', ended: 2, givenBack: 0 })
    expect(comparableJournal(await fleet.journal('one-1'))).toEqual(comparableJournal(await fleet.journal('alone-2')))
  })

  it('limits the calls of a key per hour over all workers', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await programFleet(url)
    expect((await fleet.call('limit', '--key', 'k', '--calls-per-hour', '3')).stdout).toBe('key k: 3 calls an hour\n')
    const tasks = ['one', 'two'].map((id) => ({ id, key: 'k' }))
    await fleet.call('submit', fleet.writeTasks(tasks), '--queue', 'q')
    fleet.closeGate('agent.1')
    const workers = [fleet.start(), fleet.start()]
    await until(() => fleet.starts().length === 2)
    fleet.openGate('agent.1')
    for (const worker of workers) await worker.until((event) => event.type === 'loop' && event.event.type === 'waiting')
    expect(fleet.starts()).toHaveLength(3)
    expect((await fleet.call('status')).stdout).toContain('limit of key k: 3 calls an hour')
    expect((await fleet.call('limit', '--key', 'k', '--calls-per-hour', 'none')).stdout).toBe('key k: no limit\n')
    expect((await fleet.call('status')).stdout).not.toContain('calls an hour')
  })
})
