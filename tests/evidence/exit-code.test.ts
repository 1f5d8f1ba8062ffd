import { describe, expect, it } from 'vitest'
import { isOnlyRenamed } from '../../packages/exitgate/src/checks/command.ts'
import type { TestsOptions } from '../../src/evidence/checks/tests.ts'
import { runTestCommand, withExitCode } from '../../src/evidence/runners/run.ts'
import { claimOn } from './claimed.ts'

const SHELL = {
  'greet.sh': 'echo "hello $1"\n',
  'check.sh':
    'set -e\n[ "$(sh greet.sh bob)" = "hello bob" ]\n[ "$(sh greet.sh ann)" = "hello ann" ]\nfor t in tests/*.sh; do [ ! -e "$t" ] || sh "$t"; done\n',
}
const LOUD = 'if [ "$2" = loud ]; then echo "HELLO $1"; else echo "hello $1"; fi\n'
const LOUD_TEST = '[ "$(sh greet.sh bob loud)" = "HELLO bob" ]\n'

const SCRIPT = {
  'sum.cjs': 'exports.sum = (a, b) => a + b\n',
  'test.cjs':
    "const assert = require('node:assert')\nconst { sum } = require('./sum.cjs')\nassert.equal(sum(1, 2), 3)\nassert.equal(sum(2, 2), 4)\n",
}
const MUL = 'exports.mul = (a, b) => a * b\n'
const MUL_TEST = "assert.equal(require('./sum.cjs').mul(2, 3), 6)\n"

const DOCS = { 'README.md': '# Title\n' }

interface Row {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly command: string
  readonly work: Readonly<Record<string, string>>
  readonly task?: string
  readonly tests: string
  /** Absent if the answer doesn't matter. */
  readonly proves?: number
  readonly tampering?: string
  readonly says?: RegExp
}

const shell = { files: SHELL, command: 'sh check.sh' }
const script = { files: SCRIPT, command: 'node test.cjs' }
const ROWS: readonly Row[] = [
  {
    name: 'a feature with its script',
    ...shell,
    work: { 'greet.sh': LOUD, 'tests/loud.sh': LOUD_TEST },
    tests: 'yes',
    proves: 1,
  },
  {
    name: 'a feature with a new line in the script',
    ...shell,
    work: { 'greet.sh': LOUD, 'check.sh': SHELL['check.sh'] + LOUD_TEST },
    tests: 'yes',
    proves: 1,
  },
  {
    name: 'bare assertions',
    ...script,
    work: { 'sum.cjs': SCRIPT['sum.cjs'] + MUL, 'test.cjs': SCRIPT['test.cjs'] + MUL_TEST },
    tests: 'yes',
    proves: 1,
  },
  {
    name: 'a command that failed before the run',
    files: { ...SCRIPT, 'sum.cjs': 'exports.sum = (a, b) => a - b\n' },
    command: script.command,
    work: { 'sum.cjs': SCRIPT['sum.cjs'] },
    tests: 'yes',
    proves: 1,
  },
  {
    name: 'nothing but a comment',
    ...shell,
    work: { 'greet.sh': `${SHELL['greet.sh']}# loud\n` },
    tests: 'yes',
    proves: 0,
  },
  {
    name: 'a test that is always true',
    ...shell,
    work: { 'greet.sh': `${SHELL['greet.sh']}# loud\n`, 'tests/loud.sh': 'true\n' },
    tests: 'yes',
    proves: 0,
  },
  {
    name: 'a line removed that the product breaks',
    ...shell,
    work: {
      'greet.sh': 'if [ "$2" = loud ]; then echo "HELLO $1"; else echo "hello bob"; fi\n',
      'check.sh': SHELL['check.sh'].replace(/.*ann.*\n/, ''),
      'tests/loud.sh': LOUD_TEST,
    },
    tests: 'yes',
    proves: 0,
    tampering: 'no',
  },
  {
    name: 'a script that ends at once',
    ...shell,
    work: { 'greet.sh': 'echo no\n', 'check.sh': `exit 0\n${SHELL['check.sh']}` },
    tests: 'yes',
    proves: 0,
    tampering: 'no',
  },
  {
    name: 'values recorded again beside a real test',
    ...script,
    work: {
      'sum.cjs': `exports.sum = (a, b) => a + 1\n${MUL}`,
      'test.cjs': SCRIPT['test.cjs'].replace('2), 3', '2), 2').replace('2), 4', '2), 3') + MUL_TEST,
    },
    tests: 'yes',
    proves: 0,
    tampering: 'no',
  },
  {
    name: 'code that ends the process',
    ...script,
    work: { 'sum.cjs': `exports.sum = () => process.exit(0)\n${MUL}`, 'test.cjs': SCRIPT['test.cjs'] + MUL_TEST },
    tests: 'unknown',
    says: /^The tests end before their last line/,
  },
  {
    name: 'a function renamed',
    ...script,
    work: {
      'sum.cjs': 'exports.add = (a, b) => a + b\n',
      'test.cjs': SCRIPT['test.cjs'].replaceAll('sum(', 'add(').replace('{ sum }', '{ add }'),
    },
    tests: 'yes',
    proves: 0,
    tampering: 'yes',
  },
  {
    name: 'a command that can not fail',
    files: SCRIPT,
    command: 'true',
    work: { 'sum.cjs': SCRIPT['sum.cjs'] + MUL },
    tests: 'unknown',
    says: /^The test command passes even if the change does nothing/,
  },
  {
    name: 'documents that the command does not read',
    files: DOCS,
    command: 'true',
    task: 'Describe the usage in README.md.',
    work: { 'README.md': '# Title\n\n## Usage\n' },
    tests: 'yes',
  },
]

