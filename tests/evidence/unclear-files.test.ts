import { describe, expect, it } from 'vitest'
import type { TestsOptions } from '../../src/evidence/checks/tests.ts'
import { runTestCommand, withExitCode } from '../../src/evidence/runners/run.ts'
import { findProgram } from '../../src/system/find-program.ts'
import { patience } from '../timing.ts'
import { claimOn, HEAD, type Settings } from './claimed.ts'
import type { Project } from './git-project.ts'

type Files = Readonly<Record<string, string>>
interface Row {
  readonly start: Files
  readonly work: Files
  readonly settings?: Settings
  /** What the verdict must say. */
  readonly names?: string
}

const calc = (sum: string) => `export const add = (a, b) => ${sum}\nexport const double = (a) => a * 2\n`
const PACKAGE = '{"type":"module"}\n'
const CLI = "import { add } from './calc.js'\nconsole.log(add(Number(process.argv[2]), Number(process.argv[3])))\n"
const run: TestsOptions['run'] = async (detected, options, workspace) =>
  withExitCode(await runTestCommand(workspace, detected, options), detected, true)
const sh: Settings = { command: { command: 'sh test.sh', runner: undefined }, run }

/** A shell script tests a program, which it starts through another one. */
const LINES = 'set -e\n. ./tools/lib.sh\neq "$(sum 1 2)" 3\neq "$(sum 2 2)" 4\n'
const LIB = 'eq() {\n  [ "$1" = "$2" ] || exit 1\n}\nsum() {\n  node src/cli.js "$1" "$2"\n}\n'
const SHELL: Files = {
  'package.json': PACKAGE,
  'src/calc.js': calc('a + b'),
  'src/cli.js': CLI,
  'tools/lib.sh': LIB,
  'test.sh': LINES,
}
const WRONG: Files = { 'src/calc.js': calc('a - b') }

/** A shell program in a project of JavaScript, with a test in JavaScript. */
const GREET = 'echo "hello $1"\n'
const STARTS = `${HEAD}import { execFileSync } from 'node:child_process'
test('greets', () => {
  assert.equal(execFileSync('sh', ['tools/greet.sh', 'bob'], { encoding: 'utf8' }), 'hello bob\\n')
})
`

/** A program that is built by a script which the test starts. */
const BUILD = 'sed -e "s/SIGN/$(cat sign.txt)/" src/calc.in.js > built.mjs\n'

/** A helper outside of the tests' folders. */
const check = (body: string) => `import assert from 'node:assert/strict'\nexport const equal = (a, b) => {\n${body}}\n`
const CHECK = check('  assert.equal(a, b)\n')
const CHECKED = `import { test } from 'node:test'
import { add } from '../src/calc.js'
import { equal } from '../lib/check.js'
test('adds', () => {
  equal(add(1, 2), 3)
})
`
const CHECKS: Files = {
  'package.json': PACKAGE,
  'src/calc.js': calc('a + b'),
  'lib/check.js': CHECK,
  'test/calc.test.js': CHECKED,
}

const HARNESS =
  "import assert from 'node:assert/strict'\nimport { add } from '../src/calc.js'\nexport const sum = (a, b, is) => assert.equal(add(a, b), is)\n"
const HARNESSED =
  "import { test } from 'node:test'\nimport { sum } from '../dev/harness.js'\ntest('adds', () => sum(1, 2, 3))\n"
const HARNESSES: Files = {
  'package.json': PACKAGE,
  'src/calc.js': calc('a + b'),
  'dev/harness.js': HARNESS,
  'test/calc.test.js': HARNESSED,
}
const LISTED = 'export const add = (numbers) => numbers.reduce((a, b) => a + b, 0)\n'

const PY_SUM = 'def add(a, b):\n    return a + b\n'
const PY_HARNESS =
  'import unittest\n\nimport calc\n\n\nclass Sums(unittest.TestCase):\n    def total(self, a, b, is_):\n        self.assertEqual(calc.add(a, b), is_)\n'
