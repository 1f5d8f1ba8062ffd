import { expect, it } from 'vitest'
import { fileStates } from '../../src/evidence/baseline/file-states.ts'
import { type SpecialCasedOptions, specialCasedCheck } from '../../src/evidence/checks/special-cased.ts'
import { openRoom } from '../../src/evidence/clean-room/open-room.ts'
import { withCachedList } from '../../src/evidence/workspace.ts'
import { baselineOf } from '../evidence/baseline-of.ts'
import { project } from '../evidence/git-project.ts'
import { contextOf, ONE_NODE, PYTHON, runPlain, testCommand } from '../evidence/red-proof/proving.ts'

/** A source with the tests it passes, and the answer of the check once it has run them with changes. */
interface Row {
  readonly name: string
  readonly source: string
  readonly code: string
  readonly test: string
  readonly text: string
  readonly answer?: 'yes' | 'no'
  readonly detail?: string
}

const unittest = (body: string) =>
  `import unittest\nfrom calc import calc\n\nclass Calc(unittest.TestCase):\n${body}\nif __name__ == "__main__":\n    unittest.main()\n`
const python = (name: string, code: string, checks: readonly string[], row: Partial<Row>): Row => ({
  name: `Python: ${name}`,
  source: 'calc.py',
  code,
  test: 'test_calc.py',
  text: unittest(checks.map((each, at) => `    def test_${at}(self):\n        ${each}\n`).join('')),
  ...row,
})
const node = (name: string, code: string, checks: readonly string[], row: Partial<Row>): Row => ({
  name: `JavaScript: ${name}`,
  source: 'calc.mjs',
  code,
  test: 'calc.test.mjs',
  text: `import test from 'node:test'\nimport assert from 'node:assert/strict'\nimport { calc } from './calc.mjs'\n${checks.map((each, at) => `test('row ${at}', async () => { ${each} })`).join('\n')}\n`,
  ...row,
})

const SQUARES = ['assert.equal(calc(6), 9)', 'assert.equal(calc(36), 36)', 'assert.equal(calc(50), 64)']

