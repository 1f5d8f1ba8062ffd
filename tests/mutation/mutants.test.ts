import { describe, expect, it } from 'vitest'
import type { Ran } from '../../packages/exitgate/src/checks/trees.ts'
import type { TestCase, TestRun, TestState } from '../../packages/test-output/src/types.ts'
import { chooseMutants } from '../../src/evidence/mutation/choose.ts'
import { changedSources } from '../../src/evidence/mutation/functions.ts'
import { isUntested, judge, probe } from '../../src/evidence/mutation/probe.ts'
import { readReport } from '../../src/evidence/mutation/stryker.ts'
import { withGrammars } from '../../src/evidence/syntax/parse.ts'

interface Row {
  readonly name: string
  readonly path: string
  readonly before?: string
  readonly after: string
  /** `function: line before -> line after` */
  readonly mutants: readonly string[]
  readonly unread?: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'a new function in TypeScript: its body, conditions, returns, operators and constants',
    path: 'a.ts',
    after: `export function fee(n: number): number {\n  if (isFree(n)) return 0\n  return n + 5\n}\n`,
    mutants: [
      'fee: export function fee(n: number): number { if (isFree(n)) return 0 return n + 5 } -> export function fee(n: number): number {}',
      'fee: if (isFree(n)) return 0 -> if (!(isFree(n))) return 0',
      'fee: if (isFree(n)) return 0 -> if (isFree(n)) return undefined',
      'fee: return n + 5 -> return n',
      'fee: if (isFree(n)) return 0 -> if (isFree(n)) return 1',
      'fee: return n + 5 -> return undefined',
      'fee: return n + 5 -> return n + 6',
    ],
  },
  {
    name: 'only the lines that changed, each counted to the innermost function with a name',
    path: 'a.js',
    before: 'function outer(a) {\n  const inner = (b) => b * 2\n  return inner(a) > 3\n}\n',
    after: 'function outer(a) {\n  const inner = (b) => b * 4\n  return inner(a) > 3\n}\n',
    mutants: [
      'inner: const inner = (b) => b * 4 -> const inner = (b) => undefined',
      'inner: const inner = (b) => b * 4 -> const inner = (b) => b',
      'inner: const inner = (b) => b * 4 -> const inner = (b) => b * 5',
    ],
  },
  {
    name: 'messages, imports, types and keys stay as they are',
    path: 'a.ts',
    before: 'export function f(a: string) {\n}\n',
    after: `export function f(a: string) {\n  const b = require('b')\n  console.log('a' + 1)\n  throw new TypeError('no ' + a)\n  let c: 'x' | 1\n  b.set({ 'key': a })\n}\n`,
    mutants: [
      "f: export function f(a: string) { const b = require('b') console.log('a' + 1) throw new TypeError('no ' + a) let c: 'x' | 1... -> export function f(a: string) {}",
    ],
  },
  {
    name: 'Python keeps its layout, and texts alone on a line are comments',
    path: 'a.py',
    after: 'def area(a, b):\n    """Area."""\n    if a in (1, 2) or not b:\n        return False\n    return a * b\n',
    mutants: [
      'area: """Area.""" if a in (1, 2) or not b: return False return a * b -> return None',
      'area: return a * b -> return None',
      'area: if a in (1, 2) or not b: -> if a in (1, 2) and not b:',
      'area: if a in (1, 2) or not b: -> if a in (2, 2) or not b:',
      'area: if a in (1, 2) or not b: -> if a not in (1, 2) or not b:',
      'area: if a in (1, 2) or not b: -> if a in (1, 3) or not b:',
      'area: return a * b -> return a',
      'area: return False -> return True',
    ],
  },
  {
    name: 'Go returns zero values of the declared types, and what follows stays for the compiler',
    path: 'a.go',
    after: 'package a\n\nfunc Add(a, b int) (sum int, err error) {\n\treturn a + b, nil\n}\n',
    mutants: [
      'Add: func Add(a, b int) (sum int, err error) { -> func Add(a, b int) (sum int, err error) { return *new(int), *new(error);',
      'Add: return a + b, nil -> return a, nil',
    ],
  },
  {
    name: 'Rust: macros stay as they are, and tests in the same file are not source',
    path: 'a.rs',
    after:
      'pub fn first(v: &[i32]) -> Option<i32> {\n    if matches!(v.len(), 0) { return None; }\n    Some(v[0])\n}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert_eq!(super::first(&[1]), Some(1)); }\n}\n',
    mutants: [
      'first: pub fn first(v: &[i32]) -> Option<i32> { -> pub fn first(v: &[i32]) -> Option<i32> { return None;',
      'first: if matches!(v.len(), 0) { return None; } -> if !(matches!(v.len(), 0)) { return None; }',
      'first: if matches!(v.len(), 0) { return None; } -> if matches!(v.len(), 1) { return None; }',
      'first: Some(v[0]) -> Some(v[1])',
    ],
  },
  {
    name: 'Java: nothing becomes unreachable for its compiler',
    path: 'A.java',
    after: 'class A {\n  boolean isOdd(int a) {\n    return a % 2 != 0;\n  }\n}\n',
    mutants: [
      'isOdd: boolean isOdd(int a) { -> boolean isOdd(int a) { if (true) return false;',
      'isOdd: return a % 2 != 0; -> return false;',
      'isOdd: return a % 2 != 0; -> return a % 2 == 0;',
      'isOdd: return a % 2 != 0; -> return a % 3 != 0;',
      'isOdd: return a % 2 != 0; -> return a != 0;',
      'isOdd: return a % 2 != 0; -> return a % 2 != 1;',
    ],
  },
  {
    name: 'Ruby',
    path: 'a.rb',
    after: 'def add(a, b)\n  return 0 if a.nil?\n  a + b\nend\n',
    mutants: [
      'add: return 0 if a.nil? a + b -> nil',
      'add: return 0 if a.nil? -> return 0 if !(a.nil?)',
      'add: return 0 if a.nil? -> return nil if a.nil?',
      'add: a + b -> a',
      'add: return 0 if a.nil? -> return 1 if a.nil?',
    ],
  },
  {
    name: 'PHP: a declared result gets a value of its type',
    path: 'a.php',
    after: '<?php\nfunction add(int $a, int $b): int {\n  return $a + $b;\n}\n',
    mutants: [
      'add: function add(int $a, int $b): int { return $a + $b; } -> function add(int $a, int $b): int { return 0; }',
      'add: return $a + $b; -> return 0;',
      'add: return $a + $b; -> return $a;',
    ],
  },
  { name: 'tests are not source', path: 'a.test.js', after: 'function f() { return 1 }\n', mutants: [] },
  { name: 'a language that is not read', path: 'a.kt', after: 'fun f() = 1\n', mutants: [], unread: ['a.kt'] },
  { name: 'documents', path: 'README.md', after: '# a\n', mutants: [] },
  { name: 'lines outside functions', path: 'a.js', after: 'export const limit = 3 + 4\n', mutants: [] },
]

