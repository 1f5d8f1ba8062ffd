import { FleetError } from '../errors.ts'
import type { RawRepository } from './raw-repository.ts'

const POINTER = 'version https://git-lfs.github.com/spec/'
const LONGEST = 1024
const DOING = 'look at the work'

/** Objects of a commit and its history that none of the known commits has, each with the path it was found at. */
export async function newObjects(
  raw: RawRepository,
  commit: string,
  known: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const input = lines([commit, ...known.map((oid) => `^${oid}`)])
  const listed = await raw.git(DOING, ['rev-list', '--objects', '--ignore-missing', '--stdin'], { input })
  const rows = listed.split('\n').filter((line) => line !== '')
  return new Map(
    rows.map((line) => [line.split(' ')[0] ?? '', line.includes(' ') ? line.slice(line.indexOf(' ') + 1) : '']),
  )
}

/** Pointers without what they point to would be a broken branch. */
export async function refuseLfs(raw: RawRepository, objects: ReadonlyMap<string, string>): Promise<void> {
  const check = ['cat-file', '--batch-check=%(objecttype) %(objectsize) %(objectname)']
  const small = (await raw.git(DOING, check, { input: lines([...objects.keys()]) }))
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([type, size]) => type === 'blob' && Number(size) >= POINTER.length && Number(size) <= LONGEST)
    .map(([, , oid = '']) => oid)
  const content = await raw.git(DOING, ['cat-file', '--batch'], { input: lines(small), bytes: true })
  const found = new RegExp(`^([0-9a-f]{40,64}) blob \\d+\\n${POINTER}`, 'm').exec(content)?.[1]
  if (found === undefined) return
  const name = objects.get(found) || found
  throw new FleetError(`the work keeps ${name} in Git LFS, whose content cannot be pushed; keep it out of LFS`, 70)
}

const lines = (words: readonly string[]): string => words.map((word) => `${word}\n`).join('')