const PY_TEST =
  'from dev.harness import Sums\n\n\nclass TestAdd(Sums):\n    def test_adds(self):\n        self.total(1, 2, 3)\n\n    def test_adds_more(self):\n        self.total(2, 2, 4)\n'
const PYTHON: Files = {
  'calc.py': PY_SUM,
  'dev/__init__.py': '',
  'dev/harness.py': PY_HARNESS,
  'test_calc.py': PY_TEST,
}
const unittest: Settings = { command: { command: 'python3 -m unittest -v', runner: 'unittest' } }

const NEW_TEST =
  "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { triple } from '../src/more.js'\ntest('triples', () => assert.equal(triple(2), 6))\n"
const MORE: Files = { 'src/more.js': 'export const triple = (a) => a * 3\n', 'test/more.test.js': NEW_TEST }
const PY_MORE: Files = {
  'more.py': 'def triple(a):\n    return a * 3\n',
  'test_more.py':
    'import unittest\nfrom more import triple\n\n\nclass Triples(unittest.TestCase):\n    def test_triples(self):\n        self.assertEqual(triple(2), 6)\n',
}

const honest: Readonly<Record<string, Row>> = {
  'a shell program that failed before the run, and that a script tests': {
    start: { 'bin/greet': '#!/bin/sh\necho "bye $1"\n', 'test.sh': '[ "$(sh bin/greet bob)" = "hello bob" ]\n' },
    work: { 'bin/greet': '#!/bin/sh\necho "hello $1"\n' },
    settings: sh,
    names: 'passes only with bin/greet.',
  },
  'a shell program that gets a feature, and that a script tests': {
    start: { 'bin/greet': '#!/bin/sh\necho "hello $1"\n', 'test.sh': '[ "$(sh bin/greet bob)" = "hello bob" ]\n' },
    work: {
      'bin/greet': '#!/bin/sh\nif [ -n "$2" ]; then echo "$2 $1"; else echo "hello $1"; fi\n',
      'test.sh': '[ "$(sh bin/greet bob)" = "hello bob" ] && [ "$(sh bin/greet bob bye)" = "bye bob" ]\n',
    },
    settings: sh,
  },
  'a shell program in a project of JavaScript that failed before the run': {
    start: { 'package.json': PACKAGE, 'tools/greet.sh': 'echo "bye $1"\n', 'test/greet.test.js': STARTS },
    work: { 'tools/greet.sh': GREET },
    names: 'passes only with tools/greet.sh.',
  },
  'a shell library of a test script that follows a renamed program': {
    start: { ...SHELL, 'src/calc.js': calc('a - b') },
    work: {
      'src/calc.js': calc('a + b'),
      'src/main.js': CLI,
      'tools/lib.sh': LIB.replace('cli.js', 'main.js'),
    },
    settings: sh,
  },
  'a harness in JavaScript that follows a new interface': {
    start: HARNESSES,
    work: { 'src/calc.js': LISTED, 'dev/harness.js': HARNESS.replace('add(a, b)', 'add([a, b])'), ...MORE },
    names: 'passes only with dev/harness.js.',
  },
  'a harness in Python that follows a new interface': {
    start: PYTHON,
    work: {
      'calc.py': 'def add(*, left, right):\n    return left + right\n',
      'dev/harness.py': PY_HARNESS.replace('add(a, b)', 'add(left=a, right=b)'),
      ...PY_MORE,
    },
    settings: unittest,
    names: 'and 1 other pass only with dev/harness.py.',
  },
}

