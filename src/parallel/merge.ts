import { join } from 'node:path'
import type { MergeEnd } from '../backlog/types.ts'
import type { Config } from '../core/config.ts'
import { beforeOf } from '../core/journal/before.ts'
import { emptyState } from '../core/journal/reduce.ts'
import { decideIteration } from '../core/policy/decide.ts'
import { observation } from '../core/policy/look.ts'
import { policyFor } from '../core/presets/index.ts'
import { NO_SIGNALS } from '../core/signals/read-signals.ts'
import type { AcceptedFinding } from '../core/types.ts'
import { gather, gatherBaseline } from '../evidence/gather.ts'
import { gatherOptions } from '../loop/gather-options.ts'
import {
  commitAt,
  GitProblem,
  gitOutput,
  isContainedIn,
  mergeInto,
  oneAtATime,
  openGit,
  type Repository,
} from './git.ts'
import { runSetup } from './run-setup.ts'
import { removeWorktree } from './worktree.ts'

/** The branch that collects verified merges until the user's branch can be fast-forwarded to it. */
export const MERGED = 'exitgate-merged'

export interface MergeOptions {
  readonly repository: Repository
  /** Folder of the backlog. */
  readonly folder: string
  /** The user's branch and its commit at the start. */
  readonly branch: string
  readonly head: string
  /** The last verified merge. It is recorded because agents can move the branch. */
  readonly known: string | undefined
  readonly task: { readonly id: string; readonly title: string; readonly prompt: string }
  readonly commit: string
  readonly config: Config
  /** The phase its run ended in, if there are phases. */
  readonly phase?: string
  /** Findings of its run that you accepted. */
  readonly accepted?: readonly AcceptedFinding[] | undefined
  now(): number
  readonly signal: AbortSignal
  /** Records a verified merge. */
  note(commit: string): void
}

/**
 * Merges the work of one task in a temporary worktree and runs the same checks on the result. Two tasks that pass separately can
 * fail together. Only a result that passes is merged.
 */
export async function mergeTask(options: MergeOptions): Promise<MergeEnd> {
  const { repository, folder, branch, head, known, task, commit } = options
  const scratch = join(folder, 'merge')
  const git = openGit(repository.top)
  await removeWorktree(repository.top, scratch)
  try {
    const tip = await commitAt(git, `refs/heads/${branch}`)
    if (tip === undefined) throw new GitProblem(`The branch ${branch} no longer exists.`)
    const collected = await commitAt(git, `refs/heads/${MERGED}`)
    if (collected !== undefined && !(await isContainedIn(git, collected, known ?? head)))
      throw new GitProblem(
        `The branch ${MERGED} was moved to ${collected.slice(0, 10)}, which was not checked here. Rename or delete it, then retry with --resume --merge.`,
      )
    // The process was killed after the checks passed; only the rest of the merge is left.
    if (known !== undefined && (await isContainedIn(git, commit, known))) return await finishMerge(known)
    const newer = (await isContainedIn(git, tip, known ?? head))
      ? ''
      : `, together with newer commits of ${branch} up to ${tip.slice(0, 10)}`
    await oneAtATime(() => gitOutput(git, 'worktree', 'add', '--detach', scratch, known ?? tip))
    const inside = openGit(scratch)
    const updated = await mergeInto(inside, tip, `exitgate: ${branch}`)
    if ('conflict' in updated) return conflict(`your newer work on ${branch}`, updated.conflict)
    const check = await mergeCheck(scratch, options)
    const merged = await mergeInto(inside, commit, `exitgate: merge task ${task.id}\n\n${task.title}`)
    if ('conflict' in merged) return conflict(`exitgate/${task.id}`, merged.conflict)
    const checked = await check()
    if ('detail' in checked) return { kind: checked.empty ? 'nothing' : 'red', ...checked }
    options.note(merged.commit)
    return { ...(await finishMerge(merged.commit, newer)), ...checked }

    async function finishMerge(verified: string, more = ''): Promise<MergeEnd> {
      // Fails if the branch was moved meanwhile, so that nothing is overwritten.
      await gitOutput(git, 'update-ref', `refs/heads/${MERGED}`, verified, collected ?? '')
      return { kind: 'merged', detail: `${await fastForward(options, verified)}${more}` }
    }
  } catch (error) {
    if (options.signal.aborted) return { kind: 'failed', detail: 'interrupted; retry with --resume --merge' }
    return { kind: 'failed', detail: error instanceof Error ? error.message : String(error) }
  } finally {
    await removeWorktree(repository.top, scratch)
  }
}

