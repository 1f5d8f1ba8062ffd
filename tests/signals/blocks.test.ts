import { describe, expect, it } from 'vitest'
import { headedBlocks } from '../../src/core/signals/headed-blocks.ts'
import { classifyLines } from '../../src/core/signals/lines.ts'

/** A text, and its blocks: first line, last line, fields, and whether each is complete. */
type Found = readonly [at: number, end: number, fields: Readonly<Record<string, string>>, complete?: false]
type Row = [name: string, text: string, ...found: Found[]]

describe('a block under a header', () => {
  const known = new Set(['SIGNAL', 'OPEN', 'LEVEL'])
  it.each<Row>([
    [
      'a brace in the first value',
      'STATE:\n  LEVEL: 3 {high}\n  SIGNAL: no',
      [0, 2, { LEVEL: '3 {high}', SIGNAL: 'no' }],
    ],
  ])('%s', (_name, text, ...found) => {
    const blocks = headedBlocks('dialect', 'STATE', known, classifyLines(text))
    expect(
      blocks.map(({ at, end, fields, complete }) => [
        at,
        end,
        Object.fromEntries(fields.map(({ key, value }) => [key, value])),
        ...(complete ? [] : [false]),
      ]),
    ).toEqual(found)
  })
})
