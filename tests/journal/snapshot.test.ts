import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readJournal, verifyJournal } from '../../src/journal/read.ts'
import { type Snapshot, snapshotText } from '../../src/journal/snapshot.ts'
import { fileOf, journals, reopened, SMALL } from './journals.ts'
import { decided, note } from './samples.ts'

const { newDir, written } = journals()

describe('a snapshot', () => {
  const dir = written([...SMALL, [decided(1)]], { snapshotEvery: 1 })
  const other = written([[note('elsewhere')], ...SMALL, [decided(1)]], { snapshotEvery: 1 })
  const older = written(SMALL, { snapshotEvery: 1 })
  const truth = readJournal(dir).state
  const snapshot = (from: string) => readFileSync(join(from, 'state.json'), 'utf8')

  const rows: readonly [string, string | undefined, RegExp | undefined][] = [
    ['missing', undefined, undefined],
    ['older', snapshot(older), undefined],
    ['current', snapshot(dir), undefined],
    ['empty', '', /is damaged/],
    ['truncated', snapshot(dir).slice(0, 200), /is damaged/],
    ['all zeros after a power failure', '\0'.repeat(snapshot(dir).length), /is damaged/],
    [
      'zeros at its end after a power failure',
      snapshot(dir).slice(0, 400).padEnd(snapshot(dir).length, '\0'),
      /is damaged/,
    ],
    ['changed by one bit', snapshot(dir).replace('"iterations":1', '"iterations":3'), /is damaged/],
    ['of another journal', snapshot(other), /journal was truncated|another journal/],
    ['of another fold version', snapshotText({ ...unsealed(snapshot(dir)), fold: 0, state: emptyState() }), undefined],
    [
      'ahead of the journal',
      moved(snapshot(dir), { seq: 99, end: 999_999 }),
      /journal was truncated: .* event 99, but the journal ends before it/,
    ],
    ['pointing to no line', moved(snapshot(dir), { start: 3 }), /another journal/],
    ['pointing backwards', moved(snapshot(dir), { start: 900, end: 10 }), /another journal/],
  ]
  it.each(rows)('that is %s gives the same state', (_name, text, problem) => {
    const here = newDir()
    cpSync(fileOf(dir), fileOf(here))
    if (text !== undefined) writeFileSync(join(here, 'state.json'), text)
    const problems = problem === undefined ? [] : [expect.stringMatching(problem)]
    expect(readJournal(here)).toEqual({ state: truth, problems })
    reopened(here, (journal) => expect([journal.state, journal.problems]).toEqual([truth, problems]))
    expect(readJournal(here)).toEqual({ state: truth, problems: [] })
  })

  it('with wrong content under a valid seal is found by verification', () => {
    const here = newDir()
    cpSync(dir, here, { recursive: true })
    const lying = unsealed(snapshot(dir))
    writeFileSync(join(here, 'state.json'), snapshotText({ ...lying, state: { ...lying.state, iterations: 0 } }))
    expect(verifyJournal(here)).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('differs from the journal')],
    })
  })

  it('without its journal is reported', () => {
    const here = newDir()
    mkdirSync(here)
    writeFileSync(join(here, 'state.json'), snapshot(dir))
    expect(readJournal(here)).toMatchObject({ state: emptyState(), problems: [expect.stringContaining('deleted')] })
    expect(verifyJournal(here).ok).toBe(false)
    reopened(here, ({ problems }) => expect(problems).toEqual([expect.stringContaining('the journal was truncated')]))
  })

  it('is written only from time to time', () => {
    const here = newDir()
    const journal = openJournal(here, { snapshotEvery: 3 })
    const seen = Array.from({ length: 7 }, () => {
      journal.append([note('n')], 1)
      return existsSync(join(here, 'state.json')) ? JSON.parse(snapshot(here)).position.seq : 0
    })
    journal.close()
    expect(seen).toEqual([0, 0, 3, 3, 3, 6, 6])
  })
})

function unsealed(text: string): Snapshot {
  const { checksum: _checksum, ...snapshot } = JSON.parse(text)
  return snapshot
}

function moved(text: string, position: Partial<Snapshot['position']>): string {
  const snapshot = unsealed(text)
  return snapshotText({ ...snapshot, position: { ...snapshot.position, ...position } })
}
