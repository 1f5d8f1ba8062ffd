import { CONFIG_FLAGS } from '../../config/flags.ts'

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

type Value<Option> = Option extends { readonly type: 'boolean' } ? boolean : string
export type RunValues = { readonly [Name in keyof typeof RUN_OPTIONS]?: Value<(typeof RUN_OPTIONS)[Name]> }
