import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventInput } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, readJournal, verifyJournal } from '../../src/journal/read.ts'
import { fileOf, journals, reopened, SMALL } from './journals.ts'
import { eventInput, note } from './samples.ts'

const { newDir, written } = journals()

describe('a journal', () => {
  it('numbers, stamps and chains its lines', () => {
    const lines = readFileSync(fileOf(written(SMALL)), 'utf8')
      .trimEnd()
      .split('\n')
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events.map(({ v, seq, at, part }) => [v, seq, at, part])).toEqual([
      [1, 1, 1000, undefined],
      [1, 2, 1001, [1, 3]],
      [1, 3, 1001, [2, 3]],
      [1, 4, 1001, [3, 3]],
      [1, 5, 1002, undefined],
    ])
    expect(events.map(({ prev }) => prev)).toEqual(['0'.repeat(64), ...events.slice(0, -1).map(({ hash }) => hash)])
    expect(new Set(events.map(({ hash }) => hash)).size).toBe(5)
  })

  it('returns what it wrote, as it will be read', () => {
    const dir = newDir()
    const odd = { type: 'note', text: 'a\ud800b', later: undefined, nothing: Number.NaN } as unknown as EventInput
    const returned = reopened(dir, (journal) => journal.append([odd, note('b')], 7))
    expect(returned).toEqual([...readEvents(dir)])
    expect(returned[0]).toMatchObject({ nothing: null })
  })

  it('ignores stamps in the event itself', () => {
    const dir = newDir()
    const forged = { type: 'note', text: 't', seq: 99, prev: 'x', v: 7, at: 3 } as unknown as EventInput
    expect(reopened(dir, (journal) => journal.append([forged], 5))).toMatchObject([{ v: 1, seq: 1, at: 5 }])
    expect(verifyJournal(dir).ok).toBe(true)
  })

  it('is private', () => {
    const dir = written(SMALL, { snapshotEvery: 1 })
    expect([dir, fileOf(dir), join(dir, 'state.json')].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o700, 0o600, 0o600,
    ])
  })

  it('leaves no lock and no temporary file', () => {
    expect(readdirSync(written(SMALL, { snapshotEvery: 1 })).sort()).toEqual(['journal.jsonl', 'state.json'])
  })

  it('appends nothing for an empty list', () => {
    const dir = newDir()
    expect(reopened(dir, (journal) => journal.append([], 5))).toEqual([])
    expect(statSync(fileOf(dir)).size).toBe(0)
  })

  it('refuses to write when closed', () => {
    const journal = openJournal(newDir())
    journal.close()
    journal.close()
    expect(() => journal.append([note('x')], 1)).toThrow(/is closed/)
  })

  it('never goes back in time, and reports a clock change once', () => {
    const dir = newDir()
    reopened(dir, (journal) => {
      journal.append([note('a')], 5000)
      journal.append([note('b')], 3000)
      journal.append([note('c')], 3500)
      journal.append([note('d')], 6000)
      expect(journal.problems).toEqual(['the clock went back by 2000 ms. New events keep the later time.'])
      expect(journal.lastAt).toBe(6000)
    })
    expect([...readEvents(dir)].map(({ at }) => at)).toEqual([5000, 5000, 5000, 6000])
    expect(reopened(dir, (journal) => journal.append([note('e')], 10)[0]?.at)).toBe(6000)
  })

  const otherHands: readonly [string, (file: string) => void, RegExp | undefined][] = [
    ['appends a line', (file) => appendFileSync(file, 'something\n'), /was changed by another process/],
    ['truncates it', (file) => truncateSync(file, 10), /was changed by another process/],
    ['changes a byte', (file) => changeByte(file, 'ä'.charCodeAt(0)), /was changed by another process/],
    ['removes it', (file) => rmSync(file), /was removed or replaced by another process/],
    ['replaces it with a copy', exchange, /was removed or replaced by another process/],
    ['writes the same byte again', (file) => changeByte(file), undefined],
    ['changes its permissions', (file) => chmodSync(file, 0o644), undefined],
  ]
  it.each(otherHands)('is checked again when another process %s', (_name, touch, problem) => {
    const journal = openJournal(newDir())
    const file = fileOf(journal.dir)
    journal.append([note('a')], 1)
    const { ctimeNs } = statSync(file, { bigint: true })
    // Two changes within one clock tick look like one.
    do touch(file)
    while (statSync(file, { bigint: true, throwIfNoEntry: false })?.ctimeNs === ctimeNs)
    const append = () => journal.append([note('b')], 1)
    if (problem === undefined) expect(append()).toHaveLength(1)
    else expect(append).toThrow(problem)
    journal.close()
  })

  it('that another process changes during an append is checked again at the end of the run', () => {
    const journal = openJournal(newDir())
    const file = fileOf(journal.dir)
    journal.append([note('a')], 1)
    const changedMeanwhile = {
      type: 'note',
      get text() {
        changeByte(file, 'ä'.charCodeAt(0))
        return 'b'
      },
    } as const
    journal.append([changedMeanwhile], 1)
    const end = { type: 'run.ended', outcome: 'completed', ending: 'verified', reason: '', iteration: 1 } as const
    expect(() => journal.append([end], 1)).toThrow(/was changed by another process/)
    journal.close()
  })

  it('has the same state after reopening, with or without snapshots', () => {
    const appends = fc.array(fc.array(eventInput, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 })
    const property = fc.property(appends, fc.nat(8), fc.constantFrom(1, 3, 1000), (groups, at, snapshotEvery) => {
      const dir = newDir()
      let journal = openJournal(dir, { snapshotEvery })
      for (const [i, group] of groups.entries()) {
        if (i === at) {
          journal.close()
          journal = openJournal(dir, { snapshotEvery })
        }
        journal.append(group, i)
        expect(readJournal(dir)).toEqual({ state: journal.state, problems: [] })
      }
      journal.close()
      expect([...readEvents(dir)].reduce(reduce, emptyState())).toEqual(journal.state)
      expect(verifyJournal(dir)).toMatchObject({ ok: true, problems: [], events: groups.flat().length })
    })
    fc.assert(property, { numRuns: 60 })
  })
})

/** Without a value, the same byte is written again. */
function changeByte(file: string, value = readFileSync(file)[20]!): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.from([value]), 0, 1, 20)
  closeSync(fd)
}

function exchange(file: string): void {
  copyFileSync(file, `${file}.copy`)
  renameSync(`${file}.copy`, file)
}
