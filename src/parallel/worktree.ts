import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BacklogTask } from '../backlog/types.ts'
import { makeFolder } from '../system/files.ts'
import { removeFolderSync } from '../system/remove-folder.ts'
import { commitAt, GitProblem, gitOutput, mergeInto, oneAtATime, openGit, type Repository } from './git.ts'
import type { TaskRecord } from './record.ts'

export const branchOf = (task: string): string => `exitgate/${task}`
export const worktreeOf = (folder: string, task: string): string => join(folder, 'worktrees', task)

/** Work a task builds on: the task it comes from, and the verified commit. */
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
  /** The state folder of a workspace. */
  stateDirOf(workspace: string): string
}

/**
 * A worktree and a branch for one task. It starts at the user's commit, with the work of the tasks it depends on merged in.
 * Conflicts are reported with their files. An existing worktree is reused, because the user may have resolved a conflict in it.
 */
export async function worktreeFor(
  options: WorktreeOptions,
  known: TaskRecord | undefined,
  /** Called before anything is merged, so that leftovers of a crash are known. */
  note: (made: TaskRecord) => void,
): Promise<TaskRecord> {
  const { task, after } = options
  const place = known !== undefined && existsSync(known.gitDir) ? known : await oneAtATime(() => add(options))
  note(place)
  const git = openGit(place.worktree)
  for (const { task: from, commit } of after) {
    const merged = await mergeInto(git, commit, `exitgate: work of task ${from} for task ${task.id}`)
    if ('conflict' in merged)
      throw new GitProblem(
        `The tasks it depends on conflict: ${branchOf(from)} conflicts in ${merged.conflict.join(', ')}. Resolve it in ${place.worktree}, then use --resume.`,
      )
  }
  return place
}

async function add({ repository, folder, head, task, stateDirOf }: WorktreeOptions): Promise<TaskRecord> {
  const { top, prefix } = repository
  const branch = branchOf(task.id)
  const worktree = worktreeOf(folder, task.id)
  const git = openGit(top)
  await remove(top, worktree)
  // A crash may have left a branch without work; any other existing branch was rejected before.
  const tip = await commitAt(git, `refs/heads/${branch}`)
  if (tip !== undefined && tip !== head) throw new GitProblem(`The branch ${branch} already exists.`)
  if (tip !== undefined) await gitOutput(git, 'branch', '-D', branch)
  makeFolder(dirname(worktree))
  await gitOutput(git, 'worktree', 'add', '--no-track', '-b', branch, worktree, head)
  const gitDir = (await gitOutput(openGit(worktree), 'rev-parse', '--absolute-git-dir')).trim()
  const workspace = join(worktree, prefix)
  mkdirSync(workspace, { recursive: true })
  return { branch, worktree, gitDir, workspace, dir: stateDirOf(workspace) }
}

/** Removes one of our worktrees and git's entry for it. */
export const removeWorktree = (top: string, worktree: string): Promise<void> => oneAtATime(() => remove(top, worktree))

async function remove(top: string, worktree: string): Promise<void> {
  const git = openGit(top)
  await git(['worktree', 'remove', '--force', '--force', worktree])
  removeFolderSync(worktree)
  await git(['worktree', 'prune'])
}
