import type { Backlog, BacklogTask } from '../backlog/types.ts'
import type { Loaded } from '../config/load.ts'

/** The person's list counts like the person's command line: what it says about a run that goes on holds from then on. */
const SOURCE = 'flag --tasks'

/** The configuration of one task: that of the repository and the command line, and on top of it what the list says. */
export function taskConfig(loaded: Loaded, task: BacklogTask, shared: Backlog['limits']): Loaded {
  const { callsPerHour: _ofAll, ...together } = shared
  // What all may use together is more than one alone ever can; that it cannot be counted is then told for each.
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
    },
  }
}

/** A limit on the command line is one over all tasks, and comes before that of the list; `none` lifts it. */
export function sharedLimits(ofList: Backlog['limits'], { config, sources }: Loaded): Backlog['limits'] {
  const names = ['usd', 'tokens', 'minutes', 'callsPerHour'] as const
  const found = names.map((name) => {
    const isFlag = sources.get(`limits.${name}`)?.startsWith('flag ') === true
    return [name, isFlag ? config.limits[name] : ofList[name]] as const
  })
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}
