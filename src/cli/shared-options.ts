import type { Row } from './command.ts'

/** The options of the commands that only look at a journal. */
export const LOOK_OPTIONS = {
  dir: { type: 'string' },
  'state-dir': { type: 'string' },
  json: { type: 'boolean' },
  'no-color': { type: 'boolean' },
} as const

const DIR: Row = ['--dir DIR', 'the project (default: this folder)']
const CONFIG: Row = ['--config FILE', 'instead of exitgate.config.{json,yaml} or package.json#exitgate']
const STATE_DIR: Row = ['--state-dir DIR', "where journals live (default: the user's state folder)"]
const JSON_OUT: Row = ['--json', 'one JSON document on stdout']
const NO_COLOR: Row = ['--no-color', 'plain text (NO_COLOR is respected too)']

/** Help on `LOOK_OPTIONS`. */
export const LOOK_ROWS: readonly Row[] = [DIR, STATE_DIR, JSON_OUT, NO_COLOR]

/** The same for commands that read the configuration too. */
export const CONFIG_ROWS: readonly Row[] = [DIR, CONFIG, STATE_DIR, JSON_OUT, NO_COLOR]

/** The same for the command that reports while it runs. */
export const RUN_ROWS: readonly Row[] = [
  DIR,
  CONFIG,
  STATE_DIR,
  ['--json', 'JSON lines on stdout while it runs'],
  NO_COLOR,
]

/** Help on the options that override a value of the configuration. */
export const VALUE_ROWS: readonly Row[] = [
  ['--preset P', 'default, cub, prp, doyaken, blackbox, gsd, ralph'],
  ['--threshold N', "the preset's threshold (alias --exit-threshold)"],
  ['--plan FILE, --test CMD, --build CMD, --task-type T', 'checklist, commands, kind of the task'],
  ['--max-iterations N, --max-minutes N, --max-cost USD, --max-tokens N', 'limits; "none" lifts one'],
]

/** Help on the options that say who asks for something, and why. */
export const REASON_ROWS: readonly Row[] = [
  ['--reason "..."', 'why; written into the journal'],
  ['--by NAME', 'who (default: a person)'],
]
