import type { BacklogEvent } from '../backlog/events.ts'
import { nextToStart, standings } from '../backlog/order.ts'
import type { Backlog, BacklogTask, TaskEnd, TaskResult } from '../backlog/types.ts'
import type { Loaded } from '../config/load.ts'
import type { LoopEvent } from '../core/run.ts'
import { readJournal } from '../journal/read.ts'
import type { OneRun, RunIo } from '../loop/one-run.ts'
import type { ConfiguredAgent } from '../loop/start-agent.ts'
import { takeOver } from '../loop/take-over.ts'
import { commitAt, openGit, type Repository } from './git.ts'
import { mergeTask, tidyMerged } from './merge.ts'
import type { RecordKeeper } from './record.ts'
import { type Ended, runTask } from './run-task.ts'
import { countTogether, type UsedBefore } from './shared-limits.ts'
import { type Groundwork, removeWorktree } from './worktree.ts'

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
  /** The configuration of a task, as it was read before anything started: no agent can change it. */
  loadedFor(task: BacklogTask): Loaded
  stateDirOf(workspace: string): string
  tell(event: BacklogEvent): void
}

/** The tasks of a backlog at work. */
export interface OpenBacklog {
  readonly end: Promise<readonly TaskResult[]>
  agentWorks(): boolean
  interrupt(message: string, now: boolean): void
  /** Ends everything at once, and tells how it stands. */
  kill(): readonly TaskResult[]
}

