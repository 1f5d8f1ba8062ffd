import { describe, expect, it } from 'vitest'
import {
  checkTitle,
  countedTitle,
  failPhrase,
  failureTitle,
  inOrder,
  isInformation,
  notGathered,
  passPhrase,
} from '../../src/core/policy/check-text.ts'
import type { Evidence } from '../../src/core/types.ts'

type More = Partial<Omit<Evidence, 'check'>>
const evidence = (check: string, more: More = {}): Evidence => ({
  ...{ check, answer: 'yes', detail: '', ms: 0, tree: '' },
  ...more,
})
const change = (blocks: boolean, line?: number) => ({
  ...{ kind: 'k', file: 'a.test.js', detail: 'Test "a" is gone.', blocks },
  ...(line === undefined ? {} : { line }),
})

const table = { expects: 'proof', why: 'the task asks for behaviour' } as const
const row = (name: string, without: 'fails' | 'not-loaded' | 'passes') => ({ name, without })

describe('a check that passed', () => {
  const rows: readonly [check: string, more: More, text: string][] = [
    ['tests', {}, 'the tests pass'],
    ['tests', { counts: { passed: 2 } }, 'the tests pass'],
    ['tests', { counts: { total: 2 } }, 'the tests pass'],
    ['tests', { counts: { total: 1, passed: 1 } }, '1 of 1 test passes'],
    ['tests', { counts: { total: 2, passed: 2, runs: 2 } }, '2 of 2 tests pass (run twice)'],
    [
      'tests',
      { counts: { total: 2, passed: 2, runs: 3, confirmed: 1 } },
      '2 of 2 tests pass (run 3 times, 1 of them twice)',
    ],
    [
      'tests',
      { counts: { total: 3, passed: 2, fixed: 1, skipped: 1 } },
      '2 of 3 tests pass (1 newly fixed, 1 skipped)',
    ],
    ['tests', { counts: { total: 3, passed: 2, excused: 1 } }, '2 of 3 tests pass (1 accepted failure)'],
    [
      'tests',
      { counts: { total: 5, passed: 2, excused: 3, unsteady: 1 } },
      '2 of 5 tests pass (2 accepted failures, 1 unsteady test not counted)',
    ],
    [
      'tests',
      { counts: { total: 3, passed: 2, excused: 1, unsteady: 1 } },
      '2 of 3 tests pass (1 unsteady test not counted)',
    ],
    ['tests', { ranIn: { cleanRoom: true } as Evidence['ranIn'] & object }, 'the tests pass'],
    [
      'tests',
      { ranIn: { cleanRoom: false, why: 'no git' } as Evidence['ranIn'] & object },
      'the tests pass (not in a clean room: no git)',
    ],
    ['checklist', {}, 'the plan is done'],
    ['checklist', { counts: { total: 3 } }, '3 of 3 plan items done'],
    ['checklist', { counts: { total: 3, done: 2 } }, '2 of 3 plan items done'],
    ['criteria', {}, 'the criteria are met'],
    ['criteria', { counts: { total: 3 } }, '3 of 3 criteria met'],
    ['criteria', { counts: { total: 3, met: 2 } }, '2 of 3 criteria met'],
    ['tampering', {}, 'no test was weakened'],
    ['tampering', { counts: { accepted: 1 } }, 'accepted by you: 1 test change'],
    [
      'tampering',
      { counts: { accepted: 2, warnings: 1 } },
      'accepted by you: 2 test changes, to review: 1 test change',
    ],
    ['changed', {}, 'files changed'],
    ['changed', { counts: { files: 1 } }, '1 file changed'],
    [
      'changed',
      { counts: { files: 9 }, work: { files: { a: '1', b: '2' } } as unknown as Evidence['work'] & object },
      '2 files changed',
    ],
    ['changed', { work: { files: {} } as Evidence['work'] & object }, 'files changed'],
    ['proven', { counts: { proves: 1 } }, '1 test fails without the change'],
    ['proven', { counts: { proves: 2 } }, '2 tests fail without the change'],
    [
      'proven',
      { counts: { proves: 1 }, proof: { ...table, tests: [row('adds', 'fails'), row('loads', 'passes')] } },
      'proven by: "adds"',
    ],
    [
      'proven',
      { proof: { ...table, tests: [...'abcd'].map((name) => row(name, 'not-loaded')) } },
      'proven by: "a", "b", "c" and 1 more',
    ],
    ['mutation', {}, 'no function changed'],
    ['mutation', { counts: { killed: 1, mutants: 1 } }, '1 of 1 mutant killed'],
    ['mutation', { counts: { mutants: 3, untested: 1 } }, '0 of 3 mutants killed (1 changed function not tested)'],
    ['baseline-tests', {}, 'no original test turned out to be flaky'],
    ['baseline-tests', { counts: { fixed: 2 } }, '2 fixed tests pass in the original version too'],
    ['lint', {}, 'lint passed'],
    ['flakes', {}, 'stable results passed'],
  ]
  it.each(rows)('%s %j: %s', (check, more, text) => expect(passPhrase(evidence(check, more))).toBe(text))
})

