import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readJournal, verifyJournal } from '../../src/journal/read.ts'
import { resetJournal } from '../../src/journal/reset.ts'
import { fileOf, journals, reopened, SMALL } from './journals.ts'
import { note } from './samples.ts'

const { newDir, written } = journals()
const at = Date.UTC(2025, 2, 4, 5, 6, 7, 89)
const words = { by: 'a person', reason: 'a new task', at }

describe('a reset', () => {
  it('starts over and archives the old journal', () => {
    const dir = written(SMALL, { snapshotEvery: 1 })
    const old = readFileSync(fileOf(dir))
    const { state } = readJournal(dir)
    const archive = join(dir, 'archive/20250304T050607Z-5')
    expect(resetJournal(dir, words)).toEqual({ archive, events: 5 })
    expect(readdirSync(dir)).toEqual(['archive'])
    expect(readJournal(dir)).toEqual({ state: emptyState(), problems: [] })
    expect(readFileSync(fileOf(archive))).toEqual(old)
    expect(readJournal(archive)).toEqual({ state, problems: [] })
    expect(JSON.parse(readFileSync(join(archive, 'reset.json'), 'utf8'))).toEqual({ ...words, events: 5 })
  })

  it('can follow another reset within the same second', () => {
    const dir = written(SMALL)
    resetJournal(dir, words)
    reopened(dir, (journal) => journal.append(SMALL.flat(), 1))
    expect(resetJournal(dir, words)?.archive).toMatch(/Z-5-2$/)
    expect(readdirSync(join(dir, 'archive'))).toHaveLength(2)
  })

  const spoils: readonly [string, (text: string) => string, number][] = [
    ['damaged in the middle', (text) => text.replace('"two"', '"TWO"'), 1],
    ['of a newer version', (text) => text.replace('"v":1', '"v":9'), 0],
    ['torn', (text) => text.slice(0, -5), 4],
    ['empty', () => '', 0],
  ]
  it.each(spoils)('archives a journal that is %s', (_name, spoil, events) => {
    const dir = written(SMALL)
    const text = spoil(readFileSync(fileOf(dir), 'utf8'))
    writeFileSync(fileOf(dir), text)
    const done = resetJournal(dir, words)
    expect(done?.events).toBe(events)
    expect(readFileSync(fileOf(done?.archive ?? ''), 'utf8')).toBe(text)
    reopened(dir, (journal) => expect([journal.state, journal.problems]).toEqual([emptyState(), []]))
  })

  it('archives the torn bytes too', () => {
    const dir = written(SMALL)
    writeFileSync(fileOf(dir), readFileSync(fileOf(dir)).subarray(0, -5))
    reopened(dir, () => undefined)
    expect(readdirSync(resetJournal(dir, words)?.archive ?? '').sort()).toEqual([
      'journal.jsonl',
      'journal.torn-5-1',
      'reset.json',
    ])
  })

  it('does nothing without a journal', () => {
    const dir = newDir()
    expect(resetJournal(dir, words)).toBeUndefined()
    expect(existsSync(dir)).toBe(false)
    mkdirSync(dir)
    expect(resetJournal(dir, words)).toBeUndefined()
    expect(readdirSync(dir)).toEqual([])
  })

  it('does not take the journal from a live writer', () => {
    const journal = openJournal(newDir())
    journal.append([note('a')], 1)
    expect(() => resetJournal(journal.dir, { ...words, waitMs: 0 })).toThrow(/in use by process/)
    journal.append([note('b')], 1)
    journal.close()
    expect(verifyJournal(journal.dir)).toMatchObject({ ok: true, events: 2 })
  })
})
