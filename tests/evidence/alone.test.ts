import { describe, expect, it } from 'vitest'
import { shuffleOptions } from '../../packages/exitgate/src/frameworks/shuffle.ts'
import type { TestCase } from '../../packages/test-output/src/types.ts'
import { alone, inOrder, onlyFiles } from '../../src/evidence/runners/alone.ts'
import { withOptions } from '../../src/evidence/runners/call.ts'
import { injectReporter } from '../../src/evidence/runners/index.ts'
import type { Detected } from '../../src/evidence/types.ts'

const failed = (name: string, file?: string): TestCase => ({
  name,
  state: 'failed',
  ...(file !== undefined && { file }),
})
const npm = (runner: string, behind: string): Partial<Detected> => ({ runner, command: 'npm test', behind })

describe('the tests of some Go files', () => {
  const [A, B] = ['func TestA(t *testing.T) {\n}\nfunc helper() {}\n', 'func TestB(t *testing.T) {\n}\n']
  const SUITE = 'func TestSuite(t *testing.T) {}\nfunc (s *Suite) TestOne() {}\n'
  it.each([
    ['by name', 'go test ./...', { 'a_test.go': A, 'p/b_test.go': B }, "go test -run '^(TestA|TestB)$' ./ ./p"],
    ['of one package', 'go test', { 'a_test.go': A }, "go test -run '^(TestA)$'"],
    ['a suite with methods', 'go test ./...', { 'p/a_test.go': SUITE }, 'go test ./p'],
    ['no function', 'go test ./...', { 'a_test.go': 'package a\n' }, 'go test ./'],
    ['a suite of one package', 'go test', { 'a_test.go': SUITE }, undefined],
  ])('%s', (_name, command, files: Record<string, string>, line) => {
    const detected = { kind: 'test', command, cwd: '', runner: 'go', why: '' } as const
    expect(onlyFiles(detected, Object.keys(files), (path) => files[path])?.command).toBe(line)
  })
})

/** Which command runs only the tests that failed: undefined if all of them have to run. */
describe('failing tests alone', () => {
  const rows: [name: string, detected: Partial<Detected>, tests: readonly TestCase[], line: string | undefined][] = [
    ['a runner with files', { runner: 'pytest', command: 'pytest -q' }, [failed('a', 't/a.py')], 'pytest -q t/a.py'],
    [
      'each file once',
      { runner: 'pytest', command: 'pytest' },
      [failed('a', 'a.py'), failed('b', 'a.py'), failed('c', 'my b.py')],
      "pytest a.py 'my b.py'",
    ],
    ['a script', npm('vitest', 'vitest run'), [failed('a', 'a.test.ts')], 'npm test -- a.test.ts'],
    ['in a folder', { ...npm('jest', 'jest'), cwd: 'web' }, [failed('a', 'web/a.test.ts')], 'npm test -- a.test.ts'],
    ['a file of another folder', { ...npm('jest', 'jest'), cwd: 'web' }, [failed('a', 'api/a.test.ts')], undefined],
    [
      'go',
      { runner: 'go', command: 'go test ./...' },
      [failed('m/p > TestA/b'), failed('m > TestC')],
      "go test -run '^(TestA|TestC)$' ./...",
    ],
    ['go, a package that crashed', { runner: 'go', command: 'go test ./...' }, [failed('m/p')], undefined],
    ['no file in the report', npm('mocha', 'mocha'), [failed('a')], undefined],
    ['an option instead of a file', npm('mocha', 'mocha'), [failed('a', '--bail')], undefined],
    ['a runner that takes no files', { runner: 'gradle', command: 'gradle test' }, [failed('a', 'A.java')], undefined],
    ['a runner that is followed by more', npm('ava', 'ava && tsd'), [failed('a', 'test.js')], undefined],
    ['no known runner', { command: 'make test' }, [failed('a', 'a.c')], undefined],
  ]
  it.each(rows)('%s', (_name, given, tests, line) => {
    const found = alone({ kind: 'test', command: '', cwd: '', why: '', ...given }, tests)
    expect(found && (found.only === undefined ? found.command : withOptions(found, []))).toBe(line)
  })

  it.each([
    ['jest', 'npm test -- --json --outputFile=/r/report.json a.test.js'],
    ['mocha', 'npm test -- --reporter json --reporter-option output=/r/report.json a.test.js'],
  ])('%s still writes its report', (runner, line) => {
    const found = alone({ kind: 'test', cwd: '', why: '', command: 'npm test', behind: runner, runner }, [
      failed('a', 'a.test.js'),
    ])
    expect(injectReporter(found!, { folder: '/r', read: () => undefined, env: {} })?.command).toBe(line)
  })
})

describe('tests in another order', () => {
  const RANDOM = { 'pyproject.toml': 'dev = ["pytest-random-order"]' }
  const rows: [name: string, detected: Partial<Detected>, line: string | undefined, files?: Record<string, string>][] =
    [
      ['vitest', { runner: 'vitest', command: 'vitest run' }, 'vitest run --sequence.shuffle --sequence.seed=7'],
      ['a script', npm('jest', 'jest'), 'npm test -- --randomize --seed=7'],
      ['a script with files', { ...npm('jest', 'jest'), only: ['a.js'] }, 'npm test -- --randomize --seed=7 a.js'],
      ['go', { runner: 'go', command: 'go test ./...' }, 'go test -shuffle=7 ./...'],
      ['rspec', { runner: 'rspec', command: 'rspec' }, 'rspec --order rand:7'],
      ['phpunit', { runner: 'phpunit', command: 'phpunit' }, 'phpunit --order-by=random --random-order-seed=7'],
      ['an order that you chose', { runner: 'rspec', command: 'rspec --order defined' }, undefined],
      ['pytest without a plugin', { runner: 'pytest', command: 'pytest' }, undefined],
      ['pytest', { runner: 'pytest', command: 'pytest' }, 'pytest --random-order --random-order-seed=7', RANDOM],
      ['a runner without such an option', { runner: 'node', command: 'node --test' }, undefined],
      ['a runner that is followed by more', npm('vitest', 'vitest run && tsc'), undefined],
      ['go behind a script', npm('go', 'go test ./...'), undefined],
    ]
  it.each(rows)('%s', (_name, given, line, files = {}) => {
    const detected: Detected = { kind: 'test', command: '', cwd: '', why: '', ...given }
    const options = shuffleOptions(detected.runner!, '7', (path) => files[path])
    const found = options && inOrder(detected, options)
    expect(found && (found.behind === undefined ? found.command : withOptions(found, []))).toBe(line)
  })
})
