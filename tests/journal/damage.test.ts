import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sealLine } from '../../src/journal/lines.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, readJournal, verifyJournal } from '../../src/journal/read.ts'
import { fileOf, journals, SMALL } from './journals.ts'
import { note } from './samples.ts'

const { newDir, written } = journals()

describe('damage', () => {
  const withSnapshot = written([[note('größe')], [note('a'), note('b')], [note('c')], [note('d')]], {
    snapshotEvery: 2,
  })
  const truth = readJournal(withSnapshot).state
  const changes: readonly [string, (byte: number) => number][] = [
    ['a flipped low bit', (byte) => byte ^ 1],
    ['a flipped case bit', (byte) => byte ^ 0x20],
    ['a flipped high bit', (byte) => byte ^ 0x80],
    ['a newline', (byte) => (byte === 10 ? 32 : 10)],
  ]
  const files = ['journal.jsonl', 'state.json']
  const rows = changes.flatMap(([name, change]) => files.map((file) => [name, file, change] as const))

  it.each(rows)('%s anywhere in %s is always detected', (_name, file, change) => {
    const dir = newDir()
    cpSync(withSnapshot, dir, { recursive: true })
    const bytes = readFileSync(join(dir, file))
    for (let i = 0; i < bytes.length; i++) {
      const spoilt = Buffer.from(bytes)
      spoilt[i] = change(bytes[i] ?? 0)
      writeFileSync(join(dir, file), spoilt)
      const seen = attempt(() => readJournal(dir))
      if ('error' in seen) expect(seen.error).toMatchObject({ name: 'JournalError', exitCode: 70 })
      else if (seen.value.problems.length === 0) expect(seen.value.state).toEqual(truth)
      expect(verifyJournal(dir).ok).toBe(false)
    }
  })

  it('a flipped bit before the snapshot is detected only when a run continues', () => {
    const dir = newDir()
    cpSync(withSnapshot, dir, { recursive: true })
    const file = join(dir, 'journal.jsonl')
    const bytes = readFileSync(file)
    const { start } = JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8')).position
    openJournal(dir, { checkAll: true }).close()
    for (let i = 0; i < start; i++) {
      const spoilt = Buffer.from(bytes)
      spoilt[i] = (bytes[i] ?? 0) ^ 1
      writeFileSync(file, spoilt)
      const opened = attempt(() => openJournal(dir, { checkAll: true }).close())
      expect(opened).toMatchObject({ error: { name: 'JournalError', exitCode: 70 } })
      expect(readFileSync(file).equals(spoilt)).toBe(true)
    }
    expect(readJournal(dir).state).toEqual(truth)
  })

  const spoils: readonly [string, (lines: string[]) => string[], RegExp][] = [
    [
      'a changed line',
      (l) => l.with(2, l[2]?.replace('two', 'TWO') ?? ''),
      /journal\.jsonl is damaged at line 3: the checksum does not match\. Run `exitgate reset`/,
    ],
    ['a missing line', (l) => l.toSpliced(1, 1), /damaged at line 2: it does not follow from the line before it/],
    ['a missing first line', (l) => l.slice(1), /damaged at line 1: it does not follow/],
    ['a repeated line', (l) => l.toSpliced(1, 0, l[0] ?? ''), /damaged at line 2: it does not follow/],
    ['swapped lines', (l) => [l[0] ?? '', l[2] ?? '', l[1] ?? '', ...l.slice(3)], /damaged at line 2: it does not/],
    [
      'a line changed and sealed again',
      (l) => l.with(2, resealed(l[2], { text: 'TWO' })),
      /damaged at line 4: it does not/,
    ],
    ['a skipped number', (l) => l.with(4, resealed(l[4], { seq: 6 })), /damaged at line 5: it does not follow/],
    ['the end of a group without its start', (l) => l.with(4, resealed(l[4], { part: [2, 2] })), /damaged at line 5/],
    ['garbage between lines', (l) => l.toSpliced(1, 0, 'garbage'), /damaged at line 2: the checksum does not match/],
    [
      'a newer version',
      (l) => [...l.slice(0, -1), sealLine({ v: 2, seq: 6 }).text],
      /newer exitgate \(line 5 has format version 2; this release reads up to 1\)\. Update exitgate/,
    ],
    [
      'a newer version with another seal',
      (l) => [...l.slice(0, -1), '{"v":3,"what":"ever"}'],
      /line 5 has format version 3/,
    ],
  ]
  it.each(spoils)('%s is an error for every reader, and nothing is deleted', (_name, spoil, sentence) => {
    const dir = written(SMALL)
    writeFileSync(fileOf(dir), `${spoil(readFileSync(fileOf(dir), 'utf8').trimEnd().split('\n')).join('\n')}\n`)
    const bytes = readFileSync(fileOf(dir))
    expect(() => openJournal(dir)).toThrow(sentence)
    expect(() => readJournal(dir)).toThrow(sentence)
    expect(() => [...readEvents(dir)]).toThrow(sentence)
    expect(verifyJournal(dir)).toMatchObject({ ok: false, problems: [expect.stringMatching(sentence)] })
    expect(readFileSync(fileOf(dir))).toEqual(bytes)
    expect(readdirSync(dir)).toEqual(['journal.jsonl'])
  })
})

function resealed(line: string | undefined, more: object): string {
  const { hash: _hash, ...value } = JSON.parse(line ?? '')
  return sealLine({ ...value, ...more }).text
}

function attempt<T>(run: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: run() }
  } catch (error) {
    return { error }
  }
}
