import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, readJournal } from '../../src/journal/read.ts'
import { compile } from '../evidence/compiled.ts'
import { fixture, type Talk, talkTo } from '../loop/talk.ts'
import { GREEN, project, RED } from './run-cli.ts'

const room = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-room-')))
beforeAll(() => {
  compile(room, 'src/loop/control/server.ts')
})
afterAll(() => rmSync(room, { recursive: true, force: true }))

/** A workspace with a run that has gone on for one iteration. */
async function begun(args: readonly string[] = []) {
  const work = project({ 'red.json': RED, 'green.json': GREEN, 'said.txt': 'Still at it.\n' })
  const checked = await work.run(['check', '--transcript', 'said.txt', '--evidence', 'red.json', ...args])
  expect([0, 10]).toContain(checked.code)
  const { dir } = (await work.run(['state', '--json'])).json as { dir: string }
  return { ...work, journal: dir, state: () => readJournal(dir).state, events: () => [...readEvents(dir)] }
}

const last = (events: readonly { readonly type: string }[], n: number) => events.slice(-n)

describe('without a loop that runs', () => {
  it('force ends the unfinished run as forced, and says so everywhere', async () => {
    const work = await begun()
    const done = await work.run(['force', '--reason', 'I looked at it', '--by', 'Ada'])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/^run \S+ ended as completed, forced by Ada: I looked at it\n$/)
    expect(work.state().ended).toMatchObject({ outcome: 'completed', ending: 'forced' })
    expect(last(work.events(), 3)).toMatchObject([
      { type: 'control', kind: 'force', by: 'Ada', reason: 'I looked at it' },
      { type: 'iteration.decided', observation: { forced: { by: 'Ada', scope: 'run' } }, verdict: { rule: 'forced' } },
      { type: 'run.ended', outcome: 'completed', ending: 'forced' },
    ])
    expect(await work.run(['force', '--reason', 'again'])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/run \S+ has ended already: completed, forced; there is nothing to force/),
    })
  })

  it('force can end what was interrupted, or gave up', async () => {
    const work = await begun()
    expect((await work.run(['check', '--interrupted', '--evidence', 'red.json'])).code).toBe(3)
    expect((await work.run(['force', '--reason', 'enough', '--json'])).json).toMatchObject({
      running: false,
      taken: true,
      outcome: 'completed',
      ending: 'forced',
    })
  })

  it('skip takes the task off the list', async () => {
    const work = await begun(['--task', 'T-7'])
    expect(await work.run(['skip', '--reason', 'later'])).toMatchObject({ code: 0, stdout: 'task T-7 is skipped\n' })
    expect(work.state().skipped).toEqual(['T-7'])
    expect(last(work.events(), 2)).toMatchObject([
      { type: 'control', kind: 'skip' },
      { type: 'task.skipped', task: 'T-7', by: 'a person', reason: 'later' },
    ])
  })

  it('a skipped task is missing in no later check', async () => {
    const work = project({ 'said.txt': 'Still at it.\n', 'PLAN.md': '- [ ] T-7\n- [x] T-8\n' })
    const check = async () => {
      const { json } = await work.run([
        'check',
        '--transcript',
        'said.txt',
        '--plan',
        'PLAN.md',
        '--task',
        'T-7',
        '--json',
      ])
      return JSON.stringify(json)
    }
    expect(await check()).toMatch(/checklist: 1 of 2 items/)
    expect(await work.run(['skip', '--reason', 'later'])).toMatchObject({ code: 0 })
    expect(await check()).not.toMatch(/checklist: 1 of 2 items/)
  })

  it('skip leaves a phase out where there are phases', async () => {
    const work = await begun(['--preset', 'prp', '--phase', 'RED', '--no-files'])
    const done = await work.run(['skip', '--reason', 'the tests are there already'])
    expect(done).toMatchObject({ code: 0, stdout: 'phase RED is skipped; the run stands in GREEN\n' })
    expect(work.state().phasesDone).toMatchObject([{ phase: 'RED', forced: true }])
  })

  it('reset-breaker closes the breaker', async () => {
    const work = await begun(['--breaker', 'half-open: no progress'])
    const done = await work.run(['reset-breaker', '--reason', 'the network is back', '--by', 'Ada'])
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^the breaker was \S+ and is closed now\n$/) })
    expect(last(work.events(), 1)).toMatchObject([{ type: 'breaker.reset', by: 'Ada', reason: 'the network is back' }])
  })

  it.each([['interrupt'], ['pause'], ['pause', '--off']])('%s %s has nobody to speak to', async (...args) => {
    const work = await begun()
    expect(await work.run(args)).toMatchObject({
      code: 64,
      stderr: `exitgate: no run is running in ${work.dir}; there is nothing to ${args.join(' ')}\n`,
    })
  })

  it('a run whose socket is gone is not taken for one that does not run', async () => {
    const work = await begun()
    const journal = openJournal(work.journal)
    expect(await work.run(['interrupt'])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/nobody answers for .*, yet the journal in .* is in use by process \d+/),
    })
    expect(await work.run(['force', '--reason', 'x'])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/is in use by process \d+/),
    })
    journal.close()
    expect(work.state().ended).toBeUndefined()
  })

  const wrong: [string[], RegExp][] = [
    [['force'], /exitgate force needs --reason "\.\.\."; it is written into the journal/],
    [['force', '--reason', '  '], /exitgate force needs --reason/],
    [['skip'], /exitgate skip needs --reason/],
    [['reset-breaker'], /exitgate reset-breaker needs --reason/],
    [['skip', '--reason', 'x'], /there is nothing to skip: the run has neither phases nor a task/],
    [['force', '--reason', 'x', '--of'], /exitgate force has no option --of/],
    [['pause', 'now'], /takes no arguments; "now" is one too many/],
    [['force', '--reason', 'x', '--dir', 'nowhere'], /--dir .*nowhere does not exist/],
  ]
  it.each(wrong)('%j is told in one sentence', async (args, why) => {
    const work = await begun()
    const before = work.state().seq
    const done = await work.run(args)
    expect(done).toMatchObject({ code: 64, stdout: '', stderr: expect.stringMatching(why) })
    expect(done.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(work.state().seq).toBe(before)
  })

  it.each(['force', 'skip', 'reset-breaker'])('%s needs a run', async (name) => {
    const work = project()
    expect(await work.run([name, '--reason', 'x'])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/there is no run here yet/),
    })
  })

  it.each(['EXITGATE_RUN', 'EXITGATE_CHECK'])(
    'nobody who carries %s is heard, and it is written down',
    async (name) => {
      const work = await begun(['--task', 'T-7'])
      for (const command of ['force', 'skip', 'reset-breaker', 'interrupt', 'pause']) {
        const before = work.state().seq
        const done = await work.run([command, '--reason', 'all done'], { [name]: 'run-1' })
        expect(done).toMatchObject({ code: 64, stdout: '', stderr: expect.stringMatching(/refused: .* is for people/) })
        expect(work.state().seq).toBe(before + 1)
        expect(last(work.events(), 1)).toMatchObject([
          { type: 'note', text: `refused: ${command} by a person (all done): it was asked from inside a run` },
        ])
      }
      expect(work.state().ended).toBeUndefined()
    },
  )
})

