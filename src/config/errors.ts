/** A broken configuration, with one sentence per problem. The CLI exits with `exitCode`. */
export class ConfigError extends Error {
  readonly exitCode = 64
  readonly problems: readonly string[]

  constructor(problems: string | readonly string[]) {
    const all = typeof problems === 'string' ? [problems] : problems
    super(all.join('\n'))
    this.name = 'ConfigError'
    this.problems = all
  }
}

// Control characters and direction marks could rewrite the user's terminal.
const UNSAFE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A value for a message: JSON on one line, shortened, and safe for a terminal. */
export function shown(value: unknown): string {
  // YAML allows NaN and Infinity, which JSON.stringify would turn into null.
  const json = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing')
  const safe = json.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return safe.length > 80 ? `${safe.slice(0, 77)}...` : safe
}
