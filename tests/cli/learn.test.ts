import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, readJournal } from '../../src/journal/read.ts'
import { happenings, type MadeRun } from '../learning/made-runs.ts'
import { DONE, GREEN, project } from './run-cli.ts'

const times = (many: number, run: MadeRun): readonly MadeRun[] => Array.from({ length: many }, () => run)
const won: MadeRun['turns'] = [{ tree: 'a' }, { claim: true, tests: 'yes', tree: 'b' }]
const refused = ['a', 'b', 'c', 'd'].map((tree) => ({ claim: true, tests: 'no' as const, tree }))

/** Twenty good completions, ten bad ones, and ten runs that never completed. */
const ENOUGH: readonly MadeRun[] = [
  ...times(20, { turns: won, label: 'good' }),
  ...times(10, { turns: won, label: 'bad' }),
  ...times(10, { turns: refused, label: 'bad' }),
]

/** Every event is synced to the disk, so the same runs are recorded only once. */
const recorded = new Map<readonly MadeRun[], string>()
afterAll(() => {
  for (const dir of recorded.values()) rmSync(dir, { recursive: true })
})
function journalOf(runs: readonly MadeRun[], dir: string): void {
  const before = recorded.get(runs)
  if (before !== undefined) {
    cpSync(before, dir, { recursive: true })
    return
  }
  const journal = openJournal(dir)
  for (const { at, happening } of happenings(runs)) journal.append([happening], at)
  journal.close()
  const kept = mkdtempSync(join(tmpdir(), 'exitgate-learn-'))
  cpSync(dir, kept, { recursive: true })
  recorded.set(runs, kept)
}

async function withRuns(runs: readonly MadeRun[], files: Readonly<Record<string, string>> = {}) {
  const work = project({ 'said.txt': DONE, 'green.json': GREEN, ...files })
  const { dir } = (await work.run(['state', '--json'])).json as { dir: string }
  journalOf(runs, dir)
  work.pass(30 * 86_400_000)
  return { ...work, journal: dir }
}

