import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { CLAIM, linesOf, runProject, WORK } from './run-project.ts'

const LONG = { timeout: patience(120_000) }
const IDLE = 'echo Still at it.'
const GOOD = WORK + CLAIM

const endOf = (stdout: string) => linesOf(stdout).find(({ type }) => type === 'ended')

/** A project, its commands with a shell, and its runs. */
function made(files: Readonly<Record<string, string>> = {}) {
  const project = runProject({ 'said.log': 'Still at it.\n', ...files })
  const run = (agent: string, ...args: readonly string[]) =>
    project.run(['run', '--json', ...args, '--', ...project.agent(agent)])
  const codes = async (times: number, ...args: readonly string[]) => {
    const found: (number | null)[] = []
    for (let nth = 0; nth < times; nth++) found.push((await project.run(args)).code)
    return found
  }
  return { ...project, run, exitgate: project.run, codes }
}

describe('a new run starts closed, with counters at zero', LONG, () => {
  it.each<[string, readonly string[], readonly number[]]>([
    ['check', ['check', '--transcript', 'said.log'], [10, 10, 1]],
    ['next', ['next', '--transcript', 'said.log'], [0, 0, 0, 1]],
  ])('after %s opened its breaker', async (_name, command, expected) => {
    const { run, codes } = made()
    expect(await codes(expected.length, ...command)).toEqual(expected)
    const ran = await run(GOOD)
    expect([ran.code, endOf(ran.stdout)]).toMatchObject([0, { ending: 'verified', iterations: 1 }])
  })

  it.each<[string, readonly string[], number]>([
    ['check', ['check', '--transcript', 'said.log'], 10],
    ['next', ['next', '--transcript', 'said.log'], 0],
    ['run', [], 1],
  ])('%s after a run that was stuck', async (name, command, code) => {
    const { run, exitgate } = made()
    for (const _nth of [1, 2])
      expect(endOf((await run(IDLE)).stdout)).toMatchObject({ ending: 'breaker', iterations: 3 })
    if (name !== 'run') expect(await exitgate(command)).toMatchObject({ code })
  })

  it('run --resume of a stuck run tries again, and its counters start at zero', async () => {
    const { run } = made()
    expect((await run(IDLE)).code).toBe(1)
    expect(endOf((await run(IDLE, '--resume')).stdout)).toMatchObject({ ending: 'breaker', iterations: 6 })
    expect(endOf((await run(GOOD, '--resume')).stdout)).toMatchObject({ ending: 'verified', iterations: 7 })
  })
})

describe('a lasting breaker', LONG, () => {
  it.each(['doyaken', 'blackbox', 'ralph'])('of %s stays open until the printed command closes it', async (preset) => {
    const { run, exitgate, agent, codes } = made({
      '.ralph/fix_plan.md': '- [ ] both\n',
      '.ralph/@fix_plan.md': '- [ ] both\n',
    })
    const args = ['--preset', preset, '--max-iterations', '40']
    await exitgate(['check', '--preset', preset, '--transcript', 'said.log', '--breaker', 'open: no progress'])
    const refused = await exitgate(['run', ...args, '--', ...agent(IDLE)])
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('`exitgate reset --breaker` closes the circuit'),
    })
    expect(endOf((await run(IDLE, ...args)).stdout)).toMatchObject({ ending: 'breaker', iterations: 0 })
    expect(await codes(1, 'reset', '--breaker')).toEqual([0])
    expect(endOf((await run(IDLE, ...args)).stdout)).not.toMatchObject({ iterations: 0 })
  })

  it('is not taken over by a preset whose breaker does not last', async () => {
    const { run, codes } = made()
    await codes(1, 'check', '--preset', 'ralph', '--transcript', 'said.log', '--breaker', 'open: no progress')
    expect(endOf((await run(GOOD)).stdout)).toMatchObject({ ending: 'verified' })
  })
})
