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
import { changedFiles, putFiles } from '../../src/fleet/git-transfer/files.ts'
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
  it('travel as they are, but for those that belong to the machine', async () => {
    const [here, there] = [folder(), folder()]
    const travelling = {
      'baseline/baseline.json': '{}',
      'baseline/copies-1.bin': '\0\xff',
      'transcripts/r1/1.1.out': 'words '.repeat(1000),
      'prompts/r1.md': '',
      'flakes.json': '[]',
    }
    const staying = [
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
    for (const [path, text] of Object.entries(travelling)) write(here, path, Buffer.from(text, 'latin1'))
    for (const path of staying) write(here, path, 'here')
    symlinkSync('/etc/passwd', join(here, 'transcripts', 'link'))
    symlinkSync('/etc', join(here, 'etc'))
    const { files, gone } = await changedFiles(here)
    expect([files.map(({ path }) => path), gone]).toEqual([Object.keys(travelling).sort(), []])
    await putFiles(there, files)
    for (const [path, text] of Object.entries(travelling)) expect(readFileSync(join(there, path), 'latin1')).toBe(text)
    expect(files.find(({ path }) => path.endsWith('.out'))?.bytes.length).toBeLessThan(200)
  })

  it('travel again only when they changed', async () => {
    const dir = folder()
    write(dir, 'transcripts/r/1.out', 'one')
    write(dir, 'flakes.json', '{}')
    const first = await changedFiles(dir)
    expect((await changedFiles(dir, first.seen)).files).toEqual([])
    writeFileSync(join(dir, 'transcripts/r/1.out'), 'one two')
    rmSync(join(dir, 'flakes.json'))
    const { files, gone } = await changedFiles(dir, first.seen)
    expect([files.map(({ path }) => path), gone]).toEqual([['transcripts/r/1.out'], ['flakes.json']])
  })

  it.each([
    ['../outside', 'it leads elsewhere'],
    ['a/../../outside', 'it leads elsewhere'],
    ['/etc/passwd', 'it leads elsewhere'],
    ['a//b', 'it leads elsewhere'],
    ['', 'it leads elsewhere'],
    ['C:/x', 'it leads elsewhere'],
    ['a\\..\\b', 'it has characters that no file of ours has'],
    ['a\0b', 'it has characters that no file of ours has'],
    ['journal.jsonl', 'it belongs to the machine it was made on'],
    ['lock', 'it belongs to the machine it was made on'],
    ['control/socket', 'it belongs to the machine it was made on'],
  ])('are not put to %j', async (path, why) => {
    const asked = putFiles(folder(), [{ path, bytes: gzipSync('x') }])
    await expect(asked).rejects.toThrow(`the file ${JSON.stringify(path)} does not belong into a state folder: ${why}`)
  })

  it('are not put through a link, and replace one instead of writing into it', async () => {
    const [dir, outside] = [folder(), folder()]
    symlinkSync(outside, join(dir, 'transcripts'))
    write(outside, 'kept', 'theirs')
    symlinkSync(join(outside, 'kept'), join(dir, 'flakes.json'))
    await expect(putFiles(dir, [{ path: 'transcripts/x', bytes: gzipSync('x') }])).rejects.toThrow('is no folder, so')
    await putFiles(dir, [{ path: 'flakes.json', bytes: gzipSync('ours') }])
    expect([readFileSync(join(outside, 'kept'), 'utf8'), readFileSync(join(dir, 'flakes.json'), 'utf8')]).toEqual([
      'theirs',
      'ours',
    ])
    expect(existsSync(join(outside, 'x'))).toBe(false)
  })

  it('have a limit on both sides', async () => {
    const dir = folder()
    write(dir, 'transcripts/r/1.out', '')
    truncateSync(join(dir, 'transcripts/r/1.out'), 129 * MEGABYTE)
    await expect(changedFiles(dir)).rejects.toThrow(
      'the file transcripts/r/1.out of the state folder is larger than 128 MB; lower run.transcriptMegabytes',
    )
    const bomb = gzipSync(Buffer.alloc(129 * MEGABYTE))
    await expect(putFiles(folder(), [{ path: 'x', bytes: bomb }])).rejects.toThrow(
      'cannot be unpacked: it is larger than 128 MB',
    )
    await expect(putFiles(folder(), [{ path: 'x', bytes: Buffer.from('no') }])).rejects.toThrow(
      'cannot be unpacked: it is damaged',
    )
  })
})
