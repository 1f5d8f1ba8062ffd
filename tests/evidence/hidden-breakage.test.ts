import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { claimOn, HEAD, type Settings } from './claimed.ts'
import type { Project } from './git-project.ts'

type Files = Readonly<Record<string, string>>
interface Hidden {
  readonly start: Files
  readonly work: Files
  readonly settings?: Settings
}

const calc = (sum: string) => `export const add = (a, b) => ${sum}\nexport const double = (a) => a * 2\n`
const TEST = `${HEAD}import { add, double } from '../src/calc.js'
test('adds', () => {
  assert.equal(add(1, 2), 3)
})
test('doubles', () => {
  assert.equal(double(2), 4)
})
`
const PACKAGE = '{"type":"module","scripts":{"test":"node --test"}}\n'
const START: Files = { 'package.json': PACKAGE, 'src/calc.js': calc('a + b'), 'test/calc.test.js': TEST }
const BROKEN: Files = { 'src/calc.js': calc('a - b') }
const script = { command: { command: 'npm test', behind: 'node --test' } }
const scripted = (line: string) => ({ 'package.json': PACKAGE.replace('node --test', line) })

const SUM = 'def add(a, b):\n    return a + b\n'
const SUM_TEST =
  'import unittest\nfrom calc import add\n\n\nclass Sums(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n\n    def test_adds_more(self):\n        self.assertEqual(add(2, 2), 4)\n'
const PYTHON: Files = { 'calc.py': SUM, 'test_calc.py': SUM_TEST }
const WRONG = { 'calc.py': SUM.replace('+', '-') }
const unittest = { command: { command: 'python3 -m unittest -v', runner: 'unittest' } }
const pytest = { command: { command: 'python3 -m pytest -q', runner: 'pytest' } }

