import { spawnSync } from 'node:child_process'
import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runTestCommand } from '../../src/evidence/runners/run.ts'
import type { Detected, TestResult } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { compile } from '../evidence/compiled.ts'
import { folder } from '../evidence/folders.ts'
import { noPython } from '../no-python.ts'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
interface Sample {
  readonly command: string
  readonly runner?: string
  readonly behind?: string
  readonly cwd?: string
  readonly files: Readonly<Record<string, string>>
}

let last = ''

async function run({ command, runner, behind, cwd = '', files }: Sample, deadlineMs = 120_000): Promise<TestResult> {
  const dir = folder(files)
  last = dir
  if (/vitest/.test(behind ?? command)) symlinkSync(modules, join(dir, cwd, 'node_modules'))
  const detected: Detected = {
    kind: 'test',
    command,
    cwd,
    why: 'a sample',
    ...(runner !== undefined && { runner }),
    ...(behind !== undefined && { behind }),
  }
  return runTestCommand(openWorkspace(dir), detected, { deadlineMs })
}

const states = ({ run: { tests = [] } = { tests: [] } as never }: TestResult) =>
  Object.fromEntries(tests.map(({ name, state, file }) => [`${file ?? ''}: ${name}`, state]))

const vitestFile = `import { describe, expect, it } from 'vitest'
describe('sums', () => {
  it('adds', () => expect(1 + 1).toBe(2))
  it.skip('divides', () => {})
})
`
const nodeFile = `import { describe, it } from 'node:test'
describe('sums', () => {
  it('adds', () => {})
  it('divides', { skip: true }, () => {})
})
`
const pythonFile = `import unittest


class Sums(unittest.TestCase):
    def test_adds(self):
        pass

    def test_wrong(self):
        self.assertEqual(1, 2)
`

describe('vitest', () => {
  it('writes its report outside of the workspace', async () => {
    const files = { 'package.json': '{ "scripts": { "test": "vitest run" } }', 'a.test.js': vitestFile }
    const result = await run({ command: 'npm test', behind: 'vitest run', runner: 'vitest', files })
    expect(result).toMatchObject({ source: 'report', run: { passed: 1, failed: 0, skipped: 1, ok: true } })
    expect(states(result)).toEqual({ 'a.test.js: sums > adds': 'passed', 'a.test.js: sums > divides': 'skipped' })
    expect(result.ran.output).toMatch(/1 passed/)
    expect(readdirSync(last).sort()).toEqual(['a.test.js', 'node_modules', 'package.json'])
  })

  it('in a package of a monorepo reports paths from the workspace', async () => {
    const files = { 'packages/a/package.json': '{}', 'packages/a/a.test.js': vitestFile }
    const sample = { command: 'node_modules/.bin/vitest run', runner: 'vitest', cwd: 'packages/a', files }
    expect(Object.keys(states(await run(sample)))).toContain('packages/a/a.test.js: sums > adds')
  })

  it('does not pass when an error occurs outside its tests', async () => {
    const late = "import { it } from 'vitest'\nit('passes', () => { Promise.reject(new Error('left behind')) })\n"
    const result = await run({
      command: 'node_modules/.bin/vitest run',
      runner: 'vitest',
      files: { 'a.test.js': late },
    })
    expect(result).toMatchObject({ source: 'report', run: { passed: 1, failed: 0, ok: false } })
    expect(result.ran.code).not.toBe(0)
  })

  it('is read by its printed summary when something runs after it', async () => {
    const behind = 'vitest run && echo done'
    const files = { 'package.json': JSON.stringify({ scripts: { test: behind } }), 'a.test.js': vitestFile }
    const result = await run({ command: 'npm test', behind, runner: 'vitest', files })
    expect(result).toMatchObject({ source: 'output', run: { passed: 1, skipped: 1, ok: true } })
  })
})

describe('node --test', () => {
  it('reports through a script', async () => {
    const files = { 'package.json': '{ "scripts": { "test": "node --test" } }', 'a.test.mjs': nodeFile }
    const result = await run({ command: 'npm test', behind: 'node --test', runner: 'node', files })
    expect(result).toMatchObject({ source: 'report', run: { passed: 1, failed: 0, skipped: 1, ok: true } })
    expect(Object.keys(states(result)).join()).toMatch(/sums > adds/)
  })

  it('names a file that does not load', async () => {
    const files = { 'a.test.mjs': nodeFile, 'b.test.mjs': "import './not-there.mjs'\n" }
    const result = await run({ command: 'node --test', runner: 'node', files })
    expect(result).toMatchObject({ source: 'report', run: { passed: 1, failed: 1, ok: false } })
    expect(Object.keys(states(result)).join()).toMatch(/b\.test\.mjs/)
    expect(JSON.stringify(result.run?.tests)).not.toContain(last)
  })

  it('has no tests', async () => {
    const files = { 'package.json': '{ "scripts": { "test": "node --test" } }' }
    const result = await run({ command: 'npm test', behind: 'node --test', runner: 'node', files })
    expect(result.run?.ok ?? null).not.toBe(true)
  })

  it('is stopped at the deadline and proves nothing', async () => {
    const slow =
      "import { test } from 'node:test'\ntest('a', () => {})\ntest('b', () => new Promise((done) => setTimeout(done, 60_000)))\n"
    const result = await run({ command: 'node --test', runner: 'node', files: { 'a.test.mjs': slow } }, 2_000)
    expect(result.ran.ended).toBe('deadline')
    expect(result.run?.ok ?? null).toBeNull()
  })

  it('proves nothing either if the stopped runner reports what it was running as failed', async () => {
    const reports = 'echo "Tests: 1 failed, 1 passed, 2 total"; sleep 60'
    const result = await run({ command: reports, files: {} }, 1_000)
    expect(result.ran.ended).toBe('deadline')
    expect(result.run).toMatchObject({ failed: 1, ok: null })
  })
})

