import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { removeFolder } from '../../src/system/remove-folder.ts'

/** What is in the folder that goes, next to a folder with a file that stays. */
const rows: readonly (readonly [name: string, make: (dir: string, outside: string) => void])[] = [
  ['nothing', (dir) => mkdirSync(dir)],
  [
    'files in folders',
    (dir) => [mkdirSync(join(dir, 'a/b'), { recursive: true }), writeFileSync(join(dir, 'a/b/c'), '')],
  ],
  ['a link to a folder', (dir, outside) => [mkdirSync(dir), symlinkSync(outside, join(dir, 'link'))]],
  ['the folder is a link itself', (dir, outside) => symlinkSync(outside, dir)],
  ['no such folder', () => {}],
]

it.each(rows)('removes a folder and follows no link: %s', async (_, make) => {
  const root = mkdtempSync(join(tmpdir(), 'exitgate-remove-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const [dir, outside] = [join(root, 'goes'), join(root, 'stays')]
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), '')
  make(dir, outside)
  await removeFolder(dir)
  expect(existsSync(dir)).toBe(false)
  expect(readdirSync(outside)).toEqual(['file'])
})
