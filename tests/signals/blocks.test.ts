import { describe, expect, it } from 'vitest'
import { headerlessBlocks } from '../../src/core/signals/bare-runs.ts'
import type { Block } from '../../src/core/signals/dialect.ts'
import { headedBlocks } from '../../src/core/signals/headed-blocks.ts'
import { classifyLines } from '../../src/core/signals/lines.ts'
import { markedBlocks } from '../../src/core/signals/marked-blocks.ts'
import { transcript } from './transcript.ts'

/** A text, and its blocks: first line, last line, fields, and whether each is complete. */
type Found = [at: number, end: number, fields: Readonly<Record<string, string>>, complete?: false]
type Row = [name: string, text: string, ...found: Found[]]

function expectBlocks(blocks: readonly Block[], found: readonly Found[]): void {
  const fieldsOf = ({ fields }: Block) => Object.fromEntries(fields.map(({ key, value }) => [key, value]))
  expect(
    blocks.map((block) => [block.at, block.end, fieldsOf(block), ...(block.complete ? [] : [false])]),
  ).toStrictEqual(found)
}

const KNOWN = new Set(['SIGNAL', 'OPEN', 'LEVEL'])
const numbered = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

describe('fields under a header', () => {
  it.each<Row>([
    ['a header alone at the end', 'STATE:', [0, 0, {}]],
    ['a header without a colon and without fields', 'STATE', ...[]],
    ['a brace in the first value', 'STATE:\n  LEVEL: {high}\n  SIGNAL: no', [0, 2, { LEVEL: '{high}', SIGNAL: 'no' }]],
    ['text before the header', 'a\nb\nSTATE:\n  SIGNAL: yes\n', [2, 3, { SIGNAL: 'yes' }]],
    ['a blank line below the header', 'STATE:\n\n  other: 1\n', [0, 2, { OTHER: '1' }]],
    ['a blank line before a known key', 'STATE:\nSIGNAL: yes\n\nLEVEL: 1\n', [0, 3, { SIGNAL: 'yes', LEVEL: '1' }]],
    ['a blank line before another key', 'STATE:\n  SIGNAL: yes\n\n  other: 1\n', [0, 1, { SIGNAL: 'yes' }]],
    ['a blank line at the end', 'STATE:\nSIGNAL: yes\n', [0, 1, { SIGNAL: 'yes' }]],
    ['a key of its own, in capitals', 'STATE:\nSIGNAL: yes\nMOOD: fine\n', [0, 2, { SIGNAL: 'yes', MOOD: 'fine' }]],
    ['a key in small letters without indentation', 'STATE:\n  SIGNAL: yes\nnote: x\n', [0, 1, { SIGNAL: 'yes' }]],
    ['a key that is no deeper than its header', '  STATE:\n    SIGNAL: yes\n  note: x', [0, 1, { SIGNAL: 'yes' }]],
    ['a list without indentation', 'STATE:\nOPEN:\n- a\n- b\nSIGNAL: no', [0, 4, { OPEN: 'a; b', SIGNAL: 'no' }]],
    ['deeper text below its key', 'STATE:\nOPEN:\n  the docs\nSIGNAL: no', [0, 3, { OPEN: 'the docs', SIGNAL: 'no' }]],
    ['text below a key without a value', 'STATE:\nOPEN:\nI go on.', [0, 1, { OPEN: '' }]],
    ['a list below a key with a value', 'STATE:\nSIGNAL: yes\n- a', [0, 1, { SIGNAL: 'yes' }]],
    ['a list directly below the header', 'STATE:\n- a\nSIGNAL: yes', [0, 0, {}]],
    ['code below a key without a value', 'STATE:\n  OPEN:\n    ```\n    x\n    ```', [0, 1, { OPEN: '' }]],
    ['a fence', 'STATE:\n```\nSIGNAL: yes\nnote: x\n\n```\nLEVEL: 1', [0, 3, { SIGNAL: 'yes', NOTE: 'x' }]],
    ['a fence with a file name', 'STATE:\n```yaml:state.yml\nSIGNAL: yes\n```', [0, 2, { SIGNAL: 'yes' }]],
    ['an empty fence', 'STATE:\n```\n```\nLEVEL: 1', [0, 1, {}]],
    ['a fence that is never closed', 'STATE:\n```\nSIGNAL: yes', [0, 2, { SIGNAL: 'yes' }]],
    ['a fence with a diff', 'STATE:\n```diff\n SIGNAL: yes\n```', [0, 0, {}]],
    ['fields as inline code', 'STATE:\n`SIGNAL: yes`\n`LEVEL: 1`', [0, 2, { SIGNAL: 'yes', LEVEL: '1' }]],
  ])('%s', (_name, text, ...found) => {
    expectBlocks(headedBlocks('dialect', 'STATE', KNOWN, classifyLines(text)), found)
  })

  it('without known keys, only deeper fields belong to it', () => {
    const lines = classifyLines('STATE:\n  total: 1\nVERDICT: fine')
    expectBlocks(headedBlocks('dialect', 'STATE', new Set(), lines), [[0, 1, { TOTAL: '1' }]])
  })

  it.each([
    ['plain fields', 'STATE:\n', ''],
    ['a fence', 'STATE:\n```\n', '\n```'],
  ])('%s end after 200 lines', (_name, before, after) => {
    const text = `one\ntwo\n${before}${numbered(300, (index) => `  K${index}: v`)}${after}`
    const [block] = headedBlocks('dialect', 'STATE', KNOWN, classifyLines(text))
    // In a fence, the line that opens it is not counted.
    expect(block?.fields).toHaveLength(after === '' ? 200 : 201)
  })
})

