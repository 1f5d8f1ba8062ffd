import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/log.ts'
import { readJournal, verifyJournal } from '../../src/journal/read.ts'
import { fileOf, journals } from './journals.ts'
import { note } from './samples.ts'

const golden = join(import.meta.dirname, '../golden/journals')
const versions = readdirSync(golden).filter((name) => /^v\d+$/.test(name))
const folders = versions.flatMap((version) => readdirSync(join(golden, version)).map((name) => join(version, name)))
const { newDir } = journals()

/**
 * Journals written by released versions. They are never rewritten. Only the expected state may change, with UPDATE_GOLDEN=1 and a
 * higher FOLD_VERSION.
 */
describe('a journal of a released version still loads', () => {
  it.each(folders)('%s', (folder) => {
    const { state, problems } = readJournal(join(golden, folder))
    const { events, hash } = verifyJournal(join(golden, folder))
    const found = { events, hash, problems, state }
    const expected = join(golden, folder, 'expected.json')
    if (process.env.UPDATE_GOLDEN === '1' || !existsSync(expected)) {
      expect(process.env.UPDATE_GOLDEN, `${expected} is missing`).toBe('1')
      writeFileSync(expected, `${JSON.stringify(found, null, 2)}\n`)
    }
    expect(found).toEqual(JSON.parse(readFileSync(expected, 'utf8')))
  })

  it.each(folders)('%s can be continued', (folder) => {
    const dir = newDir()
    cpSync(fileOf(join(golden, folder)), fileOf(dir))
    const before = readJournal(dir)
    const journal = openJournal(dir)
    expect(journal.state).toEqual(before.state)
    expect(journal.problems).toHaveLength(before.problems.length)
    journal.append([note('goes on')], 1)
    journal.close()
    expect(verifyJournal(dir)).toMatchObject({ ok: true, events: before.state.seq + 1 })
  })
})
