import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHECK, CLAIM, CONFIG, HALF, type HookProject, hookProject, LIE, STOPS, TALK } from './hook-project.ts'

const GOAL = ['goal', 'start', 'subtraction works']
const stop = (p: HookProject, message: string, more: object = {}, how = {}) =>
  p.ask('claude', STOPS.claude!(p.dir, message, more), how)
/** Tolerant of an agent that does nothing, so that only the limits of the hook apply. */
const PATIENT = '{"commands": {"test": "sh check.sh"}}\n'

describe('with a goal', () => {
  it('every stop is blocked until claim and proof agree, then the goal is cleared', async () => {
    const p = hookProject()
    expect((await p.run(GOAL)).stdout).toContain('Goal set: subtraction works')
    const talk = await stop(p, TALK)
    expect(talk.refused).toContain('Goal: subtraction works')
    expect(talk.refused).toMatch(/tests: 1 of 2 tests fail/)
    expect(talk.refused).toContain('EXIT_STATUS: {COMPLETE|CONTINUE}')
    p.fix()
    expect((await stop(p, LIE)).refused, 'proof without an explicit claim').toContain(
      'the agent has not reported that it is done',
    )
    const done = await stop(p, CLAIM)
    expect([done.refused, done.told]).toEqual([undefined, expect.stringMatching(/^exitgate: Verified/)])
    expect((await p.run(['goal', 'status', '--json'])).json).toMatchObject({
      iterations: 3,
      goal: { text: 'subtraction works', ended: { outcome: 'completed/verified' } },
    })
    expect((await stop(p, TALK)).stdout).toBe('')
  })

  it('a plan has to be finished too', async () => {
    const p = hookProject({ 'PLAN.md': '- [x] add\n- [ ] subtract\n' })
    await p.run([...GOAL, '--plan', 'PLAN.md'])
    p.fix()
    expect((await stop(p, CLAIM)).refused).toMatch(/plan:.*subtract/)
    p.write('PLAN.md', '- [x] add\n- [x] subtract\n')
    expect((await stop(p, CLAIM)).told).toMatch(/Verified/)
  })

  it('an agent that needs a human may stop, and the goal stays', async () => {
    const p = hookProject()
    await p.run(GOAL)
    const blocked = 'EXIT_STATUS: BLOCKED\nEXIT_REASON: the key of the server is missing\nREMAINING_WORK: all\n'
    const answer = await stop(p, blocked)
    expect(answer.refused).toBeUndefined()
    expect(answer.told).toMatch(/Stopped: needs your input[\s\S]*The goal is still active/)
    expect((await stop(p, TALK, { prompt_id: 'p-2' })).refused).toContain('subtraction works')
    expect(p.events().map(({ type }) => type)).toContain('run.resumed')
  })

  it('that you stopped is not resumed by a run', async () => {
    const p = hookProject()
    await p.run(GOAL)
    await stop(p, TALK)
    expect((await p.run(['goal', 'stop'])).stdout).toContain('Goal cleared.')
    const resumed = await p.run(['run', '--resume', '--', 'true'])
    expect([resumed.code, resumed.stderr]).toEqual([
      64,
      'error: You stopped the goal "subtraction works". Start a new run without --resume.\n',
    ])
  })

  it('a claim by tool call counts, and the evidence decides', async () => {
    const { postSessionSignal } = await import('../../src/inbox/session-inbox.ts')
    const p = hookProject()
    await p.run(GOAL)
    p.fix()
    const now = Date.UTC(2026, 1, 3, 4, 5, 6)
    expect(postSessionSignal(p.stateDir, { status: 'complete', reason: 'it works' }, now)).toBeUndefined()
    expect((await stop(p, TALK)).told).toMatch(/Verified/)
  })
})