describe('JSON under a header', () => {
  it.each<Row>([
    ['on the line of the header', 'STATE: {"signal": true}', [0, 0, { SIGNAL: 'true' }]],
    ['with a full stop after it', 'STATE: {"signal": true}.\nMore.', [0, 0, { SIGNAL: 'true' }]],
    [
      'from the line of the header on',
      'STATE: {\n"signal": true,\n"level": 1\n}',
      [0, 3, { SIGNAL: 'true', LEVEL: '1' }],
    ],
    ['null', 'STATE: {"open": null, "level": 1}', [0, 0, { OPEN: '', LEVEL: '1' }]],
    ['lists', 'STATE: {"open": ["a", "b"]}', [0, 0, { OPEN: 'a; b' }]],
    ['braces in a string', 'STATE: {"open": "} \\" {"}', [0, 0, { OPEN: '} " {' }]],
    ['objects, three deep', 'STATE: {"a": {"b": {"c": 1, "d": {"e": 2}}}}', [0, 0, { 'A.B.C': '1' }]],
    ['invalid', 'STATE: {\n"signal": yes,\n"level": 1\n}', [0, 3, { SIGNAL: 'yes', LEVEL: '1' }, false]],
    ['invalid, on one line', 'STATE: {\nsignal: yes }\nlevel: 1', [0, 1, { SIGNAL: 'yes' }, false]],
    ['invalid, on the line of the header', 'STATE: {signal: no, oops}', [0, 0, { SIGNAL: 'no, oops' }, false]],
    ['never closed', 'STATE: {\n"signal": true', [0, 1, { SIGNAL: 'true' }, false]],
    ['never closed, before text', 'STATE: {\n"signal": true\nI go on', [0, 1, { SIGNAL: 'true' }, false]],
    ['never closed, before a paragraph', 'STATE: {\n"signal": true\n\nlevel: 1', [0, 1, { SIGNAL: 'true' }, false]],
    ['never closed in a fence', 'STATE:\n```\n{\n"signal": true\n```\nlevel: 1', [0, 3, { SIGNAL: 'true' }, false]],
    ['a string that is never closed', 'STATE: {\n"signal": "yes\n  }\nlevel: 1', [0, 2, { SIGNAL: '"yes' }, false]],
    [
      'invalid, with a brace at the end of a line',
      'STATE: {\n"a": {"b": yes},\n"level": "x }\n"signal": true\n}',
      [0, 4, { A: '{"b": yes', LEVEL: '"x', SIGNAL: 'true' }, false],
    ],
  ])('%s', (_name, text, ...found) => {
    expectBlocks(headedBlocks('dialect', 'STATE', KNOWN, classifyLines(text)), found)
  })

  const first = (text: string) => headedBlocks('dialect', 'STATE', KNOWN, classifyLines(text))[0]
  it.each<[string, string, number]>([
    ['keys of an object', `STATE: {${numbered(150, (index) => `"k${index}": 1,`)} "z": 1}`, 100],
    ['lines of an invalid object', `one\ntwo\nSTATE: {\n${numbered(300, (index) => `"k${index}": x,`)}`, 199],
  ])('reads a limited number of %s', (_name, text, count) => {
    expect(first(text)?.fields).toHaveLength(count)
  })

  const long = 'x'.repeat(3_000)
  it.each([
    ['a text', `STATE: {"open": "${long}"}`],
    ['a list', `STATE: {"open": ["${long}"]}`],
  ])('limits the length of %s', (_name, text) => {
    expect(first(text)?.fields.map(({ value }) => value.length)).toEqual([2_000])
  })

  it('limits the length of a key', () => {
    expect(first(`STATE: {"${long}": 1}`)?.fields[0]?.key).toHaveLength(64)
  })

  it('an object of more than 20,000 characters is read line by line', () => {
    const object = (size: number) => `STATE: {\n${'"open": "x",\n'.repeat(size)}"level": 1\n}`
    expect(first(object(100))?.complete).toBe(true)
    expect(first(object(2_000))?.complete).toBe(false)
  })

  it('after 25 invalid objects, the others are read line by line too', () => {
    const good = 'STATE: {"level": 1}\n'
    const completeAfter = (count: number) =>
      headedBlocks(
        'dialect',
        'STATE',
        KNOWN,
        classifyLines(`${good.repeat(30)}${'STATE: {level: 1}\n'.repeat(count)}${good}`),
      ).at(-1)?.complete
    expect([24, 25].map(completeAfter)).toEqual([true, false])
  })
})

