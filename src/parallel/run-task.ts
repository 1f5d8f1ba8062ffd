import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TaskEnd } from '../backlog/types.ts'
import type { Loaded } from '../config/load.ts'
import type { LoopEvent, RunEnd } from '../core/run.ts'
import { readJournal } from '../journal/read.ts'
import { fillIndex } from '../loop/checkpoint-index.ts'
import { markedFor } from '../loop/clear-leftovers.ts'
import { endOf } from '../loop/ending.ts'
import { ownPaths } from '../loop/gather-options.ts'
import { type OneRun, openRun, type RunIo, type RunSetup } from '../loop/one-run.ts'
import { keptPrompt } from '../loop/prompt.ts'
import type { SharedLimits } from '../loop/shared-limits.ts'
import type { ConfiguredAgent } from '../loop/start-agent.ts'
import { removeFolderSync } from '../system/remove-folder.ts'
import { commitAt, done, GitProblem, openGit } from './git.ts'
import type { TaskRecord } from './record.ts'
import { setUp } from './set-up.ts'
import { branchOf, removeWorktree, type WorktreeOptions, worktreeFor } from './worktree.ts'

export interface TaskOptions extends WorktreeOptions {
  readonly loaded: Loaded
  readonly agent: ConfiguredAgent
  readonly known: TaskRecord | undefined
  readonly shared: SharedLimits
  readonly siblings: NonNullable<RunSetup['siblings']>
  readonly allowRemote: boolean
  readonly io: RunIo
  emit(event: LoopEvent): void
  /** What is done before there is a run. */
  doing(what: string): void
  note(known: TaskRecord): void
  /** The run is open: what people ask of all tasks is asked of it, too. */
  opened(run: OneRun): void
  /** Nothing new is begun any more. */
  readonly signal: AbortSignal
}

export interface Ended {
  readonly end: TaskEnd
  /** The phase its run ended in, where there are phases. */
  readonly phase?: string
}

/** `not begun`: it was interrupted while its workspace was made ready, and there is nothing to be told. */
export type TaskRun = Ended | 'not begun'

/** One task from its worktree to its end. What goes wrong on the way is an ending of this task and of no other. */
export async function runTask(options: TaskOptions): Promise<TaskRun> {
  const { known, signal } = options
  let place = known
  try {
    const before = known === undefined ? undefined : readJournal(known.dir).state
    const run = before?.run
    if (known === undefined || before === undefined || run === undefined) {
      place = await ready(options)
      return signal.aborted ? 'not begun' : await finished(place, await looped(place), options)
    }
    if (!existsSync(known.gitDir) || !existsSync(known.workspace))
      throw new GitProblem(
        `its worktree ${known.worktree} is gone; its journal and the branch ${known.branch} are left`,
      )
    // Killed between its end and its commit: only that is left to do.
    if (before.ended?.outcome === 'completed') return await finished(known, endOf(before), options)
    return await finished(known, await looped(known, run), options)
  } catch (error) {
    if (signal.aborted && place === undefined) return 'not begun'
    return { end: fatal(error, options, place) }
  }

  function looped(at: TaskRecord, resumes?: string): Promise<RunEnd> {
    const { task, loaded, agent, io, emit, shared, siblings, allowRemote } = options
    return markedFor(at.dir, () => {
      const run = openRun(
        {
          workspace: at.workspace,
          dir: at.dir,
          loaded,
          agent,
          prompt: keptPrompt(at.dir, resumes) ?? task.prompt,
          resume: resumes !== undefined,
          allowRemote,
          emit,
          shared,
          siblings,
        },
        io,
      )
      options.opened(run)
      return run.end
    })
  }
}

/** A workspace in which the baseline can be taken. */
async function ready(options: TaskOptions): Promise<TaskRecord> {
  const { loaded, known, note, doing, signal } = options
  const { config, sources } = loaded
  doing('making its worktree')
  const place = await worktreeFor(options, known, note)
  const isMeant = !/^(?:preset |default)/.test(sources.get('plan') ?? 'default')
  if (config.plan !== undefined && isMeant && !existsSync(resolve(place.workspace, config.plan)))
    throw new GitProblem(`the plan ${config.plan} is not on the branch it starts from; commit it, or check the path`)
  if (config.run.setup !== undefined) doing(`setting up: ${config.run.setup}`)
  const problem = await markedFor(place.dir, () => setUp(place.workspace, config, signal))
  if (problem !== undefined && !signal.aborted) throw new GitProblem(problem)
  return place
}

/** Completed work goes onto the branch, and its worktree away; all other work stays where it is. */
async function finished(place: TaskRecord, end: RunEnd, options: TaskOptions): Promise<TaskRun> {
  if (end.run === '') return 'not begun'
  const { outcome, ending, reason, iterations, total, missing, run, phase } = end
  const known = { outcome, ending, reason, iterations, total, missing, run, branch: place.branch }
  const inPhase = phase === undefined ? {} : { phase }
  if (outcome !== 'completed') return { end: { ...known, worktree: place.worktree }, ...inPhase }
  const { commit, left } = await commitWork(place, {
    message: messageOf(options, end),
    ignore: ownPaths(options.loaded.config).map((path) => join(options.repository.prefix, path)),
  })
  for (const each of left)
    options.emit({ type: 'warning', text: `left out of ${place.branch}: ${each}`, at: options.io.now() })
  const whole: TaskEnd = { ...known, commit, ...(left.length === 0 ? {} : { worktree: place.worktree }) }
  options.note({ ...place, end: whole })
  if (left.length === 0) await removeWorktree(options.repository.top, place.worktree)
  return { end: whole, ...inPhase }
}

function messageOf({ task }: TaskOptions, { run, outcome, ending, rule, iterations }: RunEnd): string {
  return [
    `${task.id}: ${task.title}`,
    '',
    `Task: ${task.id}`,
    `Run: ${run}`,
    `Verdict: ${outcome}/${ending} by rule ${rule} after ${iterations} iterations`,
  ].join('\n')
}

function fatal(error: unknown, { task }: TaskOptions, place: TaskRecord | undefined): TaskEnd {
  return {
    outcome: 'aborted',
    ending: 'fatal',
    reason: error instanceof Error ? error.message : String(error),
    iterations: 0,
    total: { ms: 0, tokens: 0, usd: 0 },
    missing: [],
    branch: branchOf(task.id),
    ...(place === undefined ? {} : { worktree: place.worktree }),
  }
}

interface WorkOptions {
  readonly message: string
  /** Our own files in the workspace, from the top of the repository. */
  readonly ignore: readonly string[]
}

interface CommittedWork {
  readonly commit: string
  /** Files that are only in the worktree, each with its reason. */
  readonly left: readonly string[]
}

/**
 * Puts the work as it lies in the worktree onto the task's branch, on top of whatever the agent committed itself. The agent could
 * have pointed the worktree to another repository, so git is told where it belongs.
 */
async function commitWork(
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
