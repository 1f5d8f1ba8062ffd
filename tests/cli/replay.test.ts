import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beforeOf } from '../../src/core/journal/before.ts'
import { eventInputsOf } from '../../src/core/journal/event-inputs.ts'
import type { EventInput } from '../../src/core/journal/events.ts'
import { decideIteration } from '../../src/core/policy/decide.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { Observation } from '../../src/core/types.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, readJournal } from '../../src/journal/read.ts'
import { DONE, GREEN, project, RED } from './run-cli.ts'

/** Two runs in `api`, one of them before a reset, and one run in `web`. */
async function recordedRuns() {
  const own = project({ 'out.txt': DONE, 'red.json': RED, 'green.json': GREEN, 'api/x': '', 'web/x': '' })
  const check = (dir: string, evidence: string, ...more: string[]) =>
    own.run(['check', '--dir', dir, '--transcript', 'out.txt', '--evidence', evidence, '--quiet', ...more])
  await check('api', 'red.json')
  await check('api', 'green.json')
  await own.run(['reset', '--dir', 'api', '--reason', 'start over'])
  await check('api', 'red.json', '--preset', 'cub')
  await check('web', 'red.json')
  await check('web', 'green.json')
  const folder = (name: string) => join(own.state, readdirSync(own.state).find((each) => each.startsWith(`${name}-`))!)
  return { ...own, folder }
}

/** Appends events to a journal with valid hashes. */
function append(dir: string, ...happenings: readonly EventInput[]): void {
  const journal = openJournal(dir)
  journal.append(happenings, journal.lastAt)
  journal.close()
}

type DecidedEvent = EventInput & { type: 'iteration.decided' }

/** Appends one more iteration, decided on the previous observation, with a change that the decision engine did not make. */
function appendChangedDecision(dir: string, change: (event: DecidedEvent) => object): void {
  const { state } = readJournal(dir)
  const observation = state.previous!
  const decided = decideIteration(beforeOf(state), observation, policyFor(state.config!), state.last!.at)
  const happenings = eventInputsOf(observation, decided)
  append(dir, ...happenings.map((each) => (each.type === 'iteration.decided' ? { ...each, ...change(each) } : each)))
}

