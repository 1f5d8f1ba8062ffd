import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Line, readLines, readLinesBackwards } from '../../src/journal/lines.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, readJournal, verifyJournal } from '../../src/journal/read.ts'
import { resetJournal } from '../../src/journal/reset.ts'
import { fileOf, journals, reopened } from './journals.ts'
import { note, tempFolder } from './samples.ts'

const { newDir, written } = journals()
const root = tempFolder()

interface Copied extends Omit<Line, 'bytes'> {
  readonly text: string
}

function linesOf(content: Buffer, from = 0, to = content.length): { forwards: Copied[]; backwards: Copied[] } {
  const path = join(root, 'lines')
  writeFileSync(path, content)
  const fd = openSync(path, 'r')
  const copy = ({ bytes, ...rest }: Line) => ({ ...rest, text: bytes.toString('latin1') })
  try {
    return {
      forwards: Array.from(readLines(fd, from, to), copy),
      backwards: Array.from(readLinesBackwards(fd, to), copy),
    }
  } finally {
    closeSync(fd)
  }
}

function plainly(content: Buffer): Copied[] {
  const texts = content.toString('latin1').split('\n')
  let start = 0
  const lines = texts.map((text, i) => {
    const terminated = i < texts.length - 1
    const end = start + text.length + (terminated ? 1 : 0)
    const line = { start, end, terminated, text }
    start = end
    return line
  })
  return lines.filter(({ start: from, end }) => end > from)
}

describe('the lines of a file', () => {
  const MIB = 1024 * 1024
  const big = (...lengths: number[]) => Buffer.from(lengths.map((length) => 'x'.repeat(length)).join('\n'))
  const rows: readonly [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['one newline', Buffer.from('\n')],
    ['lines around the size of a chunk', big(MIB - 1, MIB, MIB + 1, 5, 0)],
    ['lines larger than a chunk', big(3, 3 * MIB, 7, 2 * MIB + 1, 9)],
    ['a newline at the end of a chunk', big(MIB - 1, 10, 65_535, 65_536, 0)],
  ]
  it.each(rows)('are the same forwards and backwards: %s', (_name, content) => {
    const expected = plainly(content)
    const { forwards, backwards } = linesOf(content)
    expect(forwards.length).toBe(expected.length)
    expect(forwards.every((line, i) => JSON.stringify(line) === JSON.stringify(reordered(expected[i])))).toBe(true)
    expect(backwards.every((line, i) => JSON.stringify(line) === JSON.stringify(reordered(expected.at(-1 - i))))).toBe(
      true,
    )
    expect(backwards.length).toBe(expected.length)
  })

  it('are the same forwards and backwards for any input', () => {
    const content = fc.array(fc.constantFrom('a', 'bc', '\n', '\n\n', 'é', '\0'), { maxLength: 40 })
    fc.assert(
      fc.property(content, (parts) => {
        const bytes = Buffer.from(parts.join(''))
        const { forwards, backwards } = linesOf(bytes)
        expect(forwards).toEqual(plainly(bytes))
        expect(backwards.reverse()).toEqual(plainly(bytes))
      }),
    )
  })

  it('can be read from any offset to any offset', () => {
    expect(linesOf(Buffer.from('ab\ncd\nef'), 3, 7).forwards).toEqual([
      { start: 3, end: 6, terminated: true, text: 'cd' },
      { start: 6, end: 7, terminated: false, text: 'e' },
    ])
  })

  function reordered(line: Copied | undefined) {
    return line && { start: line.start, end: line.end, terminated: line.terminated, text: line.text }
  }
})

