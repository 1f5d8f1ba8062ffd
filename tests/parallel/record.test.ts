import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { keepRecord, readRecord } from '../../src/parallel/record.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'exitgate-record-'))
  folders.push(made)
  return join(made, 'backlog')
}

const begun = { file: '/tasks.yaml', head: 'abc', branch: 'main', startedAt: 5, tasks: {} }
const place = { branch: 'exitgate/a', worktree: '/w/a', gitDir: '/g/a', workspace: '/w/a', dir: '/s/a' }

describe('the record of a backlog', () => {
  it('is undefined if nothing was started', () => {
    expect(readRecord(folder())).toBeUndefined()
  })

  it('has what was recorded last, and leaves no temporary files', () => {
    const at = folder()
    const keeper = keepRecord(at, begun)
    keeper.note('a', place)
    keeper.note('b', place)
    keeper.note('b', undefined)
    expect(readRecord(at)).toEqual({ version: 1, ...begun, tasks: { a: place } })
    expect(keeper.record.tasks).toEqual({ a: place })
    expect(readdirSync(at)).toEqual(['backlog.json'])
  })

  it.each(['', 'null', '{', '[]', '{"version":2,"head":"x","tasks":{}}', '{"version":1,"tasks":{}}'])(
    'that is %j is rejected with the remedy',
    (text) => {
      const at = folder()
      keepRecord(at, begun)
      writeFileSync(join(at, 'backlog.json'), text)
      expect(() => readRecord(at)).toThrow(
        `${join(at, 'backlog.json')} is not a valid record of a backlog. Move it away to start over.`,
      )
    },
  )
})
