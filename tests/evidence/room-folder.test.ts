import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { statOf } from '../../src/evidence/baseline/content-id.ts'
import { fileStates } from '../../src/evidence/baseline/file-states.ts'
import { type ClaimRoom, openClaimRoom } from '../../src/evidence/clean-room/claim-room.ts'
import { ChangedWhileCopied } from '../../src/evidence/clean-room/copy-file.ts'
import { type RoomEntry, RoomFolder } from '../../src/evidence/clean-room/room-folder.ts'
import { removeRooms } from '../../src/evidence/clean-room/room-places.ts'
import type { Workspace } from '../../src/evidence/types.ts'
import { openWorkspace, withCachedList } from '../../src/evidence/workspace.ts'
import { patience } from '../timing.ts'
import { writeFiles } from './folders.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-room-folder-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const files = { 'a.txt': 'one', 'src/b.txt': 'two', 'src/deep/c.txt': 'three' }

function place() {
  const top = mkdtempSync(join(root, 'p'))
  const from = join(top, 'from')
  mkdirSync(from)
  writeFiles(from, files)
  // A file system clock that has moved on shows every later change.
  for (const path of Object.keys(files)) utimesSync(join(from, path), 1_000_000, 1_000_000)
  const entries = (paths: readonly string[] = Object.keys(files)): Map<string, RoomEntry> =>
    new Map(
      paths.map((path) => {
        const stat = statOf(join(from, path))
        if (stat === undefined) throw new Error(`${path} is gone`)
        return [path, { kind: 'file', from: join(from, path), stat }]
      }),
    )
  const room = new RoomFolder(join(top, 'room'), join(top, 'list.json'))
  return { from, room, entries, again: () => new RoomFolder(join(top, 'room'), join(top, 'list.json')) }
}

const texts = ({ tree }: RoomFolder) =>
  Object.fromEntries(Object.keys(files).map((path) => [path, readFileSync(join(tree, path), 'utf8')]))

/** What a command may do in a room. */
const damages: readonly (readonly [string, (tree: string) => void])[] = [
  [
    'writes a file and restores its size and time',
    (tree) => {
      const { atime, mtime } = statSync(join(tree, 'a.txt'))
      writeFileSync(join(tree, 'a.txt'), 'uno')
      utimesSync(join(tree, 'a.txt'), atime, mtime)
    },
  ],
  [
    'replaces a file by another one',
    (tree) => {
      writeFileSync(join(tree, 'new'), 'uno')
      renameSync(join(tree, 'new'), join(tree, 'a.txt'))
    },
  ],
  ['deletes a file', (tree) => rmSync(join(tree, 'src/b.txt'))],
  ['adds files and folders', (tree) => writeFiles(tree, { 'src/added.txt': 'x', 'target/debug/test': 'x' })],
  [
    'replaces a folder by a link',
    (tree) => {
      rmSync(join(tree, 'src'), { recursive: true })
      symlinkSync('/etc', join(tree, 'src'))
    },
  ],
  [
    'replaces a file by a folder',
    (tree) => {
      rmSync(join(tree, 'a.txt'))
      writeFiles(tree, { 'a.txt/inner': 'x' })
    },
  ],
]

