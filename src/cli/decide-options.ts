import { CONFIG_FLAGS } from '../config/flags.ts'
import type { ValuesOf } from './parse.ts'

/** The options of the commands that decide: `check` and `next`. */
export const DECIDE_OPTIONS = {
  ...CONFIG_FLAGS,
  transcript: { type: 'string' },
  format: { type: 'string' },
  prompt: { type: 'string' },
  evidence: { type: 'string' },
  base: { type: 'string' },
  dir: { type: 'string' },
  config: { type: 'string' },
  'state-dir': { type: 'string' },
  task: { type: 'string' },
  phase: { type: 'string' },
  iteration: { type: 'string' },
  'exit-code': { type: 'string' },
  'timed-out': { type: 'string' },
  breaker: { type: 'string' },
  interrupted: { type: 'boolean' },
  'force-complete': { type: 'boolean' },
  'skip-phase': { type: 'boolean' },
  reason: { type: 'string' },
  by: { type: 'string' },
  'new-run': { type: 'boolean' },
  wait: { type: 'string' },
  'no-record': { type: 'boolean' },
  'no-files': { type: 'boolean' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export type DecideValues = ValuesOf<typeof DECIDE_OPTIONS> & {
  /** Who claims that the work is done, if not the agent: the caller, or the pull request. */
  readonly claimedBy?: 'caller' | 'ci'
}

/** Only for `check`: the claim may come from the caller or a pull request. */
export const CHECK_OPTIONS = {
  ...DECIDE_OPTIONS,
  claim: { type: 'boolean' },
  ci: { type: 'boolean' },
  sarif: { type: 'string' },
} as const

export type CheckValues = DecideValues & ValuesOf<typeof CHECK_OPTIONS>
