import type { Preset } from '../core/preset.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export const PREFIX = 'EXITGATE_'

/** Variables of the program itself. None of them is a setting. */
const PROGRAM_VARIABLES: ReadonlySet<string> = new Set(
  [
    'CONFIG',
    'DEBUG',
    'DIR',
    'INBOX',
    'ITERATION',
    'NONCE',
    'PHASE',
    'PROMPT_FILE',
    'RUN',
    'RUN_ID',
    'SANDBOX',
    'SESSION',
    'STATE_DIR',
    'TASK',
  ].map((name) => PREFIX + name),
)

export function isSettingVariable(name: string): boolean {
  return name.startsWith(PREFIX) && !PROGRAM_VARIABLES.has(name)
}

/** Checked first, because reading the environment loads the schema. */
export function setsAnything(env: Environment, preset: Preset): boolean {
  for (const name in env) {
    if (isSettingVariable(name) && name !== 'EXITGATE_PRESET') return true
  }
  return Object.keys(preset.env).some((name) => envValue(env, name) !== undefined)
}

/** The value of a variable. An empty one counts as unset. */
export function envValue(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}
