import type { Loaded } from '../../config/load.ts'
import { emptyState } from '../../core/journal/reduce.ts'
import { policyFor } from '../../core/presets/index.ts'
import { detect } from '../../evidence/detect/index.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { readJournal } from '../../journal/read.ts'
import { promptOf } from '../../loop/prompt.ts'
import type { ConfiguredAgent } from '../../loop/start-agent.ts'
import { taskAtHand } from '../../loop/tasks.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Io } from '../io.ts'

export interface DryOptions {
  readonly workspace: string
  readonly dir: string
  readonly loaded: Loaded
  readonly agent: ConfiguredAgent
  readonly prompt: string
  readonly task?: string
  readonly json: boolean
}

/** What `run` would do, with nothing done: no baseline, no agent, no journal. */
export async function dryRun(
  { workspace, dir, loaded, agent, prompt, task, json }: DryOptions,
  io: Io,
): Promise<number> {
  const { config } = loaded
  const policy = policyFor(config)
  const handle = openWorkspace(workspace)
  const commands = await detect(handle, { commands: config.commands })
  const { task: current } = taskAtHand(
    { workspace, dir, ...(task === undefined ? {} : { task }) },
    config,
    emptyState(),
  )
  const phase = policy.phases?.[0]
  const text = promptOf({
    user: prompt,
    protocol: policy.prompt,
    guidance: [],
    ...(current === undefined ? {} : { task: current }),
    ...(phase === undefined ? {} : { phase }),
  })
  const { argv } = agent.command({ prompt: text, promptFile: `${workspace}/.exitgate/prompt.md` })
  const evidence = commands.map(({ kind, command, cwd, why }) => ({ kind, command, cwd, why }))
  const unfinished = readJournal(dir).state
  const plan = {
    workspace,
    state: dir,
    preset: config.preset,
    argv,
    format: agent.format,
    limits: config.limits,
    evidence,
    prompt: text,
  }
  if (json) io.stdout.write(`${JSON.stringify(plan)}\n`)
  else
    io.stdout.write(
      [
        'Nothing is run. This would be:',
        `  workspace   ${workspace}`,
        `  journal     ${dir}`,
        `  preset      ${config.preset}`,
        `  agent       ${argv.map(plain).join(' ')}`,
        `  limits      ${limitWords(config.limits)}`,
        ...(evidence.length === 0
          ? ['  evidence    no test command was found: a claim could never be verified; name one with --test']
          : evidence.map(({ kind, command, why }) => `  ${kind.padEnd(11)} ${plain(command)} (${plain(why)})`)),
        ...(unfinished.run !== undefined && unfinished.ended === undefined
          ? [`  unfinished  the run ${unfinished.run}; --resume would go on with it`]
          : []),
        '',
        'The first prompt:',
        '',
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => `  | ${plain(line)}`),
        '',
      ].join('\n'),
    )
  return 0
}

function limitWords(limits: Loaded['config']['limits']): string {
  const words = Object.entries(limits).flatMap(([name, value]) => (value === undefined ? [] : [`${value} ${name}`]))
  return words.length === 0 ? 'none' : words.join(', ')
}
