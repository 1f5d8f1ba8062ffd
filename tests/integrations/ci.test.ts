import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { scrubbed } from '../../src/evidence/scrub-environment.ts'
import { project } from '../cli/run-cli.ts'

const AS_DETECTED = JSON.stringify({ name: 'sum', type: 'module', scripts: { test: 'node --test' } })
const COMMANDS = { test: 'sh check.sh' }
const PACKAGE = JSON.stringify({ ...JSON.parse(AS_DETECTED), exitgate: { commands: COMMANDS } })
const SOURCE = 'export const sum = (a, b) => a - b\n'
const FIXED = 'export const sum = (a, b) => a + b\n'
const TEST = `import assert from 'node:assert'
import { test } from 'node:test'
import { sum } from './sum.js'
test('adds', () => assert.equal(sum(2, 2), 4))
test('adds nothing', () => assert.equal(sum(2, 0), 2))
`
/** The same results without Node's test runner, which takes a hundred times longer. */
const CHECK = `if grep -q 'a + b' sum.js; then echo 'ok 1 - adds'; else echo 'not ok 1 - adds'; fi
echo 'ok 2 - adds nothing'
echo 1..2
grep -q 'a + b' sum.js
`
const SKIPPED = TEST.replace("test('adds',", "test.skip('adds',")

