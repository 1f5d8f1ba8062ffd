import { existsSync } from 'node:fs'
import type { Backlog } from '../backlog/types.ts'
import { commitAt, isWithin, openGit, type Repository } from './git.ts'
import { MERGED } from './merge.ts'
import type { BacklogRecord } from './record.ts'
import { branchOf, worktreeOf } from './worktree.ts'

/**
 * What stands in the way, one sentence each with its remedy, before anything is touched: branches and worktrees with work of
 * somebody, which would have to be moved.
 */
export async function standsInTheWay(
  { repository, folder, merge }: { readonly repository: Repository; readonly folder: string; readonly merge: boolean },
  { tasks }: Backlog,
  record: BacklogRecord | undefined,
): Promise<readonly string[]> {
  const git = await openGit(repository.top)
  const problems: string[] = []
  if ((await commitAt(git, 'refs/heads/exitgate')) !== undefined)
    problems.push('the branch exitgate stands in the way of exitgate/<task>; rename it with git branch -m')
  for (const { id } of tasks) {
    if (record?.tasks[id] !== undefined) continue
    const branch = branchOf(id)
    const tip = await commitAt(git, `refs/heads/${branch}`)
    const worktree = worktreeOf(folder, id)
    // Its branch has another name by now, and what is not committed lies there alone.
    if (tip === undefined && existsSync(worktree))
      problems.push(
        `${worktree} holds the work of an earlier task "${id}"; take it over and remove it with git worktree remove, or give the task another id`,
      )
    // Made in the moment before a crash: nobody has worked on it.
    if (tip === undefined || tip === record?.head) continue
    problems.push(
      `the branch ${branch} exists already; take its work over and delete it (git worktree list shows where it is checked out), give the task another id, or go on with --resume`,
    )
  }
  if (!merge) return problems
  if (record === undefined && repository.branch === undefined)
    return [...problems, '--merge needs a branch to merge into, and none is checked out; check one out']
  if (record !== undefined && record.branch === undefined)
    return [
      ...problems,
      '--merge needs a branch to merge into, and none was checked out when the list was begun; leave it out, and merge by hand',
    ]
  const merged = record === undefined ? await commitAt(git, `refs/heads/${MERGED}`) : undefined
  if (merged !== undefined && !(await isWithin(git, merged, repository.head)))
    problems.push(
      `the branch ${MERGED} holds merges that are not on ${repository.branch}; take them over with git merge --ff-only ${MERGED}, or delete it`,
    )
  return problems
}
