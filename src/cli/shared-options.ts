import type { Row } from './command.ts'
import { DEFAULT_BY } from './io.ts'

/** The options of the commands that only read a journal. */
export const LOOK_OPTIONS = {
  dir: { type: 'string' },
  'state-dir': { type: 'string' },
  json: { type: 'boolean' },
  'no-color': { type: 'boolean' },
} as const

export const DIR_ROW: Row = ['--dir DIR', 'project folder (default: current folder)']
export const STATE_DIR_ROW: Row = [
  '--state-dir DIR',
  'folder for journals (default: EXITGATE_STATE_DIR, or your user state folder)',
]
export const JSON_ROW: Row = ['--json', 'print one JSON document on stdout']
export const NO_COLOR_ROW: Row = ['--no-color', 'print without colors, as with NO_COLOR=1']
const CONFIG_ROW: Row = [
  '--config FILE',
  'configuration file (default: exitgate.config.* or "exitgate" in package.json)',
]

/** Help for `LOOK_OPTIONS`. */
export const LOOK_ROWS: readonly Row[] = [DIR_ROW, STATE_DIR_ROW, JSON_ROW, NO_COLOR_ROW]

/** The same for commands that read the configuration too. */
export const CONFIG_ROWS: readonly Row[] = [DIR_ROW, CONFIG_ROW, STATE_DIR_ROW, JSON_ROW, NO_COLOR_ROW]

/** The same for `run`, which prints JSON while it runs. */
export const RUN_ROWS: readonly Row[] = [
  DIR_ROW,
  CONFIG_ROW,
  STATE_DIR_ROW,
  ['--json', 'print JSON lines on stdout while it runs'],
  NO_COLOR_ROW,
]

export const PRESET_ROW: Row = ['--preset P', 'default, cub, prp, doyaken, blackbox, gsd, ralph (default: default)']

/** Help for the options that override settings of the checks. */
export const CHECK_ROWS: readonly Row[] = [
  PRESET_ROW,
  ['--threshold N', 'threshold of the preset, if it has one (default: set by the preset)'],
  ['--exit-threshold N', 'older name of --threshold'],
  ['--test CMD', 'test command (default: detected)'],
  ['--build CMD', 'build command (default: none)'],
  ['--plan FILE', 'plan whose items must all be done: file or folder (default: the one that exitgate finds)'],
  ['--no-plan', 'use no plan, even if the project has one'],
  ['--deep', 'on a claim, also check that tests notice small mistakes in the changed functions'],
  ['--task-type T', 'use the settings under taskTypes.T of the configuration (default: none)'],
]

/** Help for the options that limit a run. */
export const LIMIT_ROWS: readonly Row[] = [
  ['--max-iterations N', 'stop after N iterations; "none" removes the limit (default: 50)'],
  ['--max-minutes N', 'stop after N minutes; "none" removes the limit (default: 480)'],
  ['--max-cost USD', 'stop after spending this many dollars (default: none)'],
  ['--max-tokens N', 'stop after N tokens (default: none)'],
]

export const BY_ROW: Row = ['--by NAME', `your name, for the journal (default: ${DEFAULT_BY})`]