const gitIn =
  (dir: string) =>
  (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false', ...args], {
      cwd: dir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()

interface Prepared {
  readonly dir: string
  readonly base: string
  readonly tip: string
}
const prepared = new Map<string, Prepared>()
const folder = mkdtempSync(join(tmpdir(), 'exitgate-ci-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A repository in which the branch `agent` is about to leave `main`, and the target branch is known as in a clone. */
function prepare(files: Readonly<Record<string, string>>): Prepared {
  const dir = join(folder, String(prepared.size))
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const git = gitIn(dir)
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'start')
  const base = git('rev-parse', 'HEAD')
  git('branch', 'agent')
  // The target branch gets new commits meanwhile, which are not part of the change.
  write('other.txt', 'from somebody else\n')
  git('add', '-A')
  git('commit', '-qm', 'other')
  const tip = git('rev-parse', 'HEAD')
  git('update-ref', 'refs/remotes/origin/main', tip)
  git('checkout', '-q', 'agent')
  return { dir, base, tip }
}

/** A copy of such a repository, with the change committed on the branch `agent`. */
function repository(
  change: Readonly<Record<string, string | undefined>>,
  before: Readonly<Record<string, string>> = {},
) {
  const files = { 'package.json': PACKAGE, 'sum.js': SOURCE, 'sum.test.js': TEST, 'check.sh': CHECK, ...before }
  const key = JSON.stringify(files)
  const { dir, base, tip } = prepared.get(key) ?? prepare(files)
  prepared.set(key, { dir, base, tip })
  const place = project()
  cpSync(dir, place.dir, { recursive: true })
  for (const [name, text] of Object.entries(change)) {
    if (text === undefined) rmSync(join(place.dir, name))
    else place.write(name, text)
  }
  const git = gitIn(place.dir)
  git('add', '-A')
  git('commit', '-qm', 'work', '--allow-empty')
  return { ...place, git, base, tip }
}

type Place = ReturnType<typeof repository>

/** What a CI service tells a job about a pull request. */
function event(place: Place, pull: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const path = join(place.root, 'event.json')
  const base = { ref: 'main', sha: place.tip }
  writeFileSync(path, JSON.stringify({ action: 'opened', pull_request: { number: 7, draft: false, base, ...pull } }))
  const page = join(place.root, 'summary.md')
  writeFileSync(page, '')
  return { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: path, GITHUB_STEP_SUMMARY: page }
}
const pageOf = (env: Readonly<Record<string, string>>): string => readFileSync(env.GITHUB_STEP_SUMMARY ?? '', 'utf8')

describe('a pull request', () => {
  it('is verified if it does the work, with a test that fails without it', async () => {
    const place = repository(
      { 'sum.js': FIXED, 'sum.test.js': `${TEST}test('adds more', () => assert.equal(sum(3, 4), 7))\n` },
      { 'package.json': AS_DETECTED },
    )
    const env = event(place)
    const ran = await place.run(['check', '--ci', '--json'], env)
    expect(ran.json).toMatchObject({
      outcome: 'completed',
      ending: 'verified',
      rule: 'gate',
      signals: { claim: true, source: 'ci', claims: { ci: true } },
    })
    expect(ran.code).toBe(0)
    expect(ran.stderr).not.toContain('::error')
    expect(pageOf(env)).toMatch(/^## exitgate: verified\n/)
    expect(pageOf(env)).toContain(`Compared with \`${place.base.slice(0, 12)}\``)
    expect(pageOf(env)).toContain('Pull request 7 is the claim.')
    expect(pageOf(env)).toMatch(/\| tests \| pass \|/)
    expect(pageOf(env)).toMatch(/\| proven \| pass \|/)
  })

  const rows: [string, Record<string, string | undefined>, RegExp][] = [
    ['whose tests fail', { 'notes.md': 'x\n' }, /tests: /],
    ['that skips a test instead', { 'sum.test.js': SKIPPED }, /^tests weakened: .*sum\.test\.js:4/m],
    ['that removes the tests', { 'sum.js': FIXED, 'sum.test.js': undefined }, /test/],
    ['that changes nothing', {}, /chang/],
  ]
  it.each([
    [
      'that weakens a test instead',
      { 'sum.test.js': TEST.replace('equal(sum(2, 2), 4)', 'notEqual(sum(2, 2), undefined)') },
      /^tests weakened: sum\.test\.js:4/m,
    ],
    [
      'whose tests only print a summary',
      { 'package.json': AS_DETECTED.replace('node --test', "echo '# tests 2' '# pass 2'") },
      /^tests: 1 of 2 tests fail/m,
    ],
  ])('%s is refused: the original tests fail', async (_name, change, missing) => {
    const place = repository(change, { 'package.json': AS_DETECTED })
    const ran = await place.run(['check', '--ci', '--json'], event(place))
    expect([ran.code, (ran.json.missing as string[]).join('\n')]).toEqual([10, expect.stringMatching(missing)])
  })

  it.each(rows)('%s is refused', async (_name, change, missing) => {
    const place = repository(change)
    const ran = await place.run(['check', '--ci', '--json'], event(place))
    expect(ran.code).toBe(10)
    expect(ran.json.gate).toMatchObject({ claim: 'yes' })
    expect((ran.json.missing as string[]).join('\n')).toMatch(missing)
  })

  it('is annotated at the line that is wrong, and reported as SARIF', async () => {
    const place = repository({ 'sum.test.js': SKIPPED })
    const env = event(place)
    const ran = await place.run(['check', '--ci', '--sarif', 'out.sarif'], env)
    expect(ran.code).toBe(10)
    expect(ran.stdout).toMatch(/^::error file=sum\.test\.js,line=4,title=exitgate%3A test-skipped::/m)
    expect(pageOf(env)).toMatch(/\*\*blocks\*\* sum\.test\.js line 4 \(test-skipped\)/)
    const { version, runs } = JSON.parse(readFileSync(join(place.dir, 'out.sarif'), 'utf8'))
    expect(version).toBe('2.1.0')
    expect(runs[0].results).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ruleId: 'test-skipped',
          level: 'error',
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: 'sum.test.js', uriBaseId: '%SRCROOT%' },
                region: { startLine: 4 },
              },
            },
          ],
        }),
      ]),
    )
  })

  it('claims nothing as a draft, unless the caller claims it', async () => {
    const place = repository({ 'sum.js': FIXED })
    const env = event(place, { draft: true })
    const draft = await place.run(['check', '--ci', '--json'], env)
    expect([draft.code, draft.json.gate]).toEqual([10, { claim: 'unknown', proof: 'yes' }])
    expect(pageOf(env)).toContain('is a draft, so it makes no claim')
    expect((await place.run(['check', '--ci', '--claim', '--json'], env)).code).toBe(0)
  })

  it('is rejected if its plan has open items, and the plan is named', async () => {
    const place = repository({ 'sum.js': FIXED }, { 'PLAN.md': '- [x] sum\n- [ ] product\n' })
    const ran = await place.run(['check', '--ci', '--plan', 'PLAN.md', '--sarif', 'out.sarif'], event(place))
    expect(ran.code).toBe(10)
    expect(ran.stdout).toMatch(/^::error file=PLAN\.md,title=exitgate%3A plan::/m)
    const { results } = JSON.parse(readFileSync(join(place.dir, 'out.sarif'), 'utf8')).runs[0]
    expect(results[0]).toMatchObject({ ruleId: 'checklist' })
  })

  it('is judged on its own: rejections of other changes do not add up', async () => {
    const place = repository({ 'notes.md': 'x\n' })
    const codes: number[] = []
    place.write('ev.json', JSON.stringify({ tests: { answer: 'no', counts: { total: 2, passed: 1, failed: 1 } } }))
    const args = ['check', '--ci', '--quiet', '--evidence', 'ev.json']
    for (let i = 0; i < 4; i++) codes.push((await place.run(args, event(place))).code)
    expect(codes).toEqual([10, 10, 10, 10])
  })
})

