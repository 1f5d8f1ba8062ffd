/** Keys of one task. A prompt is in the list itself or in a file next to it. */
export const TASK_KEYS = [
  ['id', 'prompt', 'promptFile', 'title', 'after', 'priority', 'plan', 'type', 'limits'],
  ['repository', 'base', 'agent', 'key'],
].flat()

/** What may be said once for all tasks: everything but what makes one task that one. */
export const DEFAULT_KEYS = ['priority', 'plan', 'type', 'limits', 'repository', 'base', 'agent', 'key']

export const TASK_LIMITS = ['iterations', 'minutes', 'usd', 'tokens']
export const SHARED_LIMITS = ['usd', 'tokens', 'minutes', 'callsPerHour']

/**
 * Keys that would choose how a task is verified, or what is run for it. Permission to add a task is not permission to say what
 * counts as done.
 */
const OF_THE_REPOSITORY = new Set(
  [
    ['test', 'tests', 'build', 'lint', 'typecheck', 'command', 'commands', 'setup', 'run', 'hooks', 'env'],
    ['required', 'requireChange', 'evidence', 'baseline', 'checks', 'review', 'artifacts', 'redProof', 'confirmRuns'],
    ['preset', 'threshold', 'breaker', 'promise', 'patterns', 'config', 'agentArgs', 'agentOverride', 'permissions'],
  ].flat(),
)

const choosesEvidence = (key: string): boolean => OF_THE_REPOSITORY.has(key)

export type Table = { readonly [key: string]: unknown }

export const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as a sentence may show it: on one line, short, and harmless to a terminal. */
export function quotedValue(value: unknown): string {
  if (value === undefined) return 'missing'
  const json = typeof value === 'number' ? String(value) : JSON.stringify(value)
  const safe = (json ?? 'nothing').replace(/[\p{Cf}\u007f-\u009f\u2028\u2029]/gu, '?')
  return safe.length > 80 ? `${safe.slice(0, 77)}...` : safe
}

export const listed = (words: readonly string[]): string => words.join(', ')

/** A key that nobody reads is a limit that does not hold, or a dependency that is not waited for. */
export function unknownKeys(table: Table, known: readonly string[], where: string): string[] {
  return Object.keys(table)
    .filter((key) => !known.includes(key))
    .map((key) =>
      choosesEvidence(key)
        ? `${where} names ${quotedValue(key)}, which a list of tasks cannot choose; it belongs into the configuration of the repository`
        : `${where} has the key ${quotedValue(key)}, which is not known; there are ${listed(known)}`,
    )
}

/** Amounts by name. What is wrong with them is added to the problems. */
export function limitsIn(
  value: unknown,
  names: readonly string[],
  where: string,
  problems: string[],
): Readonly<Record<string, number>> {
  if (value === undefined || value === null) return {}
  if (!isTable(value)) {
    problems.push(`${where} is ${quotedValue(value)}; it must be a table of ${listed(names)}`)
    return {}
  }
  problems.push(...unknownKeys(value, names, where))
  const found: Record<string, number> = {}
  for (const name of names) {
    const amount = value[name]
    if (amount === undefined || amount === null) continue
    const whole = name !== 'usd' && name !== 'minutes'
    if (typeof amount === 'number' && Number.isFinite(amount) && amount > 0 && (!whole || Number.isInteger(amount)))
      found[name] = amount
    else
      problems.push(
        `${where}: "${name}" is ${quotedValue(amount)}; it must be ${whole ? 'a whole number' : 'a number'} greater than 0`,
      )
  }
  return found
}
