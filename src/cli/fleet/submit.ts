import { submit } from '../../fleet/submit.ts'
import { plain } from '../../reports/verdict-text.ts'
import { readTasks } from '../run/read-tasks.ts'
import { type FleetCall, QUEUE } from './options.ts'

/** `exitgate fleet submit FILE`: puts a list of tasks into a queue, all of it or nothing. */
export async function run({ url, values, words, io }: FleetCall): Promise<number> {
  const { backlog } = readTasks(words[0] ?? '', io.cwd)
  const done = await submit(url, backlog, { queue: values.queue ?? QUEUE })
  if (values.json) io.stdout.write(`${JSON.stringify(done)}\n`)
  else {
    for (const { task, standing } of done.tasks)
      io.stdout.write(`${plain(task)}${standing === 'waiting' ? ' (waits for others)' : ''}\n`)
    io.stderr.write(
      `exitgate: ${done.tasks.length} tasks are in the queue "${done.queue}"; exitgate fleet status shows them\n`,
    )
  }
  return 0
}
