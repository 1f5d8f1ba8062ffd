import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { IDENTITY } from '../loop/checkpoint.ts'
import type { Git } from '../loop/checkpoint-index.ts'
import { askGit } from '../system/git.ts'

/** A git operation that failed, as a sentence. */
export class GitProblem extends Error {}

/** The user's repository. Only our own branches and worktrees are written, plus the fast-forward of --merge. */
export interface Repository {
  /** The folder that contains `.git`. */
  readonly top: string
  /** The path from there to the user's folder; empty if it is the same. */
  readonly prefix: string
  readonly head: string
  /** The branch that is checked out; absent if HEAD is detached. */
  readonly branch?: string
  /** Uncommitted and untracked files. */
  readonly dirty: readonly string[]
}

const SETTINGS =
  'core.safecrlf commit.gpgSign tag.gpgSign merge.verifySignatures merge.autoStash merge.log rerere.enabled submodule.recurse advice.detachedHead'
const PLAIN = SETTINGS.split(' ').flatMap((setting) => ['-c', `${setting}=false`])
/** Checking out a large repository takes time. */
const LONG_MS = 15 * 60_000

/** The repository of a folder, or why it can't be used. */
export async function repositoryAt(workspace: string): Promise<Repository | string> {
  const ask = async (...args: readonly string[]) => askGit(workspace, args)
  const top = await ask('rev-parse', '--show-toplevel')
  if (top.problem !== undefined) return top.problem
  const head = await ask('rev-parse', '--verify', '-q', 'HEAD^{commit}')
  if (head.problem !== undefined) return 'The repository has no commit yet.'
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

/** Runs git in a folder. A merge that needs a program of the repository's settings ends as a conflict. */
export function openGit(dir: string, own: Readonly<Record<string, string>> = {}): Git {
  return (args, input) =>
    askGit(dir, [...PLAIN, ...args], process.env, {
      deadlineMs: LONG_MS,
      ...input,
      own: { ...IDENTITY, ...own, ...input?.own },
    })
}

let turn: Promise<unknown> = Promise.resolve()

/** One change of the worktree list at a time, because git could read a half-written entry. */
export function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work)
  turn = mine.catch(() => {})
  return mine
}

/** The output of a command that must succeed. */
export async function gitOutput(git: Git, ...args: readonly string[]): Promise<string> {
  const { out, problem } = await git(args)
  if (problem !== undefined) throw new GitProblem(problem)
  return out
}

export async function commitAt(git: Git, name: string): Promise<string | undefined> {
  const { out, problem } = await git(['rev-parse', '--verify', '-q', `${name}^{commit}`])
  return problem === undefined ? out.trim() : undefined
}

/** Whether the second commit contains the first. */
export async function isContainedIn(git: Git, first: string, second: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', first, second])).problem === undefined
}

export type Merged = { readonly commit: string } | { readonly conflict: readonly string[] }

/** Merges a commit into the HEAD of one of our worktrees; a conflict changes nothing. */
export async function mergeInto(git: Git, commit: string, message: string): Promise<Merged> {
  const merged = await git(['merge', '--no-verify', '--no-stat', '--no-edit', '-m', message, commit])
  if (merged.problem === undefined) return { commit: (await gitOutput(git, 'rev-parse', 'HEAD')).trim() }
  const unmerged = await gitOutput(git, 'diff', '--name-only', '--diff-filter=U', '-z')
  const conflict = unmerged.split('\0').filter((path) => path !== '')
  await git(['merge', '--abort'])
  if (conflict.length === 0) throw new GitProblem(merged.problem)
  return { conflict }
}