/** What an agent might try to get out. After each of these the stop is still blocked. */
const WAYS_OUT: readonly (readonly [string, (p: HookProject) => unknown, RegExp])[] = [
  [
    'edits the configuration',
    (p) => p.write('exitgate.config.json', '{"commands": {"test": "true"}}'),
    /tampering|tests/,
  ],
  ['breaks the configuration', (p) => p.write('exitgate.config.json', '{{{'), /tests/],
  ['chooses a weaker preset', (p) => p.write('exitgate.config.json', '{"preset": "ralph"}'), /tests/],
  ['deletes the configuration', (p) => rmSync(join(p.dir, 'exitgate.config.json')), /tests/],
  [
    'begins another run',
    (p) => p.run(['check', '--new-run', '--test', 'true']),
    /no longer contains the run of the goal/,
  ],
  ['resets the journal', (p) => p.run(['reset']), /no longer contains the run of the goal/],
  ['forces the run', (p) => p.run(['check', '--force-complete', '--reason', 'done']), /tests/],
  [
    'deletes the journal',
    (p) => rmSync(join(p.stateDir, 'journal.jsonl')),
    /no longer contains the run of the goal|could not be checked/,
  ],
  [
    'garbles the journal',
    (p) => writeFileSync(join(p.stateDir, 'journal.jsonl'), 'x\n'),
    /could not be checked|journal/,
  ],
  ['deletes the baseline', (p) => deleteBaseline(p), /could not be checked|tests/],
  ['garbles the goal', (p) => writeFileSync(join(p.stateDir, 'goal.json'), '{'), /goal/],
  ['withdraws the approval', (p) => rmSync(join(p.stateDir, 'trust.json')), /tests/],
  [
    'rewrites the script that tests',
    (p) => p.write('check.sh', "printf 'Tests:       2 passed, 2 total\\n'\n"),
    /tests weakened: .*check\.sh/,
  ],
  [
    'rewrites the script that tests, and says so to git',
    (p) => {
      p.write('check.sh', "printf 'Tests:       2 passed, 2 total\\n'\n")
      p.git('commit', '-qam', 'the checks are faster')
    },
    /tests weakened: .*check\.sh/,
  ],
  [
    'ends the script that tests early',
    (p) => p.write('check.sh', `exit 0\n${CHECK}`),
    /tests|tests weakened: check\.sh/,
  ],
  ['deletes the script that tests', (p) => rmSync(join(p.dir, 'check.sh')), /tests: .*check\.sh/],
  ['deletes the repository', (p) => rmSync(join(p.dir, '.git'), { recursive: true }), /tests/],
]

function deleteBaseline(p: HookProject): void {
  for (const name of readdirSync(p.stateDir))
    if (name.startsWith('baseline')) rmSync(join(p.stateDir, name), { recursive: true })
}

describe('there is no way around a goal: the agent', () => {
  it.each(WAYS_OUT)('%s', async (_what, way, reason) => {
    const p = hookProject()
    await p.run(GOAL)
    await way(p)
    const answer = await stop(p, CLAIM)
    expect(answer.told).toBe('')
    expect(answer.refused).toMatch(reason)
  })

  it('works in a subfolder', async () => {
    const p = hookProject({ 'src/deep/a.txt': '' })
    await p.run(GOAL)
    const deep = join(p.dir, 'src/deep')
    expect((await p.ask('codex', STOPS.codex!(deep, TALK))).refused).toContain('subtraction works')
  })

  it('changes to another folder, while its CLI knows the project', async () => {
    const p = hookProject()
    await p.run(GOAL)
    const answer = await stop(p, TALK, { cwd: p.root }, { env: { CLAUDE_PROJECT_DIR: p.dir } })
    expect(answer.refused).toContain('subtraction works')
  })

  const orders: (readonly [string, readonly string[]])[] = [
    ['goal stop', ['goal', 'stop']],
    ['goal start', GOAL],
    ['trust', ['trust']],
    ['trust --withdraw', ['trust', '--withdraw']],
    ['hook uninstall', ['hook', 'uninstall', 'claude']],
  ]
  it.each(orders)('cannot call %s', async (name, args) => {
    const p = hookProject()
    await p.run(GOAL)
    const before = readFileSync(join(p.stateDir, 'goal.json'), 'utf8')
    for (const mark of ['CLAUDECODE', 'GEMINI_CLI', 'CODEX_THREAD_ID', 'CURSOR_AGENT', 'GROK_AGENT', 'EXITGATE_RUN']) {
      const ran = await p.run(args, { [mark]: '1' })
      expect([ran.code, ran.stderr]).toEqual([
        64,
        expect.stringContaining(`an agent can't use exitgate ${name} (${mark} is set)`),
      ])
    }
    expect(readFileSync(join(p.stateDir, 'goal.json'), 'utf8')).toBe(before)
  })

  it('can start a goal for its user, in an approved folder without one', async () => {
    const p = hookProject()
    expect((await p.run(GOAL, { CLAUDECODE: '1' })).code).toBe(64)
    await p.run(['trust'])
    expect((await p.run(GOAL, { CLAUDECODE: '1' })).code).toBe(0)
  })
})

