import { existsSync } from 'node:fs'
import { quoted } from '../../packages/core/src/shell-word.ts'
import type { Backlog } from '../backlog/types.ts'
import { commitAt, isContainedIn, openGit, type Repository } from './git.ts'
import { MERGED } from './merge.ts'
import type { BacklogRecord } from './record.ts'
import { branchOf, worktreeOf } from './worktree.ts'

/** Problems to solve before anything starts, each with its remedy: branches and worktrees with existing work in the way. */
export async function preflightProblems(
  { repository, folder, merge }: { readonly repository: Repository; readonly folder: string; readonly merge: boolean },
  { tasks }: Backlog,
  record: BacklogRecord | undefined,
): Promise<readonly string[]> {
  const git = openGit(repository.top)
  const [problems, removals]: [string[], string[]] = [[], []]
  if ((await commitAt(git, 'refs/heads/exitgate')) !== undefined)
    problems.push('The branch "exitgate" conflicts with the branches exitgate/<task>. Rename it with git branch -m.')
  for (const { id } of tasks) {
    if (record?.tasks[id] !== undefined) continue
    const branch = branchOf(id)
    const tip = await commitAt(git, `refs/heads/${branch}`)
    const worktree = worktreeOf(folder, id)
    const isThere = existsSync(worktree)
    // A branch that was created right before a crash has no work yet. One that was renamed may have its work only in the worktree.
    if (tip === undefined ? !isThere : tip === record?.head) continue
    problems.push(`${tip === undefined ? worktree : `The branch ${branch}`} has work of an earlier task "${id}".`)
    if (isThere) removals.push(`git worktree remove --force --force ${quoted(worktree)}`)
    if (tip !== undefined) removals.push(`git branch -D ${branch}`)
  }
  if (removals.length > 0)
    problems.push(
      'To continue these tasks, repeat the command with --resume. To start them again, look at their work, then remove it with:',
      ...removals.map((command) => `  ${command}`),
    )
  if (!merge) return problems
  if (record === undefined && repository.branch === undefined)
    return [...problems, '--merge needs a branch to merge into, and HEAD is detached. Check out a branch.']
  if (record !== undefined && record.branch === undefined)
    return [
      ...problems,
      '--merge needs a branch to merge into, and HEAD was detached when this list was started. Leave --merge out and merge by hand.',
    ]
  const merged = record === undefined ? await commitAt(git, `refs/heads/${MERGED}`) : undefined
  if (merged !== undefined && !(await isContainedIn(git, merged, repository.head)))
    problems.push(
      `The branch ${MERGED} has merges that are not on ${repository.branch}. Run git merge --ff-only ${MERGED}, or delete it.`,
    )
  return problems
}