/** Runs the tasks, so many at once, each as a run of its own beside the others. */
export function openBacklog(setup: BacklogSetup): OpenBacklog {
  const { backlog, keeper, io, tell, repository } = setup
  const stop = new AbortController()
  const runs = new Map<string, OneRun>()
  const working = new Map<string, Promise<void>>()
  const ended = new Map<string, 'completed' | 'failed'>()
  /** Also of tasks for which there is nothing on the disk yet. */
  const ends = new Map<string, TaskEnd>()
  /** Begun and not ended: they go on with --resume, and nothing that waits for them starts. */
  const held = new Set<string>()
  const count = countTogether(backlog.limits, setup.resume ? usedBefore(setup) : [])
  let merging: Promise<unknown> = Promise.resolve()
  const started = io.now()
  const agents = () => [...runs.values()].flatMap((run) => run.agent() ?? [])

  return {
    end: whole(),
    agentWorks: () => [...runs.values()].some((run) => run.agentWorks()),
    interrupt(message, now) {
      tell({ type: 'interrupted', message, now, at: io.now() })
      stop.abort()
      for (const run of runs.values()) run.interrupt(message, now)
    },
    kill() {
      stop.abort()
      for (const [id, run] of runs) {
        run.kill()
        held.add(id)
      }
      return told()
    },
  }

  async function whole(): Promise<readonly TaskResult[]> {
    const tasks = backlog.tasks.map(({ id, title }) => ({ id, title }))
    tell({ type: 'began', tasks, parallel: setup.parallel, resumed: setup.resume, at: io.now() })
    if (setup.resume) await clearUp()
    for (;;) {
      if (!stop.signal.aborted) startMore()
      if (working.size === 0) break
      await Promise.race(working.values())
    }
    const { branch } = keeper.record
    if (setup.merge && branch !== undefined) await tidyMerged(repository, branch)
    await nameMoved()
    return told()
  }

  /** Agents can move branches. Whoever merges one by hand must know that it is not the work that was judged. */
  async function nameMoved(): Promise<void> {
    const git = await openGit(repository.top)
    for (const { commit, branch } of ends.values()) {
      const tip = commit === undefined ? undefined : await commitAt(git, `refs/heads/${branch}`)
      if (commit === undefined || tip === undefined || tip === commit) continue
      const text = `the branch ${branch} was moved to ${tip.slice(0, 10)}; the work that was judged is ${commit}`
      tell({ type: 'warning', text, at: io.now() })
    }
  }

  function startMore(): void {
    const progress = { ended, running: new Set([...working.keys(), ...held]) }
    for (const task of nextToStart(backlog, progress, setup.parallel - working.size))
      working.set(
        task.id,
        work(task).finally(() => working.delete(task.id)),
      )
  }

  async function work(task: BacklogTask): Promise<void> {
    const { id } = task
    const known = keeper.record.tasks[id]
    const done = known?.end?.outcome === 'completed' ? { end: known.end } : await run(task)
    if (done === 'not begun') return void held.add(id)
    const { end } = done
    ends.set(id, end)
    if (known?.end !== end) tell({ type: 'task-ended', task: id, end, at: io.now() })
    const place = keeper.record.tasks[id]
    if (place !== undefined) keeper.note(id, { ...place, end })
    if (end.outcome === 'interrupted') return void held.add(id)
    if (end.outcome === 'completed' && setup.merge && end.merge?.kind !== 'merged') await merged(task, done)
    ended.set(id, end.outcome === 'completed' ? 'completed' : 'failed')
  }

  async function run(task: BacklogTask): Promise<Ended | 'not begun'> {
    const { id } = task
    try {
      return await runTask({
        ...setup,
        task,
        head: keeper.record.head,
        after: task.after.flatMap(groundwork),
        loaded: setup.loadedFor(task),
        known: keeper.record.tasks[id],
        shared: count.forTask(id),
        beside: { since: Math.min(keeper.record.startedAt, started), agents },
        signal: stop.signal,
        tell: (event: LoopEvent) => tell({ type: 'task', task: id, event }),
        doing: (what) => tell({ type: 'doing', task: id, what, at: io.now() }),
        note: (place) => keeper.note(id, place),
        opened: (open) => void runs.set(id, open),
      })
    } finally {
      runs.delete(id)
    }
  }

  function groundwork(task: string): readonly Groundwork[] {
    const commit = keeper.record.tasks[task]?.end?.commit
    return commit === undefined ? [] : [{ task, commit }]
  }

  /** One at a time: each is looked at together with all that were merged before it. */
  async function merged(task: BacklogTask, { end, phase }: Ended): Promise<void> {
    const { branch } = keeper.record
    const { commit } = end
    if (branch === undefined || commit === undefined) return
    const turn = merging.then(async () => {
      if (stop.signal.aborted) return
      tell({ type: 'doing', task: task.id, what: 'merging', at: io.now() })
      const { config } = setup.loadedFor(task)
      const at = phase === undefined ? {} : { phase }
      const merge = await mergeTask({
        ...setup,
        branch,
        head: keeper.record.head,
        known: keeper.record.merged,
        task,
        commit,
        config,
        ...at,
        now: io.now,
        signal: stop.signal,
        note: keeper.noteMerged,
      })
      const place = keeper.record.tasks[task.id]
      if (place !== undefined) keeper.note(task.id, { ...place, end: { ...end, merge } })
      ends.set(task.id, { ...end, merge })
      tell({ type: 'merged', task: task.id, merge, at: io.now() })
    })
    merging = turn.catch(() => {})
    await turn
  }

  /** What a killed process left: agents and their helpers, and worktrees whose work is on its branch already. */
  async function clearUp(): Promise<void> {
    for (const [id, { dir, worktree, end }] of Object.entries(keeper.record.tasks)) {
      if (end?.outcome === 'completed') {
        if (end.worktree === undefined) await removeWorktree(repository.top, worktree)
        continue
      }
      for (const text of await takeOver(dir, readJournal(dir).state))
        tell({ type: 'warning', text: `task ${id}: ${text}`, at: io.now() })
    }
  }

  function told(): readonly TaskResult[] {
    const stands = standings(backlog, { ended, running: held })
    const results = backlog.tasks.map(({ id, title }): TaskResult => {
      const { standing, waitsFor } = stands.get(id) ?? { standing: 'waiting', waitsFor: [] }
      const end = ends.get(id) ?? keeper.record.tasks[id]?.end
      const about = { task: id, title, waitsFor }
      // Held ones are not running any more: they wait to be gone on with.
      return {
        ...about,
        standing: standing === 'running' ? 'waiting' : standing,
        ...(end === undefined ? {} : { end }),
      }
    })
    tell({ type: 'ended', results, total: count.total(), at: io.now() })
    return results
  }
}

/** What the tasks of a resumed backlog have used, as their journals tell. */
function usedBefore({ keeper }: BacklogSetup): readonly UsedBefore[] {
  return Object.values(keeper.record.tasks).map(({ dir }) => {
    const { counters, starts = [] } = readJournal(dir).state
    return { total: counters.total, starts }
  })
}
