import { readTask } from '../backlog/read.ts'
import type { BacklogTask } from '../backlog/types.ts'
import type { Submission } from './claim.ts'
import { FleetError, messageOf } from './errors.ts'

/** Whoever may submit can write rows without our program, so a task is read as strictly here as it was there. */
export function entryIn({ name, entry }: Submission): BacklogTask {
  const { task, problems } = read(entry)
  const problem = problems[0] ?? (task?.id === name ? undefined : `it is the task ${JSON.stringify(task?.id)}`)
  if (task !== undefined && problem === undefined) return task
  throw new FleetError(`the task "${name}" in the database is not as it is submitted: ${problem}; submit it again`)
}

function read(text: string): ReturnType<typeof readTask> {
  try {
    const textOf = () => ({ problem: 'is not here' })
    return readTask(JSON.parse(text), { file: 'the database', at: 0, defaults: {}, textOf })
  } catch (error) {
    return { problems: [messageOf(error)] }
  }
}

/** For lists: a row that cannot be read has a name all the same. */
export function titleIn(text: string, name: string): string {
  const { task } = read(text)
  return task?.title ?? name
}
