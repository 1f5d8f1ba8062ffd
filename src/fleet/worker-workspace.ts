import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BacklogTask } from '../backlog/types.ts'
import type { Config } from '../core/config.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import { scrubbed } from '../evidence/scrub-environment.ts'
import { JOURNAL } from '../journal/load.ts'
import { markedFor } from '../loop/clear-leftovers.ts'
import { planText } from '../loop/gather-options.ts'
import { LocalHost } from '../loop/local-host.ts'
import { redact } from '../system/redact.ts'
import { removeFolder } from '../system/remove-folder.ts'
import { runCommand } from '../system/run-command.ts'
import type { Database } from './database/connect.ts'
import { FleetError, messageOf } from './errors.ts'
import { changedFiles, type Seen, writeStateFiles } from './git-transfer/files.ts'
import { ownGit, tryOwnGit } from './git-transfer/own-git.ts'
import { publishWork } from './git-transfer/publish.ts'
import { restoreWork } from './git-transfer/restore.ts'
import type { TransferOptions, Work } from './git-transfer/types.ts'
import { JournalTail } from './journal-tail.ts'
import type { Lease } from './lease.ts'
import type { RunEpoch } from './publish.ts'
import { retryRemote, retryWhileLeased } from './retry.ts'
import { fleetLimits } from './shared-limits.ts'
import type { Pinned, WorkerOptions } from './types.ts'
import { withoutSecrets } from './without-secrets.ts'
import { configure, pinnedIn } from './workspace-config.ts'
import { agentEnvironment, gitEnvironment } from './workspace-environment.ts'

const LAST_LINES = 10

/** Runs the setup commands of the repository's configuration in a new clone. */
async function runSetup(workspace: string, command: string, config: Config, signal: AbortSignal): Promise<void> {
  const deadlineMs = config.evidence.maximumMinutes * 60_000
  const { code, ended, output, problem } = await runCommand(workspace, command, {
    deadlineMs,
    env: scrubbed(process.env),
    signal,
  })
  if (signal.aborted || (code === 0 && ended === 'exit')) return
  const last = redact(output).trimEnd().split('\n').slice(-LAST_LINES).join('\n')
  throw new FleetError(`run.setup (${command}) failed: ${problem ?? `exit code ${code}`}\n${last}`, 70)
}

interface MergeOptions {
  readonly run: string
  readonly entry: BacklogTask
  readonly database: Database
  readonly lease: Lease
}

/** Merges the work of the tasks this one depends on, if it is in the same repository. Returns whether there was any. */
async function mergeDependencies(
  workspace: string,
  options: MergeOptions,
  { remote, env }: TransferOptions,
): Promise<boolean> {
  const { run, entry, database, lease } = options
  if (entry.after.length === 0) return false
  const needs = await retryWhileLeased(lease, () =>
    database.query<{ name: string; branch: string }>(
      `SELECT t.name, r.branch FROM exitgate.runs mine
       JOIN exitgate.needs n ON n.task = mine.task JOIN exitgate.tasks t ON t.id = n.needs
       JOIN exitgate.runs r ON r.task = t.id
       JOIN exitgate.lanes l ON l.id = t.lane AND l.repository = $2
       WHERE mine.id = $1 AND r.branch IS NOT NULL ORDER BY t.id`,
      [run, remote],
    ),
  )
  const call = { cwd: workspace, ...(env === undefined ? {} : { env }) }
  for (const { name, branch } of needs) {
    await ownGit(`fetch the work of "${name}"`, ['fetch', '-q', '--', remote, `refs/heads/${branch}`], call)
    const how = ['merge', '-q', '--no-edit', '-m', `exitgate: work of ${name}`, 'FETCH_HEAD']
    const { problem } = await tryOwnGit(how, call)
    if (problem === undefined) continue
    const { out } = await tryOwnGit(['diff', '--name-only', '--diff-filter=U'], call)
    const files = out.trim().split('\n').filter(Boolean).join(', ')
    throw new FleetError(
      `The work of "${name}" (${branch}) conflicts with what this task starts from${files === '' ? '' : `, in ${files}`}. ` +
        'Merge the branches by hand and submit the task again.',
      70,
    )
  }
  return needs.length > 0
}

export interface WorkspaceOptions extends RunEpoch {
  readonly database: Database
  readonly lease: Lease
  readonly worker: WorkerOptions
  /** Everything of this run on this machine. */
  readonly folder: string
  /** Copies of remotes, kept between runs. */
  readonly cache: string
  readonly entry: BacklogTask
  readonly backlog: string
  /** Secrets, which must not leave this machine. */
  readonly secrets: readonly string[]
  readonly emit: (event: LoopEvent) => void
}

