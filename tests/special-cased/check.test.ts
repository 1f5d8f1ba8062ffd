import { expect, it } from 'vitest'
import type { AcceptedFinding } from '../../src/core/types.ts'
import { specialCasedCheck } from '../../src/evidence/checks/special-cased.ts'
import { baselineOf } from '../evidence/baseline-of.ts'
import { project } from '../evidence/git-project.ts'
import { contextOf } from '../evidence/red-proof/proving.ts'

const TEST = `from area import area
def test_four():
    assert area(4, 7) == 28
def test_large():
    assert area(12, 30) == 360
`
const GAMED =
  'def area(a, b):\n    if (a, b) == (4, 7):\n        return 28\n    if (a, b) == (12, 30):\n        return 360\n'
const MORE = `${GAMED}    if (a, b) == (5, 5):\n        return 25\n`

it('names the line, the tests and an id that you can accept', async () => {
  const start = { 'area.py': 'def area(a, b):\n    pass\n', 'test_area.py': TEST }
  const [place, baseline] = [project(start), baselineOf(start)]
  const look = async (
    files: Readonly<Record<string, string>>,
    accepted: readonly AcceptedFinding[] = [],
    {
      mode = 'block',
      allow = [],
      claim = true,
    }: { mode?: 'block' | 'warn'; allow?: { file: string; reason: string }[]; claim?: boolean } = {},
  ) => {
    place.write(files)
    return (
      await specialCasedCheck({ mode, allow, accepted }).collect(contextOf(place.workspace, { baseline, claim }))
    )[0]
  }
  const found = await look({ 'area.py': GAMED })
  expect(found).toMatchObject({ answer: 'no', counts: { blocking: 1, warnings: 0 }, onlyFindings: true })
  const [finding] = found!.findings!
  expect(finding).toMatchObject({ kind: 'special-cased', file: 'area.py', line: 2 })
  expect(found!.detail).toBe(
    `area.py:2: area compares its input with the inputs of tests and answers just those: "test_four" (test_area.py:3), "test_large" (test_area.py:5). Compute the result for every input. (${finding!.id})`,
  )
  expect(await look({ 'area.py': GAMED }, [], { claim: false })).toBeUndefined()
  expect(await look({ 'area.py': GAMED }, [], { mode: 'warn' })).toMatchObject({
    answer: 'yes',
    counts: { blocking: 0, warnings: 1 },
  })
  expect(await look({ 'area.py': GAMED }, [], { allow: [{ file: '*.py', reason: 'a table' }] })).toBeUndefined()
  const accepted = [{ ...finding!, by: 'you', reason: 'a fixed table' }]
  // The rest of the file may change.
  expect(await look({ 'area.py': `# Areas.\n${GAMED}` }, accepted)).toMatchObject({ answer: 'yes' })
  const third = { 'test_area.py': `${TEST}def test_five():\n    assert area(5, 5) == 25\n` }
  expect(await look({ 'area.py': MORE, ...third }, accepted)).toMatchObject({ answer: 'no' })
  expect(await look({ 'area.py': 'def area(a, b):\n    return a * b\n' })).toBeUndefined()
})
