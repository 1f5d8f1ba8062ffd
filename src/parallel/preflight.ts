import type { Backlog } from '../backlog/types.ts'
import { commitAt, isWithin, openGit, type Repository } from './git.ts'
import { MERGED } from './merge.ts'
import type { BacklogRecord } from './record.ts'
import { branchOf } from './worktree.ts'

/**
 * What stands in the way, one sentence each with its remedy, before anything is touched: branches with work of somebody, which
 * would have to be moved.
 */
export async function standsInTheWay(
  repository: Repository,
  { tasks }: Backlog,
  record: BacklogRecord | undefined,
  merge: boolean,
): Promise<readonly string[]> {
  const git = await openGit(repository.top)
  const problems: string[] = []
  if ((await commitAt(git, 'refs/heads/exitgate')) !== undefined)
    problems.push('the branch exitgate stands in the way of exitgate/<task>; rename it with git branch -m')
  for (const { id } of tasks) {
    if (record?.tasks[id] !== undefined) continue
    const branch = branchOf(id)
    const tip = await commitAt(git, `refs/heads/${branch}`)
    // Made in the moment before a crash: nobody has worked on it.
    if (tip === undefined || tip === record?.head) continue
    problems.push(
      `the branch ${branch} exists already; take its work over and delete it (git worktree list shows where it is checked out), give the task another id, or go on with --resume`,
    )
  }
  if (!merge) return problems
  if (repository.branch === undefined)
    return [...problems, '--merge needs a branch to merge into, and none is checked out; check one out']
  const merged = record === undefined ? await commitAt(git, `refs/heads/${MERGED}`) : undefined
  if (merged !== undefined && !(await isWithin(git, merged, repository.head)))
    problems.push(
      `the branch ${MERGED} holds merges that are not on ${repository.branch}; take them over with git merge --ff-only ${MERGED}, or delete it`,
    )
  return problems
}
