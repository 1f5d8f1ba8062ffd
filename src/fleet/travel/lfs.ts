import { FleetError } from '../errors.ts'
import type { RawRepository } from './raw-repository.ts'

const POINTER = 'version https://git-lfs.github.com/spec/'
const LONGEST = 1024

/** Pointers without what they point to would be a broken branch. Only what the remote does not have yet is looked at. */
export async function refuseLfs(raw: RawRepository, commit: string, known: readonly string[]): Promise<void> {
  const doing = 'look at the work'
  const revisions = [commit, ...known.map((oid) => `^${oid}`)]
  const listed = await raw.git(doing, ['rev-list', '--objects', '--ignore-missing', '--stdin'], {
    input: lines(revisions),
  })
  const names = new Map(
    listed.split('\n').map((line): [string, string] => [line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1)]),
  )
  names.delete('')
  const check = ['cat-file', '--batch-check=%(objecttype) %(objectsize) %(objectname)']
  const small = (await raw.git(doing, check, { input: lines([...names.keys()]) }))
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([type, size]) => type === 'blob' && Number(size) >= POINTER.length && Number(size) <= LONGEST)
    .map(([, , oid = '']) => oid)
  const content = await raw.git(doing, ['cat-file', '--batch'], { input: lines(small), bytes: true })
  const found = new RegExp(`^([0-9a-f]{40,64}) blob \\d+\\n${POINTER}`, 'm').exec(content)?.[1]
  if (found === undefined) return
  const name = names.get(found) ?? found
  throw new FleetError(`the work keeps ${name} in Git LFS, whose content cannot be pushed; keep it out of LFS`, 70)
}

const lines = (words: readonly string[]): string => words.map((word) => `${word}\n`).join('')
