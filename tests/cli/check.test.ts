import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/log.ts'
import { stateDirFor } from '../../src/journal/place.ts'
import { readJournal } from '../../src/journal/read.ts'
import { DONE, GREEN, project, RED } from './run-cli.ts'

const NOT_DONE = 'Still at it.\n\nEXIT_STATUS: CONTINUE\nREMAINING_WORK: the API\n'
const check = (...more: string[]) => ['check', '--transcript', 'out.txt', '--evidence', 'ev.json', '--json', ...more]

describe('one decision', () => {
  it.each([
    ['claim and proof', DONE, GREEN, [], 0, { action: 'stop', outcome: 'completed', ending: 'verified', rule: 'gate' }],
    ['claim without proof', DONE, RED, [], 10, { action: 'continue', rule: 'warn' }],
    ['proof without claim', 'Looks fine.\n', GREEN, [], 10, { action: 'continue', rule: 'warn' }],
    ['an explicit "not done"', NOT_DONE, GREEN, [], 10, { action: 'continue' }],
    ['no evidence at all', DONE, '{}', [], 10, { action: 'continue' }],
    ['a claim from an agent that failed', DONE, GREEN, ['--exit-code', '1'], 10, { action: 'continue' }],
    ['interrupted', DONE, GREEN, ['--interrupted'], 3, { outcome: 'interrupted', ending: 'interrupt' }],
    [
      'forced',
      NOT_DONE,
      RED,
      ['--force-complete', '--reason', 'demo day'],
      0,
      { outcome: 'completed', ending: 'forced' },
    ],
    [
      'a limit of one iteration',
      NOT_DONE,
      RED,
      ['--max-iterations', '1'],
      2,
      { outcome: 'aborted', ending: 'iterations' },
    ],
    [
      'blocked',
      'STATUS: x\n---RALPH_STATUS---\nSTATUS: BLOCKED\nEXIT_SIGNAL: false\nRECOMMENDATION: needs a key\n---END_RALPH_STATUS---\n',
      RED,
      [],
      2,
      { ending: 'needs-human' },
    ],
  ])('%s', async (_name, says, evidence, flags, code, expected) => {
    const { run } = project({ 'out.txt': says, 'ev.json': evidence })
    const ran = await run(check(...flags))
    expect(ran.json).toMatchObject(expected)
    expect(ran.code).toBe(code)
    expect(ran.json.exitCode).toBe(code)
  })

  it('shows the verdict, the checks and what is still needed', async () => {
    const { run } = project({ 'out.txt': DONE, 'ev.json': RED })
    const { stdout, stderr, code } = await run(['check', '--transcript', 'out.txt', '--evidence', 'ev.json'])
    expect(stdout.split('\n')).toEqual([
      'Claim rejected: 3 of 4 tests fail.',
      '  checks: tests 1/4: fail',
      '  still needed:',
      '    - tests: Given as no.',
      '  what to do:',
      '    - Fix the failing tests.',
      '  (iteration 1, preset default)',
      '',
    ])
    expect(stdout).not.toContain('\u001b')
    expect([stderr, code]).toEqual(['', 10])
  })

  it('prints nothing with --quiet', async () => {
    const { run } = project({ 'out.txt': DONE, 'ev.json': RED })
    expect((await run(['check', '--transcript', 'out.txt', '--evidence', 'ev.json', '--quiet'])).stdout).toBe('')
  })
})

describe('next to a running loop', () => {
  const IN_USE =
    /^error: the journal in \S+ is in use by process \d+ \(exitgate run, since \S+\) until that run ends\. /
  const beside: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    [
      'check',
      ['--claim', '--evidence', 'ev.json', '--task', "it's"],
      75,
      / To check now without recording it: exitgate check --claim --evidence ev\.json --task 'it'\\''s' --no-record\n$/,
    ],
    ['check', ['--no-record', '--transcript', 'out.txt', '--evidence', 'ev.json', '--quiet'], 10, /^$/],
    ['next', ['--evidence', 'ev.json'], 75, /`exitgate attach` shows it, `exitgate interrupt` ends it\.\n$/],
    ['next', ['--no-record'], 0, /^$/],
  ]
  it.each(beside)('%s %j ends at once and leaves the journal alone', async (command, args, code, says) => {
    const p = project({ 'out.txt': DONE, 'ev.json': RED })
    await p.run(check())
    const stateDir = stateDirFor(p.dir, { stateDir: p.state, env: {}, platform: 'linux', home: p.root }).dir
    const journal = openJournal(stateDir, { command: 'run' })
    const files = () => readdirSync(stateDir, { recursive: true }).map(String).sort()
    const before = [files(), readFileSync(join(stateDir, 'journal.jsonl'), 'utf8')]
    const ran = await p.run([command, ...args])
    expect(ran).toMatchObject({ code, stderr: expect.stringMatching(says) })
    if (code === 75) expect(ran.stderr).toMatch(IN_USE)
    expect([files(), readFileSync(join(stateDir, 'journal.jsonl'), 'utf8')]).toEqual(before)
    journal.close()
  })
})

