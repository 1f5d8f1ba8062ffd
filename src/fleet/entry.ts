import { readTask } from '../backlog/read.ts'
import type { BacklogTask } from '../backlog/types.ts'
import type { Submission } from './claim.ts'
import { FleetError, messageOf } from './errors.ts'

/**
 * A role that may submit can insert rows without this program, so a task from the database is validated as strictly as one from a
 * file.
 */
export function entryIn({ name, entry }: Submission): BacklogTask {
  const { task, problems } = read(entry)
  const problem = problems[0] ?? (task?.id === name ? undefined : `its id is ${JSON.stringify(task?.id)}`)
  if (task !== undefined && problem === undefined) return task
  throw new FleetError(`The task "${name}" in the database is not valid. Submit it again. (${problem})`)
}

function read(text: string): ReturnType<typeof readTask> {
  try {
    const textOf = () => ({ problem: 'is not available on workers' })
    return readTask(JSON.parse(text), { file: 'the database', at: 0, defaults: {}, textOf })
  } catch (error) {
    return { problems: [messageOf(error)] }
  }
}

/** The title for lists, or the name if the row can't be read. */
export function titleIn(text: string, name: string): string {
  const { task } = read(text)
  return task?.title ?? name
}
