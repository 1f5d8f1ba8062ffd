import { resolve } from 'node:path'
import { CONFIG_FLAGS, RUN_PATHS } from '../../config/flags.ts'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { PRESETS } from '../../core/presets/index.ts'
import type { Page } from '../command.ts'
import type { Io } from '../io.ts'
import type { ValuesOf } from '../parse.ts'
import { BY_ROW, CHECK_ROWS, LIMIT_ROWS, LOOK_OPTIONS, RUN_ROWS } from '../shared-options.ts'

/** The options of `run`. config/flags.ts lists those that set a value of the configuration. */
export const RUN_OPTIONS = {
  ...CONFIG_FLAGS,
  ...LOOK_OPTIONS,
  agent: { type: 'string' },
  'fallback-agent': { type: 'string' },
  'fallback-model': { type: 'string' },
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
  expects: { type: 'string' },
  'iteration-minutes': { type: 'string' },
  'silence-minutes': { type: 'string' },
  'calls-per-hour': { type: 'string' },
  'max-wait': { type: 'string' },
  'max-wait-minutes': { type: 'string' },
  'accept-failing': { type: 'boolean' },
  review: { type: 'string' },
  'allow-test-changes': { type: 'string', multiple: true },
  sandbox: { type: 'string' },
  'sandbox-network': { type: 'string' },
  image: { type: 'string' },
  resume: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  anyway: { type: 'boolean' },
  'force-complete': { type: 'boolean' },
  reason: { type: 'string' },
  by: { type: 'string' },
  'allow-remote-control': { type: 'boolean' },
  config: { type: 'string' },
  'json-output': { type: 'boolean' },
  plain: { type: 'boolean' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export const HELP: Page = {
  usage: [
    'run --agent NAME [options] [-- <arguments for the agent>]',
    'run [options] -- <command...>',
    'run --tasks FILE [options] -- <command...>',
  ],
  about: 'Run an agent until its work is verified, a limit is reached, or it is stuck.',
  rows: [
    [
      '--agent NAME',
      'claude, codex, gemini, opencode, pi, qwen, copilot, droid, goose, kimi, cursor, kiro, amp, aider or acp (default: run.agent)',
    ],
    ['--fallback-agent NAME', 'the agent to use while the first one is out of quota or keeps failing (default: none)'],
    ['--fallback-model NAME', 'its model, or another model of the same agent (default: none)'],
    ['--task TEXT', 'what the agent should do (default: the prompt or the plan)'],
    ['--prompt FILE', 'file with the prompt (default: PROMPT.md, if it exists)'],
    ['--resume', 'continue an interrupted or killed run'],
    ['--dry-run', 'only show what would run'],
    ['--anyway', 'start even if the run cannot complete, for example before there are tests'],
    ['--mcp', 'give the agent the exit_signal tool (claude, codex, opencode, acp)'],
    ['--continue-session', 'continue one agent session instead of starting a new one per iteration'],
    ['--checkpoint', 'commit the work of each iteration to a separate branch'],
    ['--format F', "format of the agent's output (default: auto)"],
  ],
  groups: [
    [
      'What counts as done',
      [
        ...CHECK_ROWS,
        ['--expects WHAT', 'proof, refactor, removal, docs, config, dependencies, none (default: from the task)'],
        ['--accept-failing', 'accept the tests that already fail at the start'],
        ['--review R', 'let claude, codex or gemini review each claim; two with a comma (default: none)'],
        ['--allow-test-changes GLOB', 'let the agent change, skip or remove the tests in these files (default: none)'],
      ],
    ],
    [
      'Limits',
      [
        ...LIMIT_ROWS,
        ['--calls-per-hour N', 'start the agent at most N times an hour (default: none)'],
        ['--iteration-minutes N', 'end an agent that runs longer than this (default: 120)'],
        ['--silence-minutes N', 'end an agent that prints nothing for this long (default: 30)'],
        ['--max-wait N', "wait up to N minutes for the provider's limit, an overload or the network (default: 360)"],
        ['--max-wait-minutes N', 'older name of --max-wait (default: 360)'],
      ],
    ],
    [
      'Many tasks',
      [
        ['--tasks FILE', 'run the tasks in this YAML or JSON file, each in its own worktree and branch'],
        ['--parallel N', 'run up to N tasks at a time (default: 1)'],
        ['--merge', 'merge each completed task into this branch after checking it again'],
      ],
    ],
    [
      'Sandbox',
      [
        ['--sandbox MODE', 'auto, required, off, docker or podman (default: auto)'],
        ['--sandbox-network WHO', 'who can use the network: all, agent or none (default: all)'],
        ['--image NAME', 'the image for --sandbox docker or podman (default: none)'],
      ],
    ],
    [
      'Control',
      [
        [
          '--interrupt MODE',
          'first Ctrl+C: graceful finishes the iteration, immediate ends the agent (default: graceful)',
        ],
        ['--allow-remote-control', 'let exitgate stop, force and others act without a terminal'],
        ['--force-complete', 'end as completed after the next iteration, without proof; needs --reason'],
        ['--reason TEXT', 'why you force it; written to the journal'],
        BY_ROW,
      ],
    ],
    [
      'Output and files',
      [
        ['--plain', 'print lines instead of the live view'],
        ['--quiet', 'print only warnings and the result'],
        ['--json-output', "add the agent's output to the JSON lines"],
        ...RUN_ROWS,
      ],
    ],
  ],
  more: 'The agent gets the prompt on standard input and as $EXITGATE_PROMPT_FILE. Everything after -- goes to the agent unchanged; exitgate never adds permissions.',
  examples: [
    'exitgate run --agent claude --plan PLAN.md -- --permission-mode acceptEdits',
    'exitgate run --task "fix the login test" --test "npm test" -- ./my-agent.sh',
    'exitgate run --resume',
  ],
}

export type RunValues = ValuesOf<typeof RUN_OPTIONS>

/** The configuration of a run, with the values of its options. */
export async function loadRunConfig(workspace: string, values: RunValues, io: Io): Promise<Loaded> {
  const loaded = await loadConfig({
    dir: workspace,
    file: values.config === undefined ? undefined : resolve(io.cwd, values.config),
    env: io.env,
    flags: values as Readonly<Record<string, unknown>>,
    paths: RUN_PATHS,
    presets: PRESETS,
    allowCode: true,
  })
  return withAllowed(loaded, values['allow-test-changes'] ?? [])
}

/** Adds to what the configuration allows, and does not replace it. */
function withAllowed(loaded: Loaded, files: readonly string[]): Loaded {
  if (files.length === 0) return loaded
  const { config, sources } = loaded
  const allow = [...config.evidence.allow, ...files.map((file) => ({ file, reason: ALLOW_FLAG }))]
  const changed = { ...config, evidence: { ...config.evidence, allow } }
  return { ...loaded, config: changed, sources: new Map([...sources, ['evidence.allow', ALLOW_FLAG]]) }
}

const ALLOW_FLAG = 'flag --allow-test-changes'