describe('a block between marks', () => {
  it.each<Row>([
    ['complete', 'a\n---STATE---\nSIGNAL: yes\n---END_STATE---\nLEVEL: 1', [1, 3, { SIGNAL: 'yes' }]],
    ['an indented end mark below a key', '---STATE---\nOPEN:\n  ---END_STATE---', [0, 2, { OPEN: '' }]],
    ['a fence below a key', '---STATE---\nOPEN:\n  ```\n  a\n  ```\n---END_STATE---', [0, 5, { OPEN: 'a' }]],
    [
      'a second start before the end',
      '---STATE---\nSIGNAL: no\n---STATE---\nSIGNAL: yes\n---END_STATE---',
      [0, 1, { SIGNAL: 'no' }, false],
      [2, 4, { SIGNAL: 'yes' }],
    ],
    ['no end', '---STATE---\nSIGNAL: yes\nI go on.\nLEVEL: 1', [0, 1, { SIGNAL: 'yes' }, false]],
    ['no end, blank lines', '---STATE---\n\nSIGNAL: no\n\nLEVEL: 1', [0, 4, { SIGNAL: 'no', LEVEL: '1' }, false]],
    ['no end, a list', '---STATE---\nOPEN:\n- a\n- b', [0, 3, { OPEN: 'a; b' }, false]],
    ['no end, a fence', '---STATE---\nOPEN:\n- ```\n- a', [0, 1, { OPEN: '' }, false]],
    ['an end without a start', 'SIGNAL: yes\n---END_STATE---', ...[]],
  ])('%s', (_name, text, ...found) => {
    expectBlocks(markedBlocks('dialect', 'STATE', classifyLines(text)), found)
  })

  it('an end more than 200 lines away is not its end', () => {
    const text = (count: number) =>
      `one\ntwo\n---STATE---\n${numbered(count, (index) => `K${index}: v`)}\n---END_STATE---`
    const found = (count: number) =>
      markedBlocks('dialect', 'STATE', classifyLines(text(count))).map(({ end, complete }) => [end, complete])
    expect([199, 200].map(found)).toEqual([[[202, true]], [[202, false]]])
    expect(found(300)).toEqual([[202, false]])
  })
})

describe('fields without a header', () => {
  it.each<Row>([
    ['text before and after', 'a\nSIGNAL: yes\nLEVEL: 1\nb', [1, 2, { SIGNAL: 'yes', LEVEL: '1' }]],
    ['a list before it', '- a\nSIGNAL: yes', [1, 1, { SIGNAL: 'yes' }]],
    [
      'a list before the second one',
      'OPEN:\n\ntext\n- a\nSIGNAL: yes',
      [0, 0, { OPEN: '' }, false],
      [4, 4, { SIGNAL: 'yes' }],
    ],
    ['a list below a key', 'SIGNAL: no\nOPEN:\n- a\n- b', [0, 3, { SIGNAL: 'no', OPEN: 'a; b' }]],
    [
      'a list below a key with a value',
      'SIGNAL: no\n- a\nLEVEL: 1',
      [0, 0, { SIGNAL: 'no' }],
      [2, 2, { LEVEL: '1' }, false],
    ],
    ['text below a key', 'SIGNAL: no\nOPEN:\nthe docs', [0, 1, { SIGNAL: 'no', OPEN: '' }]],
    ['a field of another dialect', 'SIGNAL: no\nOTHER_KEY: x\nLEVEL: 1', [0, 2, { SIGNAL: 'no', LEVEL: '1' }]],
    ['a list below such a field', 'SIGNAL: no\nOPEN:\nOTHER_KEY: x\n- a', [0, 1, { SIGNAL: 'no', OPEN: '' }]],
    ['a field in inline code', 'SIGNAL: no\n`LEVEL: 1`', [0, 0, { SIGNAL: 'no' }], [1, 1, { LEVEL: '1' }, false]],
    ['a key that is there already', 'SIGNAL: no\nSIGNAL: yes', [0, 0, { SIGNAL: 'no' }], [1, 1, { SIGNAL: 'yes' }]],
  ])('%s', (_name, text, ...found) => {
    const source = { lines: classifyLines(text), transcript: transcript(text), usedLines: new Set<number>() }
    expectBlocks(headerlessBlocks('dialect', 'SIGNAL', KNOWN, source), found)
  })

  it.each([
    ['COMPLETE as asked', 1],
    ['COMPLETE is what I print', 0],
    ['COMPLETE (that is what I print)', 1],
  ])('EXIT_STATUS: %s: %i block', (value, count) => {
    const lines = classifyLines(`EXIT_STATUS: ${value}`)
    const source = { lines, transcript: transcript(''), usedLines: new Set<number>() }
    expect(headerlessBlocks('dialect', 'EXIT_STATUS', new Set(['EXIT_STATUS']), source)).toHaveLength(count)
  })
})
