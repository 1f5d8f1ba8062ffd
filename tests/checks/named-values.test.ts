import { expect, it } from 'vitest'
import type { Originals } from '../../packages/exitgate/src/checks/originals.ts'
import { limitedBy } from '../../packages/exitgate/src/checks/proof.ts'
import type { TestRun } from '../../packages/test-output/src/types.ts'

const run: TestRun = {
  ...{ passed: 1, failed: 0, skipped: 0, total: 1, ok: true, framework: 'ava' },
  tests: [{ name: 'input', state: 'passed' }],
}

it.each([
  ['a number', '31', 'It must give 31.', true],
  ['another number', '31', 'It must give 310.', false],
  ['a text', 'not a name', "The message must be 'not a name'.", true],
  ['a regular expression', '/Expected a string/', "The message must be 'Expected a string'.", true],
  ['a regular expression with both ends', '/^Expected \\(a string\\)$/u', 'The message: Expected (a string)', true],
  ['a pattern that accepts more', '/Expected .* string/', "The message must be 'Expected a string'.", false],
  ['a word of it', '/Exp/', "The message must be 'Exp a string'.", false],
] as const)('a changed expectation proves if the task names it: %s', (_what, value, said, isNamed) => {
  const test = { file: 'test.js', groups: [], name: 'input', kind: 'changed' } as const
  const originals: Originals = {
    ...{ tree: 'original', cleared: 0, flaky: [], unjudged: [], notRestored: [] },
    refuted: [{ name: 'input', is: 'changed', successor: { is: 'changed', entered: [value] } }],
  }
  const [judged] = limitedBy([{ test, judgement: 'proves', why: 'it fails', failed: true }], originals, run, [said])
  expect(judged!.judgement).toBe(isNamed ? 'proves' : 'could-not-run')
})