describe('a room', () => {
  it.each(damages)('is as before after a command that %s', async (_, damage) => {
    const { room, entries, again } = place()
    expect(await room.sync(entries())).toBe(3)
    damage(room.tree)
    const later = again()
    await later.sync(entries())
    expect(texts(later)).toEqual(files)
    expect(existsSync(join(later.tree, 'target'))).toBe(false)
    expect(existsSync(join(later.tree, 'src/added.txt'))).toBe(false)
    expect(lstatSync(join(later.tree, 'src')).isSymbolicLink()).toBe(false)
  })

  it('keeps files that nothing touched, and follows changes of the project', async () => {
    const { from, room, entries, again } = place()
    await room.sync(entries())
    // Files younger than the clock's tick are copied again.
    await expect.poll(() => again().sync(entries()), { timeout: patience(5_000) }).toBe(0)
    writeFileSync(join(from, 'src/b.txt'), 'other')
    expect(await again().sync(entries())).toBe(1)
    expect(texts(room)).toEqual({ ...files, 'src/b.txt': 'other' })
    rmSync(join(from, 'a.txt'))
    await again().sync(entries(['src/b.txt', 'src/deep/c.txt']))
    expect(existsSync(join(room.tree, 'a.txt'))).toBe(false)
  })

  it('is not made of a file that changed after the tree was identified', async () => {
    const { from, room, entries } = place()
    const known = entries()
    writeFileSync(join(from, 'a.txt'), 'uno')
    await expect(room.sync(known)).rejects.toThrow(ChangedWhileCopied)
    expect(existsSync(join(room.tree, 'a.txt'))).toBe(false)
  })

  it('can be interrupted while it is copied', async () => {
    const { from, entries } = place()
    const names = Array.from({ length: 1_000 }, (_, index) => `many/${index}.txt`)
    writeFiles(from, Object.fromEntries(names.map((name) => [name, ''])))
    const interrupt = new AbortController()
    const top = mkdtempSync(join(root, 'i'))
    const room = new RoomFolder(join(top, 'room'), join(top, 'list.json'), interrupt.signal)
    const copied = room.sync(entries(names))
    interrupt.abort(new Error('interrupted'))
    await expect(copied).rejects.toThrow('interrupted')
    expect(existsSync(join(room.tree, 'many/0.txt'))).toBe(true)
    expect(existsSync(join(room.tree, 'many/999.txt'))).toBe(false)
  })
})

describe('the room of a claim reports', () => {
  const rows: readonly (readonly [string, (file: string) => void, readonly string[]])[] = [
    ['nothing if the project stays as it is', () => {}, []],
    [
      'a file that had other content for a moment, although it was just written before',
      (file) => {
        writeFileSync(file, 'half')
        writeFileSync(file, 'one')
      },
      ['a.txt'],
    ],
    ['a file with other content', (file) => writeFileSync(file, 'half'), ['a.txt']],
  ]
  it.each(rows)('%s', async (_, happens, expected) => {
    const top = mkdtempSync(join(root, 'c'))
    const dir = join(top, 'work')
    mkdirSync(dir)
    writeFiles(dir, files)
    const workspace = withCachedList(openWorkspace(dir))
    const room = await openClaimRoom({ workspace, seen: await fileStates(workspace), stateDir: join(top, 'state') })
    if (typeof room === 'string') throw new Error(room)
    // The times of files have a granularity of some milliseconds.
    const { ctimeMs } = statSync(join(dir, 'a.txt'))
    await expect
      .poll(() => {
        writeFileSync(join(top, 'clock'), '')
        return statSync(join(top, 'clock')).ctimeMs
      })
      .toBeGreaterThan(ctimeMs)
    happens(join(dir, 'a.txt'))
    expect(await room.changes()).toEqual(expected)
    await room.close()
  })
})

describe('rooms that are open at once', () => {
  const rows: readonly (readonly [name: string, before: (claim: () => Promise<ClaimRoom>) => Promise<void>])[] = [
    ['the first claim', async () => {}],
    [
      'an earlier claim gave one of its rooms back itself',
      async (claim) => {
        const earlier = await claim()
        await (await earlier.openRoom()).remove()
        await earlier.close()
      },
    ],
    [
      'one of an earlier claim was given back twice',
      async (claim) => {
        const earlier = await claim()
        const room = await earlier.openRoom()
        await room.remove()
        const next = await earlier.openRoom()
        await room.remove()
        await next.remove()
        await earlier.close()
      },
    ],
  ]

  it.each(rows)('have folders of their own: %s', { timeout: patience(30_000) }, async (_, before) => {
    const top = mkdtempSync(join(root, 'o'))
    const [dir, stateDir] = [join(top, 'work'), join(top, 'state')]
    mkdirSync(dir)
    writeFiles(dir, files)
    const claim = async () => {
      const workspace = withCachedList(openWorkspace(dir))
      const room = await openClaimRoom({ workspace, seen: await fileStates(workspace), stateDir })
      if (typeof room === 'string') throw new Error(room)
      return room
    }
    await before(claim)
    const now = await claim()
    const [one, other] = [await now.openRoom(), await now.openRoom()]
    one.put('a.txt', 'of one room')
    other.put('a.txt', 'of the other')
    const read = async ({ run }: Workspace) => (await run('cat a.txt', { deadlineMs: patience(10_000) })).output
    expect([await read(now.workspace), await read(one.workspace), await read(other.workspace)]).toEqual([
      'one',
      'of one room',
      'of the other',
    ])
    await now.close()
    await removeRooms(stateDir)
  })
})