describe('python3 -m unittest', () => {
  it('gets the option to list its tests', async ({ skip }) => {
    skip(noPython !== undefined, noPython)
    const files = { 'test_sums.py': pythonFile }
    const result = await run({ command: 'python3 -m unittest', runner: 'unittest', files })
    expect(result).toMatchObject({ source: 'output', run: { passed: 1, failed: 1, ok: false } })
    expect(result.run?.tests).toEqual([
      { name: 'test_sums.Sums.test_adds', state: 'passed' },
      { name: 'test_sums.Sums.test_wrong', state: 'failed' },
    ])
  })
})

describe('make', () => {
  const green = 'echo "3 passed in 0.10s"'

  it('counts if its exit code agrees', async () => {
    const result = await run({ command: 'make test', files: { Makefile: `test:\n\t@${green}\n` } })
    expect(result).toMatchObject({ source: 'output', run: { passed: 3, ok: true } })
  })

  it('does not pass when it fails after a passing summary', async () => {
    const result = await run({ command: 'make test', files: { Makefile: `test:\n\t@${green}\n\t@exit 3\n` } })
    expect(result.run?.ok).not.toBe(true)
  })

  it('does not pass when it is killed after a passing summary', async () => {
    const result = await run({ command: `${green}; kill -9 $$`, files: {} })
    expect(result.run).toMatchObject({ passed: 3, ok: null })
  })
})

describe('a report that contradicts the exit code', () => {
  const shim = (code: number, state: string) => `#!/usr/bin/env node
const { writeFileSync } = require('node:fs')
const file = process.argv.find((word) => word.startsWith('--outputFile=')).slice('--outputFile='.length)
const test = { ancestorTitles: [], title: 'one', fullName: 'one', status: '${state}' }
writeFileSync(file, JSON.stringify({ numTotalTests: 1, testResults: [{ name: 'a', status: '${state}', assertionResults: [test] }] }))
process.exitCode = ${code}
`
  const rows: [code: number, state: string, ok: boolean][] = [
    [0, 'passed', true],
    [0, 'failed', false],
    [1, 'passed', false],
    [1, 'failed', false],
  ]
  it.each(rows)('exit %i and a report of one %s test', async (code, state, ok) => {
    const called = await run({
      command: 'node node_modules/jest/bin/jest.js',
      runner: 'jest',
      files: { 'node_modules/jest/bin/jest.js': shim(code, state) },
    })
    expect(called).toMatchObject({ source: 'report', run: { ok } })
  })

  it('does not count if it is a link', async () => {
    const linking = `const { symlinkSync, writeFileSync } = require('node:fs')
const file = process.argv.find((word) => word.startsWith('--outputFile=')).slice('--outputFile='.length)
const test = { ancestorTitles: [], title: 'one', status: 'passed' }
writeFileSync('own.json', JSON.stringify({ numTotalTests: 1, testResults: [{ name: 'a', assertionResults: [test] }] }))
symlinkSync(process.cwd() + '/own.json', file)
`
    const files = { 'node_modules/jest/bin/jest.js': linking }
    const result = await run({ command: 'node node_modules/jest/bin/jest.js', runner: 'jest', files })
    expect(result.source).toBe('none')
  })

  it('runs again without an option that the runner does not know', async () => {
    const old = `if (process.argv.length > 2) { console.error('Unknown option --json'); process.exit(64) }
console.log('Tests:       2 passed, 2 total')
`
    const files = { 'node_modules/jest/bin/jest.js': old }
    const result = await run({ command: 'node node_modules/jest/bin/jest.js', runner: 'jest', files })
    expect(result).toMatchObject({ source: 'output', run: { passed: 2, ok: true } })
  })
})

