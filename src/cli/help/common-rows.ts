import type { Row } from './page.ts'

const DIR: Row = ['--dir DIR', 'the project (default: this folder)']
const STATE_DIR: Row = ['--state-dir DIR', "where journals live (default: the user's state folder)"]
const JSON_OUT: Row = ['--json', 'one JSON document on stdout']
const NO_COLOR: Row = ['--no-color', 'plain text (NO_COLOR is respected too)']

/** Of the commands that look at a journal. */
export const LOOK_ROWS: readonly Row[] = [DIR, STATE_DIR, JSON_OUT, NO_COLOR]

/** Of the commands that read the configuration too. */
const CONFIG: Row = ['--config FILE', 'instead of exitgate.config.{json,yaml} or package.json#exitgate']
export const CONFIG_ROWS: readonly Row[] = [DIR, CONFIG, STATE_DIR, JSON_OUT, NO_COLOR]

/** Of the command that tells as it goes. */
export const RUN_ROWS: readonly Row[] = [
  DIR,
  CONFIG,
  STATE_DIR,
  ['--json', 'JSON lines on stdout while it runs'],
  NO_COLOR,
]

/** Of the commands that set a value of the configuration for once. */
export const VALUE_ROWS: readonly Row[] = [
  ['--preset P', 'default, cub, prp, doyaken, blackbox, gsd, ralph'],
  ['--threshold N', "the preset's threshold (alias --exit-threshold)"],
  ['--plan FILE, --test CMD, --build CMD, --task-type T', 'checklist, commands, kind of the task'],
  ['--max-iterations N, --max-minutes N, --max-cost USD, --max-tokens N', 'limits; "none" lifts one'],
]

/** Of the commands that decide. */
export const DECIDE_ROWS: readonly Row[] = [
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
  ['--new-run, --no-record, --no-files, --quiet', ''],
]

/** Of those that a list of tasks has a run for. */
export const TASK_ROW: Row = ['--run TASK', 'the run of that task, when the project works on a list of them']

/** Of the commands by which a person speaks to a run. */
export const ASK_ROWS: readonly Row[] = [
  ['--reason "..."', 'why; written into the journal'],
  ['--by NAME', 'who (default: a person)'],
  ...LOOK_ROWS,
]