describe('a check that did not pass', () => {
  const rows: readonly [check: string, answer: 'no' | 'unknown', more: More, text: string][] = [
    ['tests', 'no', {}, 'tests fail'],
    ['tests', 'no', { detail: 'It crashed. ' }, 'It crashed'],
    ['tests', 'unknown', {}, 'tests: no answer'],
    ['tests', 'unknown', { detail: 'It crashed.' }, 'tests: It crashed'],
    ['tests', 'no', { counts: { total: 4, failed: 1 } }, '1 of 4 tests fail'],
    [
      'tests',
      'no',
      { counts: { total: 4, failed: 3, excused: 1 }, named: { failing: ['a', 'b'], fixed: [] } },
      '2 of 4 tests fail: "a" and "b"',
    ],
    ['tests', 'no', { counts: { total: 4, failed: 1, excused: 1 }, detail: 'No.' }, 'No'],
    ['tests', 'no', { counts: { missing: 1 } }, '1 earlier test no longer runs'],
    [
      'tests',
      'no',
      { counts: { total: 1, failed: 1, missing: 2 } },
      '1 of 1 test fails. 2 earlier tests no longer run',
    ],
    ['checklist', 'no', {}, 'plan not finished'],
    ['checklist', 'no', { counts: { total: 3, open: 1 } }, '1 of 3 plan items is open'],
    ['checklist', 'no', { counts: { total: 3, open: 2 } }, '2 of 3 plan items are open'],
    ['tampering', 'no', { detail: 'Much.' }, 'tests weakened: Much'],
    ['tampering', 'no', { detail: 'Much.', changes: [change(false)] }, 'tests weakened: Much'],
    ['tampering', 'no', { changes: [change(false), change(true)] }, 'tests weakened in a.test.js: Test "a" is gone'],
    [
      'tampering',
      'no',
      { changes: [change(true, 7), change(true)] },
      'tests weakened in a.test.js:7: Test "a" is gone. 1 more finding',
    ],
    [
      'tampering',
      'no',
      { changes: [change(true, 7)], counts: { blocking: 3 } },
      'tests weakened in a.test.js:7: Test "a" is gone. 2 more findings',
    ],
    ['changed', 'no', {}, 'no files changed'],
    ['lint', 'no', {}, 'lint fails: lint fails'],
    ['lint', 'unknown', { detail: 'Not found.' }, 'lint: Not found'],
    ['flakes', 'unknown', { detail: 'One.' }, 'flaky tests: One'],
    ['review', 'no', { detail: 'Two.' }, 'review not passed: Two'],
    ['proven', 'no', { detail: 'Nothing shows it.' }, 'not proven: Nothing shows it'],
  ]
  it.each(rows)('%s %s %j: %s', (check, answer, more, text) =>
    expect(failPhrase(evidence(check, { answer, ...more }))).toBe(text),
  )

  const absent: readonly [check: string, others: readonly string[], text: string][] = [
    ['tests', [], 'tests: not checked'],
    ['tests', ['changed'], 'no test command found. Pass --test "..." or set commands.test'],
    ['checklist', ['changed'], 'no plan found. Pass --plan FILE or set plan'],
    ['build', ['changed'], 'no build command found. Set commands.build'],
    ['lint', ['changed'], 'no lint command found. Set commands.lint'],
    ['typecheck', ['changed'], 'no typecheck command found. Set commands.typecheck'],
    ['style', ['changed'], '"style" is required, but nothing checked it'],
  ]
  it.each(absent)('%s after %j: %s', (check, others, text) => {
    expect(notGathered(check, Object.fromEntries(others.map((name) => [name, evidence(name)])))).toBe(text)
  })
})

describe('titles', () => {
  const counted: readonly [check: string, more: More, title: string][] = [
    ['tests', {}, 'tests'],
    ['tests', { counts: { passed: 2 } }, 'tests'],
    ['tests', { counts: { total: 2 } }, 'tests'],
    ['tests', { counts: { passed: 1, total: 2 } }, 'tests 1/2'],
    ['tests', { counts: { passed: 1, total: 2 }, quick: true } as More, 'tests 1/2 (quick)'],
    ['checklist', { counts: { done: 1, total: 2 } }, 'plan 1/2'],
    ['criteria', { counts: { met: 1, total: 2 } }, 'acceptance criteria 1/2'],
  ]
  it.each(counted)('%s %j: %s', (check, more, title) => expect(countedTitle(evidence(check, more))).toBe(title))

  it('of a check without one are its name', () => {
    expect([checkTitle('lint'), failureTitle('lint')]).toEqual(['lint', 'lint fails'])
    expect([checkTitle('tampering'), failureTitle('tampering')]).toEqual(['tests intact', 'tests weakened'])
  })

  it('tests come first, and what says least comes last', () => {
    const names = ['clean', 'changed', 'lint', 'tests', 'review']
    const order = inOrder(Object.fromEntries(names.map((name) => [name, evidence(name)])))
    expect(order.map(({ check }) => check)).toEqual(['tests', 'lint', 'review', 'changed', 'clean'])
  })

  it('information counts only if it is required', () => {
    expect([isInformation('clean'), isInformation('clean', ['clean']), isInformation('tests')]).toEqual([
      true,
      false,
      false,
    ])
  })
})
