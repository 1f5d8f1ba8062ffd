/** Everything wrong with a configuration, one sentence a problem. The command line ends with `exitCode`. */
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

// Control characters and direction marks could repaint the terminal that shows the sentence.
const UNSAFE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A value as a sentence may show it: JSON, on one line, short, and harmless to a terminal. */
export function shown(value: unknown): string {
  // NaN and Infinity, which YAML can write, would become null in JSON.
  const json = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing')
  const safe = json.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return safe.length > 80 ? `${safe.slice(0, 77)}...` : safe
}