describe('after a loop was killed', () => {
  const REFUSED =
    /^error: Run \S+ of exitgate run is not finished, and nothing else decides it\. Continue it with exitgate run --resume, /
  const after: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['check', ['--claim', '--evidence', 'ev.json'], 64, REFUSED],
    ['check', ['--claim', '--evidence', 'ev.json', '--preset', 'ralph'], 64, REFUSED],
    ['next', ['--evidence', 'ev.json'], 64, REFUSED],
    ['check', ['--claim', '--evidence', 'ev.json', '--no-record'], 0, /^$/],
    ['check', ['--claim', '--evidence', 'ev.json', '--new-run'], 0, /^$/],
  ]
  it.each(after)('%s %j does not decide its run', async (command, args, code, says) => {
    const p = project({ 'out.txt': 'Still at it.\n', 'ev.json': GREEN })
    await p.run(check())
    const stateDir = stateDirFor(p.dir, { stateDir: p.state, env: {}, platform: 'linux', home: p.root }).dir
    const journal = openJournal(stateDir, { command: 'run' })
    const { run } = journal.state
    journal.append([{ type: 'iteration.started', iteration: 2, attempt: 1 }], 0)
    journal.close()
    expect(await p.run([command, ...args])).toMatchObject({ code, stderr: expect.stringMatching(says) })
    const { state } = readJournal(stateDir)
    expect(state.totals.decisions).toBe(args.includes('--new-run') ? 2 : 1)
    expect(state.run === run).toBe(!args.includes('--new-run'))
  })
})

describe('a run of several decisions', () => {
  it('counts iterations, is stuck after three unverified claims, and then starts a new run', async () => {
    const { run } = project({ 'out.txt': DONE, 'ev.json': RED })
    const codes = []
    for (let i = 0; i < 4; i++) codes.push((await run(check())).json)
    expect(codes.map(({ iteration, exitCode }) => [iteration, exitCode])).toEqual([
      [1, 10],
      [2, 10],
      [3, 1],
      [1, 10],
    ])
    expect(codes[2]).toMatchObject({ outcome: 'stuck', ending: 'hollow-claims' })
  })

  it('--no-record neither reads nor writes the journal', async () => {
    const { run, state, dir } = project({ 'out.txt': DONE, 'ev.json': RED })
    for (let i = 0; i < 3; i++) expect((await run(check('--no-record'))).json.iteration).toBe(1)
    expect([existsSync(state), existsSync(join(dir, '.exitgate'))]).toEqual([false, false])
  })

  it('writes a readable copy that git ignores', async () => {
    const { run, dir } = project({ 'out.txt': DONE, 'ev.json': RED })
    await run(check())
    expect(readFileSync(join(dir, '.exitgate/.gitignore'), 'utf8').trim()).toBe('*')
    expect(JSON.parse(readFileSync(join(dir, '.exitgate/status.json'), 'utf8'))).toBeTypeOf('object')
  })

  it("ignores and reports configuration edits during the run, but applies the user's flags", async () => {
    const p = project({ 'out.txt': DONE, 'ev.json': RED, 'exitgate.config.json': '{"hollowClaims": 9}' })
    await p.run(check())
    p.write('exitgate.config.json', '{"required": ["build"], "hollowClaims": 9}')
    p.write('ev.json', '{"build": "yes"}')
    const edited = await p.run(check())
    expect(edited.code).toBe(10)
    expect(edited.stderr).toContain('required')
    expect((await p.run(check('--max-iterations', '3'))).json).toMatchObject({ ending: 'iterations' })
  })

  it('--preset with another preset starts a new run', async () => {
    const { run } = project({ 'out.txt': NOT_DONE, 'ev.json': RED })
    await run(check())
    expect((await run(check('--preset', 'cub'))).json).toMatchObject({ preset: 'cub', iteration: 1 })
  })
})

