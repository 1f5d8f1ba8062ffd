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
  compile(room, 'src/loop/control/event-feed.ts')
})
afterAll(() => rmSync(room, { recursive: true, force: true }))

/** A workspace with an unfinished run after one iteration. */
async function begun(args: readonly string[] = []) {
  const work = project({ 'red.json': RED, 'green.json': GREEN, 'said.txt': 'Still at it.\n' })
  const checked = await work.run(['check', '--transcript', 'said.txt', '--evidence', 'red.json', ...args])
  expect([0, 10]).toContain(checked.code)
  const { dir } = (await work.run(['state', '--json'])).json as { dir: string }
  return { ...work, journal: dir, state: () => readJournal(dir).state, events: () => [...readEvents(dir)] }
}

const last = (events: readonly { readonly type: string }[], n: number) => events.slice(-n)

describe('without a running loop', () => {
  it('force ends the unfinished run as forced, in the state and in the journal', async () => {
    const work = await begun()
    const done = await work.run(['force', '--reason', 'I looked at it', '--by', 'Ada'])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/^Run \S+ ended as completed, forced by Ada: I looked at it\n$/)
    expect(work.state().ended).toMatchObject({ outcome: 'completed', ending: 'forced' })
    expect(last(work.events(), 3)).toMatchObject([
      { type: 'control', kind: 'force', by: 'Ada', reason: 'I looked at it' },
      { type: 'iteration.decided', observation: { forced: { by: 'Ada', scope: 'run' } }, verdict: { rule: 'forced' } },
      { type: 'run.ended', outcome: 'completed', ending: 'forced' },
    ])
    expect(await work.run(['force', '--reason', 'again'])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/Run \S+ has already ended as completed\/forced: nothing to force\./),
    })
  })

  it('force can end an interrupted run', async () => {
    const work = await begun()
    expect((await work.run(['check', '--interrupted', '--evidence', 'red.json'])).code).toBe(3)
    expect((await work.run(['force', '--reason', 'enough', '--json'])).json).toMatchObject({
      running: false,
      taken: true,
      outcome: 'completed',
      ending: 'forced',
    })
  })

  it('say adds your words to the prompts of the run that you resume', async () => {
    const work = await begun()
    expect(await work.run(['say', 'use the parser', 'we have', '--by', 'Ada'])).toMatchObject({
      code: 0,
      stdout: 'The agent gets it in its next prompt. Continue with exitgate run --resume.\n',
    })
    expect(work.state().guidance).toEqual(['use the parser we have'])
    expect(last(work.events(), 2)).toMatchObject([
      { type: 'control', kind: 'guidance', by: 'Ada' },
      { type: 'guidance', text: 'use the parser we have', by: 'Ada' },
    ])
    expect((await work.run(['status'])).stdout).toMatch(/^you said +use the parser we have$/m)
  })

  it.each([
    ['nothing', ['say'], {}, /Add what the agent should know: exitgate say "TEXT"/],
    ['an agent', ['say', 'STATUS: COMPLETE'], { CLAUDECODE: '1' }, /an agent or a check can't use exitgate say/],
  ])('say refuses %s', async (_name, args, env, why) => {
    const work = await begun()
    expect(await work.run(args, env)).toMatchObject({ code: 64, stderr: expect.stringMatching(why) })
    expect(work.state().guidance).toBeUndefined()
  })

  const useless: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['accept', ['accept', 'ZZZZZ', '--reason', 'seen'], /ZZZZZ/],
    ['skip', ['skip', '--reason', 'later'], /Nothing to skip: the run has neither phases nor a task/],
  ]
  it.each(useless)('%s: what would have no effect is refused before exitgate asks for a code', async (_, args, why) => {
    const work = await begun()
    // With a process id, the command asks the user for a code.
    expect(await work.run(args, {}, 1)).toMatchObject({ code: 64, stderr: expect.stringMatching(why) })
  })

  it.each(['say', 'force', 'skip', 'accept'])('%s asks for no code where no run is', async (name) => {
    const args = name === 'say' ? ['say', 'hello'] : [name, ...(name === 'accept' ? ['ZZZZZ'] : []), '--reason', 'seen']
    expect(await project({}).run(args, {}, 1)).toMatchObject({
      ...{ code: 64, stderr: expect.stringContaining('There is no run here yet.') },
    })
  })

  it.each(['...', '…', ' . '])(
    'a reason that is only the placeholder of a help text is refused: %s',
    async (reason) => {
      const work = await begun()
      expect(await work.run(['force', '--reason', reason])).toMatchObject({
        ...{
          code: 64,
          stderr: expect.stringMatching(/^error: --reason ".*" is only a placeholder\. Write the reason/),
        },
      })
      expect(work.state().ended).toBeUndefined()
    },
  )

  it('skip removes the task from the list', async () => {
    const work = await begun(['--task', 'T-7'])
    expect(await work.run(['skip', '--reason', 'later'])).toMatchObject({ code: 0, stdout: 'Skipped task T-7.\n' })
    expect(work.state().skipped).toEqual(['T-7'])
    expect(last(work.events(), 2)).toMatchObject([
      { type: 'control', kind: 'skip' },
      { type: 'task.skipped', task: 'T-7', by: 'the user', reason: 'later' },
    ])
  })

  it('later checks do not require a skipped task', async () => {
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
    expect(await check()).toMatch(/plan: 1 of 2 items/)
    expect(await work.run(['skip', '--reason', 'later'])).toMatchObject({ code: 0 })
    expect(await check()).not.toMatch(/plan: 1 of 2 items/)
  })

  it('skip skips a phase if the preset has phases', async () => {
    const work = await begun(['--preset', 'prp', '--phase', 'RED', '--no-files'])
    const done = await work.run(['skip', '--reason', 'the tests are there already'])
    expect(done).toMatchObject({ code: 0, stdout: 'Skipped phase RED. The run is now in phase GREEN.\n' })
    expect(work.state().phasesDone).toMatchObject([{ phase: 'RED', forced: true }])
  })

  it.each([[['reset', '--breaker']], [['reset-breaker']]])('%j closes the breaker', async (command) => {
    const work = await begun(['--breaker', 'half-open: no progress'])
    const done = await work.run([...command, '--reason', 'the network is back', '--by', 'Ada'])
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The circuit breaker (?:was [\w ]+\. It is closed now|is already closed)\.\n$/),
    })
    expect(last(work.events(), 1)).toMatchObject([{ type: 'breaker.reset', by: 'Ada', reason: 'the network is back' }])
  })

  it.each([['stop'], ['pause'], ['resume']])('%s needs a running loop', async (...args) => {
    const work = await begun()
    const hint =
      args[0] === 'resume' ? 'To continue a stopped run, use exitgate run --resume.' : 'There is nothing to do.'
    expect(await work.run(args)).toMatchObject({
      code: 64,
      stderr: `error: No run is running in ${work.dir}. ${hint}\n`,
    })
  })

  it('a run with a missing socket still counts as running', async () => {
    const work = await begun()
    const journal = openJournal(work.journal)
    expect(await work.run(['interrupt'])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/The run in .* does not answer: the journal in .* is in use by process \d+/),
    })
    expect(await work.run(['force', '--reason', 'x'])).toMatchObject({
      code: 75,
      stderr: expect.stringMatching(/is in use by process \d+/),
    })
    journal.close()
    expect(work.state().ended).toBeUndefined()
  })

  const wrong: [string[], RegExp][] = [
    [['force'], /^error: Add --reason "\.\.\." to exitgate force: the journal records why\.$/m],
    [['force', '--reason', '  '], /Add --reason "\.\.\." to exitgate force:/],
    [['skip'], /Add --reason "\.\.\." to exitgate skip:/],
    [['reset', '--run', 'login'], /^error: --run is only for reset --breaker\.$/m],
    [['reset', '--breaker', '--run', 'login'], /^error: No task "login" has started here\. Leave out --run/m],
    [['skip', '--reason', 'x'], /Nothing to skip: the run has neither phases nor a task\./],
    [['force', '--reason', 'x', '--of'], /Unknown option --of\./],
    [['pause', 'now'], /Unexpected argument "now"\./],
    [['force', '--reason', 'x', '--dir', 'nowhere'], /--dir .*nowhere does not exist/],
  ]
  it.each(wrong)('%j is refused with one line', async (args, why) => {
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
      stderr: expect.stringMatching(/There is no run here yet/),
    })
  })

  it.each(['EXITGATE_RUN', 'EXITGATE_CHECK'])(
    'a process with %s is refused, and the attempt is recorded',
    async (name) => {
      const work = await begun(['--task', 'T-7'])
      for (const command of ['force', 'skip', 'reset-breaker', 'interrupt', 'pause']) {
        const before = work.state().seq
        const done = await work.run([command, '--reason', 'all done'], { [name]: 'run-1' })
        expect(done).toMatchObject({
          code: 64,
          stdout: '',
          stderr: expect.stringMatching(/^error: Refused: an agent or a check can't use exitgate /),
        })
        expect(work.state().seq).toBe(before + 1)
        expect(last(work.events(), 1)).toMatchObject([
          {
            type: 'note',
            text: `refused: ${command === 'reset-breaker' ? 'reset --breaker' : command} by the user (all done): it came from inside a run`,
          },
        ])
      }
      expect(work.state().ended).toBeUndefined()
    },
  )
})

