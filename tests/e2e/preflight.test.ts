import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { inShell, noTerminal, pressUntil } from './interrupt-run.ts'
import { CLAIM, HALVES, linesOf, runProject, WORK } from './run-project.ts'

const LONG = { timeout: patience(90_000) }
const PLAN = '# Plan\n\n- [x] the first half\n- [ ] the second half\n'
const TICKS = 'text=$(sed \'s/\\[ ]/[x]/\' PLAN.md); echo "$text" > PLAN.md\n'

type Fact = { readonly name: string; readonly state: string; readonly text: string }
const factsOf = (stdout: string): readonly Fact[] =>
  (linesOf(stdout).find(({ type }) => type === 'preflight') as { facts: readonly Fact[] } | undefined)?.facts ?? []
const endOf = (stdout: string) => linesOf(stdout).find(({ type }) => type === 'ended')

describe('a plan without --plan', LONG, () => {
  interface Row {
    readonly name: string
    readonly agent: string
    readonly files?: Readonly<Record<string, string>>
    readonly args?: readonly string[]
    readonly ending: string
    readonly plan?: RegExp
  }
  const rows: readonly Row[] = [
    {
      name: 'the work without a tick is not complete',
      agent: WORK,
      ending: 'iterations',
      plan: /^PLAN\.md: 1 of 2 items open \(the only plan here; --no-plan ignores it\)$/,
    },
    { name: 'the work with its tick is verified', agent: WORK + TICKS, ending: 'verified', plan: /^PLAN\.md/ },
    { name: '--no-plan ignores it', agent: WORK, args: ['--no-plan'], ending: 'verified' },
    { name: 'the agent deletes it', agent: `${WORK}rm PLAN.md\n`, ending: 'iterations', plan: /^PLAN\.md/ },
    {
      name: 'a task of its own counts with it',
      agent: WORK,
      args: ['--task', 'finish both halves'],
      ending: 'iterations',
      plan: /^PLAN\.md/,
    },
    {
      name: 'several plans: none is used',
      agent: WORK,
      files: { 'TODO.md': PLAN },
      ending: 'verified',
      plan: /^none: PLAN\.md and TODO\.md have open items$/,
    },
    {
      name: 'several plans, and the prompt names one',
      agent: WORK,
      files: { 'TODO.md': PLAN, 'PROMPT.md': 'Work through TODO.md.\n' },
      ending: 'iterations',
      plan: /^TODO\.md: 1 of 2 items open \(named in the prompt;/,
    },
  ]
  it.each(rows)('$name', async ({ agent, files = {}, args = [], ending, plan }) => {
    const made = runProject({ 'PLAN.md': PLAN, ...files })
    const ran = await made.run(['run', '--json', '--max-iterations', '1', ...args, '--', ...made.agent(agent + CLAIM)])
    expect(endOf(ran.stdout), ran.stdout + ran.stderr).toMatchObject({ ending })
    const { text } = factsOf(ran.stdout).find(({ name }) => name === 'plan') ?? {}
    if (plan === undefined) expect(text).toBeUndefined()
    else expect(text).toMatch(plan)
  })

  it('is chosen when the run starts, and stays the same after --resume', async () => {
    const made = runProject()
    const agent = made.agent(`${WORK}echo '- [ ] more' > PLAN.md\n`)
    expect((await made.run(['run', '--json', '--max-iterations', '1', '--', ...agent])).code).toBe(2)
    const claims = made.agent(CLAIM)
    const resumed = await made.run(['run', '--json', '--resume', '--max-iterations', '2', '--', ...claims])
    expect(endOf(resumed.stdout), resumed.stdout).toMatchObject({ ending: 'verified' })
  })

  it('still counts after --resume', async () => {
    const made = runProject({ 'PLAN.md': PLAN })
    const agent = made.agent(`${WORK}rm PLAN.md\n${CLAIM}`)
    await made.run(['run', '--json', '--max-iterations', '1', '--', ...agent])
    const resumed = await made.run(['run', '--json', '--resume', '--max-iterations', '2', '--', ...made.agent(CLAIM)])
    expect(endOf(resumed.stdout), resumed.stdout).toMatchObject({ ending: 'iterations' })
    expect(resumed.stderr).not.toContain('configuration changed')
  })
})

describe('a run that cannot complete', LONG, () => {
  const NO_TESTS = { 'package.json': '{}', 'exitgate.config.json': '{}' }
  const rows: readonly [name: string, files: Readonly<Record<string, string>>, said: RegExp][] = [
    [
      'without a test command',
      NO_TESTS,
      /No test command found\. Pass --test "\.\.\." or set commands\.test\..*--anyway/,
    ],
    [
      'with an unknown required check',
      { 'exitgate.config.json': '{"required": ["tests", "tset"]}' },
      /There is no check "tset"\. Remove it from required, or set commands\.tset\..*--anyway/,
    ],
    [
      'with a required check that has no command',
      { 'exitgate.config.json': '{"required": ["tests", "lint"]}' },
      /Lint is required, but has no command\. Set commands\.lint\./,
    ],
  ]
  it.each(rows)('%s does not start', async (_name, files, said) => {
    const made = runProject(files)
    const ran = await made.run(['run', '--', ...made.agent(CLAIM)])
    expect([ran.code, ran.stdout]).toEqual([64, ''])
    expect(ran.stderr).toMatch(said)
    expect((await made.run(['run', '--dry-run', '--', ...made.agent(CLAIM)])).code).toBe(64)
  })

  it('starts with --anyway', async () => {
    const made = runProject(NO_TESTS)
    const ran = await made.run(['run', '--json', '--anyway', '--max-iterations', '1', '--', ...made.agent(CLAIM)])
    expect(endOf(ran.stdout), ran.stderr).toMatchObject({ ending: 'iterations' })
  })

  it('starts if what is required can answer: another check, or a preset that needs no tests', async () => {
    const made = runProject({
      ...NO_TESTS,
      'exitgate.config.json': '{"required": ["e2e"], "commands": {"e2e": "true"}}',
    })
    const agent = made.agent(WORK + CLAIM)
    const ran = await made.run(['run', '--json', '--max-iterations', '1', '--', ...agent])
    // Such a check proves nothing.
    expect(endOf(ran.stdout), ran.stdout + ran.stderr).toMatchObject({ outcome: 'completed', ending: 'passed' })
    const cub = await made.run(['run', '--json', '--preset', 'cub', '--max-iterations', '1', '--', ...agent])
    expect(cub.code, cub.stderr).not.toBe(64)
  })

  it('does not start if the program of its test command is missing', async () => {
    const made = runProject()
    const ran = await made.run(['run', '--test', 'no-such-uv run pytest', '--', ...made.agent(CLAIM)])
    expect([ran.code, ran.stdout]).toEqual([64, ''])
    expect(ran.stderr).toMatch(
      /The test command can't run: no-such-uv is missing \(no-such-uv run pytest\)\. Install no-such-uv, or set another command/,
    )
  })

  it.each([
    ['a variable before the program', 'MODE=1 no-such-uv run'],
    ['a program of the project', './no-such-script'],
    ['a line that may find it first', 'export MODE=1 && no-such-uv run'],
  ])('starts if the program may be found, and says what the tests lack: %s', async (_name, test) => {
    const made = runProject()
    const ran = await made.run(['run', '--plain', '--test', test, '--max-iterations', '1', '--', ...made.agent(CLAIM)])
    expect(ran.stdout + ran.stderr).toMatch(/the tests gave no result: The test command (?:could not be|exited with)/)
  })

  it('does not start without its agent', async () => {
    const ran = await runProject().run(['run', '--', 'no-such-agent'])
    expect([ran.code, ran.stderr]).toEqual([64, expect.stringMatching(/"no-such-agent" was not found\. Install it/)])
  })
})

/** Counts the runs of the tests in a file outside the project. */
const COUNTED = {
  'halves.sh': `echo ran >> "$HOME/counted"\n${HALVES}`,
  'exitgate.config.json': '{"breaker": {"noProgress": 1, "halfOpenAt": 1, "autoReset": false}}',
}
const IDLE = 'echo Still at it.'
const counted = (root: string) => readFileSync(join(root, 'counted'), 'utf8').split('\n').length - 1

describe('a lasting breaker that an earlier run left open', LONG, () => {
  it('without a terminal: no new run starts, and no baseline is taken', async () => {
    const made = runProject(COUNTED)
    expect((await made.run(['run', '--json', '--', ...made.agent(IDLE)])).code).toBe(1)
    const before = counted(made.root)
    const ran = await made.run(['run', '--json', '--', ...made.agent(IDLE)])
    expect([ran.code, counted(made.root)]).toEqual([1, before])
    expect(factsOf(ran.stdout).find(({ name }) => name === 'breaker')).toMatchObject({
      state: 'note',
      text: expect.stringContaining('open since an earlier run: '),
      remedy: expect.stringMatching(/^Close it with: exitgate reset --breaker\. It closes in \d+ minutes\.$/),
    })
    expect(endOf(ran.stdout)).toMatchObject({ outcome: 'stuck', ending: 'breaker', iterations: 0 })
    expect(made.events().filter(({ type }) => type === 'run.started')).toHaveLength(1)
  })

  it('at a terminal: the menu comes before the baseline, and the new run continues', async ({ skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const made = runProject(COUNTED)
    await made.run(['run', '--json', '--', ...made.agent(IDLE)])
    const before = counted(made.root)
    const { terminal, end } = await inShell({ agent: WORK + CLAIM }, made)
    await terminal.shows(/circuit breaker open/)
    expect(counted(made.root)).toBe(before)
    await pressUntil(terminal, terminal.shows(/baseline/), 'r')
    expect(await end(), terminal.text()).toBe(0)
    expect(made.events().map(({ type }) => type)).toContain('breaker.reset')
  })
})

describe('tests that already fail', LONG, () => {
  it('can be accepted at the terminal, and the verdict lists them', async ({ skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const made = runProject()
    const { terminal, end } = await inShell(
      { agent: `${WORK}rm second.txt\n${CLAIM}`, args: ['--plain', '--max-iterations', '1'], answers: 'y' },
      made,
    )
    await terminal.shows(/2 tests already fail and must pass/)
    expect(await end(), terminal.text()).toBe(0)
    expect(made.events().find(({ type }) => type === 'run.started')).toMatchObject({
      config: { baseline: { acceptFailing: true } },
    })
    expect(terminal.text()).toMatch(/the second\s+half is done/)
  })

  it('are not asked about with --accept-failing', async ({ skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const agent = `${WORK}rm second.txt\n${CLAIM}`
    const { terminal, end } = await inShell({ agent, args: ['--plain', '--accept-failing', '--max-iterations', '1'] })
    expect(await end(), terminal.text()).toBe(0)
    expect(terminal.text()).not.toMatch(/may then fail/)
  })
})
