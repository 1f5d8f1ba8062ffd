import { resolve } from 'node:path'
import { CONFIG_FLAGS, RUN_PATHS } from '../../config/flags.ts'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { PRESETS } from '../../core/presets/index.ts'
import type { Page } from '../command.ts'
import type { Io } from '../io.ts'
import type { ValuesOf } from '../parse.ts'
import { RUN_ROWS } from '../shared-options.ts'

/** The options of `run`. Those that set a value of the configuration are named in config/flags.ts. */
export const RUN_OPTIONS = {
  ...CONFIG_FLAGS,
  agent: { type: 'string' },
  prompt: { type: 'string' },
  format: { type: 'string' },
  task: { type: 'string' },
  tasks: { type: 'string' },
  parallel: { type: 'string' },
  merge: { type: 'boolean' },
  interrupt: { type: 'string' },
  checkpoint: { type: 'boolean' },
  'continue-session': { type: 'boolean' },
  mcp: { type: 'boolean' },
  'iteration-minutes': { type: 'string' },
  'silence-minutes': { type: 'string' },
  'calls-per-hour': { type: 'string' },
  'max-wait-minutes': { type: 'string' },
  'accept-failing': { type: 'boolean' },
  sandbox: { type: 'string' },
  'sandbox-network': { type: 'string' },
  image: { type: 'string' },
  resume: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'force-complete': { type: 'boolean' },
  reason: { type: 'string' },
  by: { type: 'string' },
  'allow-remote-control': { type: 'boolean' },
  dir: { type: 'string' },
  config: { type: 'string' },
  'state-dir': { type: 'string' },
  json: { type: 'boolean' },
  'json-output': { type: 'boolean' },
  plain: { type: 'boolean' },
  quiet: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export const HELP: Page = {
  usage: [
    'run [options] -- <command...>',
    'run --agent claude|codex|gemini|opencode|pi [options] [-- <words for the agent>]',
    'run --agent acp [options] -- <agent that speaks the Agent Client Protocol>',
    'run --tasks FILE [--parallel N] [--merge] [options] -- <command...>',
  ],
  about:
    'Runs the agent until claim and proof meet in one iteration, or until something says that they will not. The prompt comes on its standard input and as $EXITGATE_PROMPT_FILE.',
  rows: [
    ['--agent NAME', 'an agent that is known by name'],
    ['--prompt FILE', 'the prompt (default: PROMPT.md)'],
    ['--task TEXT, --plan FILE|DIR', 'the one task, or the list of work'],
    ['--tasks FILE', 'a list of tasks in YAML or JSON, each in a git worktree and on a branch of its own'],
    ['--parallel N', 'so many of them at once (default: 1)'],
    ['--merge', 'merge completed tasks into this branch, each looked at once more together with the others'],
    ['--preset P', 'default, cub, prp, doyaken, blackbox, gsd, ralph'],
    ['--test CMD, --build CMD, --task-type T, --threshold N (--exit-threshold N), --format F', ''],
    ['--max-iterations N, --max-minutes N, --max-cost USD, --max-tokens N, --calls-per-hour N', '"none" lifts one'],
    ['--iteration-minutes N, --silence-minutes N', 'when an agent that hangs is ended'],
    ['--max-wait-minutes N', "how long the provider's limits are waited for"],
    ['--accept-failing', 'accept the tests that already fail at the start'],
    ['--sandbox MODE', 'auto, required, off, docker or podman (default: auto)'],
    ['--sandbox-network WHO', 'who can use the network: all, agent or none (default: all)'],
    ['--image NAME', 'the image for --sandbox docker or podman'],
    ['--resume, --dry-run', 'continue an interrupted or killed run; only show what would be run'],
    ['--checkpoint', "commit each iteration's work to a branch of its own"],
    ['--continue-session', "keep the agent's session instead of a fresh one each time"],
    ['--mcp', 'give the agent the exit_signal tool (claude, codex, opencode, acp)'],
    ['--interrupt immediate', 'the first Ctrl+C ends the agent; else it finishes its iteration'],
    ['--force-complete --reason "..." [--by NAME]', 'the next decision is yours; shown as forced'],
    ['--allow-remote-control', 'let `exitgate force` and the like ask without a terminal'],
    ['--plain, --quiet, --json-output', "lines, only warnings and the end, the agent's output as JSON too"],
    ...RUN_ROWS,
  ],
  examples: [
    'exitgate run --agent claude --plan PLAN.md --max-cost 20 -- --permission-mode acceptEdits',
    'exitgate run --test "npm test" --max-iterations 10 -- ./my-agent.sh',
    'exitgate run --resume --agent claude',
    'exitgate run --tasks tasks.yaml --parallel 3 --max-cost 50 --agent claude',
  ],
}

export type RunValues = ValuesOf<typeof RUN_OPTIONS>

/** The configuration of a run, with the values its options set. */
export function loadRunConfig(workspace: string, values: RunValues, io: Io): Promise<Loaded> {
  return loadConfig({
    dir: workspace,
    file: values.config === undefined ? undefined : resolve(io.cwd, values.config),
    env: io.env,
    flags: values as Readonly<Record<string, unknown>>,
    paths: RUN_PATHS,
    presets: PRESETS,
    allowCode: true,
  })
}
