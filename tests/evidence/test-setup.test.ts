import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { claimOn, HEAD, type Settings } from './claimed.ts'
import type { Project } from './git-project.ts'

type Files = Readonly<Record<string, string>>

const calc = (sum: string) => `export const calc = { add: (a, b) => ${sum}, double: (a) => a * 2 }\n`
/** One test fails, because the source is wrong. */
const start: Files = {
  'package.json': '{"type":"module","scripts":{"test":"node --test"}}\n',
  'src/calc.js': calc('a - b'),
  'tests/setup.mjs': "process.env.APP = 'test'\n",
  'tests/calc.test.js': `${HEAD}import { calc } from '../src/calc.js'
test('adds', () => {
  assert.equal(calc.add(1, 2), 3)
})
test('doubles', () => {
  assert.equal(calc.double(2), 4)
})
`,
}
const right = { ...start, 'src/calc.js': calc('a + b') }
const patching = "import { calc } from '../src/calc.js'\ncalc.add = (a, b) => a + b\n"
const setup = (more: string) => ({ 'tests/setup.mjs': `${start['tests/setup.mjs']}${more}` })
/** Something else that the test asked for. */
const done = { 'src/more.js': 'export const more = 1\n' }
const fromFile = (pairs?: string): Files => ({
  ...start,
  'tests/calc.test.js': `${HEAD}import { readFileSync } from 'node:fs'
import { calc } from '../src/calc.js'
test('adds', () => {
  const pairs = JSON.parse(readFileSync(new URL('./fixtures/pairs.json', import.meta.url), 'utf8'))
  for (const [a, b, sum] of pairs) assert.equal(calc.add(a, b), sum)
})
test('doubles', () => {
  assert.equal(calc.double(2), 4)
})
`,
  ...(pairs !== undefined && { 'tests/fixtures/pairs.json': pairs }),
})

const preload = { command: { command: 'node --import ./tests/setup.mjs --test' } }
const script = { command: { command: 'npm test', behind: 'node --test' } }
const accepted = { tests: { accept: ['adds'] }, experiments: { accept: ['adds'] } }
/** A script that starts the program it tests, with the help of another file. */
const shell = (body: string, more: Files): Files => ({
  'run.sh': `if ${body}; then echo 'ok 1 - greets'; else echo 'not ok 1 - greets'; bad=1; fi
echo 1..1
exit \${bad:-0}
`,
  ...more,
})
const GREETS = `[ "$(node greet.js World)" = 'Hello, World' ]`
const greet = (text: string): Files => ({ 'greet.js': `console.log('${text}' + process.argv[2])\n` })
const inShell = { command: { command: 'sh run.sh', runner: undefined } }

type Row = [name: string, files: Files, work: Files, settings: Settings, blocks: boolean, said: RegExp | string]
const INTACT = 'No tests were weakened.'
const rows: readonly Row[] = [
  [
    'a failing test passes only with a changed setup file',
    start,
    { ...setup(patching), ...done },
    preload,
    true,
    /^tests\/setup\.mjs: Test "adds" passes only with this change: tests\/setup\.mjs runs before the tests and can change their results\. Fix the code, and restore tests\/setup\.mjs\./,
  ],
  [
    'a test that passed, too',
    right,
    { ...setup(patching), 'src/calc.js': start['src/calc.js']! },
    preload,
    true,
    /Test "adds" passes only with this change/,
  ],
  [
    'a failing test passes only with a file that a script loads now',
    start,
    {
      'fake.mjs': patching.replace('..', '.'),
      'package.json': start['package.json']!.replace('node --test', 'node --import ./fake.mjs --test'),
      ...done,
    },
    script,
    true,
    /Test "adds" passes only with this change: fake\.mjs runs before the tests and can change their results/,
  ],
  [
    'a failing test passes only with another fixture',
    { ...right, ...fromFile('[[1, 2, 4]]') },
    { 'tests/fixtures/pairs.json': '[[1, 2, -1]]', ...done },
    {},
    true,
    /^tests\/fixtures\/pairs\.json: Test "adds" failed before the run, and passes only with the changed tests\/fixtures\/pairs\.json\. Fix the code, and restore tests\/fixtures\/pairs\.json\./,
  ],
  [
    'a failing test passes only with another fixture, and you allow that',
    { ...right, ...fromFile('[[1, 2, 4]]') },
    { 'tests/fixtures/pairs.json': '[[1, 2, -1]]', ...done },
    { allow: [{ kind: 'expectation-changed', file: 'tests/**', reason: 'asked for' }] },
    false,
    /^Allowed: /,
  ],
  [
    'a failing test passes only with it, and you accept the test',
    start,
    { ...setup(patching), ...done },
    { ...preload, ...accepted },
    false,
    INTACT,
  ],
  [
    'the tests pass without it too',
    start,
    { ...setup("process.env.APP = 'other'\n"), 'src/calc.js': calc('a + b') },
    preload,
    false,
    INTACT,
  ],
  [
    'only a new test needs it',
    start,
    {
      ...setup("process.env.SUM = '3'\n"),
      'src/calc.js': calc('a + b'),
      'tests/sum.test.js': `${HEAD}import { calc } from '../src/calc.js'\ntest('sums', () => assert.equal(calc.add(1, 2), Number(process.env.SUM)))\n`,
    },
    preload,
    false,
    INTACT,
  ],
  [
    'a fixture follows the source: named, and not blocked',
    { ...fromFile('[[1, 2, 3]]'), 'src/calc.js': calc('a + b') },
    { 'tests/fixtures/pairs.json': '[[1, 2, 13]]', 'src/calc.js': calc('a + b + 10') },
    {},
    false,
    /^Warnings only\. tests\/fixtures\/pairs\.json: Test "adds" expects something else now: tests\/fixtures\/pairs\.json contains other values\./,
  ],
  [
    'a failing test gets the fixture that it was missing, next to a changed setup file',
    fromFile(),
    { 'tests/fixtures/pairs.json': '[[1, 2, 3]]', 'src/calc.js': calc('a + b'), ...setup("process.env.APP = 'x'\n") },
    preload,
    false,
    /^Warnings only\. tests\/fixtures\/pairs\.json: /,
  ],
  ['a script starts the program that was wrong', shell(GREETS, greet('Hi ')), greet('Hello, '), inShell, false, INTACT],
  [
    'a script reads the source that was wrong',
    shell("grep -q 'a + b' src/calc.js", { 'src/calc.js': calc('a - b') }),
    { 'src/calc.js': calc('a + b') },
    inShell,
    false,
    INTACT,
  ],
  [
    'a failing test passes only with another script',
    shell(GREETS, greet('Hi ')),
    shell(':', done),
    inShell,
    true,
    /^run\.sh:/,
  ],
  [
    'a failing test passes only with another program that compares',
    shell('node compare.js', { ...greet('Hi '), 'compare.js': 'process.exit(1)\n' }),
    { 'compare.js': 'process.exit(0)\n', ...done },
    inShell,
    true,
    /^compare\.js: Test "greets" failed before the run, and passes only with the changed compare\.js/,
  ],
]

describe('what runs before the tests, and what they read', () => {
  it.each(rows)('%s', { timeout: patience(60_000) }, async (_name, files, work, settings, blocks, said) => {
    const { tests, tampering } = await claimOn(files, (p: Project) => p.write(work), settings)
    expect(tests.answer).toBe('yes')
    expect(tampering?.detail).toMatch(said)
    expect(tampering?.answer).toBe(blocks ? 'no' : 'yes')
  })
})
