import { join } from 'node:path'
import type { BacklogTask } from '../backlog/types.ts'
import { findConfig } from '../config/find.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { PRESETS } from '../core/presets/index.ts'
import type { ConfiguredAgent } from '../loop/start-agent.ts'
import { FleetError } from './errors.ts'
import type { Pinned, WorkerOptions } from './types.ts'
import { queueFile } from './worker-file.ts'

/** The configuration at the task's base commit, before the clone contains any of the task's work. */
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
 * The run's configuration: the repository's pinned one, overridden by the limits, type and plan of the task. The worker's
 * environment doesn't affect it. Only the worker decides which program an agent's name starts.
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
    flags: definedFlags(flags),
    presets: PRESETS,
    foundElsewhere: { found },
  })
  const loaded = withAgent(read, entry, worker)
  return { loaded, agent: worker.agentOf({ config: loaded.config.run, workspace, env }) }
}

function withAgent(loaded: Loaded, entry: BacklogTask, { file, queue }: WorkerOptions): Loaded {
  const { agent: repositoryAgent, ...run } = loaded.config.run
  const name = entry.agent ?? queueFile(file, queue).agent ?? repositoryAgent
  if (name === undefined)
    throw new FleetError(
      `The task "${entry.id}" has no agent. Set \`agent\` in the task, or for the queue "${queue}" in the worker file.`,
    )
  const command = file.agents[name]
  const override = command === undefined ? { agent: name, command: [] } : { command }
  return { ...loaded, config: { ...loaded.config, run: { ...run, agentArgs: [], ...override } } }
}

const definedFlags = (flags: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