describe('mutants of the changed lines', () => {
  it.each(rows)('$name', async ({ path, before, after, mutants, unread = [] }) => {
    const change = { path, wasThere: before !== undefined, ...(before !== undefined && { before }), after }
    const found = await withGrammars(() => changedSources([change]))
    const chosen = chooseMutants(found.sources).map((each) => `${each.of.name}: ${each.before} -> ${each.after}`)
    expect({ chosen, unread: found.unread }).toEqual({ chosen: mutants, unread })
  })

  it('every function gets one before any gets a second, and no more than there is room for', async () => {
    const after = ['a', 'b', 'c', 'd'].map((name) => `function ${name}(x) {\n  return x + 1\n}\n`).join('')
    const { sources } = await withGrammars(() => changedSources([{ path: 'a.js', wasThere: false, after }]))
    const names = (most: number) => chooseMutants(sources, most).map(({ of }) => of.name)
    expect(names(6)).toEqual(['a', 'b', 'c', 'd', 'a', 'c'])
    expect(names(2)).toEqual(['a', 'c'])
  })
})

const run = (states: Readonly<Record<string, TestState>>, more: Partial<TestRun> = {}): TestRun => {
  const tests = Object.entries(states).map(([name, state]): TestCase => ({ name, state }))
  const of = (wanted: TestState) => tests.filter(({ state }) => state === wanted).length
  const counts = { passed: of('passed'), failed: of('failed'), skipped: of('skipped'), total: tests.length }
  return { ...counts, ok: counts.failed === 0 && counts.passed > 0, framework: 'node:test', tests, ...more }
}

