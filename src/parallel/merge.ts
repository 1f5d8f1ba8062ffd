import { join } from 'node:path'
import type { MergeEnd } from '../backlog/types.ts'
import type { Config } from '../core/config.ts'
import { beforeOf } from '../core/journal/before.ts'
import { emptyState } from '../core/journal/reduce.ts'
import { decideIteration } from '../core/policy/decide.ts'
import { observation } from '../core/policy/look.ts'
import { policyFor } from '../core/presets/index.ts'
import { NO_SIGNALS } from '../core/signals/read-signals.ts'
import { gather, gatherBaseline } from '../evidence/gather.ts'
import { gatherOptions } from '../loop/gather-options.ts'
import { commitAt, done, GitProblem, inTurn, isWithin, mergeInto, openGit, type Repository } from './git.ts'
import { setUp } from './set-up.ts'
import { removeWorktree } from './worktree.ts'

/** Collects what was merged and found green, until the person's branch can be moved there. */
export const MERGED = 'exitgate-merged'

export interface MergeOptions {
  readonly repository: Repository
  /** Folder of the backlog. */
  readonly folder: string
  /** The branch that the person started from, and the commit it was at. */
  readonly branch: string
  readonly head: string
  /** The merge that was judged last. Agents can move the branch it is on, so that branch is not asked. */
  readonly known: string | undefined
  readonly task: { readonly id: string; readonly title: string; readonly prompt: string }
  readonly commit: string
  readonly config: Config
  /** The phase its run ended in, where there are phases. */
  readonly phase?: string
  now(): number
  readonly signal: AbortSignal
  /** A merge was judged to be green: from now on it is the known one. */
  note(commit: string): void
}

/**
 * Merges the work of one task in a scratch worktree, and looks at the result with the same evidence as the gate: two pieces of work
 * that are green alone may be red together. Only what is green then is taken over.
 */
export async function mergeTask(options: MergeOptions): Promise<MergeEnd> {
  const { repository, folder, branch, head, known, task, commit } = options
  const scratch = join(folder, 'merge')
  const git = await openGit(repository.top)
  await removeWorktree(repository.top, scratch)
  try {
    const tip = await commitAt(git, `refs/heads/${branch}`)
    if (tip === undefined) throw new GitProblem(`The branch ${branch} is not there any more.`)
    const collected = await commitAt(git, `refs/heads/${MERGED}`)
    if (collected !== undefined && !(await isWithin(git, collected, known ?? head)))
      throw new GitProblem(
        `the branch ${MERGED} was moved to ${collected.slice(0, 10)}, which was not judged here; rename or delete it, then --resume --merge tries again`,
      )
    // Killed between its judgement and the end of its merge: only the rest is left to do.
    if (known !== undefined && (await isWithin(git, commit, known))) return await taken(known)
    const stranger = (await isWithin(git, tip, known ?? head))
      ? ''
      : `; with it what came onto ${branch} meanwhile, up to ${tip.slice(0, 10)}`
    await inTurn(() => done(git, 'worktree', 'add', '--detach', scratch, known ?? tip))
    const inside = await openGit(scratch)
    const caughtUp = await mergeInto(inside, tip, `exitgate: ${branch}`)
    if ('conflict' in caughtUp) return conflict(`what you committed to ${branch} meanwhile`, caughtUp.conflict)
    const judge = await judgeOf(scratch, options)
    const merged = await mergeInto(inside, commit, `exitgate: merge task ${task.id}\n\n${task.title}`)
    if ('conflict' in merged) return conflict(`exitgate/${task.id}`, merged.conflict)
    const red = await judge()
    if (red !== undefined) return { kind: 'red', detail: red }
    options.note(merged.commit)
    return await taken(merged.commit, stranger)

    async function taken(green: string, more = ''): Promise<MergeEnd> {
      // With the value it had before: whoever moved the branch in between is not overwritten.
      await done(git, 'update-ref', `refs/heads/${MERGED}`, green, collected ?? '')
      return { kind: 'merged', detail: `${await clearLeftovers(options, green)}${more}` }
    }
  } catch (error) {
    if (options.signal.aborted) return { kind: 'failed', detail: 'interrupted; --resume --merge tries again' }
    return { kind: 'failed', detail: error instanceof Error ? error.message : String(error) }
  } finally {
    await removeWorktree(repository.top, scratch)
  }
}

