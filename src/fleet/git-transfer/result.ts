import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fillIndex, type Git, withoutFilters } from '../../loop/checkpoint-index.ts'
import type { Environment } from '../../system/environment.ts'
import { askGit, repositoryRoot } from '../../system/git.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { FleetError } from '../errors.ts'
import { inRawRepository, type RawPlace, type RawRepository } from './raw-repository.ts'
import { checkRemote, checkRevision, refPart, shownRemote } from './remote.ts'
import type { TransferOptions } from './types.ts'

const POINTER = 'version https://git-lfs.github.com/spec/'
const LONGEST = 1024
const DOING = 'look at the work'

/** Objects of a commit and its history that none of the known commits has, each with the path it was found at. */
async function newObjects(
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
async function refuseLfs(raw: RawRepository, objects: ReadonlyMap<string, string>): Promise<void> {
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

export interface ResultOptions extends TransferOptions {
  /** `exitgate/<task>`; another run's branch of that name is left alone, and a number put behind ours. */
  readonly branch: string
  /** The first line of the commit that holds what the agent did not commit itself. */
  readonly message: string
}

export interface Result {
  readonly branch: string
  readonly commit: string
}

const MOST_NAMES = 100

/**
 * Pushes what the agent left as a branch: its commits, and one more on top when it did not commit everything. Nothing when there is
 * nothing. Done twice with the same work it is the same commit, and the second time there is nothing left to do.
 */
export async function pushResult(workspace: string, options: ResultOptions): Promise<Result | undefined> {
  const { remote, warn, env = process.env } = options
  const branch = options.branch.split('/').map(refPart).join('/')
  checkRemote(remote)
  checkRevision('the branch', branch)
  const { place, head, tree, left } = await treeOf(workspace, env)
  if (left.length > 0) warn?.(`Left out of the branch ${branch}: ${left.slice(0, 3).join(', ')}.`)
  return inRawRepository(place, async (raw) => {
    const commit = await commitOf(raw, head, tree, options.message)
    if (commit === undefined) return undefined
    const there = await branchesOf(raw, remote)
    const objects = await newObjects(raw, commit, [...there.values()])
    if (objects.size === 0 && there.get(branch) !== commit) return undefined
    await refuseLfs(raw, objects)
    return { branch: await pushed(raw, commit, branch, remote, there), commit }
  })
}

/** Everything that is not ignored, as git would commit it: with the filters of the user, without those of the repository. */
async function treeOf(workspace: string, env: Environment) {
  const top = repositoryRoot(resolve(workspace))
  if (top === undefined) throw new FleetError(`the workspace ${workspace} is no git repository any more`, 70)
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-travel-'))
  try {
    const copy = join(folder, 'index')
    const plain: Git = (args, input) => askGit(top, args, env, { ...input, own: { GIT_INDEX_FILE: copy } })
    const filters = await withoutFilters(plain)
    if (typeof filters === 'string') throw unmade(top, filters)
    const git: Git = (args, input) => plain(['-c', 'core.safecrlf=false', ...filters, ...args], input)
    const paths = ['--git-path', 'index', '--git-path', 'objects', '--git-path', 'shallow']
    const asked = await askGit(top, ['rev-parse', '--show-object-format', ...paths], env)
    if (asked.problem !== undefined) throw unmade(top, asked.problem)
    const [format = '', index = '', objects = '', shallow = ''] = asked.out.split('\n')
    const filled = await fillIndex(git, { top, copy, index: resolve(top, index), ignore: ['.exitgate/'] })
    if ('out' in filled) throw unmade(top, filled.problem ?? 'git gave no reason')
    const tree = await git(['write-tree', '--missing-ok'])
    if (tree.problem !== undefined) throw unmade(top, tree.problem)
    const head = (await git(['rev-parse', '--verify', '-q', 'HEAD^{commit}'])).out.trim()
    const place: RawPlace = { top, objects: resolve(top, objects), format, shallow: resolve(top, shallow), env }
    return { place, tree: tree.out.trim(), left: filled.left, ...(head !== '' && { head }) }
  } finally {
    removeFolderSync(folder)
  }
}

const unmade = (top: string, why: string) => new FleetError(`cannot make a branch of the work in ${top}: ${why}`, 70)

async function commitOf(raw: RawRepository, head: string | undefined, tree: string, message: string) {
  const doing = 'commit the work'
  if (head === undefined) {
    const isEmpty = (await raw.git(doing, ['mktree'], { input: '' })).trim() === tree
    return isEmpty ? undefined : made(raw, ['commit-tree', tree], message, '@0 +0000')
  }
  const [same, date = ''] = (await raw.git(doing, ['show', '-s', '--format=%T%n@%ct +0000', head])).split('\n')
  return same === tree ? head : made(raw, ['commit-tree', tree, '-p', head], message, date)
}

/** With the time of the commit before it: the same work gives the same commit, however often it is made. */
async function made(raw: RawRepository, args: readonly string[], message: string, date: string): Promise<string> {
  const own = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  return (await raw.git('commit the work', args, { input: Buffer.from(`${message}\n`), own })).trim()
}

/** A name is ours when nobody has it, or when it stands for this very commit already. */
async function pushed(
  raw: RawRepository,
  commit: string,
  branch: string,
  remote: string,
  seen: ReadonlyMap<string, string>,
): Promise<string> {
  for (let tries = 0, there = seen; tries < MOST_NAMES; tries++) {
    const above = branch.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))
    const inTheWay = above.find((name) => there.has(name))
    if (inTheWay !== undefined)
      throw new FleetError(
        `the branch ${inTheWay} of ${shownRemote(remote)} stands in the way of ${branch}; rename it`,
        70,
      )
    const names = Array.from({ length: MOST_NAMES }, (_, at) => (at === 0 ? branch : `${branch}-${at + 1}`))
    const name = names.find((each) => [undefined, commit].includes(there.get(each)) && !isFolder(there, each))
    if (name === undefined) break
    if (there.get(name) === commit) return name
    const ref = `refs/heads/${name}`
    try {
      // Only when it is still free: somebody may have taken it since we looked.
      const lease = `--force-with-lease=${ref}:`
      await raw.git(`push ${name}`, ['push', '-q', '--no-verify', lease, '--', remote, `${commit}:${ref}`])
      return name
    } catch (error) {
      there = await branchesOf(raw, remote)
      if (!there.has(name)) throw error
    }
  }
  throw new FleetError(`${shownRemote(remote)} has ${MOST_NAMES} branches called ${branch}; delete some`, 70)
}

const isFolder = (there: ReadonlyMap<string, string>, name: string): boolean =>
  [...there.keys()].some((other) => other.startsWith(`${name}/`))

async function branchesOf(raw: RawRepository, remote: string): Promise<ReadonlyMap<string, string>> {
  const told = await raw.git(`ask ${shownRemote(remote)}`, ['ls-remote', '--', remote, 'refs/heads/*'])
  const lines = told.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => [line.slice(line.indexOf('\t') + '\trefs/heads/'.length), line.slice(0, line.indexOf('\t'))]),
  )
}
