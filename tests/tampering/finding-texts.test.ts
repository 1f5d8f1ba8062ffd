import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCorpus } from '../../bench/tampering-corpus.mjs'
import { findTampering, type SourceView } from '../../src/evidence/tampering/index.ts'

const tree = (files: Readonly<Record<string, string>>): SourceView => ({
  paths: Object.keys(files),
  read: (path) => files[path],
})
const TEST = "it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n"
const PACKAGE = '{"scripts": {"verify": "vitest run"}}'

describe('the text of a finding', () => {
  it.each<readonly [path: string, before: string, after: string | undefined, detail: string]>([
    ['a.test.ts', TEST, undefined, 'This test file was deleted, and 1 test with it. Restore it.'],
    [
      'a.test.ts',
      `${TEST}${TEST.replace('adds', 'sums')}`.replace('add(1, 2)).toBe(3)\n})\nit', 'sum(4, 5)).toBe(9)\n})\nit'),
      TEST.replace('adds', 'sums'),
      'Test "adds" was removed and no other test replaces it. Restore it.',
    ],
    ['a.test.ts', TEST, "it('adds', () => {})\n", 'Test "adds" is empty now, so it always passes. Restore its body.'],
    ['a.test.ts', TEST, TEST.replace('it(', 'it.skip('), 'Test "adds" is now skipped. Restore it.'],
    [
      'a.test.ts',
      TEST,
      TEST.replace('it(', 'it.only('),
      '"it.only" keeps the other tests in this file from running. Remove it.',
    ],
    [
      'package.json',
      PACKAGE,
      PACKAGE.replace('vitest run', 'echo ok'),
      'Script "verify" no longer runs "vitest run". Restore it.',
    ],
    [
      'package.json',
      PACKAGE,
      PACKAGE.replace('vitest run', 'vitest run --passWithNoTests'),
      'Script "verify": --passWithNoTests lets the command succeed when tests fail or are missing. Undo this.',
    ],
    [
      'exitgate.config.json',
      '{}',
      '{"required": []}',
      "exitgate's own settings or records were changed. Restore them.",
    ],
  ])('%s: %#', async (path, before, after, detail) => {
    const found = await findTampering(tree({ [path]: before }), tree(after === undefined ? {} : { [path]: after }))
    expect(found.map((finding) => finding.detail)).toEqual([detail])
  })

  it('ends with a full stop, and with the remedy if it blocks', async () => {
    const cases = ['open', 'held-back'].flatMap((part) =>
      readCorpus(join(import.meta.dirname, '../golden/tampering', part)),
    )
    for (const { before, after } of cases)
      for (const { detail, severity } of await findTampering(before, after)) {
        expect(detail).toMatch(/^\S.*\.$/s)
        if (severity === 'block')
          expect(detail).toMatch(
            /(?:Restore|Remove|Undo|Turn|Use|Import|Reinstall|Simplify|Call|Review) [^.]*\.$|must fail (?:it|the script|the build)\.$/,
          )
      }
  })
})
