import type { Preset } from '../core/preset.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export const PREFIX = 'EXITGATE_'

/** Variables of the program itself, set for the agent or by the user; none of them is a configuration value. */
const OWN: ReadonlySet<string> = new Set(
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

export function isOurs(name: string): boolean {
  return name.startsWith(PREFIX) && !OWN.has(name)
}

/** Whether the environment holds anything to read: asked first, because reading it needs the schema. */
export function speaksToUs(env: Environment, preset: Preset): boolean {
  for (const name in env) {
    if (isOurs(name) && name !== 'EXITGATE_PRESET') return true
  }
  return Object.keys(preset.env).some((name) => given(env, name) !== undefined)
}

/** The value of a variable; an empty one counts as absent, as shells treat it. */
export function given(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}
