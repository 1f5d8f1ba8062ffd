import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { root } from './source-tree.ts'

/** A fake npm. It logs its calls, and installs a minimal builder and program. */
const fakeNpm = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
appendFileSync('calls.log', 'npm ' + process.argv[2] + '\\n')
if (process.env.FAKE_NPM_FAILS) {
  console.error(process.env.FAKE_NPM_FAILS)
  process.exit(9)
}
mkdirSync('node_modules/tsdown/dist', { recursive: true })
writeFileSync('node_modules/tsdown/dist/run.mjs', ${JSON.stringify(`
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
appendFileSync('calls.log', 'build\\n')
if (readFileSync('src/a.ts', 'utf8').includes('broken')) process.exit(3)
mkdirSync(process.env.DIST + '/cli', { recursive: true })
writeFileSync(process.env.DIST + '/cli/cli.cjs', readFileSync('src/a.ts'))
`)})
`

const program = `
process.on('SIGTERM', () => process.exit(42))
console.log('ran ' + process.argv.slice(2).join(' '))
if (process.argv.includes('wait')) setInterval(() => {}, 1000)
if (process.argv.includes('fail')) process.exitCode = 5
`

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A minimal project with the real scripts. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-bootstrap-'))
  folders.push(folder)
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
  const files = {
    'npm-cli.js': fakeNpm,
    'package.json': '{ "type": "module" }',
    'package-lock.json': '{ "packages": { "": {}, "node_modules/a": { "version": "1.0.0" } } }',
    'tsconfig.json': '{}',
    'tsdown.config.ts': '',
    'src/a.ts': program,
    'calls.log': '',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

function environment(folder: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, npm_execpath: join(folder, 'npm-cli.js'), ...more }
}

function bootstrap(
  folder: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const argv = [join(folder, 'scripts', 'bootstrap.mjs'), ...args]
    const child = execFile(process.execPath, argv, { env: environment(folder, more) }, (error, out, err) => {
      resolve({ code: error === null ? 0 : (child.exitCode ?? -1), out, err })
    })
  })
}

/** Creates the lock that a bootstrap in that process would hold. */
function hold(folder: string, pid: number | undefined): string {
  const lock = join(folder, '.tools', 'bootstrap.lock')
  mkdirSync(lock, { recursive: true })
  writeFileSync(join(lock, 'holder.json'), JSON.stringify({ pid, host: hostname() }))
  return lock
}

function calls(folder: string): string[] {
  return readFileSync(join(folder, 'calls.log'), 'utf8').split('\n').filter(Boolean)
}

describe('the bootstrap', () => {
  it('installs and builds what is missing, once, and passes on the other arguments', async () => {
    const folder = project()
    expect(await bootstrap(folder, ['start', '--flag'])).toMatchObject({ code: 0, out: 'ran demo --flag\n' })
    expect(calls(folder)).toEqual(['npm ci', 'build'])
    expect(await bootstrap(folder, ['start'])).toMatchObject({ code: 0, out: 'ran demo\n', err: '' })
    expect(calls(folder)).toEqual(['npm ci', 'build'])
  })

  const changes: [string, (folder: string) => void, string[]][] = [
    ['a changed lock file', (folder) => appendFileSync(join(folder, 'package-lock.json'), '\n'), ['npm ci', 'build']],
    ['a changed source file', (folder) => appendFileSync(join(folder, 'src/a.ts'), '\n'), ['build']],
    ['a new source file', (folder) => writeFileSync(join(folder, 'src/b.ts'), ''), ['build']],
    ['a damaged build', (folder) => writeFileSync(join(folder, 'dist/cli/cli.cjs'), ''), ['build']],
    ['a deleted build', (folder) => rmSync(join(folder, 'dist'), { recursive: true }), ['build']],
    ['deleted packages', (folder) => rmSync(join(folder, 'node_modules'), { recursive: true }), ['npm ci', 'build']],
    ['nothing', () => {}, []],
  ]
  it.each(changes)('after %s repeats only the necessary steps', async (_, change, expected) => {
    const folder = project()
    await bootstrap(folder, ['build'])
    writeFileSync(join(folder, 'calls.log'), '')
    change(folder)
    expect(await bootstrap(folder, ['start'])).toMatchObject({ code: 0, out: 'ran demo\n' })
    expect(calls(folder)).toEqual(expected)
  })

  const byHand: [string, string, string[]][] = [
    ['keeps packages that you installed yourself', '1.0.0', []],
    ['replaces packages of another version', '1.0.1', ['npm ci']],
  ]
  it.each(byHand)('%s', async (_, version, expected) => {
    const folder = project()
    mkdirSync(join(folder, 'node_modules/a'), { recursive: true })
    const inner = { packages: { 'node_modules/a': { version } } }
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(inner))
    expect((await bootstrap(folder, ['install'])).code).toBe(0)
    expect(calls(folder)).toEqual(expected)
  })

  it('does the work once for several simultaneous starts', async () => {
    const folder = project()
    const ended = await Promise.all([1, 2, 3].map(() => bootstrap(folder, ['start'])))
    expect(ended.map(({ code, out }) => [code, out])).toEqual([1, 2, 3].map(() => [0, 'ran demo\n']))
    expect(calls(folder)).toEqual(['npm ci', 'build'])
  })

  it('waits while the process that holds the lock is alive', async () => {
    const folder = project()
    const lock = hold(folder, process.pid)
    const argv = [join(folder, 'scripts', 'bootstrap.mjs'), 'start']
    const child = spawn(process.execPath, argv, { env: environment(folder), stdio: ['ignore', 'ignore', 'pipe'] })
    const [words] = await once(child.stderr, 'data')
    expect(String(words)).toBe(`exitgate: waiting for another bootstrap (process ${process.pid})\n`)
    expect(calls(folder)).toEqual([])
    rmSync(lock, { recursive: true })
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(calls(folder)).toEqual(['npm ci', 'build'])
  })

  it('takes the lock of a process that has exited', async () => {
    const folder = project()
    const gone = spawn(process.execPath, ['-e', '0'])
    await once(gone, 'exit')
    hold(folder, gone.pid)
    expect(await bootstrap(folder, ['start'])).toMatchObject({ code: 0, out: 'ran demo\n' })
  })

  const failures: [string, string, Record<string, string>, number, RegExp][] = [
    [
      'no network',
      '',
      { FAKE_NPM_FAILS: 'npm error code ENOTFOUND' },
      1,
      /^[^\n]*\nexitgate: Can't fetch the packages: [^\n]*\n$/,
    ],
    [
      'another npm error',
      '',
      { FAKE_NPM_FAILS: 'npm error code EUSAGE' },
      1,
      /EUSAGE\nexitgate: npm ci failed with exit code 9/,
    ],
    ['a failed build', 'broken', {}, 1, /exitgate: The build failed with exit code 3/],
  ]
  it.each(failures)('explains the failure: %s', async (_, source, more, code, words) => {
    const folder = project()
    if (source) writeFileSync(join(folder, 'src/a.ts'), source)
    const ended = await bootstrap(folder, ['start'], more)
    expect(ended).toMatchObject({ code, out: '' })
    expect(ended.err).toMatch(words)
  })

  const codes: [string[], number][] = [
    [['start', 'fail'], 5],
    [['install'], 0],
    [['dance'], 64],
    [[], 64],
  ]
  it.each(codes)('%j ends with %i', async (args, code) => {
    expect((await bootstrap(project(), args)).code).toBe(code)
  })

  it("forwards a signal and exits with the program's exit code", async () => {
    const folder = project()
    await bootstrap(folder, ['build'])
    const argv = [join(folder, 'scripts', 'bootstrap.mjs'), 'start', 'wait']
    const child = spawn(process.execPath, argv, { env: environment(folder), stdio: ['ignore', 'pipe', 'ignore'] })
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([42, null])
  })
})

describe('the last lines of npm test', async () => {
  interface Report {
    passed: number
    failed: number
    skipped: { file: string; name: string; reason: string }[]
    brokenFiles: string[]
    unhandled: number
    failures?: { file: string; name: string; message?: string }[]
  }
  type ClosingLines = (report: Report | undefined, run: { code: number; filtered?: boolean }) => string[]
  const script = join(root, 'scripts', 'closing-line.mjs')
  type LinesOfTwo = (all: string, bare: string) => string[]
  const { closingLines, linesOfTwo }: { closingLines: ClosingLines; linesOfTwo: LinesOfTwo } = await import(script)

  const skippedTest = { file: 'tests/a.test.ts', name: 'a > b', reason: 'no such tool here' }
  const passing: Report = { passed: 3, failed: 0, skipped: [], brokenFiles: [], unhandled: 0 }
  const rows: [string, Report | undefined, { code: number; filtered?: boolean }, string[]][] = [
    ['all tests passed', passing, { code: 0 }, ['3 passed, 0 failed']],
    ['some tests failed', { ...passing, failed: 2 }, { code: 1 }, ['3 passed, 2 failed']],
    [
      'failed tests with name and message, after the skipped ones',
      {
        ...passing,
        failed: 2,
        skipped: [skippedTest],
        failures: [
          { file: 'tests/a.test.ts', name: 'a > b' },
          { file: 'tests/a.test.ts', name: 'c', message: 'expected 1 to be 2' },
        ],
      },
      { code: 1 },
      [
        'skipped: tests/a.test.ts > a > b: no such tool here',
        'failed: tests/a.test.ts > a > b',
        'failed: tests/a.test.ts > c',
        '        expected 1 to be 2',
        '3 passed, 2 failed, 1 skipped',
      ],
    ],
    [
      'skipped tests',
      { ...passing, skipped: [skippedTest, { ...skippedTest, reason: '' }] },
      { code: 0 },
      [
        'skipped: tests/a.test.ts > a > b: no such tool here',
        'skipped: tests/a.test.ts > a > b: no reason given',
        '3 passed, 0 failed, 2 skipped',
      ],
    ],
    [
      'tests skipped for the same reason',
      {
        ...passing,
        skipped: [skippedTest, { ...skippedTest, name: 'c' }, { ...skippedTest, file: 'tests/z.test.ts' }],
      },
      { code: 0 },
      ['skipped: tests/a.test.ts, tests/z.test.ts, 3 tests: no such tool here', '3 passed, 0 failed, 3 skipped'],
    ],
    [
      'tests selected with -t',
      { ...passing, skipped: [skippedTest] },
      { code: 0, filtered: true },
      ['not selected by -t: 1', '3 passed, 0 failed, 1 skipped'],
    ],
    [
      'a test file that failed to load',
      { ...passing, brokenFiles: ['tests/b.test.ts'] },
      { code: 1 },
      ['could not run: tests/b.test.ts', '3 passed, 1 failed'],
    ],
    [
      'an error outside of tests',
      { ...passing, unhandled: 1 },
      { code: 1 },
      [
        'errors outside of tests: 1',
        'vitest exited with code 1 although no test failed. This counts as one failure.',
        '3 passed, 1 failed',
      ],
    ],
    ['no report', undefined, { code: 1 }, ['vitest exited before it could report.', '0 passed, 1 failed']],
  ]
  it.each(rows)('%s', (_, report, run, lines) => {
    expect(closingLines(report, run)).toEqual(lines)
  })

  const pairs: [all: string, bare: string, last: string][] = [
    ['9 passed, 0 failed', '4 passed, 0 failed, 5 skipped', '9 passed, 0 failed'],
    ['9 passed, 1 failed, 2 skipped', '4 passed, 2 failed', '9 passed, 3 failed, 2 skipped'],
    ['9 passed, 0 failed', 'killed', '9 passed, 1 failed'],
    ['killed', '4 passed, 0 failed', '0 passed, 1 failed'],
  ]
  it.each(pairs)('of .ci/run, for "%s" and "%s"', (all, bare, last) => {
    const [first, second, closing] = linesOfTwo(all, bare)
    expect([first?.endsWith(all), second?.endsWith(bare), closing]).toEqual([true, true, last])
  })
})

describe('programs that only some tests need', () => {
  /** Runs a script with a PATH of these programs only. */
  async function script(name: string, args: readonly string[], programs: Record<string, string>, more = {}) {
    const folder = project()
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text, { mode: 0o755 })
    symlinkSync('/bin/sh', join(bin, 'sh'))
    const env = { PATH: bin, HOME: folder, ...more }
    const child = spawn(process.execPath, [join(folder, 'scripts', name), ...args], { cwd: folder, env })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
    const [code] = await once(child, 'close')
    const calls = readFileSync(join(folder, 'calls.log'), 'utf8')
    return { code, text, calls, left: readdirSync(bin) }
  }
  const isRoot = process.platform === 'linux' && process.geteuid?.() === 0

  it.each([
    ['are hidden by bare.mjs', 'for name in bwrap python3.11 kept; do command -v $name; done', 0, /^\S+\/kept$/],
    ['are hidden from our scripts too', 'echo $EXITGATE_BARE', 0, /^1$/],
    ['are hidden without a change of the exit code', 'exit 7', 7, /^$/],
  ])('%s', async (_, command, code, shown) => {
    const empty = '#!/bin/sh\n'
    const found = await script('bare.mjs', ['sh', '-c', command], { bwrap: empty, 'python3.11': empty, kept: empty })
    expect(found.text.trim()).toMatch(shown)
    expect(found.code).toBe(code)
  })

  const failing = { 'apt-get': '#!/bin/sh\necho "$*" >> calls.log\nexit 100\n', 'apt-cache': '#!/bin/sh\nexit 0\n' }
  it('are named with the command that installs them, if that fails', async ({ skip }) => {
    skip(!isRoot, 'only root installs packages')
    const { code, text, calls } = await script('test-programs.mjs', [], failing)
    expect(code).toBe(0)
    expect(text).toMatch(/^exitgate: installing bubblewrap, .*at most \d minutes/)
    expect(text).toMatch(/some tests will be skipped\. To run them too: apt-get install bubblewrap /)
    expect(calls).toMatch(/install --download-only bubblewrap/)
    expect(calls).not.toMatch(/--no-download/)
  })

  it('are not installed with EXITGATE_NO_INSTALL, nor in a bare environment', async () => {
    const off = await script('test-programs.mjs', [], failing, { EXITGATE_NO_INSTALL: '1' })
    expect([off.code, off.calls]).toEqual([0, ''])
    expect(off.text).toMatch(/^exitgate: some tests will be skipped\. To run them too: .*bubblewrap.*\n$/)
    expect(await script('test-programs.mjs', [], failing, { EXITGATE_BARE: '1' })).toMatchObject({ code: 0, text: '' })
  })
})