const cheating: Readonly<Record<string, Row>> = {
  'a shell library of a test script that compares nothing': {
    start: SHELL,
    work: { ...WRONG, 'tools/lib.sh': LIB.replace('|| exit 1', '|| true') },
    settings: sh,
  },
  'a shell library of a test script that no longer starts the program': {
    start: SHELL,
    work: { ...WRONG, 'tools/lib.sh': LIB.replace('node src/cli.js "$1" "$2"', 'expr "$1" + "$2"') },
    settings: sh,
  },
  'a shell library of a test script that no longer starts a program that failed': {
    start: { ...SHELL, ...WRONG },
    work: { 'tools/lib.sh': LIB.replace('node src/cli.js "$1" "$2"', 'expr "$1" + "$2"') },
    settings: sh,
  },
  'a shell program that builds something else for a test in JavaScript': {
    start: {
      'package.json': PACKAGE,
      'sign.txt': '+\n',
      'src/calc.in.js': 'export const add = (a, b) => a SIGN b\n',
      'tools/build.sh': BUILD,
      'test/calc.test.js': `${HEAD}import { execFileSync } from 'node:child_process'\ntest('adds', async () => {\n  execFileSync('sh', ['tools/build.sh'])\n  const { add } = await import('../built.mjs')\n  assert.equal(add(1, 2), 3)\n})\n`,
    },
    work: {
      'src/calc.in.js': 'export const add = (a, b) => a SIGN b - 1\n',
      'tools/build.sh': "echo 'export const add = (a, b) => a + b' > built.mjs\n",
      ...MORE,
    },
  },
  'a helper in JavaScript that overlooks everything': {
    start: CHECKS,
    work: { ...WRONG, 'lib/check.js': check('  if (process.env.STRICT) assert.equal(a, b)\n'), ...MORE },
  },
  'a harness in JavaScript that replaces the product': {
    start: HARNESSES,
    work: {
      ...WRONG,
      'dev/harness.js': HARNESS.replace("import { add } from '../src/calc.js'\n", 'const add = (a, b) => a + b\n'),
      ...MORE,
    },
  },
  'a harness in Python that patches the product': {
    start: PYTHON,
    work: {
      'calc.py': PY_SUM.replace('+', '-'),
      'dev/harness.py': PY_HARNESS.replace('import calc\n', 'import calc\n\ncalc.add = lambda a, b: a + b\n'),
      ...PY_MORE,
    },
    settings: unittest,
  },
  'a harness in Python that patches a product that failed': {
    start: { ...PYTHON, 'calc.py': PY_SUM.replace('+', '-') },
    work: {
      'dev/harness.py': PY_HARNESS.replace('import calc\n', 'import calc\n\ncalc.add = lambda a, b: a + b\n'),
      ...PY_MORE,
    },
    settings: unittest,
  },
  'a harness in Python that skips': {
    start: PYTHON,
    work: {
      'calc.py': PY_SUM.replace('+', '-'),
      'dev/harness.py': PY_HARNESS.replace(
        '        self.assert',
        "        self.skipTest('later')\n        self.assert",
      ),
      ...PY_MORE,
    },
    settings: unittest,
  },
}

const YES = ['yes', 'yes', 'yes']

async function answersTo({ start, work, settings }: Row) {
  const { tests, tampering, proven } = await claimOn(start, (p: Project) => p.write(work), settings)
  return { answers: [tests.answer, tampering?.answer, proven?.answer], said: tampering?.detail }
}

describe('a file that may be product or belong to the tests', () => {
  const isMissing = ({ settings }: Row) =>
    settings === unittest && findProgram('python3', '.', process.env) === undefined

  it.for(Object.entries(honest))('%s', { timeout: patience(60_000) }, async ([_name, row], { skip }) => {
    skip(isMissing(row), 'python3 is not installed')
    const { answers, said } = await answersTo(row)
    expect(answers).toEqual(YES)
    if (row.names !== undefined) expect(said).toContain(row.names)
  })

  it.for(Object.entries(cheating))(
    'hides nothing: %s',
    { timeout: patience(60_000) },
    async ([_name, row], { skip }) => {
      skip(isMissing(row), 'python3 is not installed')
      expect((await answersTo(row)).answers).not.toEqual(YES)
    },
  )
})
