import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { changedFiles, writeStateFiles } from '../../src/fleet/git-transfer/files.ts'
import { write } from './git-transfer-place.ts'

const root = mkdtempSync(join(tmpdir(), 'exitgate-files-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folders = 0
const folder = (): string => {
  const dir = join(root, String(++folders))
  mkdirSync(dir)
  return dir
}
const MEGABYTE = 1024 * 1024

describe('files of a state folder', () => {
  it('are transferred unchanged, except those specific to the machine', async () => {
    const [here, there] = [folder(), folder()]
    const transferred = {
      'baseline/baseline.json': '{}',
      'baseline/copies-1.bin': '\0\xff',
      'transcripts/r1/1.1.out': 'words '.repeat(1000),
      'prompts/r1.md': '',
      'flakes.json': '[]',
    }
    const machineFiles = [
      'journal.jsonl',
      'journal.torn-1',
      'lock',
      'lock.abc',
      'state.json',
      'control.json',
      'control/x',
      'inbox/y',
      'archive/z/journal.jsonl',
      'baseline/b.json.1.tmp',
    ]
    for (const [path, text] of Object.entries(transferred)) write(here, path, Buffer.from(text, 'latin1'))
    for (const path of machineFiles) write(here, path, 'here')
    symlinkSync('/etc/passwd', join(here, 'transcripts', 'link'))
    symlinkSync('/etc', join(here, 'etc'))
    const { files, removed } = await changedFiles(here)
    expect([files.map(({ path }) => path), removed]).toEqual([Object.keys(transferred).sort(), []])
    await writeStateFiles(there, files)
    for (const [path, text] of Object.entries(transferred)) expect(readFileSync(join(there, path), 'latin1')).toBe(text)
    expect(files.find(({ path }) => path.endsWith('.out'))?.bytes.length).toBeLessThan(200)
  })

  it('are transferred again only if they changed', async () => {
    const dir = folder()
    write(dir, 'transcripts/r/1.out', 'one')
    write(dir, 'flakes.json', '{}')
    const first = await changedFiles(dir)
    expect((await changedFiles(dir, first.seen)).files).toEqual([])
    writeFileSync(join(dir, 'transcripts/r/1.out'), 'one two')
    rmSync(join(dir, 'flakes.json'))
    const { files, removed } = await changedFiles(dir, first.seen)
    expect([files.map(({ path }) => path), removed]).toEqual([['transcripts/r/1.out'], ['flakes.json']])
  })

  it.each([
    ['../outside', 'its path leads outside the folder'],
    ['a/../../outside', 'its path leads outside the folder'],
    ['/etc/passwd', 'its path leads outside the folder'],
    ['a//b', 'its path leads outside the folder'],
    ['', 'its path leads outside the folder'],
    ['C:/x', 'its path leads outside the folder'],
    ['a\\..\\b', 'its path has unexpected characters'],
    ['a\0b', 'its path has unexpected characters'],
    ['journal.jsonl', 'it is specific to one machine'],
    ['lock', 'it is specific to one machine'],
    ['control/socket', 'it is specific to one machine'],
  ])('are not written to %j', async (path, why) => {
    const asked = writeStateFiles(folder(), [{ path, bytes: gzipSync('x') }])
    await expect(asked).rejects.toThrow(`The file ${JSON.stringify(path)} does not belong in a state folder: ${why}`)
  })

  it('are not written through a link; a link is replaced', async () => {
    const [dir, outside] = [folder(), folder()]
    symlinkSync(outside, join(dir, 'transcripts'))
    write(outside, 'kept', 'theirs')
    symlinkSync(join(outside, 'kept'), join(dir, 'flakes.json'))
    await expect(writeStateFiles(dir, [{ path: 'transcripts/x', bytes: gzipSync('x') }])).rejects.toThrow(
      'is not a folder, so',
    )
    await writeStateFiles(dir, [{ path: 'flakes.json', bytes: gzipSync('ours') }])
    expect([readFileSync(join(outside, 'kept'), 'utf8'), readFileSync(join(dir, 'flakes.json'), 'utf8')]).toEqual([
      'theirs',
      'ours',
    ])
    expect(existsSync(join(outside, 'x'))).toBe(false)
  })

  it('have a size limit on both sides', async () => {
    const dir = folder()
    write(dir, 'transcripts/r/1.out', '')
    truncateSync(join(dir, 'transcripts/r/1.out'), 129 * MEGABYTE)
    await expect(changedFiles(dir)).rejects.toThrow(
      'The file transcripts/r/1.out in the state folder is larger than 128 MB. Lower run.transcriptMegabytes.',
    )
    const bomb = gzipSync(Buffer.alloc(129 * MEGABYTE))
    await expect(writeStateFiles(folder(), [{ path: 'x', bytes: bomb }])).rejects.toThrow(
      "can't be unpacked: it is larger than 128 MB",
    )
    await expect(writeStateFiles(folder(), [{ path: 'x', bytes: Buffer.from('no') }])).rejects.toThrow(
      "can't be unpacked: it is damaged",
    )
  })
})
