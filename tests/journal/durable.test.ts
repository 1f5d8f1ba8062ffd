import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openJournal } from '../../src/journal/log.ts'
import { journals } from './journals.ts'
import { note } from './samples.ts'

const calls: string[] = []

// A kill doesn't lose the page cache, so check the order of the system calls instead.
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const recorded = (name: 'writeSync' | 'fdatasyncSync' | 'fsyncSync' | 'renameSync') =>
    function record(...args: unknown[]) {
      calls.push(name)
      return (fs[name] as (...args: unknown[]) => unknown)(...args)
    }
  const names = ['writeSync', 'fdatasyncSync', 'fsyncSync', 'renameSync'] as const
  return { ...fs, ...Object.fromEntries(names.map((name) => [name, recorded(name)])) }
})

const { newDir } = journals()

describe('an append', () => {
  beforeEach(() => {
    calls.length = 0
  })

  it('is one write, and on disk before it returns', () => {
    const journal = openJournal(newDir())
    calls.length = 0
    journal.append([note('a'), note('b'), note('c')], 1)
    expect(calls).toEqual(['writeSync', 'fdatasyncSync'])
    journal.close()
  })

  it('that triggers a snapshot syncs its events first; the snapshot is only a cache', () => {
    const journal = openJournal(newDir(), { snapshotEvery: 1 })
    calls.length = 0
    journal.append([note('a')], 1)
    expect(calls).toEqual(['writeSync', 'fdatasyncSync', 'writeSync', 'renameSync'])
    journal.close()
  })

  it('to a new journal also syncs the folder', () => {
    openJournal(newDir()).close()
    expect(calls).toContain('fsyncSync')
  })
})
