import { accessSync, constants, copyFileSync, lstatSync, rmSync, utimesSync } from 'node:fs'
import type { GitAnswer, GitInput } from '../system/git.ts'

const MEGABYTE = 1024 * 1024
const MAX_FILE_BYTES = 50 * MEGABYTE
const MAX_TOTAL_BYTES = 1024 * MEGABYTE

/** git with a separate index. File names go in and come out as byte strings. */
export type Git = (args: readonly string[], input?: GitInput) => Promise<GitAnswer>

export interface Place {
  readonly top: string
  /** The user's index. It is never written. */
  readonly index: string
  /** Our copy of it. */
  readonly copy: string
  /** Paths from the top, or prefixes that end in `/`, which are not the agent's work. */
  readonly ignore: readonly string[]
}

/** Updates our index from the workspace. Returns the files that were left out, each with its reason. */
export async function fillIndex(git: Git, place: Place): Promise<{ readonly left: readonly string[] } | GitAnswer> {
  const flagged = await startIndex(git, place)
  if (flagged.problem !== undefined) return flagged
  const unhidden = await unhide(git, place, flagged.out)
  if (unhidden !== undefined) return unhidden
  const listed = await git(['ls-files', '-z', '-m', '-d', '-o', '--exclude-standard'], { bytes: true })
  const unmerged = await git(['ls-files', '-z', '-u'], { bytes: true })
  for (const answer of [listed, unmerged]) if (answer.problem !== undefined) return answer
  const conflicts = parts(unmerged.out).map((line) => line.slice(line.indexOf('\t') + 1))
  const { taken, left } = choose(place, [...new Set([...parts(listed.out), ...conflicts])])
  const updated = await update(git, ['--add', '--remove', '--replace'], taken)
  return updated ?? { left }
}

/** A copy of the user's index knows which files are unchanged. If it can't be read, a new index is made from HEAD. */
async function startIndex(git: Git, { index, copy }: Place): Promise<GitAnswer> {
  try {
    copyFileSync(index, copy)
    // git uses the time to decide which entries to check again.
    const { atime, mtime } = lstatSync(index)
    utimesSync(copy, atime, mtime)
    const flagged = await git(['ls-files', '-z', '-v'], { bytes: true })
    if (flagged.problem === undefined) return flagged
  } catch {
    // There is no index yet.
  }
  rmSync(copy, { force: true })
  const isBorn = (await git(['rev-parse', '--verify', '-q', 'HEAD^{tree}'])).problem === undefined
  const read = isBorn ? await git(['read-tree', 'HEAD']) : { out: '' }
  return read.problem === undefined ? git(['ls-files', '-z', '-v'], { bytes: true }) : read
}

/** Files marked as assume-unchanged are included anyway. Files left out of a sparse checkout stay out. */
async function unhide(git: Git, place: Place, flagged: string): Promise<GitAnswer | undefined> {
  const lines = parts(flagged)
  const assumed = lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.slice(2))
  const skipped = lines.filter((line) => /^[Ss]/.test(line)).map((line) => line.slice(2))
  const there = skipped.filter((path) => lstatOf(place, path) !== undefined)
  return (await update(git, ['--no-assume-unchanged'], assumed)) ?? update(git, ['--no-skip-worktree'], there)
}

async function update(git: Git, how: readonly string[], paths: readonly string[]): Promise<GitAnswer | undefined> {
  if (paths.length === 0) return undefined
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1')
  const updated = await git(['update-index', ...how, '-z', '--stdin'], { input })
  return updated.problem === undefined ? undefined : updated
}

function choose(place: Place, paths: readonly string[]): { taken: readonly string[]; left: readonly string[] } {
  const ignore = place.ignore.map((path) => Buffer.from(path).toString('latin1'))
  const ours = (path: string) => ignore.some((name) => path === name || (name.endsWith('/') && path.startsWith(name)))
  const taken: string[] = []
  const left: string[] = []
  let sum = 0
  for (const path of paths.filter((each) => !ours(each)).sort()) {
    const why = whyLeftOut(place, path, sum)
    if (why === undefined) {
      taken.push(path)
      sum += sizeOf(place, path)
    } else left.push(`${Buffer.from(path, 'latin1').toString('utf8')} (${why})`)
  }
  return { taken, left }
}

function whyLeftOut(place: Place, path: string, sum: number): string | undefined {
  if (path.endsWith('/')) return 'a repository of its own'
  const size = sizeOf(place, path)
  if (size > MAX_FILE_BYTES) return `${megabytes(size)} MB, more than ${megabytes(MAX_FILE_BYTES)} MB`
  if (sum + size > MAX_TOTAL_BYTES) return `more than ${megabytes(MAX_TOTAL_BYTES)} MB together`
  return lstatOf(place, path)?.isFile() === true && !isReadable(place, path) ? 'no permission to read it' : undefined
}

const megabytes = (bytes: number): number => Math.ceil(bytes / MEGABYTE)

function sizeOf(place: Place, path: string): number {
  const found = lstatOf(place, path)
  return found?.isFile() === true ? found.size : 0
}

const fileOf = ({ top }: Place, path: string) => Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')])

function lstatOf(place: Place, path: string) {
  try {
    return lstatSync(fileOf(place, path))
  } catch {
    return undefined
  }
}

function isReadable(place: Place, path: string): boolean {
  try {
    accessSync(fileOf(place, path), constants.R_OK)
    return true
  } catch {
    return false
  }
}

const parts = (out: string): readonly string[] => out.split('\0').filter((part) => part !== '')
