import { cpSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { readJournal, verifyJournal } from '../../src/journal/read.ts'
import { fileOf, journals, reopened, SMALL } from './journals.ts'
import { note } from './samples.ts'

const { newDir, written } = journals()

describe('a torn tail', () => {
  const group = [note('x'), note('y')]
  const dir = written([...SMALL, group], { snapshotEvery: 1000 })
  const bytes = readFileSync(fileOf(dir))
  // A character for each byte: comparing strings is much faster than comparing the bytes one by one.
  const latin1 = bytes.toString('latin1')
  const whole = bytes.length - Buffer.byteLength(bytes.toString().trimEnd().split('\n').slice(-2).join('\n')) - 1
  const before = readJournal(written(SMALL)).state

  it('is removed and saved, wherever the last append was cut', () => {
    for (let length = whole + 1; length < bytes.length; length++) {
      const torn = newDir()
      mkdirSync(torn)
      writeFileSync(fileOf(torn), bytes.subarray(0, length))
      const view = readJournal(torn)
      expect(view).toMatchObject({ state: before, problems: [expect.stringContaining(`${length - whole} bytes`)] })
      expect(statSync(fileOf(torn)).size).toBe(length)
      const kept = 'journal.torn-6-1'
      reopened(torn, ({ state, problems }) => {
        expect(state).toEqual(before)
        expect(problems).toEqual([expect.stringContaining(`event 5 to ${kept}`)])
      })
      expect(readFileSync(fileOf(torn), 'latin1')).toBe(latin1.slice(0, whole))
      expect(readFileSync(join(torn, kept), 'latin1')).toBe(latin1.slice(whole, length))
    }
  })

  it('does not replace bytes that were saved before', () => {
    const torn = newDir()
    for (const length of [whole + 5, whole + 6]) {
      mkdirSync(torn, { recursive: true })
      writeFileSync(fileOf(torn), bytes.subarray(0, length))
      reopened(torn, () => undefined)
    }
    expect(reopened(torn, ({ problems }) => problems)).toEqual([])
    expect([1, 2].map((n) => statSync(join(torn, `journal.torn-6-${n}`)).size)).toEqual([5, 6])
  })

  const tails: readonly [string, (good: Buffer) => Buffer][] = [
    ['zeros', (good) => Buffer.concat([good, Buffer.alloc(5000)])],
    ['a line of garbage', (good) => Buffer.concat([good, Buffer.from('no JSON\n')])],
    ['many lines of garbage', (good) => Buffer.concat([good, Buffer.from('{}\n[1]\nnull\n\n"x"\n')])],
    ['an empty line', (good) => Buffer.concat([good, Buffer.from('\n')])],
    ['a line without its newline', (good) => good.subarray(0, -1)],
    ['a changed last line', (good) => changed(good, good.length - 90)],
    ['a group whose first line never reached the disk', (good) => changed(good, whole + 30)],
  ]
  it.each(tails)('can be %s', (_name, spoil) => {
    const torn = newDir()
    mkdirSync(torn)
    writeFileSync(fileOf(torn), spoil(bytes))
    const view = readJournal(torn)
    expect(view.problems).toHaveLength(1)
    reopened(torn, ({ state, problems, append }) => {
      expect(problems).toHaveLength(1)
      expect(state).toEqual(view.state)
      append([note('goes on')], 1)
    })
    expect(verifyJournal(torn)).toMatchObject({ ok: true, events: view.state.seq + 1 })
    expect([before.seq, before.seq + 2]).toContain(view.state.seq)
  })

  it('can be the whole file', () => {
    const torn = newDir()
    mkdirSync(torn)
    writeFileSync(fileOf(torn), '{"v":1,"seq":1,"at"')
    reopened(torn, ({ state, problems }) => {
      expect(state).toEqual(emptyState())
      expect(problems).toEqual([expect.stringContaining('after its beginning to journal.torn-1-1')])
    })
  })

  it('can be a line that is too long for an event', () => {
    const torn = newDir()
    cpSync(dir, torn, { recursive: true })
    truncateSync(fileOf(torn), 70 * 1024 * 1024)
    expect(readJournal(torn)).toMatchObject({ state: { seq: 7 }, problems: [expect.stringContaining('is incomplete')] })
  })
})

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}