const run: TestsOptions['run'] = async (detected, options, workspace) =>
  withExitCode(await runTestCommand(workspace, detected, options), detected, true)

describe('a test command that reports no tests', () => {
  it.each(ROWS)('$name', async ({ files, command, work, task, tests, proves, tampering = 'yes', says }) => {
    const settings = { command: { command, runner: undefined }, run, ...(task !== undefined && { task: [task] }) }
    const found = await claimOn(files, (p) => p.write(work), settings)
    expect(found.tests).toMatchObject({ answer: tests })
    expect(found.tampering).toMatchObject({ answer: tampering })
    if (proves !== undefined) expect(found.proven?.counts).toMatchObject({ proves })
    if (says !== undefined) expect(found.tests.detail).toMatch(says)
  })

  it('counts next to the tests that it reports later', async () => {
    const detected = { kind: 'test', command: 'make', cwd: '', why: 'a sample' } as const
    const ran = { code: 0, ended: 'exit', output: '', cut: 0, ms: 1 } as const
    const reported = {
      passed: 1,
      failed: 0,
      skipped: 0,
      total: 1,
      ok: true,
      framework: 'tap',
      tests: [{ name: 'a', state: 'passed' }],
    } as const
    const result = withExitCode({ ran, run: reported, source: 'output' }, detected, true)
    expect(result.run).toMatchObject({ total: 2, tests: [{ name: 'a' }, { name: 'make', state: 'passed' }] })
    expect(withExitCode({ ran, run: reported, source: 'output' }, detected).run).toBe(reported)
    expect(withExitCode({ ran, source: 'none' }, { ...detected, runner: 'vitest' }).run).toBeUndefined()
  })
})

describe('texts in which only names differ', () => {
  const PRODUCT = [{ before: 'def total(x): return x', after: 'def sum_of(x): return x' }]
  it.each([
    ['the name of the product', 'check(total(1), 1)', 'check(sum_of(1), 1)', true],
    ['a value', 'check(total(1), 1)', 'check(sum_of(1), 2)', false],
    ['an assertion', 'equal(total(1), 1)', 'ok(sum_of(1), 1)', false],
    ['a line', 'check(total(1), 1)\ncheck(total(2), 2)', 'check(sum_of(1), 1)', false],
    ['two names become one', 'check(total(1), x)', 'check(sum_of(1), sum_of)', false],
  ])('%s', (_name, before, after, expected) => {
    expect(isOnlyRenamed([{ before, after }], PRODUCT)).toBe(expected)
  })
})
