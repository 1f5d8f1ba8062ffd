import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fillIndex, type Git } from '../../loop/checkpoint-index.ts'
import type { Environment } from '../../system/environment.ts'
import { askGit, repositoryRoot } from '../../system/git.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { FleetError } from '../errors.ts'
import { inRawRepository, type RawPlace, type RawRepository } from './raw-repository.ts'
import { checkRemote, checkRevision, refPart, shownRemote } from './remote.ts'
import type { TransferOptions } from './types.ts'

const POINTER = 'version https://git-lfs.github.com/spec/'
const LONGEST = 1024
const ACTION = 'read the work'

/** Objects of a commit and its history that none of the known commits has, each with its path. */
async function newObjects(
  raw: RawRepository,
  commit: string,
  known: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const input = lines([commit, ...known.map((oid) => `^${oid}`)])
  const listed = await raw.git(ACTION, ['rev-list', '--objects', '--ignore-missing', '--stdin'], { input })
  const rows = listed.split('\n').filter((line) => line !== '')
  return new Map(
    rows.map((line) => [line.split(' ')[0] ?? '', line.includes(' ') ? line.slice(line.indexOf(' ') + 1) : '']),
  )
}

/** Pointers without their content would make a broken branch. */
async function refuseLfs(raw: RawRepository, objects: ReadonlyMap<string, string>): Promise<void> {
  const check = ['cat-file', '--batch-check=%(objecttype) %(objectsize) %(objectname)']
  const small = (await raw.git(ACTION, check, { input: lines([...objects.keys()]) }))
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([type, size]) => type === 'blob' && Number(size) >= POINTER.length && Number(size) <= LONGEST)
    .map(([, , oid = '']) => oid)
  if (small.length === 0) return
  const content = await raw.git(ACTION, ['cat-file', '--batch'], { input: lines(small), bytes: true })
  const found = new RegExp(`^([0-9a-f]{40,64}) blob \\d+\\n${POINTER}`, 'm').exec(content)?.[1]
  if (found === undefined) return
  const name = objects.get(found) || found
  throw new FleetError(`The work stores ${name} in Git LFS, and LFS content can't be pushed. Keep it out of LFS.`, 70)
}

const lines = (words: readonly string[]): string => words.map((word) => `${word}\n`).join('')

export interface ResultOptions extends TransferOptions {
  /** `exitgate/<task>`. If another run has a branch of that name, ours gets a number at the end. */
  readonly branch: string
  /** The subject of the commit with everything the agent didn't commit itself. */
  readonly message: string
}

export interface Result {
  readonly branch: string
  readonly commit: string
}

const MAX_NAMES = 100

/**
 * Pushes the agent's work as a branch: its commits, plus one commit with everything it left uncommitted. Returns undefined if there
 * is no work. The same work gives the same commit, so a second push changes nothing.
 */
export async function pushResult(workspace: string, options: ResultOptions): Promise<Result | undefined> {
  const { remote, warn, env = process.env } = options
  const branch = options.branch.split('/').map(refPart).join('/')
  checkRemote(remote)
  checkRevision('the branch', branch)
  const { place, head, tree, omitted } = await treeOf(workspace, env)
  if (omitted.length > 0) warn?.(`Not in the branch ${branch}: ${omitted.slice(0, 3).join(', ')}.`)
  return inRawRepository(place, async (raw) => {
    const commit = await commitOf(raw, head, tree, options.message)
    if (commit === undefined) return undefined
    const branches = await branchesOf(raw, remote)
    const objects = await newObjects(raw, commit, [...branches.values()])
    if (objects.size === 0 && branches.get(branch) !== commit) return undefined
    await refuseLfs(raw, objects)
    return { branch: await pushUnderFreeName(raw, commit, branch, remote, branches), commit }
  })
}

