/** Keys of one task. A prompt is in the list itself or in a file next to it. */
export const TASK_KEYS = [
  ['id', 'prompt', 'promptFile', 'title', 'after', 'priority', 'plan', 'type', 'limits'],
  ['repository', 'base', 'agent', 'key'],
].flat()

/** Keys that `defaults` may set for all tasks. */
export const DEFAULT_KEYS = ['priority', 'plan', 'type', 'limits', 'repository', 'base', 'agent', 'key']

export const TASK_LIMITS = ['iterations', 'minutes', 'usd', 'tokens']
export const SHARED_LIMITS = ['usd', 'tokens', 'minutes', 'callsPerHour']

/**
 * Keys that would choose how a task is checked or what runs for it. Being allowed to add a task doesn't mean being allowed to
 * define "done".
 */
const REPOSITORY_KEYS = new Set(
  [
    ['test', 'tests', 'build', 'lint', 'typecheck', 'command', 'commands', 'setup', 'run', 'hooks', 'env'],
    ['required', 'requireChange', 'evidence', 'baseline', 'checks', 'review', 'artifacts', 'proof', 'confirmRuns'],
    ['preset', 'threshold', 'breaker', 'promise', 'patterns', 'config', 'agentArgs', 'agentOverride', 'permissions'],
  ].flat(),
)

const belongsToRepository = (key: string): boolean => REPOSITORY_KEYS.has(key)

export type Table = { readonly [key: string]: unknown }

export const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value for an error message: one line, short, and safe for a terminal. */
export function quotedValue(value: unknown): string {
  if (value === undefined) return 'missing'
  const json = typeof value === 'number' ? String(value) : JSON.stringify(value)
  const safe = (json ?? 'nothing').replace(/[\p{Cf}\u007f-\u009f\u2028\u2029]/gu, '?')
  return safe.length > 80 ? `${safe.slice(0, 77)}...` : safe
}

export const listed = (words: readonly string[]): string => words.join(', ')

/** An ignored key could be a limit that is not enforced, or a dependency that is skipped. */
export function unknownKeys(table: Table, known: readonly string[], where: string): string[] {
  return Object.keys(table)
    .filter((key) => !known.includes(key))
    .map((key) =>
      belongsToRepository(key)
        ? `${where} sets ${quotedValue(key)}, which a list of tasks can't change. Put it into the repository's configuration.`
        : `${where} has an unknown key ${quotedValue(key)}. Known keys: ${listed(known)}.`,
    )
}

/** Reads amounts by name and adds mistakes to `problems`. */
export function limitsIn(
  value: unknown,
  names: readonly string[],
  where: string,
  problems: string[],
): Readonly<Record<string, number>> {
  if (value === undefined || value === null) return {}
  if (!isTable(value)) {
    problems.push(`${where} is ${quotedValue(value)}. It must be a mapping of ${listed(names)}.`)
    return {}
  }
  problems.push(...unknownKeys(value, names, where))
  const found: Record<string, number> = {}
  for (const name of names) {
    const amount = value[name]
    if (amount === undefined || amount === null) continue
    const isInteger = name !== 'usd' && name !== 'minutes'
    if (typeof amount === 'number' && Number.isFinite(amount) && amount > 0 && (!isInteger || Number.isInteger(amount)))
      found[name] = amount
    else
      problems.push(
        `${where}: "${name}" is ${quotedValue(amount)}. It must be ${isInteger ? 'a whole number' : 'a number'} greater than 0.`,
      )
  }
  return found
}
