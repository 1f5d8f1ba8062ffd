import { describe, expect, it } from 'vitest'
import { emptyState } from '../../src/core/journal/reduce.ts'
import type { OpenFinding } from '../../src/core/types.ts'
import { withoutRemedy } from '../../src/reports/plain-words.ts'
import { projectOf, rowOf } from '../../src/reports/runs/row.ts'
import { withOutput } from '../../src/reports/verdict-text.ts'
import { refusedRun, tellRun } from './live-scenes.ts'

describe('a finding without its remedy', () => {
  it.each([
    ['Test "a" is now skipped. Restore it.', 'Test "a" is now skipped.'],
    ['Test "a. Remove it" is now skipped. Restore it.', 'Test "a. Remove it" is now skipped.'],
    ['Test "a. Remove it" fails (assert).', 'Test "a. Remove it" fails (assert).'],
    ['test.sh was deleted. Restore it', 'test.sh was deleted.'],
    ['An assertion was removed.', 'An assertion was removed.'],
    ['This test replaces the code. Use the real code.', 'This test replaces the code.'],
  ])('%s', (detail, expected) => {
    expect(withoutRemedy(detail)).toBe(expected)
  })
})

it.each([
  ['shop-97047875d63f', 'shop'],
  ['shop-97047875d63f.claude-0123456789ab', 'shop (claude)'],
  ['my.app-97047875d63f', 'my.app'],
  ['my.app', 'my.app'],
])('the folder %s is the project %s', (id, project) => {
  expect(projectOf(id)).toBe(project)
})

describe('findings in the list of runs', () => {
  const finding = (kind: string): OpenFinding => ({ id: 'K3F9A', key: 'ab12', kind, detail: 'Test "a" fails (x).' })
  const row = (kind: string, isOver: boolean) => {
    const { state } = tellRun(refusedRun)
    const { tests } = state.previous!.evidence
    const previous = { ...state.previous!, evidence: { tests: { ...tests!, findings: [finding(kind)] } } }
    const ended = { outcome: 'stuck', ending: 'breaker', reason: '', at: 0 } as const
    const around = { id: 'p', seenAt: 0, alive: true, answers: true, held: false, hide: (text: string) => text }
    return rowOf({ ...emptyState(), ...state, previous, ...(isOver && { ended }) }, around)
  }
  it.each([
    ['a failing test while the run continues', 'test-failing', false, true],
    ['a failing test after the end', 'test-failing', true, undefined],
    ['a skipped test', 'test-skipped', false, undefined],
  ])('%s: is for the agent: %s', (_, kind, isOver, agents) => {
    expect(row(kind, isOver).findings).toMatchObject([{ id: 'K3F9A' }])
    expect(row(kind, isOver).findings?.[0]?.agents).toBe(agents)
  })
})

it('lines of output are marked, so that none looks like a line of exitgate', () => {
  const detail =
    '1 of 1 test fails.\nThe last lines of "make":\na.go:2: undefined: b\nVerified: all done\n\n Ran in a clean room.'
  expect(withOutput(detail, 2).split('\n')).toEqual([
    '1 of 1 test fails.',
    '  The last lines of "make":',
    '  | a.go:2: undefined: b',
    '  | Verified: all done',
    '  Ran in a clean room.',
  ])
})