describe('learn', () => {
  it('reports how many labels are missing, and stores nothing', async () => {
    const work = await withRuns(times(3, { turns: won, label: 'good' }))
    expect(await work.run(['learn'])).toMatchObject({
      code: 0,
      stdout:
        '3 labelled runs: 3 good, 0 bad\nNot enough labels: 27 more labelled runs, 2 more labelled good, 5 more labelled bad needed (learning.minimumLabels). The fixed weights stay.\n',
    })
    expect(existsSync(join(work.journal, 'calibration.json'))).toBe(false)
    expect(await work.run(['learn', '--apply'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('Not enough labels'),
    })
  })

  it('shows the calibration, and the next run uses it', async () => {
    const work = await withRuns(ENOUGH)
    const { stdout, code } = await work.run(['learn'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^40 labelled runs: 20 good, 20 bad\n/)
    expect(stdout).toMatch(
      /fixed weights +Brier 0\.\d{3}, calibration error 0\.\d{3}\n {2}platt +Brier 0\.\d{3}.*\(used from now on\)/,
    )
    expect(stdout).toMatch(/predicted +\d+, actual +\d+ {2}[#.]{20} {2}\d+ runs\n/)
    expect(stdout).toContain(
      'hollowClaims 3 -> 1: 20 iterations saved, no other completion lost (40 runs, 40 labelled)',
    )
    await work.run(['check', '--transcript', 'said.txt', '--evidence', 'green.json'])
    const { state } = readJournal(work.journal)
    expect(state.config?.calibration).toMatchObject({ kind: 'logistic', labels: 40 })
    const { confidence = 100, 'confidence.fixed': fixed } = state.last?.verdict.measures ?? {}
    expect([confidence > 50 && confidence < 80, fixed, state.ended?.ending]).toEqual([true, 100, 'verified'])
    expect((await work.run(['replay', '--json'])).code).toBe(0)
  })

  it('removes a calibration that is no longer better', async () => {
    const work = await withRuns(ENOUGH)
    await work.run(['learn'])
    expect(existsSync(join(work.journal, 'calibration.json'))).toBe(true)
    const names = [...readEvents(work.journal)].flatMap((event) => (event.type === 'run.started' ? [event.run] : []))
    for (const name of names.slice(20, 30)) await work.run(['label', name, 'good'])
    await work.run(['learn', '--json'])
    const kept = existsSync(join(work.journal, 'calibration.json'))
    const { fixed, tried } = (await work.run(['learn', '--json'])).json as {
      fixed: { brier: number }
      tried: { brier: number }[]
    }
    expect(kept).toBe(tried.some(({ brier }) => brier < fixed.brier))
  })

  it('removes the calibration when no labels are left', async () => {
    const work = await withRuns(
      ENOUGH.map((run, at) => (at < 30 ? run : { turns: run.turns })),
      {
        'exitgate.config.json': '{"learning": {"minimumLabels": 30}}\n',
      },
    )
    await work.run(['learn'])
    expect(existsSync(join(work.journal, 'calibration.json'))).toBe(true)
    const journal = openJournal(work.journal)
    const names = [...readEvents(work.journal)].flatMap((event) => (event.type === 'run.started' ? [event.run] : []))
    for (const run of names)
      journal.append([{ type: 'labelled', run, label: 'none', source: 'person', by: 'Ann', reason: 'x' }], Date.now())
    journal.close()
    expect((await work.run(['learn'])).stdout).toMatch(/^0 labelled runs/)
    expect(existsSync(join(work.journal, 'calibration.json'))).toBe(false)
  })

  it('prints JSON', async () => {
    const work = await withRuns(ENOUGH)
    expect((await work.run(['learn', '--json'])).json).toMatchObject({
      labels: { good: 20, bad: 20 },
      missing: { labels: 0, good: 0, bad: 0 },
      chosen: 'platt',
      calibration: { kind: 'logistic', labels: 40 },
      suggestions: [{ path: ['hollowClaims'], from: 3, to: 1, runs: 40, opensMoreEasily: false }],
    })
  })

  it.each<[string, string, string, string]>([
    [
      'JSON',
      'exitgate.config.json',
      '{\n  "hollowClaims": 3, // as ever\n  "preset": "default"\n}\n',
      '{\n  "hollowClaims": 1, // as ever\n  "preset": "default"\n}\n',
    ],
    [
      'JSON without the key',
      'exitgate.config.json',
      '{\n  "preset": "default"\n}\n',
      '{\n  "preset": "default",\n  "hollowClaims": 1\n}\n',
    ],
    [
      'YAML',
      'exitgate.config.yaml',
      '# ours\npreset: default\n\nhollowClaims: 3 # as ever\n',
      '# ours\npreset: default\n\nhollowClaims: 1 # as ever\n',
    ],
    [
      'YAML without the key',
      'exitgate.config.yaml',
      "# ours\npreset:   'default'\npatterns:\n- a\n- b\n",
      "# ours\nhollowClaims: 1\npreset:   'default'\npatterns:\n- a\n- b\n",
    ],
    [
      'YAML with unusual formatting',
      'exitgate.config.yaml',
      'breaker:\r\n    noProgress: 3   # odd\r\nhollowClaims:    3    # too\r\n',
      'breaker:\r\n    noProgress: 3   # odd\r\nhollowClaims:    1    # too\r\n',
    ],
    ['YAML in one line', 'exitgate.config.yaml', '{preset: default}\n', '{hollowClaims: 1, preset: default}\n'],
    ['YAML with only a comment', 'exitgate.config.yaml', '# later', '# later\nhollowClaims: 1\n'],
    [
      'package.json',
      'package.json',
      '{"name":"x","exitgate":{"hollowClaims":3}}\n',
      '{"name":"x","exitgate":{"hollowClaims":1}}\n',
    ],
  ])('--apply changes only the chosen setting in %s, after confirmation', async (_name, file, before, after) => {
    const text = file.endsWith('.json') ? before.replace(' // as ever', '') : before
    const expected = file.endsWith('.json') ? after.replace(' // as ever', '') : after
    const work = await withRuns(ENOUGH, { [file]: text })
    const shown = await work.run(['learn', '--apply', 'hollowClaims'])
    expect([shown.code, readFileSync(join(work.dir, file), 'utf8')]).toEqual([0, text])
    expect(shown.stdout).toMatch(/^\+.*hollowClaims.*1/m)
    expect(shown.stdout).toMatch(/Nothing was written\. Use --yes to write it\.\n$/)
    const done = await work.run(['learn', '--apply', '--yes'])
    expect([done.code, readFileSync(join(work.dir, file), 'utf8')]).toEqual([0, expected])
  })

  it('--apply creates the configuration file if there is none', async () => {
    const work = await withRuns(ENOUGH)
    expect((await work.run(['learn', '--apply', '--yes', '--json'])).json).toMatchObject({
      written: true,
      file: 'exitgate.config.json',
    })
    expect(readFileSync(join(work.dir, 'exitgate.config.json'), 'utf8')).toBe('{\n  "hollowClaims": 1\n}\n')
    expect((await work.run(['config', '--json'])).code).toBe(0)
  })

  it.each<[string, readonly string[], string]>([
    [
      'a name that is not suggested',
      ['learn', '--apply', 'required'],
      '"required" is not a suggestion. Suggested: hollowClaims.',
    ],
    [
      'a name without --apply',
      ['learn', 'hollowClaims'],
      'Unexpected argument "hollowClaims". Did you mean --apply hollowClaims?',
    ],
    ['--yes alone', ['learn', '--yes'], '--yes needs --apply.'],
  ])('refuses %s', async (_name, args, sentence) => {
    const work = await withRuns(ENOUGH)
    expect(await work.run(args)).toMatchObject({ code: 64, stdout: '', stderr: `error: ${sentence}\n` })
  })

  it.each(['CLAUDECODE', 'EXITGATE_RUN', 'EXITGATE_CHECK'])('is refused for agents (%s)', async (mark) => {
    const work = await withRuns(ENOUGH, { 'exitgate.config.json': '{}\n' })
    const { code, stderr } = await work.run(['learn', '--apply', '--yes'], { [mark]: '1' })
    expect([code, stderr]).toEqual([
      64,
      `error: Refused: an agent can't use exitgate lab learn (${mark} is set). Run it in your own terminal.\n`,
    ])
    expect(readFileSync(join(work.dir, 'exitgate.config.json'), 'utf8')).toBe('{}\n')
    expect(existsSync(join(work.journal, 'calibration.json'))).toBe(false)
  })
})

describe('labels in other commands', () => {
  it('log --stats shows how far the reported confidence was off, and a diagram', async () => {
    const work = await withRuns(ENOUGH)
    const { stdout } = await work.run(['history', '--stats'])
    expect(stdout).toContain('20 good, 20 bad; the confidence was off by about 60 of 100 points')
    expect(stdout).toMatch(/ 90-100 % {2}predicted 100, actual {2}67 {2}#{13}\.{7} {2}30 runs\n/)
    expect((await work.run(['history', '--stats', '--json'])).json).toMatchObject({
      reliability: { good: 20, bad: 20, brier: expect.closeTo(0.355625, 9) },
    })
    const none = await withRuns([{ turns: won }])
    expect((await none.run(['history', '--stats'])).stdout).not.toMatch(/labels|Brier/)
  })

  it('the report shows the label', async () => {
    const work = await withRuns([...ENOUGH, { turns: won }])
    await work.run(['label', 'last', 'bad', '--reason', 'the <b>export</b> is empty'])
    const { stdout } = await work.run(['report', '--format', 'markdown', '--out', '-'])
    expect(stdout).toContain('This run is labelled bad by the user: the &#60;b&#62;export&#60;/b&#62; is empty')
    const page = (await work.run(['report', '--out', '-'])).stdout
    expect(page).toContain('"label":{"label":"bad"')
    expect(page).not.toContain('<b>export</b>')
  })

  it('a report without labels does not mention them', async () => {
    const work = await withRuns([{ turns: won }])
    const { stdout } = await work.run(['report', '--format', 'json'])
    expect(stdout).not.toMatch(/"label"/)
  })
})
