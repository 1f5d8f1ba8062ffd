import { describe, expect, it } from 'vitest'
import { read, readPieces } from './events.ts'

const FINAL = 256 * 1024
/** Contains no phrase. */
const filler = 'the parser keeps the number of each line\n'

function long(bytes: number): string {
  return filler.repeat(Math.ceil(bytes / filler.length))
}

describe('final', () => {
  const rows: [name: string, output: string][] = [
    ['one character below the limit', 'x'.repeat(FINAL - 1)],
    ['exactly the limit', 'x'.repeat(FINAL)],
    ['one character above the limit', `y${'x'.repeat(FINAL)}`],
    ['several buffers of lines', long(11e6)],
    ['one long line', 'abc '.repeat(2.5e6)],
    ['two-byte characters', 'ä'.repeat(600_000)],
    ['three-byte characters', '✓'.repeat(600_000)],
  ]
  it.each(rows)('is the end of the output: %s', (_, output) => {
    expect(read(output, 'text').final === output.slice(-FINAL)).toBe(true)
  })

  it('starts with a complete character', () => {
    const { final } = read(`${'😀'.repeat(FINAL)}.`, 'text')
    expect([final.length, final.slice(0, 2)]).toEqual([FINAL - 1, '😀'])
  })
})

describe('earlier', () => {
  const after = long(FINAL + 100)

  const rows: [name: string, output: string, earlier: string[]][] = [
    ['a line with a phrase', `a\nAll tasks are completed.\nb\n${after}`, ['All tasks are completed.']],
    ['any case', `ALL TASKS ARE COMPLETED\n${after}`, ['ALL TASKS ARE COMPLETED']],
    ['without the carriage return', `it might work\r\n${after}`, ['it might work']],
    ['a literal alone is not a phrase', `incompletely undone\n${after}`, []],
    ['each line once', `maybe, probably, I think so\n${after}`, ['maybe, probably, I think so']],
    ['a literal without its phrase, then a phrase', `undone but maybe\n${after}`, ['undone but maybe']],
    ['nothing from the final message', `${after}All tasks are completed.\n`, []],
    ['nothing if all of it is final', 'All tasks are completed.\n', []],
    ['the start of a long line', `I think ${'x'.repeat(5000)}\n${after}`, [`I think ${'x'.repeat(1992)}`]],
  ]
  it.each(rows)('%s', (_, output, earlier) => {
    expect(read(output, 'text').earlier).toEqual(earlier)
  })

  it('has the part around the phrase of a long line', () => {
    const { earlier } = read(`${'x '.repeat(5000)}I think ${'y '.repeat(5000)}\n${after}`, 'text')
    expect(earlier).toHaveLength(1)
    expect(earlier[0]).toMatch(/^(?: ?x)+ I think (?:y ?)+$/)
    expect(earlier[0]).toHaveLength(2000)
  })

  it('has a phrase from a line much longer than the buffer', () => {
    const half = 'x '.repeat(3e6)
    const { earlier } = read(`${half}I think ${half}\n${after}`, 'text')
    expect(earlier.map((line) => line.includes('I think'))).toEqual([true])
  })

  it('has a phrase from anywhere in a large output', () => {
    for (let at = 0; at < 9e6; at += 1_234_567) {
      const output = `${long(at)}maybe ${at}\n${long(9e6 - at)}${after}`
      expect(read(output, 'text').earlier).toEqual([`maybe ${at}`])
    }
  })

  it('has some lines of every phrase, however often another phrase occurs before it', () => {
    const { earlier } = read(`${'it might work\n'.repeat(50_000)}I think so\n${after}`, 'text')
    expect(earlier.length).toBeLessThan(100)
    expect(earlier).toContain('I think so')
  })

  it('has at most a thousand lines', () => {
    const many = 'Maybe all tasks are completed, I think. Should I go on? An error, a bug, no changes.\n'
    expect(read(`${many.repeat(5000)}${after}`, 'text').earlier.length).toBeLessThanOrEqual(1000)
  })

  it('does not depend on chunk sizes', () => {
    const output = Buffer.from(`${long(5e6)}All tasks are completed.\n${'z'.repeat(5e6)} maybe\n${long(3e6)}`)
    const pieces = (size: number) =>
      Array.from({ length: Math.ceil(output.length / size) }, (_, i) => output.subarray(i * size, (i + 1) * size))
    const whole = read(output, 'text')
    expect(whole.earlier).toHaveLength(2)
    for (const size of [1_000_003, 65_536, 4_194_304]) expect(readPieces(pieces(size), 'text')).toEqual(whole)
  })
})

describe('problems', () => {
  it.each([
    ['at the start', `\0${long(9e6)}`],
    ['at the end', `${long(9e6)}\0`],
    ['in the middle', `${long(5e6)}\0${long(5e6)}`],
  ])('NUL bytes %s', (_, output) => {
    const { problems, final } = read(output, 'text')
    expect(problems).toEqual(['the output contains NUL bytes: it is binary or in an unknown encoding'])
    expect(final).not.toContain('\0')
  })
})
