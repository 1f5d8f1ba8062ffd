import type { Page, Row } from '../command.ts'
import { CONFIG_ROWS, VALUE_ROWS } from '../shared-options.ts'

// The help of the commands that run after every iteration is kept apart from them, so that it costs them no start-up time.

/** Help on the options of the commands that decide. */
const DECIDE_ROWS: readonly Row[] = [
  ['--transcript FILE|-', 'what the agent printed (- is stdin)'],
  ['--format F', 'auto, text, claude, codex, gemini, opencode, pi, acp, json'],
  ['--prompt FILE', 'what the agent was told: an echo of it is not a claim'],
  ['--evidence FILE', 'evidence as given: {"tests": {"answer": "yes", "counts": {"total": 9}}}'],
  ['--base REV', "compare with that commit instead of the run's baseline"],
  ...VALUE_ROWS,
  ['--task ID, --phase P', 'what the iteration was about'],
  ['--exit-code N', 'how the agent ended; other than 0 is a failed iteration'],
  ['--timed-out K:MIN', 'it was cut off: overall:30 or activity:15'],
  ['--interrupted', 'a person interrupted'],
  ['--iteration N, --breaker STATE[:reason]', 'counters of a harness that keeps its own'],
  ['--force-complete, --skip-phase', 'a person says that it, or the phase, is done; shown as forced'],
  ['--reason "...", --by NAME', 'why, and who; written into the journal'],
  ['--wait SECONDS', 'how long to wait for other callers in this folder (default 600)'],
  ['--new-run, --no-record, --no-files, --quiet', ''],
]

export const check: Page = {
  usage: ['check [options]'],
  about: 'Decide once about the iteration that just ended, record it, and say why.',
  rows: [
    ...DECIDE_ROWS,
    ['--claim', 'the caller says that it is done, where the agent says neither yes nor no'],
    ['--ci', 'a pull request is the claim: compared with the merge base of its target branch'],
    ['--sarif FILE', 'with --ci: the findings as SARIF 2.1.0'],
    ...CONFIG_ROWS,
  ],
  examples: [
    'exitgate check --transcript agent.log --test "npm test"',
    'exitgate check --ci --base main --sarif exitgate.sarif',
    'exitgate check --transcript out.jsonl --format claude --evidence evidence.json --json',
    'exitgate check --preset prp --phase GREEN --transcript agent.log --evidence evidence.json',
  ],
}

export const next: Page = {
  usage: ['while exitgate next [options]; do <agent>; done'],
  about: 'The same decision as check with 0 and 10 swapped. The first call begins the run.',
  rows: [...DECIDE_ROWS, ...CONFIG_ROWS],
  examples: ['while exitgate next --transcript out.log --test "npm test"; do agent < PROMPT.md > out.log; done'],
}

export const hook: Page = {
  usage: ['hook install|uninstall HOST [--user|--project] | hook status | hook HOST'],
  about:
    "HOST is claude, codex, gemini, copilot, cursor, opencode or pi. install writes the host's own configuration and touches nothing else in it; uninstall takes exactly that out again. hook HOST is what the host then calls when its agent wants to stop.",
  rows: [
    ['--project', "this folder's configuration (default)"],
    ['--user', 'the one for all your folders'],
    [
      '--timeout SECONDS',
      'how long the host waits for an answer (install: default 600); longer checks are cut off and said to be',
    ],
    [
      '--max-refusals N',
      'stops refused in a row (hook HOST; default: one less than the host allows, 20 where it allows any number)',
    ],
    ['--state-dir DIR', 'where journals live (hook HOST)'],
    ['--dir DIR', 'the project (install, uninstall, status; default: this folder)'],
    ['--json', 'one JSON document on stdout (install, uninstall, status)'],
  ],
  more: 'With a goal (exitgate goal start) every stop without claim and proof is refused. Without one, only a stop that claims to be done is looked at. Nothing is run in a folder before exitgate trust.',
  examples: ['exitgate hook install claude', 'exitgate hook install codex --user --timeout 1800'],
}

export const signal: Page = {
  usage: ['signal complete|continue|blocked [options]'],
  about:
    'What the agent says about being done, from its shell. Works inside exitgate run only: it goes to the loop that started the agent, and counts when this start of the agent ends. It can claim; it can never supply evidence.',
  rows: [
    ['--reason "..."', 'one sentence'],
    ['--remaining "..."', 'what is left; anything but "none" says: not done'],
    ['--confidence C', 'low, medium, high'],
    ['--json', 'one JSON document on stdout'],
  ],
  examples: ['exitgate signal continue --remaining "the API tests"'],
}