describe('what a run shows about a mutant', () => {
  const control = run({ one: 'passed', two: 'passed' })
  const unnamed = { ...control, tests: [] }
  it.each([
    ['a test fails that passed', control, { run: run({ one: 'failed', two: 'passed' }) }, 'killed'],
    ['all tests pass', control, { run: control }, 'survived'],
    ['it takes too long', control, { run: undefined, late: true, stopped: 'late' }, 'timed-out'],
    ['nothing is reported', control, { run: undefined }, 'broken'],
    ['only another test fails: a file that does not load', control, { run: run({ 'a.test.js': 'failed' }) }, 'broken'],
    ['tests are missing', control, { run: run({ one: 'passed' }) }, 'broken'],
    ['a suite does not compile', control, { run: run({ one: 'passed', two: 'passed' }, { ok: false }) }, 'broken'],
    ['more failures without names', unnamed, { run: { ...unnamed, passed: 1, failed: 1, ok: false } }, 'killed'],
    [
      'fewer tests without names',
      unnamed,
      { run: { ...unnamed, total: 1, passed: 0, failed: 1, ok: false } },
      'broken',
    ],
  ] as const)('%s', (_name, before, ran, fate) => {
    expect(judge(before, { output: '', ...ran })).toBe(fate)
  })
})

describe('a mutant whose tests are late', () => {
  const passes: Ran = { run: run({ one: 'passed' }), output: '' }
  const fails: Ran = { run: run({ one: 'failed' }), output: '' }
  const late: Ran = { run: undefined, output: '', late: true }
  it.each([
    ['late once, then passing', [late, passes], passes, ['survived', 'survived'], true],
    ['late once, then failing', [late, fails], passes, ['killed', 'survived'], false],
    ['late twice', [late, late], passes, ['timed-out', 'survived'], false],
    ['late, and another one is killed: not run again', [late], fails, ['timed-out', 'killed'], false],
  ])('%s', async (_name, first, second, fates, untested) => {
    const of = { file: 'a.js', name: 'f', line: 1, lastLine: 1, text: 'f', mutations: [] }
    const mutants = ['one', 'two'].map((text) => ({ of, text, line: 1, before: 'f', after: text }))
    const left = [...first]
    let text: string | undefined = 'f'
    const [probed] = await probe(
      {
        put: (_path, to) => {
          text = to
        },
        runTests: async () => (text === 'one' ? left.shift()! : text === 'two' ? second : passes),
        workspaceOf: () => Promise.reject(new Error('not used')),
      },
      {
        commands: [],
        sources: [{ path: 'a.js', text: 'f', functions: [of] }],
        mutants,
        limitMs: 600_000,
        mayBeBuilt: () => false,
      },
    )
    expect(probed?.mutants.map(({ fate }) => fate)).toEqual(fates)
    expect([isUntested(probed!), left]).toEqual([untested, []])
  })
})

it('a report of Stryker: functions with a killed mutant, each mutant counted to its function', async () => {
  const after = 'export function a(n) {\n  return n + 1\n}\nexport const b = (n) => n * 2\n'
  const { sources } = await withGrammars(() => changedSources([{ path: 'a.js', wasThere: false, after }]))
  const mutant = (status: string, line: number, from: number, to: number, replacement: string) => ({
    ...{ status, replacement },
    location: { start: { line, column: from }, end: { line, column: to } },
  })
  const mutants = [
    mutant('Killed', 2, 10, 15, 'n - 1'),
    mutant('NoCoverage', 2, 10, 15, 'n'),
    mutant('Ignored', 2, 10, 15, '0'),
    mutant('Survived', 4, 25, 30, 'n / 2'),
    { status: 'Killed' },
  ]
  const read = readReport(JSON.stringify({ files: { 'a.js': { mutants }, 'b.js': { mutants } } }), sources)
  const found = read.map(({ of, mutants }) => [
    of.name,
    ...mutants.map(({ mutant, fate }) => `${fate}: ${mutant.after}`),
  ])
  expect(found).toEqual([['a', 'killed: return n - 1', 'survived: return n']])
  expect(readReport('{', sources)).toEqual([])
})