describe('the configuration of a pull request', () => {
  const LENIENT = JSON.stringify({
    required: [],
    evidence: { allow: [{ file: '**', reason: 'because I say so' }] },
  })
  const places: [string, Record<string, string>][] = [
    ['exitgate.config.json', { 'exitgate.config.json': LENIENT }],
    ['package.json', { 'package.json': JSON.stringify({ ...JSON.parse(PACKAGE), exitgate: JSON.parse(LENIENT) }) }],
  ]
  it.each(places)('in %s does not count: the one of its base does', async (_name, files) => {
    const place = repository({ 'sum.test.js': SKIPPED, ...files })
    const ran = await place.run(['check', '--ci', '--json'], event(place))
    expect(ran.code).toBe(10)
    expect((ran.json.missing as string[]).join('\n')).toMatch(/^tests weakened: /m)
  })

  it('of the base counts, even if the change removed it', async () => {
    const plan = JSON.stringify({ plan: 'PLAN.md', commands: COMMANDS })
    const place = repository(
      { 'sum.js': FIXED, 'exitgate.config.json': undefined },
      { 'package.json': AS_DETECTED, 'PLAN.md': '- [ ] sum\n', 'exitgate.config.json': plan },
    )
    const ran = await place.run(['check', '--ci', '--json'], event(place))
    expect(ran.code).toBe(10)
    expect((ran.json.missing as string[]).join('\n')).toMatch(/^plan: /m)
  })

  it('is read from the base even if it is requested by name', async () => {
    const place = repository(
      { 'sum.js': FIXED, 'gate.json': '{"required":[]}' },
      { 'old.json': JSON.stringify({ plan: 'PLAN.md', commands: COMMANDS }) },
    )
    const wrong = await place.run(['check', '--ci', '--config', 'gate.json'], event(place))
    expect([wrong.code, wrong.stdout]).toEqual([64, ''])
    expect(wrong.stderr).toMatch(/--config gate\.json is not in [0-9a-f]{12}\. A pull request is checked with/)
    const right = await place.run(['check', '--ci', '--config', 'old.json', '--json'], event(place))
    expect((right.json.missing as string[]).join('\n')).toMatch(/^plan: /m)
  })

  it('may name another preset than the rules for pull requests', async () => {
    const place = repository(
      { 'sum.js': FIXED },
      { 'package.json': AS_DETECTED, 'exitgate.config.json': JSON.stringify({ preset: 'ralph', commands: COMMANDS }) },
    )
    expect((await place.run(['check', '--ci', '--json'], event(place))).json).toMatchObject({
      preset: 'default',
      exitCode: 0,
    })
  })
})

