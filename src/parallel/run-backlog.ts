import type { BacklogEvent } from '../backlog/events.ts'
import { nextToStart, taskStates } from '../backlog/order.ts'
import type { Backlog, BacklogTask, TaskEnd, TaskResult } from '../backlog/types.ts'
import type { Loaded } from '../config/load.ts'
import { emptyState } from '../core/journal/reduce.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import { readJournal } from '../journal/read.ts'
import { clearLeftovers } from '../loop/clear-leftovers.ts'
import type { OneRun, RunIo } from '../loop/one-run.ts'
import type { ConfiguredAgent } from '../loop/start-agent.ts'
import { commitAt, openGit, type Repository } from './git.ts'
import { mergeTask, tidyMerged } from './merge.ts'
import type { RecordKeeper } from './record.ts'
import { type Ended, runTask } from './run-task.ts'
import { countSharedLimits, type SharedCount, type UsedBefore } from './shared-limits.ts'
import { removeWorktree, type TaskCommit } from './worktree.ts'

export interface BacklogSetup {
  readonly repository: Repository
  /** Folder of the backlog. */
  readonly folder: string
  readonly backlog: Backlog
  readonly parallel: number
  readonly resume: boolean
  readonly merge: boolean
  readonly allowRemote: boolean
  readonly keeper: RecordKeeper
  readonly agent: ConfiguredAgent
  readonly io: RunIo
  /** The configuration of a task, read before anything starts, so that no agent can change it. */
  loadedFor(task: BacklogTask): Loaded
  stateDirOf(workspace: string): string
  emit(event: BacklogEvent): void
}

/** Runs the tasks of a backlog in parallel, each as its own run. It starts when it is created. */
export class BacklogRun {
  /** The results, once no task is left that can start. */
  readonly end: Promise<readonly TaskResult[]>
  readonly #setup: BacklogSetup
  readonly #started: number
  readonly #shared: SharedCount
  readonly #stop = new AbortController()
  readonly #runs = new Map<string, OneRun>()
  readonly #working = new Map<string, Promise<void>>()
  readonly #ended = new Map<string, 'completed' | 'failed'>()
  /** Includes tasks that have nothing on disk yet. */
  readonly #ends = new Map<string, TaskEnd>()
  /** Started but not ended: they continue with --resume, and their dependents don't start. */
  readonly #unfinished = new Set<string>()
  #lastMerge: Promise<unknown> = Promise.resolve()

  constructor(setup: BacklogSetup) {
    this.#setup = setup
    this.#shared = countSharedLimits(setup.backlog.limits, setup.resume ? usedBefore(setup) : [])
    this.#started = setup.io.now()
    this.end = this.#runAll()
  }