describe('exitgate lab replay', () => {
  it('reports that all decisions are the same, including those before a reset', async () => {
    const { run } = await recordedRuns()
    const one = await run(['replay', '--dir', 'api'])
    expect(one).toMatchObject({ code: 0, stdout: '3 decisions of 2 runs: all the same\n', stderr: '' })
    const all = await run(['replay', '--all', '--json'])
    expect(all.json).toEqual({ decisions: 5, runs: 3, different: 0, undecided: 0, differences: [], unreadable: [] })
    expect(await run(['replay', '--all', '--json'])).toMatchObject({ stdout: all.stdout })
  })

  it('--run selects one run', async () => {
    const { run, folder } = await recordedRuns()
    const newest = [...readEvents(folder('api'))].find((event) => event.type === 'run.started')
    const id = newest?.type === 'run.started' ? newest.run : ''
    const { code, stdout } = await run(['replay', '--dir', 'api', '--run', id])
    expect([code, stdout]).toEqual([0, '1 decision of 1 run: all the same\n'])
  })

  const changes: [name: string, change: (event: DecidedEvent) => object, field: string][] = [
    ['a changed reason', ({ verdict }) => ({ verdict: { ...verdict, reason: 'all is well \u001b[2J' } }), 'reason'],
    [
      'a completion without proof',
      ({ verdict: { rule, missing, gate, measures, reason } }) => ({
        verdict: { action: 'stop', outcome: 'completed', ending: 'verified', rule, missing, gate, measures, reason },
      }),
      'action',
    ],
    ['a missing measure', ({ verdict }) => ({ verdict: { ...verdict, measures: {} } }), 'measures.indicators'],
    [
      'a changed count',
      ({ after }) => ({ after: { ...after, streaks: { ...after.streaks, hollowClaims: { n: 0 } } } }),
      'after.streaks.hollowClaims.n',
    ],
  ]
  it.each(changes)('shows %s', async (_name, change, field) => {
    const { run, folder } = await recordedRuns()
    appendChangedDecision(folder('api'), change)
    const { code, stdout } = await run(['replay', '--dir', 'api'])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^run \S+, iteration 2\n {2}recorded {2}.*\n {2}today {5}.*\n {2}differs {3}\S+: .* -> .*\n4 decisions of 2 runs: 1 differs today\n$/,
    )
    expect(stdout).toContain(`  differs   ${field}: `)
    expect(stdout).not.toContain('\u001b')
    const { json } = await run(['replay', '--all', '--json'])
    expect(json).toMatchObject({
      decisions: 6,
      different: 1,
      differences: [{ project: expect.stringMatching(/^api-/), iteration: 2, difference: { field } }],
    })
  })

  it.each([
    ['empty', ({ evidence: _evidence, ...rest }: Observation) => ({ ...rest, evidence: {} })],
    ['absent', ({ evidence: _evidence, ...rest }: Observation) => rest],
  ])('counts a proof with %s evidence as not repeatable', async (_name, without) => {
    const { run, folder } = await recordedRuns()
    appendChangedDecision(folder('web'), ({ observation }) => ({ observation: without(observation) }))
    const { code, stdout } = await run(['replay', '--dir', 'web'])
    expect([code, stdout]).toEqual([0, "3 decisions of 1 run: 1 can't be repeated: the evidence was not recorded\n"])
    const { json } = await run(['replay', '--dir', 'web', '--json'])
    expect(json).toMatchObject({ decisions: 2, different: 0, withoutEvidence: 1, differences: [] })
  })

  it('reports a difference if a decision without evidence had no proof', async () => {
    const { run, folder } = await recordedRuns()
    appendChangedDecision(folder('web'), ({ observation, verdict }) => ({
      observation: { ...observation, evidence: {} },
      verdict: { ...verdict, gate: { ...verdict.gate, proof: 'unknown' } },
    }))
    expect(await run(['replay', '--dir', 'web'])).toMatchObject({ code: 1 })
  })

  it('fails on decisions without a configuration', async () => {
    const { run, state, folder } = await recordedRuns()
    const decided = [...readEvents(folder('web'))].find((event) => event.type === 'iteration.decided')!
    const { v: _v, seq: _seq, at: _at, prev: _prev, part: _part, ...happening } = decided
    const dir = join(state, 'bare-000000000000')
    mkdirSync(dir)
    append(dir, { type: 'run.started', run: 'bare' }, happening as EventInput)
    const { code, json } = await run(['replay', '--all', '--run', 'bare', '--json'])
    expect([code, json.undecided, json.decisions]).toEqual([1, 1, 0])
  })

  it('reports an unknown preset', async () => {
    const { run, folder } = await recordedRuns()
    const begun = [...readEvents(folder('web'))].find((event) => event.type === 'run.started')!
    const config = { ...(begun.type === 'run.started' ? begun.config : {}), preset: 'later' }
    append(folder('web'), { type: 'config.changed', config, paths: ['preset'] } as unknown as EventInput)
    const { code, stderr } = await run(['replay', '--dir', 'web'])
    expect(code).toBe(70)
    expect(stderr).toMatch(
      /has a run with the unknown preset "later"\. Install the version of exitgate that wrote it\./,
    )
  })

  it('exits with 70 for a broken journal, and reports it with --all', async () => {
    const { run, folder } = await recordedRuns()
    cpSync(folder('api'), `${folder('api')}-copy`, { recursive: true })
    const file = join(folder('web'), 'journal.jsonl')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"default"', '"defauIt"'))
    const history = await run(['history', '--dir', 'web'])
    const { code, stdout, stderr } = await run(['replay', '--dir', 'web'])
    expect([code, stdout, stderr]).toEqual([70, '', history.stderr])
    const all = await run(['replay', '--all'])
    expect(all.code).toBe(70)
    expect(all.stderr).toMatch(/^warning: Skipped web-\w+: .*damaged at line 1/)
    expect(all.stdout).toBe('6 decisions of 4 runs: all the same\n')
  })

  const ends: readonly [string, (text: string) => string, string, RegExp][] = [
    [
      'half an entry at its end',
      (text) => `${text}{"v":1,`,
      '2 decisions',
      /^warning: the last entry of the journal is incomplete: 7 bytes after event \d+/m,
    ],
    [
      'a lost entry',
      (text) => text.slice(0, -9),
      '1 decision',
      /^warning: The journal in .* no longer contains event \d+/m,
    ],
  ]
  it.each(ends)('warns about a journal with %s', async (_name, change, left, warning) => {
    const { run, folder } = await recordedRuns()
    const file = join(folder('web'), 'journal.jsonl')
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    const { code, stdout, stderr } = await run(['replay', '--dir', 'web'])
    expect([code, stdout]).toEqual([0, `${left} of 1 run: all the same\n`])
    expect(stderr).toMatch(warning)
  })

  it('reports that there are no decisions', async () => {
    expect(await project().run(['replay'])).toMatchObject({ code: 0, stderr: 'No decisions here yet.\n' })
  })

  it.each([
    [['--run', 'nobody'], 'There is no run nobody here. exitgate log --events lists the runs.'],
    [['--preset', 'cub'], 'Unknown option --preset. See exitgate lab replay --help.'],
  ])('%j is refused', async (args, said) => {
    expect(await project().run(['replay', ...args])).toMatchObject({ code: 64, stderr: `error: ${said}\n` })
  })
})
