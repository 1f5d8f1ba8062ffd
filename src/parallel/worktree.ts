import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BacklogTask } from '../backlog/types.ts'
import { removeFolderSync } from '../system/remove-folder.ts'
import { commitAt, done, GitProblem, inTurn, mergeInto, openGit, type Repository } from './git.ts'
import type { TaskRecord } from './record.ts'

export const branchOf = (task: string): string => `exitgate/${task}`
export const worktreeOf = (folder: string, task: string): string => join(folder, 'worktrees', task)

/** Work that a task builds on: the task it comes from, and the commit that was judged. */
export interface TaskCommit {
  readonly task: string
  readonly commit: string
}

export interface WorktreeOptions {
  readonly repository: Repository
  /** Folder of the backlog. */
  readonly folder: string
  readonly head: string
  readonly task: BacklogTask
  readonly after: readonly TaskCommit[]
  /** Where the journal of a workspace lies. */
  stateDirOf(workspace: string): string
}

/**
 * A worktree of its own for a task, on a branch of its own. It begins where the person stood, with the work of the tasks it waits
 * for merged in; work that does not fit together is told by its files. One that is there already is gone on with, because a person
 * may have mended it by hand.
 */
export async function worktreeFor(
  options: WorktreeOptions,
  known: TaskRecord | undefined,
  /** Written down before anything is merged, so that what a crash leaves behind is known. */
  note: (made: TaskRecord) => void,
): Promise<TaskRecord> {
  const { task, after } = options
  const place = known !== undefined && existsSync(known.gitDir) ? known : await inTurn(() => add(options))
  note(place)
  const git = await openGit(place.worktree)
  for (const { task: from, commit } of after) {
    const merged = await mergeInto(git, commit, `exitgate: the work of task ${from} for task ${task.id}`)
    if ('conflict' in merged)
      throw new GitProblem(
        `the work it builds on does not fit together: ${branchOf(from)} conflicts in ${merged.conflict.join(', ')}; merge it by hand in ${place.worktree}, then use --resume`,
      )
  }
  return place
}

async function add({ repository, folder, head, task, stateDirOf }: WorktreeOptions): Promise<TaskRecord> {
  const { top, prefix } = repository
  const branch = branchOf(task.id)
  const worktree = worktreeOf(folder, task.id)
  const git = await openGit(top)
  await remove(top, worktree)
  // A crash may have left a branch that nobody has worked on; any other one was refused before anything started.
  const tip = await commitAt(git, `refs/heads/${branch}`)
  if (tip !== undefined && tip !== head) throw new GitProblem(`The branch ${branch} exists already.`)
  if (tip !== undefined) await done(git, 'branch', '-D', branch)
  mkdirSync(dirname(worktree), { recursive: true, mode: 0o700 })
  await done(git, 'worktree', 'add', '--no-track', '-b', branch, worktree, head)
  const gitDir = (await done(await openGit(worktree), 'rev-parse', '--absolute-git-dir')).trim()
  const workspace = join(worktree, prefix)
  mkdirSync(workspace, { recursive: true })
  return { branch, worktree, gitDir, workspace, dir: stateDirOf(workspace) }
}

/** Removes a folder of ours and git's entry for it. */
export const removeWorktree = (top: string, worktree: string): Promise<void> => inTurn(() => remove(top, worktree))

async function remove(top: string, worktree: string): Promise<void> {
  const git = await openGit(top)
  await git(['worktree', 'remove', '--force', '--force', worktree])
  removeFolderSync(worktree)
  await git(['worktree', 'prune'])
}