/** Everything that is not ignored, as git would commit it: with the user's filters, without the repository's. */
async function treeOf(workspace: string, env: Environment) {
  const top = repositoryRoot(resolve(workspace))
  if (top === undefined) throw new FleetError(`The workspace ${workspace} is no longer a git repository`, 70)
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-transfer-'))
  try {
    const copy = join(folder, 'index')
    const git: Git = (args, input) =>
      askGit(top, ['-c', 'core.safecrlf=false', ...args], env, { ...input, own: { GIT_INDEX_FILE: copy } })
    const paths = ['--git-path', 'index', '--git-path', 'objects', '--git-path', 'shallow']
    const asked = await askGit(top, ['rev-parse', '--show-object-format', ...paths], env)
    if (asked.problem !== undefined) throw branchError(top, asked.problem)
    const [format = '', index = '', objects = '', shallow = ''] = asked.out.split('\n')
    const filled = await fillIndex(git, { top, copy, index: resolve(top, index), ignore: ['.exitgate/'] })
    if ('out' in filled) throw branchError(top, filled.problem ?? 'git gave no reason')
    const tree = await git(['write-tree', '--missing-ok'])
    if (tree.problem !== undefined) throw branchError(top, tree.problem)
    const head = (await git(['rev-parse', '--verify', '-q', 'HEAD^{commit}'])).out.trim()
    const place: RawPlace = { top, objects: resolve(top, objects), format, shallow: resolve(top, shallow), env }
    return { place, tree: tree.out.trim(), omitted: filled.left, ...(head !== '' && { head }) }
  } finally {
    removeFolderSync(folder)
  }
}

const branchError = (top: string, why: string) =>
  new FleetError(`Can't make a branch of the work in ${top}: ${why}`, 70)

async function commitOf(raw: RawRepository, head: string | undefined, tree: string, message: string) {
  const doing = 'commit the work'
  if (head === undefined) {
    const isEmpty = (await raw.git(doing, ['mktree'], { input: '' })).trim() === tree
    return isEmpty ? undefined : makeCommit(raw, ['commit-tree', tree], message, '@0 +0000')
  }
  const [same, date = ''] = (await raw.git(doing, ['show', '-s', '--format=%T%n@%ct +0000', head])).split('\n')
  return same === tree ? head : makeCommit(raw, ['commit-tree', tree, '-p', head], message, date)
}

/** Uses the time of the previous commit, so that the same work always gives the same commit. */
async function makeCommit(raw: RawRepository, args: readonly string[], message: string, date: string): Promise<string> {
  const own = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  return (await raw.git('commit the work', args, { input: Buffer.from(`${message}\n`), own })).trim()
}

/** A name is free if no branch has it, or if that branch is already at this commit. */
async function pushUnderFreeName(
  raw: RawRepository,
  commit: string,
  branch: string,
  remote: string,
  known: ReadonlyMap<string, string>,
): Promise<string> {
  for (let tries = 0, branches = known; tries < MAX_NAMES; tries++) {
    const parents = branch.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))
    const conflicting = parents.find((name) => branches.has(name))
    if (conflicting !== undefined)
      throw new FleetError(
        `The branch ${conflicting} of ${shownRemote(remote)} conflicts with the name ${branch}. Rename it.`,
        70,
      )
    const names = Array.from({ length: MAX_NAMES }, (_, at) => (at === 0 ? branch : `${branch}-${at + 1}`))
    const name = names.find((each) => [undefined, commit].includes(branches.get(each)) && !isFolder(branches, each))
    if (name === undefined) break
    if (branches.get(name) === commit) return name
    const ref = `refs/heads/${name}`
    try {
      // Only if the name is still free: another run may have taken it meanwhile.
      const lease = `--force-with-lease=${ref}:`
      await raw.git(`push ${name}`, ['push', '-q', '--no-verify', lease, '--', remote, `${commit}:${ref}`])
      return name
    } catch (error) {
      branches = await branchesOf(raw, remote)
      if (!branches.has(name)) throw error
    }
  }
  throw new FleetError(`${shownRemote(remote)} has ${MAX_NAMES} branches called ${branch}. Delete some.`, 70)
}

const isFolder = (branches: ReadonlyMap<string, string>, name: string): boolean =>
  [...branches.keys()].some((other) => other.startsWith(`${name}/`))

async function branchesOf(raw: RawRepository, remote: string): Promise<ReadonlyMap<string, string>> {
  const answer = await raw.git(`ask ${shownRemote(remote)}`, ['ls-remote', '--', remote, 'refs/heads/*'])
  const lines = answer.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => [line.slice(line.indexOf('\t') + '\trefs/heads/'.length), line.slice(0, line.indexOf('\t'))]),
  )
}
