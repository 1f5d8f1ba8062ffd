import { join } from 'node:path'
import type { BacklogTask } from '../backlog/types.ts'
import { findConfig } from '../config/find.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { PRESETS } from '../core/presets/index.ts'
import type { ConfiguredAgent } from '../loop/start-agent.ts'
import { FleetError } from './errors.ts'
import type { Pinned, WorkerOptions } from './types.ts'
import { queueFile } from './worker-file.ts'

/** The configuration as the base of the task has it, before anything of the task's own is in the clone. */
export function pinnedIn(workspace: string, commit: string): Pinned {
  const found = findConfig(workspace)
  return { commit, ...(found === undefined ? {} : { found }) }
}

export interface ConfigureOptions {
  readonly workspace: string
  readonly pinned: Pinned
  readonly entry: BacklogTask
  readonly worker: WorkerOptions
  readonly env: Readonly<Record<string, string>>
}

/**
 * The run's configuration: the repository's pinned one, with the limits, kind and plan of the task on top. Nothing of the worker's own
 * environment speaks in it, and which program an agent's name means is the worker's alone to say.
 */
export async function configure({ workspace, pinned, entry, worker, env }: ConfigureOptions): Promise<{
  readonly loaded: Loaded
  readonly agent: ConfiguredAgent
}> {
  const { iterations, minutes, usd, tokens } = entry.limits
  const flags = {
    'task-type': entry.type,
    plan: entry.plan,
    'max-iterations': iterations,
    'max-minutes': minutes,
    'max-cost': usd,
    'max-tokens': tokens,
  }
  const found = pinned.found === undefined ? undefined : { ...pinned.found, path: join(workspace, pinned.found.name) }
  const read = await loadConfig({
    dir: workspace,
    env: {},
    flags: given(flags),
    presets: PRESETS,
    foundElsewhere: { found },
  })
  const loaded = withAgent(read, entry, worker)
  return { loaded, agent: worker.agentOf({ config: loaded.config.run, workspace, env }) }
}

function withAgent(loaded: Loaded, entry: BacklogTask, { file, queue }: WorkerOptions): Loaded {
  const { agent: ofRepository, ...run } = loaded.config.run
  const name = entry.agent ?? queueFile(file, queue).agent ?? ofRepository
  if (name === undefined)
    throw new FleetError(
      `the task "${entry.id}" names no agent; name one in it, or for the queue "${queue}" in the worker's file`,
    )
  const command = file.agents[name]
  const words = command === undefined ? { agent: name, command: [] } : { command }
  return { ...loaded, config: { ...loaded.config, run: { ...run, agentArgs: [], ...words } } }
}

const given = (flags: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