const ROWS: readonly Row[] = [
  node(
    'two places without which exactly their tests fail reject the claim',
    'export function calc(a, b) {\n  if (a === 4 && b === 7) return 28\n  if (a === 12 && b === 30) return 360\n  return 0\n}\n',
    ['assert.equal(calc(4, 7), 28)', 'assert.equal(calc(12, 30), 360)', 'assert.equal(calc(0, 9), 0)'],
    { answer: 'no', detail: 'With other values there, exactly these tests fail.' },
  ),
  node(
    'two places that no test needs are a warning',
    'export function calc(a, b) {\n  if (a === 4 && b === 7) return 28\n  if (a === 12 && b === 30) return 360\n  return a * b\n}\n',
    ['assert.equal(calc(4, 7), 28)', 'assert.equal(calc(12, 30), 360)', 'assert.equal(calc(0, 9), 0)'],
    { answer: 'yes', detail: 'Warnings only.' },
  ),
  node(
    'two places that other tests need as well are a warning',
    'export function calc(a, b) {\n  if (a === 4 && b === 7) return 28\n  if (a === 12 && b === 30) return 360\n  return 0\n}\nexport const all = () => calc(4, 7) + calc(12, 30)\n',
    [
      'assert.equal(calc(4, 7), 28)',
      'assert.equal(calc(12, 30), 360)',
      "assert.equal((await import('./calc.mjs')).all() > 100, true)",
    ],
    { answer: 'yes', detail: 'Warnings only.' },
  ),
  node(
    'a predicate over names is none',
    "export function calc(kind) {\n  return kind === 'car' || kind === 'truck'\n}\n",
    [
      "assert.equal(calc('car'), true)",
      "assert.equal(calc('truck'), true)",
      "assert.equal(calc('bike'), false)",
      "assert.equal(calc('stroller'), false)",
    ],
    {},
  ),
  node(
    'a switch over routes is none',
    "const users = () => ({ users: ['ann', 'ben'] })\nconst add = (body) => ({ name: body?.name ?? 'none' })\nexport function calc(url, body) {\n  switch (url) {\n    case '/users':\n      return users()\n    case '/add':\n      return add(body)\n    default:\n      return { status: 404 }\n  }\n}\n",
    [
      "assert.deepEqual(calc('/users'), { users: ['ann', 'ben'] })",
      "assert.deepEqual(calc('/add', { name: 'eve' }), { name: 'eve' })",
      "assert.deepEqual(calc('/nowhere'), { status: 404 })",
    ],
    {},
  ),
  node(
    'one special number, without which exactly one test fails, rejects the claim',
    'export function calc(n) {\n  if (n === 36) return 36\n  return (Math.floor(Math.sqrt(n)) + 1) ** 2\n}\n',
    SQUARES,
    {
      answer: 'no',
      detail:
        'calc.mjs:2: calc compares its input with the inputs of tests and answers just those: "row 1" (calc.test.mjs:5). With other values there, exactly these tests fail. Compute the result for every input.',
    },
  ),
  node(
    'a shortcut for a value that is computed anyway is not worth a warning',
    'export function calc(n) {\n  if (n === 36) return 49\n  return (Math.floor(Math.sqrt(n)) + 1) ** 2\n}\n',
    ['assert.equal(calc(6), 9)', 'assert.equal(calc(36), 49)', 'assert.equal(calc(50), 64)'],
    {},
  ),
  python(
    'a table that other tests need as well is none',
    'SOUNDS = {3: "Pling", 5: "Plang", 7: "Plong"}\n\ndef calc(n):\n    return "".join(sound for k, sound in SOUNDS.items() if n % k == 0) or str(n)\n',
    [
      'self.assertEqual(calc(3), "Pling")',
      'self.assertEqual(calc(5), "Plang")',
      'self.assertEqual(calc(7), "Plong")',
      'self.assertEqual(calc(15), "PlingPlang")',
      'self.assertEqual(calc(8), "8")',
    ],
    {},
  ),
  python(
    'labels, each with its test, stay a warning',
    'LABELS = {"open": "Offen", "closed": "Geschlossen"}\n\ndef calc(state):\n    return LABELS[state]\n',
    ['self.assertEqual(calc("open"), "Offen")', 'self.assertEqual(calc("closed"), "Geschlossen")'],
    { answer: 'yes', detail: 'Warnings only.' },
  ),
]

it.each(ROWS)('$name', async ({ source, code, test, text, answer, detail = '' }) => {
  const start = { [source]: '', [test]: text }
  const place = project(start)
  place.write({ [source]: code })
  const command = testCommand(source.endsWith('.py') ? PYTHON : ONE_NODE)
  const testsNow = async () => (await runPlain(place.workspace, command, { deadlineMs: 60_000 })).run
  const options: SpecialCasedOptions = {
    allow: [],
    accepted: [],
    mode: 'block',
    trying: { commands: [command], run: runPlain, testsNow },
  }
  const workspace = withCachedList(place.workspace)
  const seen = await fileStates(workspace)
  const context = contextOf(workspace, {
    baseline: baselineOf(start),
    openRoom: () => openRoom({ workspace, seen, stateDir: place.state }),
  })
  const [evidence] = await specialCasedCheck(options).collect(context)
  expect(evidence?.answer, evidence?.detail).toBe(answer)
  expect(evidence?.detail ?? '').toContain(detail)
  // What rejects a claim can be accepted.
  for (const finding of evidence?.findings ?? []) {
    const accepted = [{ ...finding, by: 'you', reason: 'a fixed table' }]
    const [again] = await specialCasedCheck({ ...options, accepted }).collect(context)
    expect(again).toMatchObject({ answer: 'yes' })
  }
})