describe('next', () => {
  it('starts the run, exits with 0 to continue and with 10 when it is done', async () => {
    const p = project({ 'ev.json': RED })
    const next = ['next', '--transcript', 'out.txt', '--evidence', 'ev.json']
    expect((await p.run(next)).code).toBe(0)
    p.write('out.txt', NOT_DONE)
    expect((await p.run(next)).code).toBe(0)
    p.write('out.txt', DONE)
    p.write('ev.json', GREEN)
    expect((await p.run(next)).code).toBe(10)
    expect((await p.run(['history', '--json'])).json.events).toHaveLength(4)
  })

  it('writes the prompt for the agent: your own, what is missing, and how to report', async () => {
    const p = project({
      'PROMPT.md': 'Boil the kettle.\n',
      'PLAN.md': '- [ ] fill it\n',
      'ev.json': RED,
      'out.txt': DONE,
    })
    const prompt = () => readFileSync(join(p.dir, '.exitgate/prompt.md'), 'utf8')
    const next = ['next', '--transcript', 'out.txt', '--evidence', 'ev.json', '--plan', 'PLAN.md']
    await p.run(next)
    expect(prompt()).toMatch(
      /^Boil the kettle\.\n\n## Current task: item 1 of 1 in PLAN\.md\n[\s\S]*EXIT_STATUS: \{COMPLETE\|CONTINUE\}/,
    )
    expect(prompt()).not.toContain('## Not done yet')
    p.write('mine.md', 'Boil two.\n')
    expect((await p.run([...next, '--prompt', 'mine.md'])).code).toBe(0)
    expect(prompt()).toMatch(/^Boil two\.\n[\s\S]*## Not done yet\n[\s\S]*tests/)
  })

  it('does not take an echo of PROMPT.md for a claim', async () => {
    const p = project({ 'PROMPT.md': DONE, 'ev.json': GREEN, 'out.txt': DONE })
    const next = ['next', '--transcript', 'out.txt', '--evidence', 'ev.json']
    await p.run(next)
    expect((await p.run(next)).code).toBe(0)
  })

  it('uses the usual exit codes for other endings', async () => {
    const p = project({ 'out.txt': NOT_DONE, 'ev.json': RED })
    await p.run(['next'])
    expect(
      (await p.run(['next', '--transcript', 'out.txt', '--evidence', 'ev.json', '--max-iterations', '1'])).code,
    ).toBe(2)
  })
})

describe('a run of check', () => {
  const begun = async () => {
    const p = project({ 'out.txt': NOT_DONE, 'ev.json': RED, 'test/a.txt': 'a\n' })
    await p.run(check())
    return p
  }
  const rows: readonly [name: string, args: readonly string[], code: number, says: RegExp][] = [
    ['next starts its own run', ['next', '--transcript', 'none.txt', '--evidence', 'ev.json'], 0, /^$/],
    ['hold-out works', ['hold-out', 'test/a.txt'], 0, /^$/],
    ['hold-out --restore works', ['hold-out', '--restore'], 0, /^$/],
    [
      'run --resume has nothing to resume',
      ['run', '--resume'],
      64,
      /^error: There is no run to resume here: \S+ was started by a check\. Start one with `exitgate run` without --resume\.\n$/,
    ],
  ]
  it.each(rows)('%s', async (_name, args, code, says) => {
    const p = await begun()
    expect(await p.run(args)).toMatchObject({ code, stderr: expect.stringMatching(says) })
  })
})

describe('without a run', () => {
  it.each([[['run', '--resume']], [['run', '--resume', '--', 'true']], [['run', '--resume', '--preset', 'ralph']]])(
    '%j says there is nothing to resume',
    async (args) => {
      expect(await project().run(args)).toMatchObject({
        code: 64,
        stderr: 'error: There is no run to resume here. Start one with `exitgate run` without --resume.\n',
      })
    },
  )
})

describe('during a run of next', () => {
  const rows: readonly [args: readonly string[], says: RegExp][] = [
    [
      ['hold-out', 'a.txt'],
      /^error: The run \S+ has not ended\. Let its loop finish, or end it with exitgate reset\.\n$/,
    ],
    [
      ['next', '--new-run', '--transcript', 'out.txt'],
      /^error: exitgate next --new-run only starts a run, so it takes no --transcript\./,
    ],
  ]
  it.each(rows)('%j is refused', async (args, says) => {
    const p = project({ 'out.txt': NOT_DONE, 'ev.json': RED, 'a.txt': 'a\n' })
    await p.run(['next', '--evidence', 'ev.json'])
    expect(await p.run(args)).toMatchObject({ code: 64, stderr: expect.stringMatching(says) })
  })
})

describe('explain, state, history and reset', () => {
  it('explains the last decision or an earlier one, and every rule with --all', async () => {
    const p = project({ 'out.txt': DONE, 'ev.json': RED })
    await p.run(check())
    p.write('ev.json', GREEN)
    await p.run(check())
    const last = (await p.run(['explain'])).stdout
    expect(last.split('\n')[0]).toBe('Verified: the agent reported COMPLETE, 4 of 4 tests pass, the work is proven.')
    expect(last).toContain('  pass    tests 4/4: Given as yes.')
    expect(last).toMatch(/\nAll rules with their findings: exitgate explain --all\n$/)
    expect(last).not.toMatch(/missing|still needs|=>|[Rr]ule gate/)
    expect((await p.run(['explain', '--all'])).stdout).toContain('=> yes gate')
    const first = (await p.run(['explain', '1'])).stdout
    expect(first.split('\n')[0]).toBe('Claim rejected: 3 of 4 tests fail.')
    expect(first).toContain('To complete, this run still needs:\n  - "tests" to pass\n')
    expect(first).toContain('What to do:\n  - Fix the failing tests.\n')
    expect((await p.run(['explain', '1', '--all'])).stdout).toContain('hollow-claims')
    const json = (await p.run(['explain', '1', '--json'])).json
    expect(json).toMatchObject({ iteration: 1, same: true, rule: 'warn' })
    expect((json.rules as unknown[]).length).toBeGreaterThan(8)
  })

  it('shows state and history, and resets', async () => {
    const p = project({ 'out.txt': DONE, 'ev.json': RED })
    await p.run(check())
    await p.run(check())
    expect((await p.run(['state'])).stdout).toMatch(/iterations {1}2/)
    expect((await p.run(['state', '--json'])).json).toMatchObject({ iterations: 2 })
    expect((await p.run(['state', '--verify'])).code).toBe(0)
    expect((await p.run(['history'])).stdout.trim().split('\n')).toHaveLength(3)
    const reset = (await p.run(['reset', '--json'])).json as { archive: string }
    expect(existsSync(join(reset.archive, 'journal.jsonl'))).toBe(true)
    expect((await p.run(['state', '--json'])).json).toMatchObject({ iterations: 0 })
    expect((await p.run(check())).json.iteration).toBe(1)
  })

  it('reset --breaker closes only the breaker', async () => {
    const p = project({ 'out.txt': NOT_DONE, 'ev.json': RED })
    for (let i = 0; i < 3; i++) await p.run(check('--preset', 'cub'))
    expect((await p.run(['state', '--json'])).json).toMatchObject({ counters: { breaker: { state: 'open' } } })
    await p.run(['reset', '--breaker', '--reason', 'looked at it'])
    expect((await p.run(['state', '--json'])).json).toMatchObject({
      counters: { breaker: { state: 'closed' } },
      totals: { decisions: 3 },
    })
  })
})

it('an advance has the next phase', async () => {
  const block = '---PRP_PHASE_STATUS---\nPHASE: RED\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---\n'
  const { run } = project({
    'out.txt': block,
    'ev.json': '{"tests": {"counts": {"total": 3, "failed": 3, "passed": 0}}, "criteria": {"counts": {"total": 3}}}',
  })
  const { json, code } = await run(check('--preset', 'prp'))
  expect([json.action, json.phase, code]).toEqual(['advance', 'GREEN', 10])
})