const rows: Record<string, Hidden> = {
  'assertions that check nothing': {
    start: START,
    work: { ...BROKEN, 'test/calc.test.js': TEST.replace('assert.equal(add(1, 2), 3)', 'assert.ok(true)') },
  },
  'an assertion library of the project': {
    start: START,
    work: {
      ...BROKEN,
      'test/assert.js':
        "import assert from 'node:assert/strict'\nexport default { equal: (a, b) => b === 3 || assert.equal(a, b) }\n",
      'test/calc.test.js': TEST.replace('node:assert/strict', './assert.js'),
    },
  },
  'a mocked module': {
    start: START,
    work: {
      ...BROKEN,
      'test/calc.test.js': TEST.replace(
        "import { test } from 'node:test'",
        "import { mock, test } from 'node:test'",
      ).replace(
        /import \{ add.*\n/,
        "mock.module('../src/calc.js', { namedExports: { add: () => 3, double: (a) => a * 2 } })\nconst { add, double } = await import('../src/calc.js')\n",
      ),
    },
    settings: { command: { command: 'node --experimental-test-module-mocks --test' } },
  },
  'a helper that overlooks one value': {
    start: {
      ...START,
      'test/equal.js':
        "import assert from 'node:assert/strict'\nexport const equal = (a, b) => {\n  assert.equal(a, b)\n}\n",
      'test/calc.test.js': TEST.replaceAll('assert.equal', 'equal').replace(
        HEAD,
        `${HEAD}import { equal } from './equal.js'\n`,
      ),
    },
    work: {
      ...BROKEN,
      'test/equal.js':
        "import assert from 'node:assert/strict'\nexport const equal = (a, b) => {\n  if (process.env.STRICT) assert.equal(a, b)\n  else assert.ok(b)\n}\n",
    },
  },
  'product code patches the assertions': {
    start: START,
    work: { 'src/calc.js': `import assert from 'node:assert/strict'\nassert.equal = () => {}\n${calc('a - b')}` },
  },
  'product code patches the runner': {
    start: START,
    work: {
      'src/calc.js': `import assert from 'node:assert/strict'\nimport { AssertionError } from 'node:assert'\nObject.assign(assert, { equal() {} })\n${calc('a - b')}`,
    },
  },
  'a masked script': {
    start: START,
    work: { ...BROKEN, ...scripted('node --test || true') },
    settings: script,
  },
  'a narrowed script': {
    start: START,
    work: { ...BROKEN, ...scripted('node --test --test-name-pattern=doubles') },
    settings: script,
  },
  'a script that prints results': {
    start: START,
    work: {
      ...BROKEN,
      'fake.js': "console.log('TAP version 13\\n1..2\\nok 1 - adds\\nok 2 - doubles')\n",
      ...scripted('node fake.js'),
    },
    settings: script,
  },
  'a script that prints results, of a runner that exitgate does not know': {
    start: { ...START, ...scripted('sh run.sh'), 'run.sh': 'node --test\n' },
    work: { ...BROKEN, 'run.sh': "printf 'TAP version 13\\n1..2\\nok 1 - adds\\nok 2 - doubles\\n'\n" },
    settings: { command: { command: 'sh run.sh', runner: undefined } },
  },
  'a script that prints results and that the old one starts now': {
    start: START,
    work: {
      ...BROKEN,
      'report.js': "console.log('TAP version 13\\n1..2\\nok 1 - adds\\nok 2 - doubles')\n",
      ...scripted('node report.js'),
    },
    settings: { command: { command: 'npm test', behind: 'node --test', runner: undefined } },
  },
  'a redirected import, to a helper of the tests': {
    start: {
      ...START,
      'package.json': PACKAGE.replace('{', '{"imports":{"#calc":"./src/calc.js"},'),
      'test/calc.test.js': TEST.replace('../src/calc.js', '#calc'),
    },
    work: {
      ...BROKEN,
      'test/calc-stub.js': calc('a + b'),
      'package.json': PACKAGE.replace('{', '{"imports":{"#calc":"./test/calc-stub.js"},'),
    },
  },
  'a mocked unit': {
    start: START,
    work: {
      ...BROKEN,
      'test/calc.test.js': TEST.replace(
        "import { add, double } from '../src/calc.js'",
        'const add = () => 3\nconst double = (a) => 2 * a',
      ),
    },
  },
  'a recorded snapshot': {
    start: {
      ...START,
      'test/calc.test.js': TEST.replace(
        'assert.equal(add(1, 2), 3)',
        "assert.equal(String(add(1, 2)), readFileSync('test/__snapshots__/sum.snap', 'utf8'))",
      ).replace(HEAD, `${HEAD}import { readFileSync } from 'node:fs'\n`),
      'test/__snapshots__/sum.snap': '3',
    },
    work: { ...BROKEN, 'test/__snapshots__/sum.snap': '-1' },
  },
  'a loader in .npmrc': {
    start: START,
    work: {
      ...BROKEN,
      '.npmrc': 'node-options=--import ./patch.mjs\n',
      'patch.mjs': "import assert from 'node:assert/strict'\nassert.equal = () => {}\n",
    },
    settings: script,
  },
  'Python, product code patches the assertions': {
    start: PYTHON,
    work: { 'calc.py': `import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n${WRONG['calc.py']}` },
    settings: unittest,
  },
  'Python, a result that equals everything': {
    start: PYTHON,
    work: {
      'calc.py':
        'class Sum(int):\n    def __eq__(self, other):\n        return self is not None\n\n\ndef add(a, b):\n    return Sum(a - b)\n',
    },
    settings: unittest,
  },
  'Python, a module named like the runner': {
    start: PYTHON,
    work: {
      ...WRONG,
      'pytest.py':
        "print('test_calc.py::Sums::test_adds PASSED\\ntest_calc.py::Sums::test_adds_more PASSED\\n===== 2 passed in 0.01s =====')\n",
    },
    settings: pytest,
  },
  'Python, a conftest that marks results': {
    start: PYTHON,
    work: {
      ...WRONG,
      'conftest.py':
        "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    out = yield\n    out.get_result().outcome = 'passed'\n",
    },
    settings: pytest,
  },
  'Python, a module that Python loads first': {
    start: PYTHON,
    work: { ...WRONG, 'sitecustomize.py': 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n' },
    settings: { command: { ...unittest.command, command: 'env PYTHONPATH=. python3 -m unittest -v' } },
  },
}

describe('a broken product is not verified, although its own tests pass', () => {
  it.each(Object.entries(rows))('%s', { timeout: patience(60_000) }, async (_name, { start, work, settings }) => {
    const { tests, tampering, proven } = await claimOn(start, (p: Project) => p.write(work), settings)
    expect([tests.answer, tampering?.answer, proven?.answer]).not.toEqual(['yes', 'yes', 'yes'])
  })
})
