import { join } from 'node:path'
import { nextToStart } from '../../backlog/order.ts'
import type { Backlog } from '../../backlog/types.ts'
import type { Loaded } from '../../config/load.ts'
import { emptyState } from '../../core/journal/reduce.ts'
import { policyFor } from '../../core/presets/index.ts'
import type { PreflightFact } from '../../core/run.ts'
import { detect } from '../../evidence/detect/index.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { readJournal } from '../../journal/read.ts'
import { promptOf } from '../../loop/prompt.ts'
import type { ConfiguredAgent } from '../../loop/start-agent.ts'
import { taskForIteration } from '../../loop/tasks.ts'
import type { Repository } from '../../parallel/git.ts'
import { branchOf } from '../../parallel/worktree.ts'
import { factLines } from '../../reports/preflight-text.ts'
import { painter, plain } from '../../reports/verdict-text.ts'
import type { Io } from '../io.ts'

export interface DryOptions {
  readonly workspace: string
  readonly dir: string
  readonly loaded: Loaded
  readonly agent: ConfiguredAgent
  readonly prompt: string
  readonly task?: string
  readonly facts: readonly PreflightFact[]
  readonly json: boolean
}

/** What `run` would do. Takes no baseline, starts no agent and writes no journal. */
export async function dryRun(
  { workspace, dir, loaded, agent, prompt, task, facts, json }: DryOptions,
  io: Io,
): Promise<void> {
  const { config } = loaded
  const policy = policyFor(config)
  const { task: current, plan: planProgress } = taskForIteration(
    { workspace, dir, ...(task === undefined ? {} : { task }) },
    config,
    emptyState(),
  )
  const phase = policy.phases?.[0]
  const text = promptOf({
    user: prompt,
    policy,
    guidance: [],
    ...(current === undefined ? {} : { task: current }),
    ...(planProgress === undefined ? {} : { plan: planProgress }),
    ...(phase === undefined ? {} : { phase }),
  })
  const { argv } = agent.command({ prompt: text, promptFile: `${workspace}/.exitgate/prompt.md` })
  const commands = await detect(openWorkspace(workspace), { commands: config.commands })
  const evidence = commands.map(({ kind, command, cwd, why }) => ({ kind, command, cwd, why }))
  const { run, ended } = readJournal(dir).state
  const where = [
    ['workspace', workspace],
    ['journal', dir],
    ['preset', config.preset],
    // Without an agent that exitgate knows, the agent is this command.
    ...(facts.some(({ name, text }) => name === 'agent' && text === argv.join(' '))
      ? []
      : [['command', argv.join(' ')]]),
    ...(run !== undefined && ended === undefined
      ? [['earlier', `run ${run} is unfinished; --resume would continue it`]]
      : []),
  ].map(([name = '', text = '']): PreflightFact => ({ name, state: 'good', text }))
  const plan = {
    workspace,
    state: dir,
    preset: config.preset,
    argv,
    format: agent.format,
    limits: config.limits,
    evidence,
    facts,
    prompt: text,
  }
  if (json) io.stdout.write(`${JSON.stringify(plan)}\n`)
  else
    io.stdout.write(
      [
        'Dry run: nothing is started. This would run:',
        ...factLines([...where, ...facts], { paint: painter({ color: false }), clean: plain }).map(
          (line) => `  ${line}`,
        ),
        '',
        'First prompt:',
        '',
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => `  | ${plain(line)}`),
        '',
      ].join('\n'),
    )
}

export interface DryTasks {
  readonly backlog: Backlog
  readonly parallel: number
  readonly repository: Repository
  readonly folder: string
  readonly json: boolean
}

/** The order of the tasks if each took the same time. Starts nothing. */
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
    'Dry run: nothing is started. This would run:',
    `  worktrees   ${worktrees}`,
    `  start from  ${repository.head.slice(0, 10)}${repository.branch === undefined ? '' : ` (${repository.branch})`}`,
    ...rounds.flatMap((round, at) =>
      round.map(
        (id, i) => `  ${(i === 0 ? `${at + 1}.` : '').padEnd(4)}${id.padEnd(20)} ${plain(titles.get(id) ?? '')}`,
      ),
    ),
  ]
  io.stdout.write(`${lines.join('\n')}\n`)
  return 0
}
