import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { SAMPLE_STOPS } from '../../packages/exitgate/src/hooks/sample-stops.ts'
import { HOOK_CLIENTS } from '../../src/hooks/index.ts'
import type { Diagnosis } from '../../src/reports/doctor-text.ts'
import { program } from '../e2e/program.ts'
import { patience } from '../timing.ts'
import { project } from './run-cli.ts'

const cli = await program()
const temporary = process.env.TMPDIR
afterEach(() => {
  if (temporary === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = temporary
})

const PASSING = `const { test } = require('node:test')
test('is well', () => {})
`
const failing = PASSING.replace('{})', "{ throw new Error('no') })")
const scripts = (test: string, more: Record<string, string> = {}) => JSON.stringify({ scripts: { test, ...more } })

const BASE = { 'package.json': scripts('node --test'), 'well.test.cjs': PASSING }

/** A script as the test command, for cases about something else. It is about a hundred times faster than Node's test runner. */
const SCRIPTED = {
  'exitgate.config.json': '{"commands": {"test": "sh check.sh"}}',
  'check.sh': "echo 'ok 1 - is well'\necho 1..1\n",
}

/** npm on Node 22 and newer keeps its compile cache here. */
const leftIn = (folder: string) => readdirSync(folder).filter((name) => name !== 'node-compile-cache')

/** A project with its own folder for temporary files, and with the program on its PATH. */
function doctorProject(files: Record<string, string>, base: Record<string, string> = BASE) {
  const own = project({ ...base, ...files })
  const bin = join(own.root, 'bin')
  const tmp = join(own.root, 'tmp')
  mkdirSync(bin)
  mkdirSync(tmp)
  process.env.TMPDIR = tmp
  writeFileSync(join(bin, 'exitgate'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`)
  chmodSync(join(bin, 'exitgate'), 0o755)
  // rustup installs into the home folder, and the one used here is empty.
  const RUSTUP_HOME = process.env.RUSTUP_HOME ?? join(homedir(), '.rustup')
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: own.root, TMPDIR: tmp, RUSTUP_HOME }
  return {
    ...own,
    tmp,
    env,
    call: (...args: string[]) => own.run(args, env),
    async doctor() {
      const before = treeOf(own.dir)
      const done = await own.run(['doctor', '--json'], env)
      expect(leftIn(tmp), 'something was left in the temporary folder').toEqual([])
      expect(treeOf(own.dir), 'the tree was touched').toEqual(before)
      return { code: done.code, diagnosis: done.json as unknown as Diagnosis }
    },
  }
}

const treeOf = (dir: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'latin1')]),
  )

describe('whether a command detects failures', () => {
  const rows: [name: string, files: Record<string, string>, code: number, state: string, text: RegExp][] = [
    ['tests that pass', {}, 0, 'good', /^detects failures: with 1 broken file it exited with 1$/],
    [
      'tests that fail',
      { 'well.test.cjs': failing },
      0,
      'good',
      /^1 test fails right now, so this command does detect failures$/,
    ],
    [
      'a command that fails for another reason',
      { 'exitgate.config.json': '{"commands": {"test": "sh -c \\"echo go: missing module; exit 3\\""}}' },
      2,
      'bad',
      /^could not test whether it detects failures: it already exits with 3, without a failing test\. It ends with: go: missing module$/,
    ],
    [
      'a package that does not load, and no test that ran',
      {
        'exitgate.config.json': '{"commands": {"test": "sh fails.sh"}}',
        'fails.sh': "echo 'a.go:3:8: no required module provides package x'\necho 'FAIL\tm/a [setup failed]'\nexit 1\n",
      },
      2,
      'bad',
      /it already exits with 1, without a failing test\. It ends with: a\.go:3:8: no required module provides package x/,
    ],
    [
      'a command that ignores the exit code',
      { 'package.json': scripts('node --test || true') },
      0,
      'good',
      /^detects failures/,
    ],
    [
      'a command that only prints success',
      {
        'package.json': scripts('node say.cjs'),
        'say.cjs': "console.log('Tests:       2 passed, 2 total')\n",
        'jest.config.cjs': '',
      },
      2,
      'bad',
      /^it passes even with \d+ broken files?$/,
    ],
    [
      'tests of a framework that the project keeps a copy of, which the command does not run',
      {
        'exitgate.config.json': '{"commands": {"test": "sh own.sh"}}',
        'own.sh':
          "grep -q ')]}' m.c && { echo 'not ok 1 - adds'; exit 1; }\necho 'TAP version 13\n1..1\nok 1 - adds'\n",
        'm.c': 'int add(int a, int b) { return a + b; }\n',
        'tests/unity/test/spec/helper_spec.rb': "describe 'helper' do\n  it('works') {}\nend\n",
      },
      0,
      'good',
      /^detects failures: with \d+ broken files? it exited with 1$/,
    ],
    [
      'a command that prints nothing',
      { 'exitgate.config.json': '{"commands": {"test": "true"}}' },
      2,
      'bad',
      /^it passes even with \d+ broken files?$/,
    ],
    [
      'a program that is missing in the copy',
      { 'exitgate.config.json': '{"commands": {"test": "sh -c \\"exit 127\\""}}' },
      2,
      'bad',
      /^could not test whether it detects failures: its program is missing/,
    ],
  ]
  it.each(rows)('%s', async (_name, files, code, state, text) => {
    const { diagnosis, code: ended } = await doctorProject(files).doctor()
    expect(diagnosis.commands[0]!.red).toMatchObject({ state, text: expect.stringMatching(text) })
    expect(ended).toBe(code)
  })

  const languages: [name: string, program: string, files: Record<string, string>][] = [
    [
      'Python',
      'python3',
      {
        'test_well.py':
          'import unittest\nclass Well(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(True)\n',
      },
    ],
    ['bats', 'bats', { 'well.bats': '@test "a" { true; }\n' }],
    [
      'Rust',
      'cargo',
      {
        'Cargo.toml': '[package]\nname = "well"\nversion = "0.1.0"\nedition = "2021"\n',
        'src/lib.rs':
          'pub fn a() -> i32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(super::a(), 1) }\n}\n',
      },
    ],
    [
      'Go',
      'go',
      {
        'go.mod': 'module well\n\ngo 1.20\n',
        'well_test.go': 'package well\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
      },
    ],
  ]
  it.for(languages)('tests in %s', async ([, program, files], { skip }) => {
    skip(spawnSync(program, ['version']).error !== undefined, `${program} is not installed`)
    const { diagnosis } = await doctorProject({}, files).doctor()
    expect(diagnosis.commands[0]!.red).toMatchObject({
      state: 'good',
      text: expect.stringMatching(/^detects failures/),
    })
  })

  it('is unknown if there is no file to break', async () => {
    const config = { 'exitgate.config.json': '{"commands": {"test": "echo 1 passing"}}' }
    const { code, diagnosis } = await doctorProject(config, { 'README.md': '' }).doctor()
    const text = 'could not test whether it detects failures: there is no file of a known language to break'
    expect(diagnosis.commands[0]!.red).toEqual({ state: 'note', text })
    expect(code).toBe(0)
  })

  it('is tested only for a build in the configuration', async () => {
    const build = `"${process.execPath}" --check main.cjs`
    const { code, diagnosis } = await doctorProject({
      'main.cjs': 'exports.a = 1\n',
      'package.json': scripts('node --test', { lint: 'eslint .' }),
      'exitgate.config.json': JSON.stringify({ commands: { build } }),
    }).doctor()
    expect(code).toBe(0)
    const red = Object.fromEntries(diagnosis.commands.map(({ kind, red }) => [kind, red?.state ?? 'not tried']))
    expect(red).toEqual({ test: 'good', build: 'good', lint: 'not tried' })
  })
})

describe('hooks', () => {
  it('have a sample stop for every client', () => {
    expect(Object.keys(SAMPLE_STOPS).sort()).toEqual(HOOK_CLIENTS.map(({ name }) => name).sort())
  })

  it.each(HOOK_CLIENTS.map(({ name }) => name))('%s: rejects a false claim and accepts a true one', async (host) => {
    // If the hook is a JavaScript file, doctor breaks that file, and the tests must notice.
    const { call, doctor } = doctorProject({}, ['opencode', 'pi'].includes(host) ? BASE : SCRIPTED)
    const scope = host === 'kimi' ? '--user' : '--project'
    expect((await call('hook', 'install', host, scope)).code).toBe(0)
    expect((await call('trust')).code).toBe(0)
    const { code, diagnosis } = await doctor()
    expect(diagnosis.hooks).toMatchObject([
      {
        name: `${host} hook`,
        state: 'good',
        text: expect.stringMatching(/^refused a false .* and let a true one through/),
      },
    ])
    expect(diagnosis.unprotected.map(({ name }) => name)).not.toContain('trust')
    expect(code).toBe(0)
  })

  const broken: [name: string, script: string, text: RegExp][] = [
    [
      'is missing',
      '',
      /^did NOT refuse a false .*; it exited with 0 and printed nothing, as it does if exitgate is missing/,
    ],
    [
      'prints nothing',
      '#!/bin/sh\ncat > /dev/null\n',
      /^did NOT refuse a false .*; it exited with 0 and printed nothing/,
    ],
    [
      'rejects everything',
      '#!/bin/sh\ncat > /dev/null; echo \'{"decision":"block","reason":"no"}\'\n',
      /^also refused a true .*: no/,
    ],
  ]
  it.each(broken)('detects a program that %s', async (_name, script, text) => {
    const own = doctorProject({}, SCRIPTED)
    await own.call('hook', 'install', 'claude')
    await own.call('trust')
    const path = join(own.root, 'bin', 'exitgate')
    writeFileSync(path, script)
    if (script === '') chmodSync(path, 0o644)
    const { code, diagnosis } = await own.doctor()
    expect(diagnosis.hooks).toMatchObject([{ state: 'bad', text: expect.stringMatching(text) }])
    expect(code).toBe(2)
  })

  it('reports a folder without approval as not protected', async () => {
    const { call, doctor } = doctorProject({}, SCRIPTED)
    await call('hook', 'install', 'gemini')
    const { code, diagnosis } = await doctor()
    expect(diagnosis.unprotected.find(({ name }) => name === 'trust')).toMatchObject({ state: 'bad' })
    expect([code, diagnosis.remedy]).toEqual([2, 'Review and approve them: exitgate trust'])
  })

  it('reports missing tests and a missing repository', async () => {
    const { code, diagnosis } = await doctorProject({}, { 'README.md': '' }).doctor()
    const states = Object.fromEntries(diagnosis.unprotected.map(({ name, state }) => [name, state]))
    expect(states).toMatchObject({ tests: 'bad', git: 'note' })
    expect(code).toBe(2)
  })

  it('reports agents without a hook, and that they run as the same user', async () => {
    const own = doctorProject({}, SCRIPTED)
    writeFileSync(join(own.root, 'bin', 'codex'), '#!/bin/sh\n')
    chmodSync(join(own.root, 'bin', 'codex'), 0o755)
    const { code, diagnosis } = await own.doctor()
    const names = diagnosis.unprotected.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['codex', 'same user']))
    expect(code).toBe(0)
  })
})

/** Empty if the process is gone; starts with Z if it has exited but its parent hasn't noticed yet. */
const stateOf = (pid: string) => spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout.trim()

it(
  'cleans up when it is interrupted',
  async () => {
    const started = 'started'
    const own = doctorProject({ 'package.json': scripts('node wait.cjs') })
    own.write(
      'wait.cjs',
      `require('node:fs').writeFileSync(${JSON.stringify(join(own.root, started))}, String(process.pid))\nsetInterval(() => {}, 1000)\n`,
    )
    const child = spawn(process.execPath, [cli, 'doctor'], {
      cwd: own.dir,
      env: { ...own.env, EXITGATE_STATE_DIR: own.state },
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    const said = () => (existsSync(join(own.root, started)) ? readFileSync(join(own.root, started), 'utf8') : '')
    await expect.poll(said, { timeout: patience(60_000) }).toMatch(/^\d+$/)
    child.kill('SIGINT')
    expect(await ended).toBe(3)
    expect(leftIn(realpathSync(own.tmp))).toEqual([])
    await expect.poll(() => stateOf(said()), { timeout: patience(60_000) }).toMatch(/^(?:Z.*)?$/)
  },
  patience(120_000),
)