/** A run's workspace on this machine: a clone, a state folder, and the host of the local loop for both. */
export interface WorkerWorkspace {
  readonly host: LocalHost
  readonly pinned: Pinned
  readonly workspace: string
  /** Whether its tree differs from a fresh clone before the agent did anything. */
  readonly changed: boolean
  readonly tail: JournalTail
  /** Tags every process `work` starts as belonging to this run. */
  tagged<T>(work: () => T): T
  /** The plan's current text. A worker that takes over needs it as it was before the next iteration. */
  plan(): string | undefined
  publishWork(): Promise<Work>
  files(): ReturnType<typeof changedFiles>
  markFilesPublished(seen: Seen): void
  close(): Promise<void>
}

interface Stored {
  readonly seq: number
  readonly work: string | null
  readonly plan: string | null
  readonly pinned: string | null
}

/** Removes earlier leftovers. Only published work counts, and the current step runs again from there. */
export async function openWorkerWorkspace(options: WorkspaceOptions, signal: AbortSignal): Promise<WorkerWorkspace> {
  const { run, epoch, database, lease, worker, folder, cache, entry, backlog } = options
  const { query } = database
  const warn = (text: string): void => options.emit({ type: 'warning', text, at: worker.now() })
  await removeFolder(folder)
  const [workspace, dir, home] = [join(folder, 'work'), join(folder, 'state'), join(folder, 'home')]
  for (const each of [dir, home]) mkdirSync(each, { recursive: true, mode: 0o700 })
  const [stored] = await retryWhileLeased(lease, () =>
    query<Stored>('SELECT seq, work, plan, pinned FROM exitgate.runs WHERE id = $1', [run]),
  )
  await fillState(options, dir, stored?.seq ?? 0)

  const env = gitEnvironment(worker.env)
  const transfer = { remote: entry.repository ?? '', env, warn }
  const before = parsed<Pinned>(stored?.pinned)
  const work = parsed<Work>(stored?.work)
  const base = before?.commit ?? entry.base
  const branch = branchOf(entry)
  const from = work ?? { branch, ...(base === undefined ? {} : { base }) }
  const { head = '' } = await retryRemote(
    () => restoreWork(workspace, { ...transfer, cache, from }),
    () => !signal.aborted,
    (error) => warn(`Retrying: ${messageOf(error)}`),
  )
  const pinned = before ?? pinnedIn(workspace, head)
  const merged = work === undefined && (await mergeDependencies(workspace, options, transfer))
  const agentEnv = agentEnvironment(worker.env, worker.file, worker.queue, home)
  const { loaded, agent } = await configure({ workspace, pinned, entry, worker, env: agentEnv })
  const { setup } = loaded.config.run
  const marked = <T>(does: () => T): T => markedFor(dir, does)
  if (setup !== undefined) await marked(() => runSetup(workspace, setup, loaded.config, signal))

  const previousPlan = parsed<string>(stored?.plan)
  const host = marked(
    () =>
      new LocalHost({
        workspace,
        dir,
        loaded,
        resume: false,
        prompt: entry.prompt,
        agent,
        env: agentEnv,
        now: worker.now,
        emit: options.emit,
        hide: (evidence) => withoutSecrets(evidence, options.secrets),
        shared: fleetLimits(database, lease, { run, key: entry.key ?? '', backlog }),
        ...(previousPlan === undefined ? {} : { previousPlan }),
      }),
  )
  let seen = (await changedFiles(dir)).seen
  return {
    host,
    pinned,
    workspace,
    changed: work === undefined && (merged || setup !== undefined),
    tail: new JournalTail(dir, host.state),
    tagged: marked,
    plan: () => planText(workspace, host.state.config ?? loaded.config),
    publishWork: () => publishWork(workspace, { ...transfer, run, epoch }),
    files: () => changedFiles(dir, seen),
    markFilesPublished(now) {
      seen = now
    },
    close: () => host.close(),
  }
}

export const branchOf = ({ id }: BacklogTask): string => `exitgate/${id}`

/** The state folder as of the last step: the journal, byte for byte, and the files next to it. */
async function fillState({ run, database, lease }: WorkspaceOptions, dir: string, seq: number): Promise<void> {
  if (seq === 0) return
  await retryWhileLeased(lease, () => writeStateFolder(database.query, run, dir, seq))
}

/** Writes the journal up to a line, and all other files, as a state folder every command can read. */
export async function writeStateFolder(query: Database['query'], run: string, dir: string, seq: number): Promise<void> {
  const lines = await query<{ text: string }>(
    'SELECT text FROM exitgate.lines WHERE run = $1 AND seq <= $2 ORDER BY seq',
    [run, seq],
  )
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writeFileSync(join(dir, JOURNAL), lines.map(({ text }) => `${text}\n`).join(''), { mode: 0o600 })
  const names = await query<{ path: string }>('SELECT path FROM exitgate.files WHERE run = $1 ORDER BY path', [run])
  // One at a time, because together they may not fit in memory.
  for (const { path } of names) {
    const files = await query<{ path: string; bytes: Buffer }>(
      'SELECT path, bytes FROM exitgate.files WHERE run = $1 AND path = $2',
      [run, path],
    )
    await writeStateFiles(dir, files)
  }
}

const parsed = <T>(text: string | null | undefined): T | undefined =>
  text === null || text === undefined ? undefined : (JSON.parse(text) as T)