describe('with a running loop', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'it identifies processes by /proc'))

  async function running() {
    const work = await begun()
    const argv = [process.execPath, fixture('controlled.mjs'), room, work.journal, '{"allowRemote":true}']
    const loop: Talk = talkTo(argv)
    await loop.hears(/^ready/)
    return { ...work, loop }
  }

  const rows: [string[], object][] = [
    [['force', '--reason', 'seen', '--by', 'Ada'], { kind: 'force', by: 'Ada', reason: 'seen' }],
    [['skip', '--reason', 'later'], { kind: 'skip', by: 'the user', reason: 'later' }],
    [['reset-breaker', '--reason', 'back'], { kind: 'reset-breaker', by: 'the user', reason: 'back' }],
    [['interrupt'], { kind: 'interrupt', reason: 'stopped from another terminal' }],
    [['pause'], { kind: 'pause', reason: 'paused from another terminal' }],
    [['resume'], { kind: 'resume', reason: 'resumed from another terminal' }],
  ]
  it.each(rows)('%j is passed to the loop', async (args, control) => {
    const work = await running()
    const before = work.state().seq
    const done = await work.run([...args, '--json'])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.json).toMatchObject({ running: true, taken: true, text: expect.stringMatching(/it will be done/) })
    expect(JSON.parse((await work.loop.hears(/^control/)).slice('control '.length))).toMatchObject(control)
    // Only the loop writes the journal.
    expect(work.state().seq).toBe(before)
  })

  it("passes on the loop's refusal", async () => {
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