const has = (line: string) => spawnSync('sh', ['-c', line]).status === 0
type Other = readonly [name: string, there: string, sample: Sample, wanted: Record<string, unknown>]
const others: readonly Other[] = [
  [
    'pytest',
    'python3 -c "import pytest"',
    {
      command: 'python3 -m pytest -p no:hypothesispytest -p no:benchmark',
      runner: 'pytest',
      files: {
        'tests/test_a.py':
          'import pytest\n\n\n@pytest.mark.parametrize("n", [1, 2])\ndef test_one(n):\n    assert n == 1\n',
      },
    },
    { passed: 1, failed: 1, ok: false, tests: [{ file: 'tests/test_a.py' }, { file: 'tests/test_a.py' }] },
  ],
  [
    'go',
    'go version',
    {
      command: 'go test ./...',
      runner: 'go',
      files: {
        'go.mod': 'module example.com/a\n\ngo 1.19\n',
        'a_test.go':
          'package a\n\nimport "testing"\n\nfunc TestOne(t *testing.T) { t.Run("sub", func(t *testing.T) {}) }\n',
      },
    },
    { passed: 2, failed: 0, ok: true },
  ],
  [
    'bats',
    'bats --version',
    { command: 'bats -r .', runner: 'bats', files: { 'a.bats': '@test "one" {\n  true\n}\n' } },
    { passed: 1, failed: 0, ok: true },
  ],
  [
    'rspec',
    'rspec --version',
    { command: 'rspec', runner: 'rspec', files: { 'spec/a_spec.rb': 'RSpec.describe("a") { it("is one") {} }\n' } },
    { passed: 1, failed: 0, ok: true, tests: [{ name: 'a > is one', file: 'spec/a_spec.rb' }] },
  ],
  [
    'phpunit',
    'phpunit --version',
    {
      command: 'phpunit tests',
      runner: 'phpunit',
      files: {
        'tests/ATest.php':
          '<?php\nfinal class ATest extends PHPUnit\\Framework\\TestCase {\n  public function testOne(): void { $this->assertTrue(true); }\n}\n',
      },
    },
    { passed: 1, failed: 0, ok: true, tests: [{ file: 'tests/ATest.php' }] },
  ],
  [
    'ctest',
    'ctest --version && cmake --version',
    {
      command: 'cmake -S . -B build && ctest --test-dir build',
      runner: 'ctest',
      files: {
        'CMakeLists.txt':
          'cmake_minimum_required(VERSION 3.10)\nproject(a NONE)\nenable_testing()\nadd_test(NAME one COMMAND true)\n',
      },
    },
    { passed: 1, failed: 0, ok: true },
  ],
  [
    'gradle',
    'gradle --version && javac -version && test -f /usr/share/java/junit4.jar',
    {
      command: 'gradle --offline --no-daemon test',
      runner: 'gradle',
      files: {
        'build.gradle':
          "apply plugin: 'java'\ndependencies { testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar') }\n",
        'src/test/java/ATest.java': 'public class ATest {\n  @org.junit.Test public void one() {}\n}\n',
      },
    },
    { passed: 1, failed: 0, ok: true },
  ],
]

describe('with the runners of this machine', () => {
  for (const [name, there, sample, wanted] of others) {
    it(name, async ({ skip }) => {
      skip(!has(there), `${name} is not installed`)
      const result = await run(sample)
      expect(result.run, result.ran.output).toMatchObject(wanted)
      expect(result.source).toBe(name === 'go' ? 'output' : 'report')
    })
  }

  it('go output is readable, although it was reported as JSON', async ({ skip }) => {
    skip(!has('go version'), 'go is not installed')
    const files = {
      'go.mod': 'module example.com/a\n',
      'a_test.go': 'package a\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {}\n',
    }
    const { ran } = await run({ command: 'go test ./...', runner: 'go', files })
    expect(ran.output).toMatch(/^=== RUN {3}TestOne\n--- PASS: TestOne/)
  })
})

describe.skipIf(process.platform !== 'linux')('64 MB of output are read in bounded memory', () => {
  const MB = 1024 * 1024
  const summary = "printf 'TAP version 13\\nok 1 - a\\nok 2 - b\\n1..2\\n'"
  const fixture = fileURLToPath(new URL('../evidence/fixtures/test-command.mjs', import.meta.url))
  it.each([
    ['very short lines', 'y'],
    ['coloured lines of a log', '\u001B[32m✓\u001B[39m 2026-11-16T03:14:54.123Z GET /api/things took 12 ms'],
  ])('%s', (_, line) => {
    const dir = folder({})
    const compiled = folder({})
    symlinkSync(modules, join(compiled, 'node_modules'))
    const entries = ['src/evidence/runners/run.ts', 'src/evidence/workspace.ts'].map((path) => compile(compiled, path))
    const command = `yes '${line}' | head -c ${64 * MB}; echo; ${summary}`
    const done = spawnSync(process.execPath, [fixture, ...entries, dir, command], { encoding: 'utf8' })
    const { peakMb, kept, cut, ...read } = JSON.parse(done.stdout) as Record<string, number>
    expect(read).toEqual({ ok: true, passed: 2 })
    expect(cut).toBeGreaterThanOrEqual(60 * MB)
    expect(kept).toBeLessThan(5 * MB)
    expect(peakMb).toBeLessThan(200)
  })
})
