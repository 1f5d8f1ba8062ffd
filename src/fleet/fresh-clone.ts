import type { BacklogTask } from '../backlog/types.ts'
import type { Config } from '../core/config.ts'
import { redact } from '../system/redact.ts'
import { runCommand } from '../system/run-command.ts'
import type { Database } from './database/connect.ts'
import { FleetError } from './errors.ts'
import { ownGit, tryOwnGit } from './git-transfer/own-git.ts'
import type { Journey } from './git-transfer/types.ts'
import type { Lease } from './lease.ts'
import { patiently } from './retry-transient.ts'

const LAST_LINES = 10

/** What a clone needs before anything can be run in it, as the repository's own configuration says. */
export async function setUp(workspace: string, command: string, config: Config, signal: AbortSignal): Promise<void> {
  const deadlineMs = config.evidence.maximumMinutes * 60_000
  const { code, ended, output, problem } = await runCommand(workspace, command, { deadlineMs, signal })
  if (signal.aborted || (code === 0 && ended === 'exit')) return
  const last = redact(output).trimEnd().split('\n').slice(-LAST_LINES).join('\n')
  throw new FleetError(`run.setup (${command}) failed: ${problem ?? `exit code ${code}`}\n${last}`, 70)
}

export interface Needing {
  readonly run: string
  readonly entry: BacklogTask
  readonly database: Database
  readonly lease: Lease
}

/** A task begins with the work of those it waited for, as far as that lies in the same repository. Tells whether there was any. */
export async function mergeNeeds(workspace: string, options: Needing, { remote, env }: Journey): Promise<boolean> {
  const { run, entry, database, lease } = options
  if (entry.after.length === 0) return false
  const needs = await patiently(lease, () =>
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
    const how = ['merge', '-q', '--no-edit', '-m', `exitgate: the work of ${name}`, 'FETCH_HEAD']
    const { problem } = await tryOwnGit(how, call)
    if (problem === undefined) continue
    const { out } = await tryOwnGit(['diff', '--name-only', '--diff-filter=U'], call)
    const files = out.trim().split('\n').filter(Boolean).join(', ')
    throw new FleetError(
      `the work of "${name}" (${branch}) does not go together with what the task begins with${files === '' ? '' : `, in ${files}`}; ` +
        'merge the branches by hand and submit the task again',
      70,
    )
  }
  return needs.length > 0
}
