import { expect, it } from 'vitest'
import { findSpecialCases } from '../../src/evidence/special-cased/find.ts'
import { ROWS } from './rows.ts'

it.each(ROWS)('$name', async ({ source, code, before, tests, expect: severity, line }) => {
  const changes = [{ path: source, after: code, ...(before !== undefined && { before }) }]
  const found = await findSpecialCases(changes, Object.keys(tests), (path) => tests[path])
  expect(found.map((each) => each.severity)).toEqual(severity === undefined ? [] : [severity])
  if (line !== undefined) expect(Math.min(...found[0]!.answered.map((each) => each.line))).toBe(line)
})