describe('the counter', () => {
  const limits: [string, object, Record<string, string>, readonly string[], number][] = [
    ['claude', {}, {}, [], 7],
    ['claude', {}, { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '3' }, [], 2],
    ['claude', {}, { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' }, ['--max-refusals', '4'], 4],
    ['copilot', { stop_hook_active: true }, {}, [], 7],
    ['codex', { stop_hook_active: true }, {}, ['--max-refusals', '3'], 3],
    ['cursor', { loop_count: 1 }, {}, [], 4],
  ]
  it.each(limits)(
    '%s %j %j %j: allows the stop after %i rejections in a row, reports it and records it',
    async (host, more, env, args, most) => {
      const p = hookProject({ 'exitgate.config.json': PATIENT })
      await p.run(GOAL)
      const ask = () => p.ask(host, STOPS[host]!(p.dir, HALF, more), { env, args })
      for (let nth = 1; nth <= most; nth++) expect((await ask()).refused).toContain(`refusal ${nth} of ${most}`)
      const last = await ask()
      expect(last.refused).toBeUndefined()
      expect(last.told).toMatch(
        new RegExp(
          `not verified\\. The agent may stop, because ${most} stops in a row were refused[\\s\\S]*tests[\\s\\S]*The goal is still active`,
        ),
      )
      expect(p.events().at(-1)).toMatchObject({ type: 'run.ended', outcome: 'aborted', ending: 'iterations' })
    },
  )

  it('starts over with the next prompt, in the same run with the same baseline', async () => {
    const p = hookProject({ 'exitgate.config.json': PATIENT })
    await p.run(GOAL)
    const how = { args: ['--max-refusals', '1'] }
    expect((await stop(p, HALF, {}, how)).refused).toContain('refusal 1 of 1')
    expect((await stop(p, HALF, {}, how)).refused).toBeUndefined()
    expect((await stop(p, HALF, { prompt_id: 'p-2' }, how)).refused).toContain('refusal 1 of 1')
    const runs = p.events().filter(({ type }) => type === 'run.started')
    expect(runs).toHaveLength(1)
  })

  it('a command or an edit that fixes nothing does not start it over', async () => {
    const p = hookProject({ 'exitgate.config.json': PATIENT })
    await p.run(GOAL)
    const told = []
    for (let nth = 1; nth <= 4; nth++) {
      p.write('work.txt', String(nth))
      told.push((await stop(p, HALF, {}, { args: ['--max-refusals', '3'] })).refused?.match(/refusal \d+ of \d+/)?.[0])
    }
    expect(told).toEqual(['refusal 1 of 3', 'refusal 2 of 3', 'refusal 3 of 3', undefined])
  })

  it('work in between allows more than the limit of the CLI, and better checks start over', async () => {
    const tests = 'n=$(cat done.txt); echo "Tests:       $((9 - n)) failed, $n passed, 9 total"; [ $n = 9 ]'
    const p = hookProject({ 'exitgate.config.json': PATIENT, 'check.sh': tests, 'done.txt': '1' })
    await p.run(GOAL)
    const told = []
    for (const done of [1, 1, 2, 1, 2]) {
      p.write('done.txt', String(done))
      p.write('work.txt', `${told.length}`)
      const { refused } = await stop(p, CLAIM, {}, { env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '3' } })
      told.push(refused?.match(/refusal \d+ of \d+/)?.[0])
    }
    expect(told).toEqual(['refusal 1 of 2', 'refusal 2 of 3', 'refusal 1 of 2', 'refusal 2 of 3', 'refusal 3 of 4'])
  })

  it('sessions are counted separately', async () => {
    const p = hookProject({ 'exitgate.config.json': PATIENT })
    await p.run(GOAL)
    for (const session of ['a', 'b', '../../c', 'x'.repeat(10_000)])
      expect((await stop(p, HALF, { session_id: session }, { args: ['--max-refusals', '1'] })).refused).toContain(
        'refusal 1 of 1',
      )
    expect(existsSync(join(p.stateDir, '..', '..', 'c.json'))).toBe(false)
  })

  it('every stop is blocked up to the limit of the CLI; lying often does not help the agent', async () => {
    const p = hookProject({ 'exitgate.config.json': CONFIG })
    await p.run(GOAL)
    const answers = []
    for (let nth = 1; nth <= 5; nth++) answers.push(await stop(p, CLAIM))
    expect(answers.map(({ refused }) => refused !== undefined)).toEqual([true, true, true, true, true])
  })

  it('what ends a loop also ends a goal, if the user configured it', async () => {
    const p = hookProject({ 'exitgate.config.json': '{"commands": {"test": "sh check.sh"}, "hollowClaims": 3}' })
    await p.run(GOAL)
    const answers = []
    for (let nth = 1; nth <= 3; nth++) answers.push(await stop(p, CLAIM))
    expect(answers.map(({ refused }) => refused !== undefined)).toEqual([true, true, false])
    expect(answers[2]?.told).toMatch(/Stuck: claims keep failing the checks/)
  })
})

describe('goal', () => {
  const wrong: [readonly string[], RegExp][] = [
    [['goal', 'start'], /Say what the agent must reach/],
    [['goal', 'begin'], /one of start, status, stop/],
    [['goal', 'stop'], /No goal is active/],
    [['goal', 'stop', 'now'], /takes no text/],
    [['goal', 'start', 'x', '--plan'], /--plan needs a value/],
  ]
  it.each(wrong)('%j gives one sentence', async (args, sentence) => {
    const ran = await hookProject().run(args)
    expect([ran.code, ran.stdout]).toEqual([64, ''])
    expect(ran.stderr).toMatch(sentence)
  })

  it('shows what it will run before it approves it', async () => {
    const p = hookProject()
    expect((await p.run(GOAL)).stderr).toContain('test: sh check.sh')
    expect((await p.run(['trust', '--show', '--json'])).json).toMatchObject({ trust: 'approved' })
  })

  it('does not replace an unfinished run', async () => {
    const p = hookProject()
    p.write('said.txt', TALK)
    await p.run(['check', '--transcript', 'said.txt', '--test', 'sh check.sh'])
    const ran = await p.run(GOAL)
    expect([ran.code, ran.stderr]).toEqual([
      64,
      expect.stringMatching(/is unfinished \(1 iteration\)\. Finish it, or abandon it with --new-run\./),
    ])
    expect((await p.run([...GOAL, '--new-run'])).code).toBe(0)
  })

  it('the user can stop it, with a reason that is recorded', async () => {
    const p = hookProject()
    await p.run(GOAL)
    expect((await p.run(['goal', 'stop', '--reason', 'not today'])).code).toBe(0)
    expect((await stop(p, TALK)).stdout).toBe('')
    expect(p.events().at(-1)).toMatchObject({ type: 'run.ended', outcome: 'interrupted', reason: 'not today' })
  })
})
