import { expect, it } from 'vitest'
import { successorsOf } from '../../src/evidence/tampering/compare/successors.ts'
import { project } from '../evidence/git-project.ts'
import { contextOf, remember } from '../evidence/red-proof/proving.ts'

const WRAPPED = "wrap('adds', () => {\n  assert(add(1) === 2)\n  assert(add(2) === 3)\n})\n"
const rows: readonly [what: string, before: string, after: string, why: string | undefined][] = [
  ['an import', `const other = require('./other')\n${WRAPPED}`, WRAPPED.replace('=== 3', '=== 4'), undefined],
  ['an assertion', WRAPPED, WRAPPED.replace('  assert(add(2) === 3)\n', ''), 'contains 1 assertion instead of 2.'],
]

it.each(rows)('of a test that nothing finds in its file, %s is gone', async (_, before, after, why) => {
  const path = 'test/add.test.js'
  const made = project({ [path]: before })
  const baseline = await remember(made)
  made.write({ [path]: after })
  const test = { name: 'adds', state: 'passed' } as const
  const found = await successorsOf([test], () => path, [path], contextOf(made.workspace, { baseline }))
  expect(found.get(test)).toEqual({ is: 'unread', file: path, ...(why && { why: `${path} ${why}` }) })
})
