import { describe, expect, it } from 'vitest'
import { askedFor } from '../../../packages/exitgate/src/checks/expects.ts'
import { limitedBy } from '../../../packages/exitgate/src/checks/proof.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'

describe('what the words of a task ask for', () => {
  it.each([
    ['Quoted fields, with tests', 'proof'],
    ['Rename `parse` to `centsOf`. What the program does stays the same.', 'refactor'],
    ['Rename `parse` to `centsOf`. It must also refuse negative amounts.', 'proof'],
    ['Migrate the tests from jest to vitest. The tests check the same as before.', 'config'],
    ['Replace jest with vitest.', 'config'],
    ['Replace the list with a table.', 'unclear'],
    ['Move the build tool to esbuild, and fix the wrong paths.', 'proof'],
    ['Make the buttons blue (#0645ad) with white text.', 'looks'],
    ['Fix the crash when the theme is empty.', 'looks'],
    ['Make the header green. Document the colors in the README.', 'looks'],
    ['Make the export twice as fast.', 'proof'],
  ] as const)('%s: %s', (text, asked) => expect(askedFor([text])).toBe(asked))
})

describe('a changed expectation', () => {
  const own: TestRun = {
    ...{ passed: 1, failed: 0, skipped: 0, total: 1, ok: true, framework: 'node:test' },
    tests: [{ name: 'price', state: 'passed', file: 'a.test.js' }],
  }
  const judged = {
    test: { file: 'a.test.js', groups: [], name: 'price', kind: 'changed' },
    judgement: 'proves',
    why: 'it fails without the changes',
  } as const
  const change = (entered: string) => ({
    ...{ tree: 'original' as const, cleared: 0, flaky: [], unjudged: [], notRestored: [] },
    refuted: [
      {
        ...{ name: 'price', file: 'a.test.js', is: 'changed' as const },
        successor: { is: 'changed' as const, file: 'a.test.js', name: 'price', entered: [entered] },
      },
    ],
  })

  it.each([
    ['4.9', 'It costs 4.9 euros.', true],
    ['4.9', 'It costs 4.90 euros.', true],
    ['4.9', 'It costs 4.95 euros.', false],
    ['4', 'It costs 4.9 euros.', false],
    ['12', 'The limit is 12.', true],
    ['12', 'See issue x12.', false],
    ['tea', 'It says "tea" now.', true],
    ['true', 'That is true.', false],
  ])('%s, with the task "%s": proof %s', (value, task, proves) => {
    const [found] = limitedBy([judged], change(value), own, [task])
    expect(found?.judgement === 'proves').toBe(proves)
  })
})
