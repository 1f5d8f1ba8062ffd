import { join } from 'node:path'
import type { EventInput } from '../../src/core/journal/events.ts'
import { type Journal, openJournal } from '../../src/journal/log.ts'
import { note, started, tempFolder } from './samples.ts'

/** Journals in temporary folders, removed after the tests of the file. */
export function journals() {
  const root = tempFolder()
  let folders = 0
  const newDir = () => join(root, String(++folders))

  function written(appends: readonly (readonly EventInput[])[], options = {}): string {
    const dir = newDir()
    const journal = openJournal(dir, options)
    for (const [i, happenings] of appends.entries()) journal.append(happenings, 1000 + i)
    journal.close()
    return dir
  }

  return { newDir, written }
}

export const fileOf = (dir: string) => join(dir, 'journal.jsonl')

export function reopened<T>(dir: string, use: (journal: Journal) => T): T {
  const journal = openJournal(dir)
  try {
    return use(journal)
  } finally {
    journal.close()
  }
}

export const SMALL: readonly (readonly EventInput[])[] = [
  [started({ task: 'größe' })],
  [note('one'), note('two'), note('three')],
  [note('last')],
]