  agentWorks(): boolean {
    return [...this.#runs.values()].some((run) => run.agentWorks())
  }

  interrupt(message: string, now: boolean): void {
    this.#setup.emit({ type: 'interrupted', message, now, at: this.#setup.io.now() })
    this.#stop.abort()
    for (const run of this.#runs.values()) run.interrupt(message, now)
  }

  /** Ends everything at once and reports the results so far. */
  kill(): void {
    this.#stop.abort()
    for (const [id, run] of this.#runs) {
      run.kill()
      this.#unfinished.add(id)
    }
    this.#reportResults()
  }

  async #runAll(): Promise<readonly TaskResult[]> {
    const { backlog, parallel, resume, merge, keeper, repository, emit, io } = this.#setup
    const tasks = backlog.tasks.map(({ id, title }) => ({ id, title }))
    emit({ type: 'began', tasks, parallel, resumed: resume, at: io.now() })
    if (resume) await this.#cleanUpKilled()
    for (;;) {
      if (!this.#stop.signal.aborted) this.#startMore()
      if (this.#working.size === 0) break
      await Promise.race(this.#working.values())
    }
    const { branch } = keeper.record
    if (merge && branch !== undefined) await tidyMerged(repository, branch)
    await this.#warnOfMovedBranches()
    return this.#reportResults()
  }

  /** After a killed process: ends its agents and their helpers, and removes worktrees whose work is already on its branch. */
  async #cleanUpKilled(): Promise<void> {
    for (const [id, { dir, worktree, end }] of Object.entries(this.#setup.keeper.record.tasks)) {
      if (end?.outcome === 'completed') {
        if (end.worktree === undefined) await removeWorktree(this.#setup.repository.top, worktree)
        continue
      }
      for (const text of await clearLeftovers(dir, readJournal(dir).state)) this.#warn(`task ${id}: ${text}`)
    }
  }

  #startMore(): void {
    const { backlog, parallel } = this.#setup
    const progress = { ended: this.#ended, running: new Set([...this.#working.keys(), ...this.#unfinished]) }
    for (const task of nextToStart(backlog, progress, parallel - this.#working.size))
      this.#working.set(
        task.id,
        this.#runAndMerge(task).finally(() => this.#working.delete(task.id)),
      )
  }

  async #runAndMerge(task: BacklogTask): Promise<void> {
    const { id } = task
    const { keeper, merge, emit, io } = this.#setup
    const known = keeper.record.tasks[id]
    const done = known?.end?.outcome === 'completed' ? { end: known.end } : await this.#run(task)
    if (done === 'not begun') return void this.#unfinished.add(id)
    const { end } = done
    this.#ends.set(id, end)
    if (known?.end !== end) emit({ type: 'task-ended', task: id, end, at: io.now() })
    const place = keeper.record.tasks[id]
    if (place !== undefined) keeper.note(id, { ...place, end })
    if (end.outcome === 'interrupted') return void this.#unfinished.add(id)
    if (end.outcome === 'completed' && merge && end.merge?.kind !== 'merged') await this.#merge(task, done)
    this.#ended.set(id, end.outcome === 'completed' ? 'completed' : 'failed')
  }

  async #run(task: BacklogTask): Promise<Ended | 'not begun'> {
    const { id } = task
    const { keeper, emit, io } = this.#setup
    const agents = () => [...this.#runs.values()].flatMap((run) => run.agent() ?? [])
    try {
      return await runTask({
        ...this.#setup,
        task,
        head: keeper.record.head,
        after: task.after.flatMap((each) => this.#commitOf(each)),
        loaded: this.#setup.loadedFor(task),
        known: keeper.record.tasks[id],
        shared: this.#shared.forTask(id),
        siblings: { since: Math.min(keeper.record.startedAt, this.#started), agents },
        signal: this.#stop.signal,
        emit: (event: LoopEvent) => emit({ type: 'task', task: id, event }),
        doing: (what) => emit({ type: 'doing', task: id, what, at: io.now() }),
        note: (place) => keeper.note(id, place),
        opened: (open) => void this.#runs.set(id, open),
      })
    } finally {
      this.#runs.delete(id)
    }
  }

  #commitOf(task: string): readonly TaskCommit[] {
    const commit = this.#setup.keeper.record.tasks[task]?.end?.commit
    return commit === undefined ? [] : [{ task, commit }]
  }

  /** One at a time, because each is checked together with all that were merged before it. */
  async #merge(task: BacklogTask, { end, phase: endedIn }: Ended): Promise<void> {
    const { keeper, emit, io, loadedFor } = this.#setup
    const { signal } = this.#stop
    const { branch } = keeper.record
    const { commit } = end
    if (branch === undefined || commit === undefined) return
    const turn = this.#lastMerge.then(async () => {
      if (signal.aborted) return
      emit({ type: 'doing', task: task.id, what: 'merging', at: io.now() })
      const known = keeper.record.tasks[task.id]
      const state = known === undefined ? emptyState() : readJournal(known.dir).state
      // A task that ended in an earlier process is known by its journal only.
      const phase = endedIn ?? state.counters.phase
      const merge = await mergeTask({
        ...this.#setup,
        branch,
        head: keeper.record.head,
        known: keeper.record.merged,
        task,
        commit,
        config: loadedFor(task).config,
        ...(phase === undefined ? {} : { phase }),
        accepted: state.accepted,
        now: io.now,
        signal,
        note: keeper.noteMerged,
      })
      const place = keeper.record.tasks[task.id]
      if (place !== undefined) keeper.note(task.id, { ...place, end: { ...end, merge } })
      this.#ends.set(task.id, { ...end, merge })
      emit({ type: 'merged', task: task.id, merge, at: io.now() })
    })
    this.#lastMerge = turn.catch(() => {})
    await turn
  }

  /** Agents can move branches, and you would merge other work than what was checked. */
  async #warnOfMovedBranches(): Promise<void> {
    const git = openGit(this.#setup.repository.top)
    for (const { commit, branch } of this.#ends.values()) {
      const tip = commit === undefined ? undefined : await commitAt(git, `refs/heads/${branch}`)
      if (commit === undefined || tip === undefined || tip === commit) continue
      this.#warn(`The branch ${branch} was moved to ${tip.slice(0, 10)}. The verified work is commit ${commit}.`)
    }
  }

  #reportResults(): readonly TaskResult[] {
    const { backlog, keeper, emit, io } = this.#setup
    const stands = taskStates(backlog, { ended: this.#ended, running: this.#unfinished })
    const results = backlog.tasks.map(({ id, title }): TaskResult => {
      const { standing, waitsFor } = stands.get(id) ?? { standing: 'waiting', waitsFor: [] }
      const end = this.#ends.get(id) ?? keeper.record.tasks[id]?.end
      return {
        task: id,
        title,
        waitsFor,
        // Unfinished tasks are not running any more; they wait for --resume.
        standing: standing === 'running' ? 'waiting' : standing,
        ...(end === undefined ? {} : { end }),
      }
    })
    emit({ type: 'ended', results, total: this.#shared.total(), at: io.now() })
    return results
  }

  #warn(text: string): void {
    this.#setup.emit({ type: 'warning', text, at: this.#setup.io.now() })
  }
}

/** What the tasks of a resumed backlog have already used, from their journals. */
function usedBefore({ keeper }: BacklogSetup): readonly UsedBefore[] {
  return Object.values(keeper.record.tasks).map(({ dir }) => {
    const { counters, starts = [] } = readJournal(dir).state
    return { total: counters.total, starts }
  })
}
