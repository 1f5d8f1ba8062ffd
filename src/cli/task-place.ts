import { backlogFolder, readRecord } from '../parallel/record.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'
import { placeOf, workspaceOf } from './place.ts'

export interface RunPlace {
  readonly workspace: string
  readonly dir: string
  /** The run in that journal, if you named one. */
  readonly run?: string
}

/** Where the named run is. `TASK` or `TASK/RUN` is a run from a list of tasks, which has its own workspace. */
export function taskPlace(place: RunPlace, named: string | undefined): RunPlace | undefined {
  if (named === undefined) return place
  const [task = '', run] = named.split('/', 2)
  const known = readRecord(backlogFolder(place.dir))?.tasks ?? {}
  const found = Object.hasOwn(known, task) ? known[task] : undefined
  if (found === undefined) return undefined
  return { workspace: found.workspace, dir: found.dir, ...(run === undefined || run === '' ? {} : { run }) }
}

/** The project and the run that a command's options name, by run id or by task. */
export function runPlace(
  values: { readonly dir?: string; readonly 'state-dir'?: string; readonly run?: string },
  io: Io,
): { readonly workspace: string; readonly dir: string; readonly run: string | undefined } {
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = placeOf(workspace, values['state-dir'], io)
  const task = taskPlace({ workspace, dir }, values.run)
  return task === undefined ? { workspace, dir, run: values.run } : { workspace, dir: task.dir, run: task.run }
}

/** The same for an option that must name a task. */
export function taskNamed(place: RunPlace, named: string | undefined): RunPlace {
  const found = taskPlace(place, named)
  if (found !== undefined) return found
  const known = Object.keys(readRecord(backlogFolder(place.dir))?.tasks ?? {})
  const tasks = known.length === 0 ? 'Leave out --run for the run of this project.' : `Tasks: ${known.join(', ')}.`
  throw new InputError(`No task "${named}" has started here. ${tasks}`)
}