describe('the events of a journal', () => {
  const dir = written([[note('1')], [note('2'), note('3'), note('4')], [note('5')], [note('6'), note('7')]])
  const texts = (from: string, last?: number) =>
    Array.from(readEvents(from, last === undefined ? {} : { last }), (event) =>
      event.type === 'note' ? event.text : '',
    )

  const lasts: readonly [number | undefined, string][] = [
    [undefined, '1 2 3 4 5 6 7'],
    [0, ''],
    [1, '7'],
    [2, '6 7'],
    [3, '5 6 7'],
    [4, '4 5 6 7'],
    [5, '3 4 5 6 7'],
    [7, '1 2 3 4 5 6 7'],
    [99, '1 2 3 4 5 6 7'],
  ]
  it.each(lasts)('the last %s', (last, expected) => {
    expect(texts(dir, last).join(' ')).toBe(expected)
  })

  const tails: readonly [string, (bytes: Buffer) => Buffer][] = [
    ['half a line', (bytes) => Buffer.concat([bytes, Buffer.from('{"v":1,')])],
    ['garbage', (bytes) => Buffer.concat([bytes, Buffer.from('x\n\ny\n')])],
    ['half a group', (bytes) => Buffer.concat([bytes, halfGroup()])],
  ]
  it.each(tails)('skip %s at the end without removing it', (_name, spoil) => {
    const torn = newDir()
    mkdirSync(torn)
    writeFileSync(fileOf(torn), spoil(readFileSync(fileOf(dir))))
    const bytes = readFileSync(fileOf(torn))
    expect(texts(torn, 3)).toEqual(['5', '6', '7'])
    expect(texts(torn)).toHaveLength(7)
    expect(readJournal(torn).problems).toHaveLength(1)
    expect(verifyJournal(torn)).toMatchObject({ ok: false, events: 7 })
    expect(readFileSync(fileOf(torn))).toEqual(bytes)
  })

  /** The first line of a group of two after the seventh event. */
  function halfGroup(): Buffer {
    const copy = newDir()
    mkdirSync(copy)
    writeFileSync(fileOf(copy), readFileSync(fileOf(dir)))
    const journal = openJournal(copy)
    journal.append([note('8'), note('9')], 9)
    journal.close()
    const added = readFileSync(fileOf(copy)).subarray(readFileSync(fileOf(dir)).length)
    return added.subarray(0, added.indexOf(10) + 1)
  }

  it('are reported as damaged if one of the last lines is', () => {
    const spoilt = newDir()
    mkdirSync(spoilt)
    writeFileSync(fileOf(spoilt), readFileSync(fileOf(dir), 'utf8').replace('"text":"5"', '"text":"V"'))
    expect(() => texts(spoilt, 4)).toThrow(/damaged at line 5/)
    expect(() => texts(spoilt, 3)).toThrow(/damaged at line 5/)
    expect(texts(spoilt, 2)).toEqual(['6', '7'])
  })

  it('can be read while another process writes', () => {
    const live = newDir()
    const journal = openJournal(live)
    journal.append([note('a')], 1)
    const events = readEvents(live)
    expect(events.next().value).toMatchObject({ seq: 1 })
    journal.append([note('b')], 1)
    expect(readJournal(live)).toEqual({ state: journal.state, problems: [] })
    appendFileSync(fileOf(live), '{')
    expect(texts(live)).toEqual(['a', 'b'])
    journal.close()
  })
})

describe('a journal that lost recorded events', () => {
  const losses: readonly [string, (dir: string) => void][] = [
    ['it is deleted', (dir) => rmSync(fileOf(dir))],
    ['its folder is deleted', (dir) => rmSync(dir, { recursive: true })],
    ['it is empty', (dir) => writeFileSync(fileOf(dir), '')],
    ['it ends in the middle of a line', (dir) => truncateSync(fileOf(dir), 10)],
    [
      'its last line is missing',
      (dir) => writeFileSync(fileOf(dir), `${readFileSync(fileOf(dir), 'utf8').split('\n')[0]}\n`),
    ],
  ]
  it.each(losses)('is reported by every reader and refuses new events until it is reset: %s', (_name, lose) => {
    // Only journals of workspaces have an anchor.
    const dir = join(newDir(), 'work-0123456789ab')
    reopened(dir, (journal) => {
      journal.append([note('1')], 1)
      journal.append([note('2')], 2)
    })
    expect(verifyJournal(dir)).toMatchObject({ ok: true, events: 2 })
    lose(dir)
    const lost = expect.stringMatching(/^The journal in .* no longer contains event 2: .* run: exitgate reset/)
    expect(verifyJournal(dir)).toMatchObject({ ok: false, problems: [lost] })
    expect(readJournal(dir).problems).toEqual([lost])
    expect(() => openJournal(dir)).toThrow(/no longer contains event 2/)
    resetJournal(dir, { by: 'user', reason: 'deleted by me', at: 3 })
    expect(verifyJournal(dir)).toMatchObject({ ok: true, problems: [] })
    expect(reopened(dir, (journal) => journal.append([note('3')], 4))).toHaveLength(1)
  })
})
