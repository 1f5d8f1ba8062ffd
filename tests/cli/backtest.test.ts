import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunBacktest } from '../../src/backtest/types.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents } from '../../src/journal/read.ts'
import { DONE, GREEN, project, RED } from './run-cli.ts'

const WORDS = 'All tasks completed, ready for review.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n'

/** `api` has a run completed on text alone and, before a reset, one with three claims. `web` has an unfinished run. */
async function recordedRuns() {
  const own = project({
    'out.txt': DONE,
    'words.txt': WORDS,
    'work.txt': 'A piece of it.\n',
    'red.json': RED,
    'green.json': GREEN,
    'api/x': '',
    'api/exitgate.config.json': '{"evidence": {"proof": "report"}}',
    'web/x': '',
  })
  const check = (dir: string, said: string, evidence: string, ...more: string[]) =>
    own.run(['check', '--dir', dir, '--transcript', said, '--evidence', evidence, '--quiet', ...more])
  for (const _ of [1, 2, 3]) await check('api', 'out.txt', 'red.json')
  await own.run(['reset', '--dir', 'api', '--reason', 'start over'])
  await check('api', 'work.txt', 'red.json', '--preset', 'cub', '--threshold', '2')
  await check('api', 'words.txt', 'red.json', '--preset', 'cub', '--threshold', '2')
  await check('web', 'work.txt', 'red.json')
  const folder = (name: string) => join(own.state, readdirSync(own.state).find((each) => each.startsWith(`${name}-`))!)
  const label = (name: string, label: 'good' | 'bad'): void => {
    const started = [...readEvents(folder(name))].find((event) => event.type === 'run.started')
    const journal = openJournal(folder(name))
    const run = started?.type === 'run.started' ? started.run : ''
    journal.append(
      [{ type: 'labelled', run, label, source: 'person', by: 'a person', reason: 'looked at' }],
      journal.lastAt,
    )
    journal.close()
  }
  const runs = async (...args: string[]): Promise<readonly RunBacktest[]> =>
    (await own.run(['backtest', '--dir', 'api', '--json', ...args])).json.runs as readonly RunBacktest[]
  return { ...own, folder, label, runs }
}

