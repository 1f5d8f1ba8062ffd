import type { Preset } from '../core/preset.ts'
import { ConfigError, shown } from './errors.ts'
import type { SettingRow } from './merge.ts'

export type FlagValues = Readonly<Record<string, unknown>>

/** Flags that set a value, for `parseArgs`. Every command that makes a decision takes them. */
export const CONFIG_FLAGS = {
  preset: { type: 'string' },
  threshold: { type: 'string' },
  'exit-threshold': { type: 'string' },
  'max-iterations': { type: 'string' },
  'max-minutes': { type: 'string' },
  'max-cost': { type: 'string' },
  'max-tokens': { type: 'string' },
  test: { type: 'string' },
  build: { type: 'string' },
  'task-type': { type: 'string' },
  plan: { type: 'string' },
  'no-plan': { type: 'boolean' },
  deep: { type: 'boolean' },
} as const

/** Flags that only `run` has, with the path each sets. Other commands use some of these names for other things. */
export const RUN_PATHS: Readonly<Record<string, string>> = {
  agent: 'run.agent',
  'fallback-agent': 'run.fallbackAgent',
  'fallback-model': 'run.fallbackModel',
  prompt: 'run.prompt',
  format: 'run.format',
  interrupt: 'run.interrupt',
  checkpoint: 'run.checkpoint',
  'continue-session': 'run.continueSession',
  mcp: 'run.mcp',
  expects: 'evidence.expects',
  'iteration-minutes': 'run.iterationMinutes',
  'silence-minutes': 'run.silenceMinutes',
  'calls-per-hour': 'limits.callsPerHour',
  'max-wait': 'run.maxWaitMinutes',
  'max-wait-minutes': 'run.maxWaitMinutes',
  'accept-failing': 'baseline.acceptFailing',
  review: 'evidence.review',
  sandbox: 'sandbox.mode',
  'sandbox-network': 'sandbox.network',
  image: 'sandbox.image',
}

const AMOUNTS: Readonly<Record<string, string>> = {
  'max-iterations': 'limits.iterations',
  'max-minutes': 'limits.minutes',
  'max-cost': 'limits.usd',
  'max-tokens': 'limits.tokens',
}
const TEXTS: Readonly<Record<string, string>> = {
  preset: 'preset',
  test: 'commands.test',
  build: 'commands.build',
  'task-type': 'taskType',
  plan: 'plan',
}

/** Values set on the command line, each with its flag. `--threshold` sets the threshold of the chosen preset. */
export function flagsToPatch(
  values: FlagValues,
  preset: Preset,
  more: Readonly<Record<string, string>> = {},
): readonly SettingRow[] {
  const rows: SettingRow[] = []
  const row = (flag: string, path: string, read: (value: unknown) => unknown): void => {
    const value = values[flag]
    if (value !== undefined) rows.push({ path, value: read(value), label: `flag --${flag}` })
  }
  for (const [flag, path] of Object.entries(TEXTS)) row(flag, path, (value) => value)
  if (values.plan !== undefined && values['no-plan'] === true)
    throw new ConfigError('--plan chooses a plan and --no-plan uses none. Pass only one of them.')
  row('no-plan', 'plan', () => null)
  row('deep', 'evidence.mutation', () => 'changed')
  for (const [flag, path] of Object.entries({ ...AMOUNTS, ...more }))
    row(flag, path, (value) => (value === 'none' && path.startsWith('limits.') ? null : numeric(value)))
  const flag = thresholdFlag(values)
  if (flag === undefined) return rows
  if (preset.threshold === undefined)
    throw new ConfigError(
      `flag --${flag}: the preset "${preset.name}" has no threshold. Remove the flag, or choose another preset.`,
    )
  row(flag, preset.threshold, numeric)
  return rows
}

/** `--exit-threshold` is an alias of `--threshold`, so two different values are an error. */
function thresholdFlag(values: FlagValues): 'threshold' | 'exit-threshold' | undefined {
  const { threshold, 'exit-threshold': old } = values
  if (threshold !== undefined && old !== undefined && threshold !== old) {
    throw new ConfigError(
      `flag --threshold is ${shown(threshold)}, but its alias --exit-threshold is ${shown(old)}. Pass only one of them.`,
    )
  }
  if (threshold !== undefined) return 'threshold'
  return old === undefined ? undefined : 'exit-threshold'
}

/** A numeric string as a number. Anything else stays a string, and the validator rejects it. */
export function numeric(value: unknown): unknown {
  return typeof value === 'string' && /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) : value
}
