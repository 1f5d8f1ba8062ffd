import { join, relative } from 'node:path'
import { count, listOf } from '../../../packages/core/src/count.ts'
import type { Backlog, BacklogTask, TaskResult } from '../../backlog/types.ts'
import type { Loaded } from '../../config/load.ts'
import { ownPartsOf } from '../../core/own-parts.ts'
import { makeStateFolder } from '../../journal/errors.ts'
import { takeLock } from '../../journal/lock.ts'
import { readJournal } from '../../journal/read.ts'
import { agentOf, withAgentOf, withArguments } from '../../loop/agent/choose-agent.ts'
import { watchInterrupts } from '../../loop/interrupts.ts'
import { type Repository, repositoryAt } from '../../parallel/git.ts'
import { preflightProblems } from '../../parallel/preflight.ts'
import { type BacklogRecord, backlogFolder, keepRecord, readRecord } from '../../parallel/record.ts'
import { BacklogRun } from '../../parallel/run-backlog.ts'
import { sharedLimits, taskConfig } from '../../parallel/task-config.ts'
import { InputError } from '../errors.ts'
import { KILLED, OUTCOME_CODES } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { openBacklogView, stillFailing } from '../live/backlog.ts'
import { wholeNumber } from '../parse.ts'
import { assertTemporaryFolder, placeOf, workspaceOf } from '../place.ts'
import { refuseOwnAgent } from '../refuse-agent.ts'
import { loadRunConfig, type RunValues } from './options.ts'
import { readTasks } from './read-tasks.ts'

/** Options for a single task. */
const NOT_WITH_TASKS = ['task', 'prompt', 'force-complete'] as const
/** Keys of a task that only a fleet uses. */
const OF_A_FLEET = ['repository', 'base', 'agent', 'key'] as const

