import type { Page, Row } from '../command.ts'
import { BY_ROW, CHECK_ROWS, CONFIG_ROWS, DIR_ROW, JSON_ROW, LIMIT_ROWS, STATE_DIR_ROW } from '../shared-options.ts'

// The help of the commands that run after every iteration is kept apart from them, so that it costs them no start-up time.

/** Help for the options of `check` and `next`. */
const DECIDE_ROWS: readonly Row[] = [
  ['--transcript FILE', "the agent's output; - reads stdin (default: none)"],
  ['--format F', 'auto, text, acp, claude, codex, copilot, droid, gemini, json, opencode, pi, qwen (default: auto)'],
  ['--prompt FILE', "the agent's prompt: an echo of it is not a claim (default: none)"],
]

const DECIDE_GROUPS: Page['groups'] = [
  [
    'What counts as done',
    [
      ...CHECK_ROWS,
      ['--base REV', "compare with this commit (default: the run's baseline)"],
      ['--evidence FILE', 'use the evidence in this JSON file (default: gather it)'],
    ],
  ],
  ['Limits', LIMIT_ROWS],
  [
    'What happened in the iteration',
    [
      ['--task ID', 'task that the agent worked on (default: none)'],
      ['--phase P', 'phase that the agent worked on (default: the current one)'],
      ['--exit-code N', "the agent's exit code; anything but 0 is a failed iteration (default: 0)"],
      ['--timed-out K:MIN', 'the agent was ended after a timeout: overall:30 or activity:15'],
      ['--interrupted', 'you interrupted the agent'],
      ['--iteration N', 'iteration number in this phase (default: counted by exitgate)'],
      ['--breaker STATE', 'closed, half-open or open[:reason] (default: counted by exitgate)'],
    ],
  ],
  [
    'Override',
    [
      ['--force-complete', 'end the run as completed, without proof; needs --reason'],
      ['--skip-phase', 'skip the current phase, without proof; needs --reason'],
      ['--reason TEXT', 'why you override; written to the journal'],
      BY_ROW,
    ],
  ],
  [
    'Output and files',
    [
      ['--new-run', 'start a new run, even if the last one is unfinished'],
      ['--no-record', 'decide without writing to the journal'],
      ['--no-files', "don't write the state files of an older preset"],
      ['--wait SECONDS', 'wait this long for another exitgate here (default: 600)'],
      ['--quiet', 'print nothing but warnings'],
      ...CONFIG_ROWS,
    ],
  ],
]

export const check: Page = {
  usage: ['check [options]'],
  about: 'Decide once whether the work is done, record the decision and explain it.',
  rows: [
    ...DECIDE_ROWS,
    ['--claim', "you claim that the work is done, if the agent's output says neither yes nor no"],
    ['--ci', 'check a pull request against the merge base with its target branch'],
    ['--sarif FILE', 'with --ci: write the findings as SARIF 2.1.0 (default: none)'],
  ],
  groups: DECIDE_GROUPS,
  examples: [
    'exitgate check --claim --test "npm test"',
    'exitgate check --transcript agent.log --format claude --json',
    'exitgate check --ci --base main --sarif exitgate.sarif',
  ],
}

export const next: Page = {
  usage: ['while exitgate next [options]; do <agent>; done'],
  about: 'Decide like check, with exit codes 0 and 10 swapped, so that a shell loop continues on 0.',
  rows: DECIDE_ROWS,
  groups: DECIDE_GROUPS,
  more: 'The first call starts the run and takes the baseline. Each later call decides about the iteration before it. Each writes the prompt for your agent to .exitgate/prompt.md: PROMPT.md or --prompt, what is missing, and how to report. After a while loop $? is 0, so keep the code of next, as in the second example: 10 is completed, and 1, 2 and 3 are as in check.',
  examples: [
    'while exitgate next --transcript log; do ./agent.sh > log; done',
    'while exitgate next; code=$?; [ $code -eq 0 ]; do ./agent.sh; done',
  ],
}

export const hook: Page = {
  usage: [
    'hook install AGENT [--user] [--timeout SECONDS]',
    'hook uninstall AGENT [--user]',
    'hook status [AGENT]',
    'hook AGENT',
  ],
  about: 'Install a stop hook, so that your agent has to get past exitgate before it can stop.',
  rows: [
    ['--project', "write the project's configuration of the agent (default)"],
    ['--user', 'write your own configuration, for all projects'],
    ['--timeout SECONDS', 'how long the agent waits for the checks (default: 600)'],
    [
      '--max-refusals N',
      'hook AGENT: let the agent stop after N refusals in a row (default: one less than it allows, or 20)',
    ],
    DIR_ROW,
    ['--state-dir DIR', `hook AGENT: ${STATE_DIR_ROW[1]}`],
    JSON_ROW,
  ],
  more: 'AGENT is claude, codex, gemini, copilot, cursor, opencode or pi. Your agent calls exitgate hook AGENT itself. Without a goal, only a stop that claims to be done is checked; with one (exitgate goal), every stop is. Hooks run nothing until you approve it with exitgate trust.',
  examples: [
    'exitgate hook install claude',
    'exitgate hook install codex --user --timeout 1800',
    'exitgate hook status',
  ],
}

export const signal: Page = {
  usage: ['signal complete|continue|blocked [options]'],
  about: "Report the agent's status from its shell, inside exitgate run.",
  rows: [
    ['--reason TEXT', 'why, in one sentence (default: none)'],
    ['--remaining TEXT', 'what is left to do; anything but "none" means not done (default: none)'],
    ['--confidence C', 'low, medium, high (default: none)'],
    JSON_ROW,
  ],
  more: 'The status counts when the iteration ends. It can claim that the work is done, but it never counts as proof.',
  examples: [
    'exitgate signal complete --reason "all tests pass"',
    'exitgate signal continue --remaining "the API tests"',
    'exitgate signal blocked --reason "no database password"',
  ],
}
