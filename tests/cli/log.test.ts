import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ProjectRow } from '../../src/reports/history/statistics.ts'
import { DONE, GREEN, project, RED } from './run-cli.ts'

/** Two projects: `api` has rejected claims and then a verified run, `web` has an unfinished run. */
async function twoProjects() {
  const own = project({ 'out.txt': DONE, 'red.json': RED, 'green.json': GREEN, 'api/x': '', 'web/x': '' })
  const check = (dir: string, evidence: string, ...more: string[]) =>
    own.run(['check', '--dir', dir, '--transcript', 'out.txt', '--evidence', evidence, '--quiet', ...more])
  const limits = ['--max-iterations', '10']
  await check('api', 'red.json', ...limits)
  await check('api', 'red.json', ...limits)
  expect((await check('api', 'green.json', ...limits)).code).toBe(0)
  await check('web', 'red.json')
  const folder = (name: string) => join(own.state, readdirSync(own.state).find((each) => each.startsWith(`${name}-`))!)
  return { ...own, check, folder }
}

describe('exitgate log --all', () => {
  it('shows the newest run of every project, oldest first', async () => {
    const { run, folder } = await twoProjects()
    const { code, json } = await run(['history', '--all', '--json'])
    expect(code).toBe(0)
    expect(json.unreadable).toEqual([])
    const rows = json.projects as readonly ProjectRow[]
    const common = { preset: 'default', runs: 1, usd: 0 }
    expect(rows).toMatchObject([
      { ...common, outcome: 'completed', ending: 'verified', iterations: 3, claimsRefused: 2 },
      { ...common, iterations: 1, claimsRefused: 1 },
    ])
    expect(rows.map((row) => join(folder('api'), '..', row.project))).toEqual([folder('api'), folder('web')])
    expect((await run(['history', '--all', '--last', '1', '--json'])).json.projects).toHaveLength(1)
  })

  it('prints a table', async () => {
    const { run } = await twoProjects()
    const lines = (await run(['history', '--all'])).stdout.replace(/-[0-9a-f]{12}/g, '').split('\n')
    expect(lines[0]).toMatch(/^when \(UTC\) +project +run +preset +ending +iterations +time +cost +rejected$/)
    expect(lines[1]).toMatch(/^2026-01-02 03:04 +api +20260102-030406-1 +default +verified +3 +0s +- +2$/)
    expect(lines[2]).toMatch(/^2026-01-02 03:04 +web +\S+ +default +active +1 +0s +- +1$/)
  })

  const breaks: [name: string, damage: (folder: string) => void, said: RegExp][] = [
    ['a changed line', (folder) => spoil(join(folder, 'journal.jsonl')), /^warning: Skipped api-\w+: .*journal/],
    [
      'a folder instead of the file',
      (folder) => replaceByFolder(join(folder, 'journal.jsonl')),
      /^warning: Skipped api-\w+: /,
    ],
  ]
  it.each(breaks)('reports and skips a journal with %s', async (_name, damage, said) => {
    const { run, folder } = await twoProjects()
    const broken = `${folder('api')}-broken`
    cpSync(folder('api'), broken, { recursive: true })
    damage(folder('api'))
    for (const more of [[], ['--stats']]) {
      const { code, json, stderr } = await run(['history', '--all', '--json', ...more])
      expect(code).toBe(0)
      expect(stderr).toMatch(said)
      expect(json.unreadable).toMatchObject([{ project: expect.stringMatching(/^api-/) }])
      expect(json.projects).toHaveLength(2)
    }
  })

  it('reports that there are no runs', async () => {
    expect(await project().run(['history', '--all'])).toMatchObject({
      code: 0,
      stderr: 'No runs recorded yet.\n',
    })
  })

  it('ignores files and folders of other programs', async () => {
    const { run, state } = await twoProjects()
    writeFileSync(join(state, 'compiled.bin'), 'x')
    mkdirSync(join(state, 'other', 'deep'), { recursive: true })
    expect((await run(['history', '--all', '--json'])).json.projects).toHaveLength(2)
  })
})

describe('exitgate log --stats', () => {
  it('adds up all runs of this project, including those before a reset', async () => {
    const { run, check } = await twoProjects()
    await run(['reset', '--dir', 'api'])
    await check('api', 'green.json', '--max-iterations', '5')
    const { json } = await run(['history', '--dir', 'api', '--stats', '--json'])
    expect(json).toMatchObject({
      runs: 2,
      open: 0,
      endings: { 'completed/verified': 2 },
      iterations: 4,
      claimsRefused: 2,
      flaky: [],
      missing: [{ item: 'tests fail', times: 2 }],
    })
  })

  it('shows every project and the totals', async () => {
    const { run, folder } = await twoProjects()
    const flakes = { v: 1, tests: { 'adds now and then': { flaked: 2, runs: 9, at: 1 } }, trees: [] }
    writeFileSync(join(folder('web'), 'flakes.json'), JSON.stringify(flakes))
    const { json } = await run(['history', '--all', '--stats', '--json'])
    expect(json.all).toMatchObject({ runs: 2, open: 1, claimsRefused: 3, iterations: 4 })
    const shown = (await run(['history', '--all', '--stats'])).stdout.replace(/-[0-9a-f]{12}/g, '')
    expect(shown).toMatch(/^api\n {2}runs {5}1\n {2}endings {2}verified: 1\n/)
    expect(shown).toContain('  spent    3 iterations, 0s, tokens and cost unknown\n')
    expect(shown).not.toContain('saved')
    expect(shown).toContain('  flaky    adds now and then (2 of 9 runs)\n')
    expect(shown).toContain('\nall 2 projects\n  runs     2, 1 still active\n')
  })

  it.each([
    [['--events', '--all'], '--events shows one journal. Leave out --all and --stats.'],
    [['--stats', '--last', '3'], '--last is for lists. Leave it out with --stats.'],
  ])('%j is refused', async (args, said) => {
    expect(await project().run(['history', ...args])).toMatchObject({ code: 64, stderr: `error: ${said}\n` })
  })
})

/** Changes a byte in the first line, and invalidates the snapshot so that the line is read again. */
function spoil(file: string): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('"default"', '"defauIt"'))
  writeFileSync(join(file, '..', 'state.json'), '{}')
}

function replaceByFolder(file: string): void {
  rmSync(file)
  mkdirSync(file)
}
