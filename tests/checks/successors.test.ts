import { expect, it } from 'vitest'
import type { Successor } from '../../packages/exitgate/src/checks/originals.ts'
import { successorsOf } from '../../src/evidence/tampering/compare/successors.ts'
import { project } from '../evidence/git-project.ts'
import { contextOf, remember } from '../evidence/red-proof/proving.ts'

const WRAPPED = "wrap('adds', () => {\n  assert(add(1) === 2)\n  assert(add(2) === 3)\n})\n"
const path = 'test/add.test.js'
const rows: readonly [what: string, before: string, after: string, found: Partial<Successor>][] = [
  [
    'an import is gone and a value changed',
    `const other = require('./other')\n${WRAPPED}`,
    WRAPPED.replace('=== 3', '=== 4'),
    { is: 'changed', entered: ['4'] },
  ],
  [
    'an assertion is gone',
    WRAPPED,
    WRAPPED.replace('  assert(add(2) === 3)\n', ''),
    { is: 'unread', why: `${path} contains 1 assertion instead of 2.` },
  ],
]

it.each(rows)('of a test that no reader finds in its file, %s', async (_, before, after, expected) => {
  const made = project({ [path]: before })
  const baseline = await remember(made)
  made.write({ [path]: after })
  const test = { name: 'adds', state: 'passed' } as const
  const found = await successorsOf([test], () => path, [path], contextOf(made.workspace, { baseline }))
  expect(found.get(test)).toMatchObject({ file: path, ...expected })
})