describe('the base of the comparison', () => {
  it('is the merge base of --base, and without a CI service the summary is printed', async () => {
    const place = repository({ 'sum.js': FIXED })
    const ran = await place.run(['check', '--ci', '--base', 'main'])
    expect(ran.code).toBe(0)
    // No test is new.
    expect(ran.stdout).toMatch(/^Passed, not proven: the pull request claims it is done, 2 of 2 tests pass/)
    expect(ran.stdout).toContain('## exitgate: passed, not proven')
    expect(ran.stdout).toContain(place.base.slice(0, 12))
    expect(ran.stdout).not.toContain('::')
  })

  it('is found with GITHUB_BASE_REF alone', async () => {
    const place = repository({ 'sum.js': FIXED })
    expect((await place.run(['check', '--ci', '--quiet'], { GITHUB_BASE_REF: 'main' })).code).toBe(0)
  })

  it('is not a tag with the name of the branch', async () => {
    const place = repository({ 'sum.test.js': SKIPPED })
    place.git('tag', 'origin/main', 'agent')
    place.git('tag', 'main', 'agent')
    expect((await place.run(['check', '--ci', '--json'], { GITHUB_BASE_REF: 'main' })).json).toMatchObject({
      exitCode: 10,
    })
  })

  it('is reported with paths from the root, also when run in a subfolder', async () => {
    const place = repository(
      { 'pkg/sum.test.js': SKIPPED },
      { 'pkg/package.json': PACKAGE, 'pkg/check.sh': CHECK, 'pkg/sum.js': FIXED, 'pkg/sum.test.js': TEST },
    )
    const ran = await place.run(['check', '--ci', '--dir', 'pkg'], event(place))
    expect(ran.stdout).toMatch(/^::error file=pkg\/sum\.test\.js,line=4,/m)
  })

  const missing: [string, (place: Place) => { args?: string[]; env: Record<string, string> }, RegExp][] = [
    ['nobody says what', () => ({ env: {} }), /doesn't know what to compare with\. Pass --base REV/],
    ['--base is no commit', () => ({ args: ['--base', 'nope'], env: {} }), /--base nope is not a commit in this clone/],
    ['--base is an option', () => ({ args: ['--base=--all'], env: {} }), /--base --all is not a commit/],
    [
      'the branch is not there',
      () => ({ env: { GITHUB_BASE_REF: 'gone' } }),
      /target branch gone is not in this clone\. Check out with fetch-depth: 0/,
    ],
    [
      'its name is an option',
      () => ({ env: { GITHUB_BASE_REF: '--upload-pack=x' } }),
      /target branch --upload-pack=x is not in this clone/,
    ],
    [
      'the event is no JSON',
      (place) => {
        writeFileSync(join(place.root, 'event.json'), '{')
        return { env: { GITHUB_EVENT_PATH: join(place.root, 'event.json') } }
      },
      /GITHUB_EVENT_PATH .*event\.json can't be read: .*\. Unset it and pass --base REV\./,
    ],
    [
      'there is no event',
      (place) => ({ env: { GITHUB_EVENT_PATH: join(place.root, 'none.json') } }),
      /none\.json can't be read/,
    ],
    [
      'nothing is in common',
      (place) => {
        place.git('checkout', '-q', '--orphan', 'alone')
        place.git('commit', '-qm', 'alone')
        return { args: ['--base', 'main'], env: {} }
      },
      /HEAD and main have no common commit/,
    ],
  ]
  it.each(missing)('is missing: one sentence says so when %s', async (_name, prepare, said) => {
    const place = repository({ 'sum.js': FIXED })
    const { args = [], env } = prepare(place)
    const ran = await place.run(['check', '--ci', ...args], env)
    expect([ran.code, ran.stdout]).toEqual([64, ''])
    expect(ran.stderr).toMatch(said)
    expect(ran.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('is missing in a shallow clone of a fork, and the message says so', async () => {
    const place = repository({ 'sum.js': FIXED })
    const env = event(place)
    const clone = join(place.root, 'clone')
    place.git('clone', '-q', '--depth', '1', '--branch', 'agent', `file://${place.dir}`, clone)
    const alone = await place.run(['check', '--ci', '--dir', clone], env)
    expect(alone.code).toBe(64)
    expect(alone.stderr).toMatch(
      /target branch main is not in this clone\. Check out with fetch-depth: 0, or run git fetch origin main/,
    )
    place.git('-C', clone, 'fetch', '-q', '--depth', '1', 'origin', 'main:refs/remotes/origin/main')
    const fetched = await place.run(['check', '--ci', '--dir', clone], env)
    expect(fetched.code).toBe(64)
    expect(fetched.stderr).toMatch(/This shallow clone does not contain the merge base with main/)
  })

  it('needs a repository', async () => {
    const { run } = project({ 'a.txt': 'x' })
    const ran = await run(['check', '--ci', '--base', 'main'])
    expect(ran.code).toBe(64)
    expect(ran.stderr).toMatch(/check --ci needs a git repository with at least one commit/)
  })
})

describe('a change that tries to send commands to the runner', () => {
  it('cannot do so with the name of a file', async ({ skip }) => {
    skip(process.platform === 'win32', 'such file names are not possible there')
    const name = 'a,line=9::x\n::set-output name=a::b##[add-mask]c %0A.test.js'
    const place = repository({ [name]: SKIPPED, 'sum.js': FIXED }, { [name]: TEST })
    const env = event(place)
    const ran = await place.run(['check', '--ci', '--sarif', 'out.sarif'], env)
    expect(ran.code).toBe(10)
    const commands = ran.stdout.split(/\r?\n/).filter((line) => line.trim().startsWith('::'))
    expect(commands.length).toBeGreaterThan(0)
    expect(
      commands.every((line) => /^::(?:error|warning) (?:file=[^,:]*,(?:line=\d+,)?)?title=[^,:]*::/.test(line)),
    ).toBe(true)
    expect(commands[0]).toContain('file=a%2Cline=9%3A%3Ax%0A%3A%3Aset-output name=a%3A%3Bb'.slice(0, 40))
    // Nor may the older form be anywhere outside our own commands.
    expect(ran.stdout.split('\n').filter((line) => !line.startsWith('::') && line.includes('##['))).toEqual([])
    expect(ran.stderr).not.toMatch(/^\s*::|##\[/m)
    expect(pageOf(env)).not.toMatch(/\n::|<img/)
    const { results } = JSON.parse(readFileSync(join(place.dir, 'out.sarif'), 'utf8')).runs[0]
    const { uri } = results[0].locations[0].physicalLocation.artifactLocation
    expect(uri).toMatch(/^[\w.%!~*'()-]+$/)
    expect(decodeURIComponent(uri)).toBe(name)
  })

  const links = ['--sarif', 'GITHUB_STEP_SUMMARY'] as const
  it.each(links)('cannot do so with a link in place of %s', async (which) => {
    const place = repository({ 'sum.js': FIXED })
    const target = join(place.root, 'precious')
    writeFileSync(target, 'mine\n')
    const path = join(place.root, 'link')
    symlinkSync(target, path)
    const env = { ...event(place), ...(which === '--sarif' ? {} : { GITHUB_STEP_SUMMARY: path }) }
    const ran = await place.run(['check', '--ci', ...(which === '--sarif' ? ['--sarif', path] : [])], env)
    expect(ran.code).toBe(64)
    expect(ran.stderr).toMatch(/can't be written: it is a symbolic link\. Pass a file in an existing folder\./)
    expect(readFileSync(target, 'utf8')).toBe('mine\n')
  })

  it('cannot do so from its tests', () => {
    const files = ['ENV', 'PATH', 'OUTPUT', 'STATE', 'STEP_SUMMARY'].map((name) => `GITHUB_${name}`)
    const env = Object.fromEntries([...files, 'GITHUB_SHA'].map((name) => [name, 'x']))
    expect(scrubbed(env)).toEqual({ GITHUB_SHA: 'x', CI: 'true' })
  })
})

describe('a claim by another command', () => {
  const evidence = JSON.stringify({ tests: { answer: 'yes', counts: { total: 1, passed: 1, failed: 0 } } })
  const rows: [string, string, string[], number, string][] = [
    ['is missing without --claim', 'Fine.\n', [], 10, 'none'],
    ['is the caller’s with it', 'Fine.\n', ['--claim'], 0, 'caller'],
    ['leaves the agent its own', 'EXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n', ['--claim'], 0, 'exit-status'],
    ['does not outvote a no', 'EXIT_STATUS: CONTINUE\n', ['--claim'], 10, 'exit-status'],
  ]
  it.each(rows)('%s', async (_name, said, flags, code, source) => {
    const { run } = project({ 'out.txt': said, 'ev.json': evidence })
    const ran = await run(['check', '--transcript', 'out.txt', '--evidence', 'ev.json', '--json', ...flags])
    expect([ran.code, (ran.json.signals as { source: string }).source]).toEqual([code, source])
  })

  it('is not an option of next, and --sarif needs --ci', async () => {
    const { run, dir } = project()
    expect((await run(['next', '--claim'])).stderr).toMatch(/Unknown option --claim\./)
    expect((await run(['check', '--sarif', 'x.sarif'])).stderr).toMatch(/--sarif needs --ci\./)
    expect(existsSync(join(dir, 'x.sarif'))).toBe(false)
  })
})
