import { join } from 'node:path'
import { nextToStart } from '../../backlog/order.ts'
import type { Backlog } from '../../backlog/types.ts'
import type { Repository } from '../../parallel/git.ts'
import { branchOf } from '../../parallel/worktree.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Io } from '../io.ts'

export interface DryTasks {
  readonly backlog: Backlog
  readonly parallel: number
  readonly repository: Repository
  readonly folder: string
  readonly json: boolean
}

/** In which order the tasks would run if each took as long as the others, with nothing done. */
export function dryTasks({ backlog, parallel, repository, folder, json }: DryTasks, io: Io): number {
  const ended = new Map<string, 'completed'>()
  const rounds: (readonly string[])[] = []
  for (;;) {
    const next = nextToStart(backlog, { ended, running: new Set() }, parallel).map(({ id }) => id)
    if (next.length === 0) break
    rounds.push(next)
    for (const id of next) ended.set(id, 'completed')
  }
  const worktrees = join(folder, 'worktrees')
  if (json) {
    const tasks = backlog.tasks.map(({ id, title, after, priority }) => ({
      id,
      title,
      after,
      priority,
      branch: branchOf(id),
    }))
    io.stdout.write(`${JSON.stringify({ head: repository.head, worktrees, limits: backlog.limits, rounds, tasks })}\n`)
    return 0
  }
  const titles = new Map(backlog.tasks.map(({ id, title }) => [id, title]))
  const lines = [
    'Nothing is run. This would be:',
    `  worktrees   ${worktrees}`,
    `  starts from ${repository.head.slice(0, 10)}${repository.branch === undefined ? '' : ` (${repository.branch})`}`,
    ...rounds.flatMap((round, at) =>
      round.map(
        (id, i) => `  ${(i === 0 ? `${at + 1}.` : '').padEnd(4)}${id.padEnd(20)} ${plain(titles.get(id) ?? '')}`,
      ),
    ),
  ]
  io.stdout.write(`${lines.join('\n')}\n`)
  return 0
}
