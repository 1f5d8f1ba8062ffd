import { describe, expect, it } from 'vitest'
import { ADD_TEST } from '../../packages/exitgate/src/checks/proven.ts'
import { acceptHint, remedies } from '../../src/core/policy/remedy.ts'
import type { Evidence, OpenFinding } from '../../src/core/types.ts'

type More = Partial<Omit<Evidence, 'check'>>
const evidence = (check: string, more: More = {}): Evidence => ({
  ...{ check, answer: 'no', detail: '', ms: 0, tree: '' },
  ...more,
})
const finding = (id: string): OpenFinding => ({ id, key: 'aa', kind: 'k', detail: 'd' })

const FIX = 'Fix the failing tests.'
const rows: readonly [check: string, more: More, remedies: readonly string[]][] = [
  ['tests', {}, [FIX]],
  ['tests', { answer: 'yes' }, []],
  ['tests', { answer: 'unknown' }, []],
  ['tests', { answer: 'unknown', counts: { disarmed: 1 } }, [expect.stringMatching(/^Remove the code/) as string]],
  ['tests', { counts: { missing: 1 } }, ['Bring back the tests that no longer run.']],
  ['tests', { counts: { missing: 1, failed: 1, excused: 1 } }, ['Bring back the tests that no longer run.']],
  ['tests', { counts: { missing: 1, failed: 1 } }, [FIX]],
  ['tests', { counts: { failed: 1, excused: 1 } }, [FIX]],
  ['tests', { named: { failing: ['new'], fixed: [] } }, [FIX]],
  [
    'tests',
    { named: { failing: ['new', 'old'], fixed: [] } },
    [FIX, 'To accept all tests that failed before the run, start it with --accept-failing.'],
  ],
  [
    'flakes',
    { answer: 'unknown' },
    ['Fix the flaky tests, or list them in evidence.quarantine with a reason and a date.'],
  ],
  ['tampering', {}, ['Undo the change to the tests.']],
  [
    'checklist',
    {},
    ['Finish the open items of the plan and tick them.', 'If the plan is not part of this work, pass --no-plan.'],
  ],
  ['changed', {}, ['If no change is needed, set requireChange to false.']],
  ['changed', { answer: 'unknown' }, ['Start exitgate run or next before the work, or set requireChange to false.']],
  ['proven', {}, [ADD_TEST]],
  ['special-cased', {}, ['Compute the results for every input, not only for those of the tests.']],
  ['mutation', {}, ['Write tests that check what the changed functions return or do.']],
  ['held-out', {}, [expect.stringMatching(/^Handle every case/) as string]],
  ['examples', {}, [expect.stringMatching(/^Handle every case/) as string]],
  ['lint', {}, ['Fix what "lint" reports.']],
  ['clean', {}, []],
]

describe('what you can do', () => {
  const baseline = { tests: evidence('tests', { named: { failing: ['old'], fixed: [] } }) }
  it.each(rows)('%s %j', (check, more, expected) => {
    expect(remedies({ [check]: evidence(check, more) }, { baseline })).toEqual(expected)
  })

  const unknown = rows.filter(
    ([check, more]) => !['flakes', 'tests', 'changed'].includes(check) && more.answer === undefined,
  )
  it.each(unknown)('nothing about %s without an answer', (check) => {
    expect(remedies({ [check]: evidence(check, { answer: 'unknown' }) })).toEqual([])
  })

  it('about uncommitted changes, if they are required', () => {
    const found = remedies({ clean: evidence('clean') }, { required: ['clean'] })
    expect(found).toEqual(['Commit or stash the uncommitted changes.'])
  })

  it('failures come before checks without an answer, each remedy once, and what you can accept last', () => {
    const found = remedies({
      flakes: evidence('flakes', { answer: 'unknown' }),
      examples: evidence('examples'),
      'held-out': evidence('held-out'),
      tampering: evidence('tampering', { findings: [finding('f1')] }),
    })
    expect(found.map((text) => text.split(' ')[0])).toEqual(['Handle', 'Undo', 'Fix', 'If'])
  })
})

describe('the command to accept', () => {
  const ids = (n: number) => Array.from({ length: n }, (_, i) => finding(`f${i}`))
  const hints: readonly [string, readonly OpenFinding[], readonly string[]][] = [
    ['nothing', [], []],
    [
      'one finding twice',
      [finding('f0'), finding('f0')],
      ['If this is right, accept it: exitgate accept f0 --reason "..."'],
    ],
    ['five', ids(5), ['If this is right, accept it: exitgate accept f0 f1 f2 f3 f4 --reason "..."']],
    [
      'seven',
      ids(7),
      [
        'If this is right, accept it: exitgate accept f0 f1 f2 f3 f4 --reason "..." (2 more: exitgate accept lists them)',
      ],
    ],
  ]
  it.each(hints)('%s', (_name, findings, hint) => expect(acceptHint(findings)).toEqual(hint))
})