describe('exitgate lab backtest', () => {
  const rows: [args: readonly string[], ends: readonly string[]][] = [
    [
      ['--set', 'hollowClaims=2'],
      ['stuck/hollow-claims 2 cut-short', 'completed/threshold 2 same'],
    ],
    [
      ['--threshold', '3'],
      ['stuck/hollow-claims 3 same', '- goes-on'],
    ],
    // The text of the first run contains none of cub's indicators, so cub's own breaker opens.
    [
      ['--preset', 'cub', '--threshold', '2'],
      ['stuck/breaker 3 changed', 'completed/threshold 2 same'],
    ],
    [
      ['--preset', 'default', '--set', 'evidence.proof=report', '--set', 'evidence.specialCased=off'],
      ['stuck/hollow-claims 3 same', '- goes-on'],
    ],
    [
      ['--preset', 'default'],
      ['stuck/hollow-claims 3 same', '- cannot-tell'],
    ],
    [
      ['--set', 'limits.iterations=1', '--set', 'cub.threshold=2'],
      ['aborted/iterations 1 cut-short', 'aborted/iterations 1 changed'],
    ],
    [
      ['--set', 'plan=PLAN.md'],
      ['- cannot-tell', '- cannot-tell'],
    ],
    [
      ['--config', 'other.json'],
      ['aborted/iterations 2 cut-short', 'completed/threshold 2 same'],
    ],
  ]
  it.each(rows)('%j', async (args, ends) => {
    const { write, runs } = await recordedRuns()
    write('other.json', JSON.stringify({ limits: { iterations: 2 } }))
    const found = (await runs(...args)).map(({ alternative: end, effect }) =>
      end === undefined ? `- ${effect}` : `${end.outcome}/${end.ending} ${end.iteration} ${effect}`,
    )
    expect(found).toEqual(ends)
  })

  it('uses labels to rate the effect', async () => {
    const { label, runs } = await recordedRuns()
    label('api', 'bad')
    expect((await runs('--threshold', '3')).at(-1)).toMatchObject({ label: 'bad', effect: 'avoided', known: false })
    label('api', 'good')
    expect((await runs('--threshold', '3')).at(-1)).toMatchObject({ label: 'good', effect: 'delayed' })
    expect((await runs('--set', 'limits.iterations=1')).at(-1)).toMatchObject({
      effect: 'broken',
      saved: { iterations: 1 },
    })
  })

  it('prints a table with totals, identical each time', async () => {
    const { run, label } = await recordedRuns()
    label('api', 'bad')
    const args = [
      'backtest',
      '--dir',
      'api',
      '--preset',
      'default',
      '--set',
      'limits.iterations=2',
      '--set',
      'evidence.proof=report',
      '--set',
      'evidence.specialCased=off',
    ]
    const { stdout, code } = await run(args)
    expect(code).toBe(0)
    expect(
      stdout
        .replace(/\d{8}-\d{6}-/g, 'run-')
        .replace(/^run {13}/m, 'run')
        .replace(/ {2,}/g, '  '),
    ).toBe(
      [
        'with preset default, limits.iterations 2, evidence.proof report, evidence.specialCased off',
        'run  recorded  would be  iterations saved  money saved  label  effect',
        'run-1  stuck/hollow-claims at 3  aborted/iterations at 2  1  $0.00  -  stops earlier',
        'run-1  completed/threshold at 2  aborted/iterations at 2  0  $0.00  bad  rejects bad work',
        '',
        '2 runs with 5 iterations: 1 rejects bad work, 1 stops earlier',
        'saved: 1 iteration, 0s, 0 tokens, $0.00 (2 runs with a known end)',
        '',
      ].join('\n'),
    )
    expect((await run(args)).stdout).toBe(stdout)
  })

  it('explains why a result is unknown', async () => {
    const { run } = await recordedRuns()
    const { stdout } = await run(['backtest', '--dir', 'api', '--set', 'promise=FERTIG'])
    expect(stdout).toContain('unknown')
    expect(stdout).toContain('cannot tell for 2 runs: the run expected another text in the promise tag (promise)\n')
    expect(stdout).toContain('saved: 0 iterations')
  })

  it('--all covers every project and reports a broken journal', async () => {
    const { run, folder } = await recordedRuns()
    const file = join(folder('api'), 'journal.jsonl')
    const args = ['backtest', '--all', '--set', 'limits.iterations=1']
    const both = await run([...args, '--json'])
    expect((both.json.runs as { project: string }[]).map(({ project: name }) => name.slice(0, 3))).toEqual([
      'api',
      'api',
      'web',
    ])
    expect((await run(args)).stdout).toMatch(/^project +run +recorded/m)
    writeFileSync(file, readFileSync(file, 'utf8').replace('"cub"', '"cuh"'))
    const { json, stderr } = await run([...args, '--json'])
    expect(stderr).toMatch(/^warning: Skipped api-\w+: .*damaged at line 1/)
    expect(json.runs).toHaveLength(1)
    expect(json.unreadable).toHaveLength(1)
  })

  it('--run selects one run', async () => {
    const { run, runs } = await recordedRuns()
    const id = (await runs('--set', 'hollowClaims=2'))[0]!.run
    const { json } = await run(['backtest', '--all', '--run', id, '--set', 'hollowClaims=2', '--json'])
    expect((json.runs as RunBacktest[]).map((each) => each.run)).toEqual([id])
  })

  it('ignores task types, with a warning', async () => {
    const { run, write } = await recordedRuns()
    write('kinds.json', JSON.stringify({ hollowClaims: 2, taskTypes: { docs: { required: [] } } }))
    const { stderr, code } = await run(['backtest', '--dir', 'api', '--config', 'kinds.json'])
    expect([code, stderr]).toEqual([0, 'warning: ../kinds.json: "taskTypes" is ignored; past runs keep theirs.\n'])
  })

  it('reports that there are no runs', async () => {
    const { code, stderr } = await project().run(['backtest', '--preset', 'cub'])
    expect([code, stderr]).toEqual([0, 'No runs here yet.\n'])
  })

  it.each([
    [[], 'Nothing to compare with. Pass --preset, --threshold, --set KEY=VALUE or --config FILE.'],
    [
      ['--preset', 'cab'],
      'flag --preset: "preset" must be one of default, cub, prp, doyaken, blackbox, gsd, ralph, not "cab". Did you mean "cub"?',
    ],
    [['--preset', 'default', '--threshold', '3'], 'flag --threshold: the preset "default" has no threshold.'],
    [['--threshold', 'many'], '--threshold must be a number, not "many".'],
    [['--set', 'hollowClaims'], '--set must be KEY=VALUE, for example breaker.noProgress=5, not "hollowClaims".'],
    [['--set', '=3'], '--set must be KEY=VALUE, for example breaker.noProgress=5, not "=3".'],
    [
      ['--set', '__proto__.preset=cub'],
      '--set must be KEY=VALUE, for example breaker.noProgress=5, not "__proto__.preset=cub".',
    ],
    [['--set', 'hollowClaim=3'], 'flag --set: unknown key "hollowClaim". Did you mean "hollowClaims"?'],
    [['--set', 'constructor.x=3'], /^flag --set: unknown key "constructor"/],
    [
      ['--set', 'breaker.noProgress=none'],
      /^flag --set: "breaker.noProgress" must be a whole number of at least 0 .*, not "none"/,
    ],
    [['--set', 'hollowClaims=many'], /^flag --set: "hollowClaims" must be a whole number of at least 1, not "many"/],
    [['--set', 'breaker=3'], /^flag --set: "breaker" must be an object with the keys .*, not 3/],
    [['--set', 'patterns=["("]'], /^flag --set: "patterns\[0\]" must be a regular expression .*, not "\("/],
    [['--config', 'none.json'], 'none.json: no such file. Check the path passed with --config.'],
    [['--run', 'nobody', '--preset', 'cub'], 'There is no run nobody here. exitgate log --events lists the runs.'],
  ] as [string[], string | RegExp][])('%j is refused', async (args, said) => {
    const { code, stderr } = await project().run(['backtest', ...args])
    expect([code, stderr.replace(/^error: /, '').trimEnd()]).toEqual([
      64,
      typeof said === 'string' ? said : expect.stringMatching(said),
    ])
  })
})
