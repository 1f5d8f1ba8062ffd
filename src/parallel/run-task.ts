import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { count } from '../../packages/core/src/count.ts'
import type { TaskEnd } from '../backlog/types.ts'
import type { Loaded } from '../config/load.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import type { RunEnd } from '../core/run.ts'
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
import { commitAt, GitProblem, gitOutput, openGit } from './git.ts'
import type { TaskRecord } from './record.ts'
import { runSetup } from './run-setup.ts'
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
  /** Reports what happens before the run starts. */
  doing(what: string): void
  note(known: TaskRecord): void
  /** The run is open, so controls for all tasks reach it too. */
  opened(run: OneRun): void
  /** Aborted when nothing new should start. */
  readonly signal: AbortSignal
}

export interface Ended {
  readonly end: TaskEnd
  /** The phase its run ended in, if there are phases. */
  readonly phase?: string
}

/** `not begun` means it was interrupted while its workspace was prepared, so there is nothing to report. */
export type TaskRun = Ended | 'not begun'

/** Runs one task from creating its worktree to its end. An error ends only this task. */
export async function runTask(options: TaskOptions): Promise<TaskRun> {
  const { known, signal } = options
  let place = known
  try {
    const before = known === undefined ? undefined : readJournal(known.dir).state
    const run = before?.run
    if (known === undefined || before === undefined || run === undefined) {
      place = await prepareWorkspace(options)
      return signal.aborted ? 'not begun' : await finishTask(place, await runInWorktree(place), options)
    }
    if (!existsSync(known.gitDir) || !existsSync(known.workspace))
      throw new GitProblem(
        `The worktree ${known.worktree} is gone. The journal and the branch ${known.branch} are still there.`,
      )
    // The process was killed after the run ended; only the commit is left to do.
    if (before.ended?.outcome === 'completed') return await finishTask(known, endOf(before), options)
    return await finishTask(known, await runInWorktree(known, run), options)
  } catch (error) {
    if (signal.aborted && place === undefined) return 'not begun'
    return { end: fatal(error, options, place) }
  }

  function runInWorktree(at: TaskRecord, resumes?: string): Promise<RunEnd> {
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

/** Prepares a workspace for the baseline. */
async function prepareWorkspace(options: TaskOptions): Promise<TaskRecord> {
  const { loaded, known, note, doing, signal } = options
  const { config, sources } = loaded
  doing('creating the worktree')
  const place = await worktreeFor(options, known, note)
  const isExplicit = !/^(?:preset |default)/.test(sources.get('plan') ?? 'default')
  if (config.plan !== undefined && isExplicit && !existsSync(resolve(place.workspace, config.plan)))
    throw new GitProblem(
      `The plan ${config.plan} is not on the branch this task starts from. Commit it, or check the path.`,
    )
  if (config.run.setup !== undefined) doing(`setting up: ${config.run.setup}`)
  const problem = await markedFor(place.dir, () => runSetup(place.workspace, config, signal))
  if (problem !== undefined && !signal.aborted) throw new GitProblem(problem)
  return place
}

/** Commits completed work to the branch and removes the worktree. All other work stays where it is. */
async function finishTask(place: TaskRecord, end: RunEnd, options: TaskOptions): Promise<TaskRun> {
  if (end.run === '' && end.outcome === 'interrupted') return 'not begun'
  const { outcome, ending, reason, iterations, total, missing, run, phase } = end
  const known = { outcome, ending, reason, iterations, total, missing, run, branch: place.branch }
  const inPhase = phase === undefined ? {} : { phase }
  if (outcome !== 'completed') return { end: { ...known, worktree: place.worktree }, ...inPhase }
  const { commit, uncommitted } = await commitWork(place, {
    message: messageOf(options, end),
    ignore: ownPaths(options.loaded.config).map((path) => join(options.repository.prefix, path)),
  })
  for (const each of uncommitted)
    options.emit({ type: 'warning', text: `Not committed to ${place.branch}: ${each}`, at: options.io.now() })
  const taskEnd: TaskEnd = {
    ...known,
    left: readJournal(place.dir).state.previous?.evidence.tests?.named?.left,
    commit,
    ...(uncommitted.length === 0 ? {} : { worktree: place.worktree }),
  }
  options.note({ ...place, end: taskEnd })
  if (uncommitted.length === 0) await removeWorktree(options.repository.top, place.worktree)
  return { end: taskEnd, ...inPhase }
}

function messageOf({ task }: TaskOptions, { run, outcome, ending, rule, iterations }: RunEnd): string {
  return [
    `${task.id}: ${task.title}`,
    '',
    `Task: ${task.id}`,
    `Run: ${run}`,
    `Verdict: ${outcome}/${ending} by rule ${rule} after ${count(iterations, 'iteration')}`,
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
  /** exitgate's own files in the workspace, relative to the repository root. */
  readonly ignore: readonly string[]
}

interface CommittedWork {
  readonly commit: string
  /** Files that are only in the worktree, each with its reason. */
  readonly uncommitted: readonly string[]
}

/**
 * Commits the current worktree to the task's branch, on top of the agent's own commits. The agent could have pointed the worktree
 * to another repository, so the git folder is passed explicitly.
 */
async function commitWork(
  { worktree, gitDir, branch }: Pick<TaskRecord, 'worktree' | 'gitDir' | 'branch'>,
  { message, ignore }: WorkOptions,
): Promise<CommittedWork> {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-commit-'))
  try {
    const copy = join(folder, 'index')
    const git = openGit(worktree, { GIT_DIR: gitDir, GIT_WORK_TREE: worktree, GIT_INDEX_FILE: copy })
    const filled = await fillIndex(git, { top: worktree, index: join(gitDir, 'index'), copy, ignore })
    if ('out' in filled) throw new GitProblem(filled.problem ?? 'Git gave no reason.')
    const tree = (await gitOutput(git, 'write-tree', '--missing-ok')).trim()
    const parent = await commitAt(git, 'HEAD')
    if (parent === undefined) throw new GitProblem(`The worktree ${worktree} no longer has a commit.`)
    const same = (await gitOutput(git, 'rev-parse', `${parent}^{tree}`)).trim() === tree
    const commit = same ? parent : await newCommit()
    // Whatever the agent did to the branch meanwhile, this is the work that was checked.
    await gitOutput(git, 'update-ref', '--no-deref', '-m', 'exitgate: work of the task', `refs/heads/${branch}`, commit)
    return { commit, uncommitted: filled.left }

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
