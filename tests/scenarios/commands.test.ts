import { describe, expect, it } from 'vitest'
import { exitCode, shellCode, statusCode } from '../../src/cli/exit-codes.ts'
import { project } from '../cli/run-cli.ts'
import { scenarios } from './index.ts'
import { play } from './play.ts'
import { doyakenBlock, ticks } from './row.ts'

const sure = 'I am confident this is correct. Task 1 done.\n'
const check = ['check', '--preset', 'blackbox', '--transcript', 'out.txt', '--json']

describe('the commands of the older tools', () => {
  it('blackbox-24: reset clears the state', async () => {
    const p = project({ 'out.txt': sure, '.ralph/@fix_plan.md': ticks(1, 2) })
    expect(await p.run(check)).toMatchObject({ code: 10 })
    expect((await p.run(['state', '--json'])).json).toMatchObject({ totals: { decisions: 1, continues: 1 } })
    await p.run(['reset'])
    expect((await p.run(['state', '--json'])).json).toMatchObject({ iterations: 0, totals: { decisions: 0 } })
  })

  it('blackbox-25: another plan and another transcript are read', async () => {
    const p = project({
      'out.txt': 'maybe\n',
      'other.txt': sure,
      '.ralph/@fix_plan.md': ticks(0, 3),
      'PLAN.md': ticks(1, 1),
    })
    const run = await p.run([
      'check',
      '--preset',
      'blackbox',
      '--transcript',
      'other.txt',
      '--plan',
      'PLAN.md',
      '--json',
    ])
    expect(run.json).toMatchObject({ action: 'continue', measures: { completion: 50, confidence: 100 } })
  })

  it('blackbox-26: an unknown command is bad usage', async () => {
    expect((await project().run(['bogus'])).code).toBe(64)
  })

  it('blackbox-27: no history yet', async () => {
    const { code, stdout } = await project().run(['history'])
    expect([code, stdout.includes('CONTINUE')]).toEqual([0, false])
  })

  it('doyaken-31: three claims at 65 on a clean tree continue', async () => {
    const p = project({
      'out.txt': `All tasks complete\n${doyakenBlock({ complete: 'true' })}`,
      'ev.json': '{"git_state": "clean"}',
    })
    const run = ['check', '--preset', 'doyaken', '--transcript', 'out.txt', '--evidence', 'ev.json', '--json']
    for (const _ of [1, 2, 3]) expect(await p.run(run)).toMatchObject({ code: 10, json: { measures: { score: 65 } } })
  })

  it('gsd: ROADMAP_FILE sets the roadmap', async () => {
    const p = project({ 'ROAD.md': '- [x] 01-01-PLAN.md\n', 'ev.json': '{"tests": true}' })
    const run = ['check', '--preset', 'gsd', '--evidence', 'ev.json', '--json']
    expect(await p.run(run, { ROADMAP_FILE: 'ROAD.md' })).toMatchObject({ code: 0, json: { ending: 'passed' } })
  })

  it('prp-11: the iteration of the phase can be passed', async () => {
    const p = project({
      'out.txt': '---PRP_PHASE_STATUS---\nPHASE: REFACTOR\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---\n',
      'ev.json': '{"tests_total": 10, "tests_passing": 10, "tests_failing": 0}',
    })
    const run = [
      'check',
      '--preset',
      'prp',
      '--phase',
      'REFACTOR',
      '--transcript',
      'out.txt',
      '--evidence',
      'ev.json',
      '--json',
    ]
    expect((await p.run([...run, '--iteration', '4'])).json).toMatchObject({ action: 'continue' })
    expect((await p.run([...run, '--iteration', '5'])).json).toMatchObject({
      action: 'advance',
      rule: 'advance REFACTOR',
    })
  })

  it('doyaken-30: an open breaker can be passed', async () => {
    const p = project({
      'out.txt': `All tasks complete\n${doyakenBlock({ complete: 'true' })}`,
      'ev.json': '{"git_state": "modified", "task_in_done": true}',
    })
    const run = [
      'check',
      '--preset',
      'doyaken',
      '--transcript',
      'out.txt',
      '--evidence',
      'ev.json',
      '--breaker',
      'open: no progress',
      '--json',
    ]
    expect(await p.run(run)).toMatchObject({ code: 1, json: { ending: 'breaker', measures: { score: 100 } } })
  })
})

describe('exit codes', () => {
  const statuses: [id: string, status: string, code: number][] = [
    ['gsd-28', 'COMPLETED', 0],
    ['gsd-29', 'STUCK', 1],
    ['gsd-30', 'ABORTED', 2],
    ['gsd-31', 'INTERRUPTED', 3],
    ['gsd-32 gsd-42', 'WEIRD', 2],
  ]
  it.each(statuses)('%s: %s is %i', (_id, status, code) => expect(statusCode(status)).toBe(code))

  it('are the same for every row: 0 to 3 to stop, 10 to continue, and swapped for the shell', () => {
    const codes = { completed: 0, stuck: 1, aborted: 2, interrupted: 3 }
    for (const row of Object.values(scenarios).flat()) {
      for (const { verdict } of play(row).steps) {
        const code = verdict.action === 'stop' ? codes[verdict.outcome] : 10
        expect([exitCode(verdict), shellCode(verdict)]).toEqual([code, code === 10 ? 0 : code === 0 ? 10 : code])
      }
    }
  })
})
