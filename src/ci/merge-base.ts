import { openWorkspace } from '../evidence/workspace.ts'
import type { Change } from './event.ts'

/** Where the change left its target branch; or in a sentence why nobody can tell. */
export type MergeBase = { readonly commit: string } | { readonly problem: string }

type Git = (args: readonly string[]) => Promise<string | undefined>

/** The commit to compare with: what was so before the change, whatever else went into the target branch since. */
export async function mergeBase(dir: string, change: Change, base: string | undefined): Promise<MergeBase> {
  const { git } = openWorkspace(dir)
  if ((await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])) === undefined)
    return { problem: `check --ci compares with a branch, but ${dir} is not a git repository with a commit` }
  const target = base === undefined ? await targetOf(git, change) : await commitOf(git, base)
  if (target === undefined) return { problem: notHere(change, base) }
  const commit = (await git(['merge-base', 'HEAD', target]))?.trim().split('\n')[0]
  if (commit) return { commit }
  const shallow = (await git(['rev-parse', '--is-shallow-repository']))?.trim() === 'true'
  const name = base ?? change.into ?? target
  return {
    problem: shallow
      ? `this clone is shallow and does not reach back to where the change left ${name}; check out with fetch-depth: 0`
      : `HEAD and ${name} have no commit in common; name the right branch with --base REV`,
  }
}

/**
 * The target branch as the clone has it. It is asked for by its whole name, because a tag of the change's author may have the short
 * one; a branch of that name in the clone itself comes last, it may be anything.
 */
async function targetOf(git: Git, { into, base }: Change): Promise<string | undefined> {
  const places =
    into === undefined
      ? [base, 'refs/remotes/origin/HEAD']
      : [`refs/remotes/origin/${into}`, base, `refs/heads/${into}`]
  for (const place of places) {
    const commit = place === undefined ? undefined : await commitOf(git, place)
    if (commit !== undefined) return commit
  }
  return undefined
}

/** Whatever begins with a dash would be an option of git's. */
async function commitOf(git: Git, revision: string): Promise<string | undefined> {
  if (revision.startsWith('-')) return undefined
  return (await git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]))?.trim() || undefined
}

function notHere({ into, base: seen }: Change, base: string | undefined): string {
  if (base !== undefined)
    return `--base ${base} is not a commit of this clone; fetch it, or check out with fetch-depth: 0`
  if (into === undefined && seen === undefined)
    return 'check --ci does not know what to compare with: give --base REV (GITHUB_BASE_REF and GITHUB_EVENT_PATH name no pull request)'
  const name = into ?? seen
  return `the target branch ${name} is not in this clone; check out with fetch-depth: 0, or run git fetch origin ${name} before`
}
