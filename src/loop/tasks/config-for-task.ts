import { type Layer, layerOf, merge, type Tree, valueAt } from '../../config/merge.ts'
import type { Config } from '../../core/config.ts'
import type { Task } from '../../core/run.ts'

/** These belong to the run and not to one of its tasks: no kind of task lifts a limit, changes the gate or the list of work. */
const OF_THE_RUN = new Set([
  'preset',
  'taskType',
  'taskTypes',
  'plan',
  'optionalSections',
  'limits',
  'run',
  'files',
  'baseline',
])

/** The kind whose overrides count for a task: the one that the person chose for the run, else the one of the task itself. */
export function taskTypeOf(task: Task | undefined, config: Config): string | undefined {
  if (config.taskType !== undefined && config.taskType !== '') return config.taskType
  const own = task?.type?.trim().toLowerCase()
  return own === undefined ? undefined : Object.keys(config.taskTypes).find((name) => name.toLowerCase() === own)
}

/**
 * The configuration by which a task is judged. What the person chose for the whole run was applied when it was loaded; the
 * task's own kind is laid over the rest. Flags and environment win here as they do there: `sources` says which values are theirs.
 */
export function configForTask(
  config: Config,
  task: Task | undefined,
  sources: ReadonlyMap<string, string> = new Map(),
): Config {
  const type = taskTypeOf(task, config)
  const patch = type === undefined || type === config.taskType ? undefined : config.taskTypes[type]
  if (patch === undefined) return config
  const own = Object.fromEntries(Object.entries(patch).filter(([key]) => !OF_THE_RUN.has(key)))
  const byPerson = [...sources]
    .filter(([, source]) => /^(?:flag|environment) /.test(source))
    .map(([path, label]) => ({ path, value: valueAt(config, path) ?? null, label }))
  const plain = (tree: Tree): Layer => ({ patch: tree, label: () => '' })
  return merge([plain(config as unknown as Tree), plain(own), layerOf(byPerson)], []).config
}
