import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { IDENTITY } from '../loop/checkpoint.ts'
import type { Git } from '../loop/checkpoint-index.ts'
import { withoutFilters } from '../loop/checkpoint-index.ts'
import { askGit } from '../system/git.ts'

/** Something git would not do, in a sentence. */
export class GitProblem extends Error {}

/** The user's repository: never written to but for branches of ours, worktrees of ours, and a fast-forward that was asked for. */
export interface Repository {
  /** The folder that holds `.git`. */
  readonly top: string
  /** From there to the folder that the person works in; empty when it is the same. */
  readonly prefix: string
  readonly head: string
  /** The branch that is checked out; absent when none is. */
  readonly branch?: string
  /** What is changed and not committed, or not known to git at all. */
  readonly dirty: readonly string[]
}

const SETTINGS = [
  ['core.safecrlf=false', 'commit.gpgSign=false', 'tag.gpgSign=false', 'merge.verifySignatures=false'],
  [
    'merge.autoStash=false',
    'merge.log=false',
    'rerere.enabled=false',
    'submodule.recurse=false',
    'advice.detachedHead=false',
  ],
].flat()
const PLAIN = SETTINGS.flatMap((setting) => ['-c', setting])
/** Writing out a large repository takes its time. */
const LONG_MS = 15 * 60_000

/** What git knows of the folder, or in a sentence why nothing can be built on it. */
export async function repositoryAt(workspace: string): Promise<Repository | string> {
  const ask = async (...args: readonly string[]) => askGit(workspace, args)
  const top = await ask('rev-parse', '--show-toplevel')
  if (top.problem !== undefined) return top.problem
  const head = await ask('rev-parse', '--verify', '-q', 'HEAD^{commit}')
  if (head.problem !== undefined) return 'There is no commit yet to start from.'
  const branch = await ask('symbolic-ref', '-q', 'HEAD')
  const status = await ask('status', '--porcelain', '-z', '--no-renames')
  if (status.problem !== undefined) return status.problem
  const folder = realpathSync.native(resolve(top.out.trim()))
  return {
    top: folder,
    prefix: relative(folder, realpathSync.native(workspace)),
    head: head.out.trim(),
    ...(branch.problem === undefined ? { branch: branch.out.trim().replace(/^refs\/heads\//, '') } : {}),
    dirty: status.out.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(3)])),
  }
}

/**
 * git in a folder, with every program switched off that the repository itself names: agents work beside it and can write its
 * settings. A merge that would need one of those ends as a conflict instead.
 */
export async function openGit(dir: string, own: Readonly<Record<string, string>> = {}): Promise<Git> {
  const plain: Git = (args, input) =>
    askGit(dir, args, process.env, { deadlineMs: LONG_MS, ...input, own: { ...IDENTITY, ...own, ...input?.own } })
  const filters = await withoutFilters(plain)
  if (typeof filters === 'string') throw new GitProblem(filters)
  const smudges = filters.filter((word) => word.endsWith('.clean=')).map((word) => word.replace(/clean=$/, 'smudge='))
  const off = [...smudges, ...(await drivers(plain)).map((name) => `merge.${name}.driver=false`)]
  return (args, input) => plain([...PLAIN, ...filters, ...off.flatMap((word) => ['-c', word]), ...args], input)
}

async function drivers(git: Git): Promise<readonly string[]> {
  const { out } = await git(['config', '-z', '--local', '--name-only', '--list'])
  const names = out.split('\0').flatMap((key) => /^merge\.(.+)\.driver$/s.exec(key)?.[1] ?? [])
  const odd = names.find((name) => /[=\n]/.test(name))
  if (odd !== undefined)
    throw new GitProblem(`The repository names a merge driver ${JSON.stringify(odd)}, which cannot be switched off.`)
  return names
}

let turn: Promise<unknown> = Promise.resolve()

/** Git reads its list of worktrees while it changes it: two changes at once find an entry that is half written. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work)
  turn = mine.catch(() => {})
  return mine
}

/** The answer of a command that must succeed. */
export async function done(git: Git, ...args: readonly string[]): Promise<string> {
  const { out, problem } = await git(args)
  if (problem !== undefined) throw new GitProblem(problem)
  return out
}

export async function commitAt(git: Git, name: string): Promise<string | undefined> {
  const { out, problem } = await git(['rev-parse', '--verify', '-q', `${name}^{commit}`])
  return problem === undefined ? out.trim() : undefined
}

/** Whether the second one has everything of the first. */
export async function isWithin(git: Git, first: string, second: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', first, second])).problem === undefined
}

export type Merged = { readonly commit: string } | { readonly conflict: readonly string[] }

/** Merges a commit into what is checked out in a worktree of ours; a conflict leaves that as it was. */
export async function mergeInto(git: Git, commit: string, message: string): Promise<Merged> {
  const merged = await git(['merge', '--no-verify', '--no-stat', '--no-edit', '-m', message, commit])
  if (merged.problem === undefined) return { commit: (await done(git, 'rev-parse', 'HEAD')).trim() }
  const unmerged = await done(git, 'diff', '--name-only', '--diff-filter=U', '-z')
  const conflict = unmerged.split('\0').filter((path) => path !== '')
  await git(['merge', '--abort'])
  if (conflict.length === 0) throw new GitProblem(merged.problem)
  return { conflict }
}
