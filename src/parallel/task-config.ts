import type { Backlog, BacklogTask } from '../backlog/types.ts'
import type { Loaded } from '../config/load.ts'

/** The user's list has the same weight as the command line: its values also apply to resumed runs. */
const SOURCE = 'flag --tasks'

/** The configuration of one task: that of the repository and the command line, overridden by the list. */
export function taskConfig(loaded: Loaded, task: BacklogTask, { limits: shared, tasks }: Backlog): Loaded {
  const { callsPerHour: _ofAll, ...together } = shared
  const { baseline } = loaded.config
  // A task is judged on what it makes pass and on what it breaks. All tests are judged after the merges.
  const acceptFailing = baseline.acceptFailing || (tasks.length > 1 && 'the-rest')
  // A shared limit is also the upper limit of each task. So a task whose agent doesn't report costs warns about it.
  const known = Object.entries(together).filter(
    ([name]) => loaded.config.limits[name as keyof typeof together] === undefined,
  )
  const limits = { ...Object.fromEntries(known), ...task.limits }
  const paths = [
    ...Object.keys(limits).map((name) => `limits.${name}`),
    ...(task.plan === undefined ? [] : ['plan']),
    ...(task.type === undefined ? [] : ['taskType']),
  ]
  return {
    ...loaded,
    sources: new Map([...loaded.sources, ...paths.map((path): [string, string] => [path, SOURCE])]),
    config: {
      ...loaded.config,
      ...(task.plan === undefined ? {} : { plan: task.plan }),
      limits: { ...loaded.config.limits, ...limits },
      baseline: { ...baseline, acceptFailing },
    },
  }
}

/** A limit on the command line applies to all tasks together and overrides the list; `none` removes it. */
export function sharedLimits(ofList: Backlog['limits'], { config, sources }: Loaded): Backlog['limits'] {
  const names = ['usd', 'tokens', 'minutes', 'callsPerHour'] as const
  const found = names.map((name) => {
    const isFlag = sources.get(`limits.${name}`)?.startsWith('flag ') === true
    return [name, isFlag ? config.limits[name] : ofList[name]] as const
  })
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}