const conflict = (what: string, files: readonly string[]): MergeEnd => ({
  kind: 'conflict',
  detail: `${what} conflicts in ${files.join(', ')}`,
})

/** Takes the baseline of what is there, and gives the question to be asked of the merge: a sentence when it is not green. */
async function judgeOf(scratch: string, options: MergeOptions): Promise<() => Promise<string | undefined>> {
  const { repository, folder, task, config, phase, signal, now } = options
  const workspace = join(scratch, repository.prefix)
  const stateDir = join(folder, 'merge-evidence')
  const place = gatherOptions({ workspace, stateDir, config, prompt: task.prompt, phase, at: now() })
  const ready = async (): Promise<string | undefined> => {
    const problem = await setUp(workspace, config, signal)
    if (signal.aborted) throw new GitProblem('interrupted')
    return problem
  }
  const problem = await ready()
  if (problem !== undefined) return async () => problem
  const { evidence: baseline, baselineId } = await gatherBaseline({ ...place, claim: false, signal })
  return async () => {
    const again = await ready()
    if (again !== undefined) return again
    const id = baselineId === undefined ? {} : { baselineId }
    const { evidence } = await gather({ ...place, ...id, claim: true, signal })
    if (signal.aborted) throw new GitProblem('interrupted')
    const seen = observation(NO_SIGNALS, evidence, phase === undefined ? {} : { phase })
    const { verdict } = decideIteration({ ...beforeOf(emptyState()), baseline }, seen, policyFor(config), now())
    if (verdict.gate.proof === 'yes') return undefined
    const against = Object.values(evidence).filter(({ answer }) => answer !== 'yes')
    return against.map(({ check, detail }) => `${check}: ${detail}`).join('; ') || 'nothing could be proven'
  }
}

/** Moves the person's branch to the merge where that changes nothing under their hands; else says how they can do it. */
async function clearLeftovers({ repository, branch }: MergeOptions, commit: string): Promise<string> {
  const { top } = repository
  const git = await openGit(top)
  const tip = await commitAt(git, `refs/heads/${branch}`)
  const later = (why: string): string => `on ${MERGED}, because ${why}; take it over with git merge --ff-only ${MERGED}`
  if (tip === undefined || !(await isWithin(git, tip, commit))) return later(`${branch} has moved on`)
  const trees = (await inTurn(() => done(git, 'worktree', 'list', '--porcelain'))).split('\n')
  const isOut = trees.includes(`branch refs/heads/${branch}`)
  if (!isOut) {
    await done(git, 'update-ref', '-m', 'exitgate: merge', `refs/heads/${branch}`, commit, tip)
    return `into ${branch}`
  }
  const here = await git(['symbolic-ref', '-q', 'HEAD'])
  if (here.out.trim() !== `refs/heads/${branch}`) return later(`${branch} is checked out in another worktree`)
  const dirty = (await done(git, 'status', '--porcelain', '--untracked-files=no')).trim() !== ''
  if (dirty) return later('your working tree has changes that are not committed')
  // Without being told so, git would write over files that it ignores.
  const forwarded = await git(['merge', '--ff-only', '--no-overwrite-ignore', '--no-verify', '--no-stat', commit])
  return forwarded.problem === undefined ? `into ${branch}` : later(forwarded.problem)
}

/** When the person's branch has everything, the collecting one is of no use any more. */
export async function tidyMerged({ top }: Repository, branch: string): Promise<void> {
  const git = await openGit(top)
  const merged = await commitAt(git, `refs/heads/${MERGED}`)
  if (merged === undefined || !(await isWithin(git, merged, `refs/heads/${branch}`))) return
  await git(['update-ref', '-d', `refs/heads/${MERGED}`, merged])
}
