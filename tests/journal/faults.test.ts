import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, readJournal } from '../../src/journal/read.ts'
import { compileJournal } from './compiled.ts'
import { journals, SMALL } from './journals.ts'
import { tempFolder } from './samples.ts'

const { newDir, written } = journals()
const root = tempFolder()
let room: string
const filler = join(import.meta.dirname, 'fixtures/filler.mjs')
const env = { PATH: process.env.PATH }
beforeAll(() => {
  room = compileJournal(join(root, 'room'))
})

/** Mounts a file system in a namespace that ends with the command, so nothing stays mounted. */
const unshare = process.getuid?.() === 0 ? ['-m'] : ['-Urm']
const sealedOff = (script: string, ...args: string[]) =>
  spawnSync('unshare', [...unshare, 'sh', '-ec', script, 'sh', ...args], { env, encoding: 'utf8' })
const canMount = sealedOff('mount -t tmpfs -o size=64k tmpfs /mnt').status === 0
const NO_MOUNT = 'no file system can be mounted here'

describe('a full disk', () => {
  it('loses nothing that was acknowledged, and writing continues when there is space', ({ skip }) => {
    skip(!canMount, NO_MOUNT)
    const place = newDir()
    mkdirSync(place)
    const script =
      'mount -t tmpfs -o size=300k tmpfs "$1"; head -c 100000 /dev/zero > "$1/other"; exec "$2" "$3" "$4" "$1/j" "rm $1/other"'
    const child = sealedOff(script, place, process.execPath, filler, room)
    expect(child.stderr).toBe('')
    const told = JSON.parse(child.stdout)
    expect(told).toMatchObject({
      name: 'JournalError',
      exitCode: 70,
      message: `can't record note: no space left on ${place}/j. Free some space, or choose another folder with --state-dir or EXITGATE_STATE_DIR.`,
      verified: { ok: true, events: told.acknowledged },
      ends: true,
      again: told.acknowledged + 1,
      afterwards: { ok: true, events: told.acknowledged + 1 },
    })
    expect(told.acknowledged).toBeGreaterThan(20)
  })

  it('fails immediately if even the lock does not fit', ({ skip }) => {
    skip(!canMount, NO_MOUNT)
    const place = newDir()
    mkdirSync(place)
    const script =
      'mount -t tmpfs -o size=64k tmpfs "$1"; cat /dev/zero > "$1/other" 2>/dev/null || true; exec "$2" "$3" "$4" "$1/j"'
    const told = JSON.parse(sealedOff(script, place, process.execPath, filler, room).stdout)
    expect(told).toMatchObject({ acknowledged: 0, exitCode: 70, message: expect.stringContaining('no space left on') })
  })

  it('behaves like a file size limit: the partial line is removed', ({ skip }) => {
    skip(process.platform === 'win32', 'there is no ulimit on Windows')
    const dir = newDir()
    const script = 'ulimit -f 100; exec "$1" "$2" "$3" "$4"'
    const child = spawnSync('sh', ['-ec', script, 'sh', process.execPath, filler, room, dir], { env, encoding: 'utf8' })
    const told = JSON.parse(child.stdout)
    expect(told).toMatchObject({ exitCode: 70, verified: { ok: true, events: told.acknowledged }, ends: true })
    expect(told.message).toContain('reached the file size limit')
    expect(told.acknowledged).toBeGreaterThan(10)
  })
})

describe('an unusable state folder', () => {
  it('on a read-only file system', ({ skip }) => {
    skip(!canMount, NO_MOUNT)
    const place = newDir()
    mkdirSync(place)
    const script = 'mount -t tmpfs tmpfs "$1"; mkdir "$1/j"; mount -o remount,ro "$1"; exec "$2" "$3" "$4" "$1/j"'
    const told = JSON.parse(sealedOff(script, place, process.execPath, filler, room).stdout)
    expect(told).toMatchObject({
      acknowledged: 0,
      exitCode: 70,
      message: `can't open the journal: ${place}/j is on a read-only file system. Make it writable, or choose another folder with --state-dir or EXITGATE_STATE_DIR.`,
    })
  })

  it('owned by another user', ({ skip }) => {
    skip(process.platform === 'win32', 'permissions are not like this on Windows')
    const dir = newDir()
    mkdirSync(dir)
    chmodSync(dir, 0o555)
    chmodSync(root, 0o755)
    chmodSync(join(dir, '..'), 0o755)
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const child = spawnSync(process.execPath, [filler, room, dir], { env, encoding: 'utf8', ...user })
    skip(child.error !== undefined || child.stdout === '', 'no other user can run Node here')
    expect(JSON.parse(child.stdout)).toMatchObject({
      acknowledged: 0,
      exitCode: 70,
      message: expect.stringContaining(`permission denied for ${dir}`),
    })
  })

  const rows: readonly [string, (dir: string) => string, RegExp][] = [
    ['below a file', (dir) => join(file(dir), 'below'), /can't open the journal: part of the path .* is not a folder/],
    ['that is a file', (dir) => file(dir), /can't open the journal: part of the path .* is not a folder/],
    [
      'with a link as journal',
      (dir) => linked(dir, 'journal.jsonl'),
      /is a symbolic link, and exitgate does not follow links here/,
    ],
    [
      'with a folder as journal',
      (dir) => folder(dir, 'journal.jsonl'),
      /is a folder, but must be a file|not a regular file/,
    ],
    ['with a named pipe as journal', (dir) => pipe(dir, 'journal.jsonl'), /journal\.jsonl is not a regular file/],
    ['with a named pipe as lock', (dir) => pipe(dir, 'lock'), /lock is not a regular file/],
  ]
  it.each(rows)('%s', (_name, make, sentence) => {
    const dir = make(newDir())
    expect(() => openJournal(dir)).toThrow(sentence)
    expect(() => openJournal(dir)).toThrow(expect.objectContaining({ name: 'JournalError', exitCode: 70 }))
  })

  it('never writes through a link', () => {
    const dir = newDir()
    linked(dir, 'journal.jsonl')
    expect(() => openJournal(dir)).toThrow()
    expect(readFileSync(`${dir}.target`, 'utf8')).toBe('precious')
  })

  it('counts as an empty journal if it does not exist', () => {
    expect(readJournal(newDir())).toEqual({ state: emptyState(), problems: [] })
    expect([...readEvents(newDir())]).toEqual([])
  })

  it('still loads the journal if only the snapshot cannot be written', () => {
    const dir = written(SMALL)
    mkdirSync(join(dir, 'state.json.tmp'))
    const journal = openJournal(dir, { snapshotEvery: 1 })
    expect(journal.problems).toEqual([expect.stringMatching(/^can't write a snapshot: /)])
    expect(journal.state.seq).toBe(5)
    journal.close()
  })
})

function file(path: string): string {
  writeFileSync(path, 'precious')
  return path
}

function folder(dir: string, name: string): string {
  mkdirSync(join(dir, name), { recursive: true })
  return dir
}

function linked(dir: string, name: string): string {
  mkdirSync(dir)
  symlinkSync(file(`${dir}.target`), join(dir, name))
  return dir
}

function pipe(dir: string, name: string): string {
  mkdirSync(dir)
  spawnSync('mkfifo', [join(dir, name)], { env })
  return dir
}