/** `exitgate run --tasks`: many tasks on one machine, several at once. */
export async function runTasks(values: RunValues, agentArgs: readonly string[], io: Io): Promise<number> {
  const prepared = await prepare(values, agentArgs, io)
  if (!values['dry-run']) return runPrepared(prepared, values, io)
  const { dryTasks } = await import('./dry-run.ts')
  return dryTasks({ ...prepared, json: values.json === true }, io)
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/** Reads and checks everything before an agent can change it. Changes nothing. */
async function prepare(values: RunValues, agentArgs: readonly string[], io: Io) {
  if (values.tasks === undefined) throw new InputError('--parallel and --merge need --tasks FILE.')
  for (const name of NOT_WITH_TASKS)
    if (values[name] !== undefined) throw new InputError(`--${name} is for a single task. Leave it out with --tasks.`)
  const parallel = wholeNumber('--parallel', values.parallel, 1) ?? 1
  const workspace = workspaceOf(io.cwd, values.dir)
  const repository = await repositoryAt(workspace)
  if (typeof repository === 'string')
    throw new InputError(
      `--tasks needs a git repository with a commit, because each task gets a worktree and a branch. ${workspace}: ${repository}`,
    )
  const { backlog: listed, path } = readTasks(values.tasks, io.cwd)
  const { dir, warning } = placeOf(workspace, values['state-dir'], io)
  assertTemporaryFolder()
  const folder = backlogFolder(dir)
  const record = readRecord(folder)
  refuseAgents(record, io)
  if (values.resume && record === undefined)
    throw new InputError('No list of tasks to resume here. Start it without --resume.')
  const before = values.resume ? record : undefined
  const read = await loadRunConfig(workspace, values, io)
  const named = agentArgs.length > 0 || values.agent !== undefined
  const withAgent = (loaded: Loaded) =>
    named ? withArguments(loaded, agentArgs) : withAgentOf(loaded, earlierRun(before))
  const base = withAgent(read)
  const backlog: Backlog = { ...listed, limits: sharedLimits(listed.limits, base) }
  const byType = await loadedByType(backlog.tasks, base, async (type) =>
    withAgent(await loadRunConfig(workspace, { ...values, 'task-type': type }, io)),
  )
  const merge = values.merge === true
  const problems = await preflightProblems({ repository, folder, merge }, backlog, before)
  if (problems.length > 0) throw new InputError(problems.join('\n'))
  const agent = agentOf({ config: base.config.run, own: ownPartsOf(base.config).agents, workspace, env: io.env })
  const warnings = warningsOf(repository, backlog, path, warning)
  return { repository, folder, path, before, backlog, parallel, merge, base, byType, agent, warnings }
}

async function runPrepared(prepared: Prepared, values: RunValues, io: Io): Promise<number> {
  const { repository, folder, path, before, backlog, merge, base, byType, warnings } = prepared
  const target = before === undefined ? repository.branch : before.branch
  const branch = target === undefined ? {} : { branch: target }
  let killed = false
  const view = openBacklogView(io, {
    json: values.json,
    jsonOutput: values['json-output'],
    quiet: values.quiet,
    noColor: values['no-color'],
    plain: values.plain,
    merge,
    ...branch,
    exitCode: (results) => (killed ? KILLED : codeOf(results, merge)),
  })
  const lock = locked(folder)
  const keeper = keepRecord(folder, {
    file: path,
    head: before?.head ?? repository.head,
    ...branch,
    startedAt: before?.startedAt ?? io.now(),
    ...(before?.merged === undefined ? {} : { merged: before.merged }),
    tasks: before?.tasks ?? {},
  })
  try {
    for (const text of warnings) view.tell({ type: 'warning', text, at: io.now() })
    const run = new BacklogRun({
      ...prepared,
      resume: before !== undefined,
      allowRemote: values['allow-remote-control'] === true,
      keeper,
      io,
      loadedFor: (task) => taskConfig(byType.get(task.type ?? '') ?? base, task, backlog),
      stateDirOf: (place) => placeOf(place, values['state-dir'], io).dir,
      emit: view.tell,
    })
    const unwatch = watchInterrupts({
      mode: base.config.run.interrupt,
      agentWorks: () => run.agentWorks(),
      onFirst: (message, now) => run.interrupt(message, now),
      onSecond() {
        killed = true
        run.kill()
        view.close()
        lock.release()
        process.exit(KILLED)
      },
    })
    try {
      return codeOf(await run.end, merge)
    } finally {
      unwatch()
    }
  } finally {
    view.close()
    lock.release()
  }
}

/** Read once, before an agent can change the file. */
async function loadedByType(
  tasks: readonly BacklogTask[],
  base: Loaded,
  load: (type: string) => Promise<Loaded>,
): Promise<ReadonlyMap<string, Loaded>> {
  const found = new Map([['', base]])
  for (const { type } of tasks) if (type !== undefined && !found.has(type)) found.set(type, await load(type))
  return found
}

/** The agents of unfinished tasks are refused, like the agent of a single run. */
function refuseAgents(record: BacklogRecord | undefined, io: Io): void {
  for (const { dir } of Object.values(record?.tasks ?? {})) refuseOwnAgent('run', dir, readJournal(dir).state, io)
}

/** Started tasks keep their agent, unless the user names another one. */
function earlierRun(record: BacklogRecord | undefined): Loaded['config']['run'] | undefined {
  for (const { dir } of Object.values(record?.tasks ?? {})) {
    const { config } = readJournal(dir).state
    if (config !== undefined) return config.run
  }
  return undefined
}

/** Only one process at a time may run the tasks of a workspace. */
function locked(folder: string): ReturnType<typeof takeLock> {
  makeStateFolder(folder)
  return takeLock(folder, { waitMs: 0, command: 'run' })
}

function warningsOf(
  { dirty, top }: Repository,
  { tasks }: Backlog,
  file: string,
  place: string | undefined,
): readonly string[] {
  const changes = dirty.filter((path) => relative(join(top, path), file) !== '')
  const fleet = OF_A_FLEET.filter((key) => tasks.some((task) => task[key] !== undefined))
  return [
    ...(place === undefined ? [] : [place]),
    ...(changes.length === 0
      ? []
      : [
          `Tasks start from the last commit, without your uncommitted changes in ${count(changes.length, 'file')} (${listOf(changes)}).`,
        ]),
    ...(fleet.length === 0
      ? []
      : [`Only a fleet uses ${listOf(fleet, fleet.length)} in a list of tasks; ignored here.`]),
  ]
}

/** 0 if every task is done, else the worst exit code. A task that only waits for another counts with that one. */
function codeOf(results: readonly TaskResult[], merge: boolean): number {
  const left = stillFailing(results).length > 0 ? OUTCOME_CODES.aborted : 0
  return Math.max(left, ...results.map((each) => codeOfTask(each, merge)))
}

function codeOfTask({ end, standing }: TaskResult, merge: boolean): number {
  if (end === undefined) return standing === 'blocked' ? 0 : OUTCOME_CODES.interrupted
  if (end.outcome !== 'completed') return OUTCOME_CODES[end.outcome]
  if (end.merge === undefined) return merge ? OUTCOME_CODES.interrupted : 0
  return end.merge.kind === 'merged' || end.merge.empty ? 0 : OUTCOME_CODES.aborted
}
