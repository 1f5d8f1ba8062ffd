import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillIndex } from '../loop/checkpoint-index.ts'
import { removeFolderSync } from '../system/remove-folder.ts'
import { commitAt, done, GitProblem, openGit } from './git.ts'
import type { TaskRecord } from './record.ts'

export interface WorkOptions {
  readonly message: string
  /** Our own files in the workspace, from the top of the repository. */
  readonly ignore: readonly string[]
}

export interface CommittedWork {
  readonly commit: string
  /** Files that are only in the worktree, each with its reason. */
  readonly left: readonly string[]
}

/**
 * Puts the work as it lies in the worktree onto the task's branch, on top of whatever the agent committed itself. The agent could
 * have pointed the worktree to another repository, so git is told where it belongs.
 */
export async function commitWork(
  { worktree, gitDir, branch }: Pick<TaskRecord, 'worktree' | 'gitDir' | 'branch'>,
  { message, ignore }: WorkOptions,
): Promise<CommittedWork> {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-commit-'))
  try {
    const copy = join(folder, 'index')
    const git = await openGit(worktree, { GIT_DIR: gitDir, GIT_WORK_TREE: worktree, GIT_INDEX_FILE: copy })
    const filled = await fillIndex(git, { top: worktree, index: join(gitDir, 'index'), copy, ignore })
    if ('out' in filled) throw new GitProblem(filled.problem ?? 'Git gave no reason.')
    const tree = (await done(git, 'write-tree', '--missing-ok')).trim()
    const parent = await commitAt(git, 'HEAD')
    if (parent === undefined) throw new GitProblem(`The worktree ${worktree} has no commit any more.`)
    const same = (await done(git, 'rev-parse', `${parent}^{tree}`)).trim() === tree
    const commit = same ? parent : await newCommit()
    // Whatever the agent made of the branch meanwhile: this is the work that was judged.
    await done(git, 'update-ref', '--no-deref', '-m', 'exitgate: the work of the task', `refs/heads/${branch}`, commit)
    return { commit, left: filled.left }

    async function newCommit(): Promise<string> {
      const made = await git(['commit-tree', tree, '-p', parent ?? '', '-F', '-'], {
        input: Buffer.from(`${message}\n`),
      })
      if (made.problem !== undefined) throw new GitProblem(made.problem)
      return made.out.trim()
    }
  } finally {
    removeFolderSync(folder)
  }
}