describe('with a loop that runs', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'processes are told apart by /proc'))

  async function running() {
    const work = await begun()
    const argv = [process.execPath, fixture('controlled.mjs'), room, work.journal, '{"allowRemote":true}']
    const loop: Talk = talkTo(argv)
    await loop.hears(/^ready/)
    return { ...work, loop }
  }

  const rows: [string[], object][] = [
    [['force', '--reason', 'seen', '--by', 'Ada'], { kind: 'force', by: 'Ada', reason: 'seen' }],
    [['skip', '--reason', 'later'], { kind: 'skip', by: 'a person', reason: 'later' }],
    [['reset-breaker', '--reason', 'back'], { kind: 'reset-breaker', by: 'a person', reason: 'back' }],
    [['interrupt'], { kind: 'interrupt', reason: 'a person interrupted the run from another terminal' }],
    [['pause'], { kind: 'pause', reason: 'a person holds the run' }],
    [['pause', '--off', '--reason', 'go'], { kind: 'resume', reason: 'go' }],
  ]
  it.each(rows)('%j is handed to it', async (args, control) => {
    const work = await running()
    const before = work.state().seq
    const done = await work.run([...args, '--json'])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.json).toMatchObject({ running: true, taken: true, text: expect.stringMatching(/it will be done/) })
    expect(JSON.parse((await work.loop.hears(/^control/)).slice('control '.length))).toMatchObject(control)
    // The loop is the one that writes.
    expect(work.state().seq).toBe(before)
  })

  it('what it refuses is refused', async () => {
    const work = await running()
    const done = await work.run(['force', '--reason', 'all done'], { EXITGATE_RUN: 'run-1' })
    expect(done).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringMatching(/refused: it came from inside/),
    })
    expect(await work.loop.hears(/^refused/)).toMatch(/^refused force all done: it came from inside a run/)
    expect(work.loop.said()).not.toMatch(/^control/m)
  })
})