/** The problem, or what the merge leaves failing. */
type Checked = Pick<MergeEnd, 'detail' | 'empty'> | Pick<MergeEnd, 'left'>

const conflict = (what: string, files: readonly string[]): MergeEnd => ({
  kind: 'conflict',
  detail: `${what} conflicts in ${files.join(', ')}`,
})

/** Takes a baseline before the merge. Returns a function that checks the merge and returns the problem, if any. */
async function mergeCheck(scratch: string, options: MergeOptions): Promise<() => Promise<Checked>> {
  const { repository, folder, task, config, phase, accepted, signal, now } = options
  const workspace = join(scratch, repository.prefix)
  const stateDir = join(folder, 'merge-evidence')
  const place = gatherOptions({ workspace, stateDir, config, prompt: task.prompt, phase, at: now() })
  const setUpScratch = async (): Promise<string | undefined> => {
    const problem = await runSetup(workspace, config, signal)
    if (signal.aborted) throw new GitProblem('interrupted')
    return problem
  }
  const problem = await setUpScratch()
  if (problem !== undefined) return async () => ({ detail: problem })
  const { evidence: baseline, baselineId } = await gatherBaseline({ ...place, claim: false, accepted, signal })
  return async () => {
    const setupProblem = await setUpScratch()
    if (setupProblem !== undefined) return { detail: setupProblem }
    const id = baselineId === undefined ? {} : { baselineId }
    const { evidence } = await gather({ ...place, ...id, claim: true, accepted, signal })
    if (signal.aborted) throw new GitProblem('interrupted')
    const seen = observation(NO_SIGNALS, evidence, phase === undefined ? {} : { phase })
    const { verdict } = decideIteration({ ...beforeOf(emptyState()), baseline }, seen, policyFor(config), now())
    if (verdict.gate.proof === 'yes') return { left: evidence.tests?.named?.left }
    const failed = Object.values(evidence).filter(({ answer }) => answer !== 'yes')
    const isEmpty =
      evidence.changed?.answer === 'no' &&
      failed.every(({ answer, check }) => answer === 'unknown' || check === 'changed')
    if (isEmpty) return { detail: `nothing left to merge (already on ${options.branch})`, empty: true }
    return { detail: failed.map(({ check, detail }) => `${check}: ${detail}`).join('; ') || 'no check could run' }
  }
}

/** Fast-forwards the user's branch to the merge if that can't disturb them; otherwise returns the command for it. */
async function fastForward({ repository, branch }: MergeOptions, commit: string): Promise<string> {
  const { top } = repository
  const git = openGit(top)
  const tip = await commitAt(git, `refs/heads/${branch}`)
  const notYet = (why: string): string =>
    `into ${MERGED}, because ${why.replace(/[.:\s]+$/, '')}. Run git merge --ff-only ${MERGED}.`
  if (tip === undefined || !(await isContainedIn(git, tip, commit))) return notYet(`${branch} has newer commits`)
  const trees = (await oneAtATime(() => gitOutput(git, 'worktree', 'list', '--porcelain'))).split('\n')
  const isCheckedOut = trees.includes(`branch refs/heads/${branch}`)
  if (!isCheckedOut) {
    await gitOutput(git, 'update-ref', '-m', 'exitgate: merge', `refs/heads/${branch}`, commit, tip)
    return `into ${branch}`
  }
  const here = await git(['symbolic-ref', '-q', 'HEAD'])
  if (here.out.trim() !== `refs/heads/${branch}`) return notYet(`${branch} is checked out in another worktree`)
  const dirty = (await gitOutput(git, 'status', '--porcelain', '--untracked-files=no')).trim() !== ''
  if (dirty) return notYet('your working tree has uncommitted changes')
  // By default git would overwrite ignored files.
  const forwarded = await git(['merge', '--ff-only', '--no-overwrite-ignore', '--no-verify', '--no-stat', commit])
  return forwarded.problem === undefined ? `into ${branch}` : notYet(forwarded.problem)
}

/** The collecting branch is deleted once the user's branch contains it. */
export async function tidyMerged({ top }: Repository, branch: string): Promise<void> {
  const git = openGit(top)
  const merged = await commitAt(git, `refs/heads/${MERGED}`)
  if (merged === undefined || !(await isContainedIn(git, merged, `refs/heads/${branch}`))) return
  await git(['update-ref', '-d', `refs/heads/${MERGED}`, merged])
}
