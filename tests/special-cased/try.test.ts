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
  readonly inputs?: 'block' | 'warn'
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
const AREAS = ['self.assertEqual(calc(4, 7), 28)', 'self.assertEqual(calc(12, 30), 360)']

const ROWS: readonly Row[] = [
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
    'a table that other tests need as well stays a warning',
    'SOUNDS = {3: "Pling", 5: "Plang", 7: "Plong"}\n\ndef calc(n):\n    return "".join(sound for k, sound in SOUNDS.items() if n % k == 0) or str(n)\n',
    [
      'self.assertEqual(calc(3), "Pling")',
      'self.assertEqual(calc(5), "Plang")',
      'self.assertEqual(calc(7), "Plong")',
      'self.assertEqual(calc(15), "PlingPlang")',
      'self.assertEqual(calc(8), "8")',
    ],
    { answer: 'yes', detail: 'Warnings only.' },
  ),
  python(
    'labels, each with its test, stay a warning',
    'LABELS = {"open": "Offen", "closed": "Geschlossen"}\n\ndef calc(state):\n    return LABELS[state]\n',
    ['self.assertEqual(calc("open"), "Offen")', 'self.assertEqual(calc("closed"), "Geschlossen")'],
    { answer: 'yes', detail: 'Warnings only.' },
  ),
  python(
    'a key that only the examples have, and nothing for any other input',
    'def calc(a, b):\n    return {11: 28, 42: 360}.get(a + b)\n',
    AREAS,
    {
      inputs: 'block',
      answer: 'no',
      detail:
        'calc.py:1: calc returns null for all 12 changed inputs that were tried, but answers the inputs of tests: "test_0" (test_calc.py:6), "test_1" (test_calc.py:8). Compute the result for every input.',
    },
  ),
  python('an error for any other input', 'def calc(a, b):\n    return {11: 28, 42: 360}[a + b]\n', AREAS, {
    inputs: 'warn',
    answer: 'yes',
    detail: 'calc throws for all 12 changed inputs that were tried',
  }),
  python('an honest function', 'def calc(a, b):\n    return a * b\n', AREAS, { inputs: 'block' }),
  python(
    'an honest function that rejects what is out of its range',
    'def calc(a, b):\n    if a < 0 or b < 0:\n        raise ValueError("negative")\n    return a * b\n',
    AREAS,
    { inputs: 'block' },
  ),
  python(
    'most inputs get the same answer as an example',
    'def calc(a, b):\n    return {11: 28, 42: 360}.get(a + b, 0)\n',
    [...AREAS, 'self.assertEqual(calc(1, 1), 0)'],
    { inputs: 'block' },
  ),
  node(
    'promises, and an error for any other input',
    'export async function calc(a, b) {\n  const all = { 11: 28, 42: 360 }\n  if (!(a + b in all)) throw new Error("not yet")\n  return all[a + b]\n}\n',
    ['assert.equal(await calc(4, 7), 28)', 'assert.equal(await calc(12, 30), 360)'],
    { inputs: 'block', answer: 'no', detail: 'calc throws for all 12 changed inputs that were tried' },
  ),
  node(
    'an honest function of texts and lists',
    'export const calc = (words, by) => words.map((each) => each.toUpperCase()).join(by)\n',
    ['assert.equal(calc(["a", "b"], "-"), "A-B")', 'assert.equal(calc(["red", "blue"], " "), "RED BLUE")'],
    { inputs: 'block' },
  ),
  python(
    'source that starts processes is not called again',
    'from subprocess import run\n\ndef calc(a, b):\n    run(["true"])\n    return {11: 28, 42: 360}[a + b]\n',
    AREAS,
    {
      inputs: 'block',
      answer: 'yes',
      detail: 'Not tried with changed inputs, because they use files, processes or the network: calc.py.',
    },
  ),
  node(
    'source that writes files is not called again',
    'import fs from "node:fs"\nexport const calc = (a, b) => {\n  fs.existsSync("x")\n  return { 11: 28, 42: 360 }[a + b]\n}\n',
    ['assert.equal(calc(4, 7), 28)', 'assert.equal(calc(12, 30), 360)'],
    {
      inputs: 'block',
      answer: 'yes',
      detail: 'Not tried with changed inputs, because they use files, processes or the network: calc.mjs.',
    },
  ),
]

it.each(ROWS)('$name', async ({ source, code, test, text, inputs, answer, detail = '' }) => {
  const start = { [source]: '', [test]: text }
  const place = project(start)
  place.write({ [source]: code })
  const command = testCommand(source.endsWith('.py') ? PYTHON : ONE_NODE)
  const testsNow = async () => (await runPlain(place.workspace, command, { deadlineMs: 60_000 })).run
  const options: SpecialCasedOptions = {
    allow: [],
    accepted: [],
    mode: 'block',
    ...(inputs && { changedInputs: inputs }),
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
