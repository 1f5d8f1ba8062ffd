/** The assignments in a shell file. Nothing is executed or expanded. */
export interface Assignments {
  readonly settings: readonly { readonly name: string; readonly value: string }[]
  /** Lines that aren't plain assignments, with the reason they were skipped. */
  readonly skipped: readonly { readonly line: number; readonly name?: string; readonly why: string }[]
}

const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/s
/** `"${NAME:-fallback}"`: the fallback is the file's own value. */
const FALLBACK = /^\$\{\w+:?[-=]([^${}`\\]*)\}$/

/** Reads `NAME=value`, `export NAME="value"` and `NAME='value'`, with or without a trailing comment. */
export function readAssignments(text: string): Assignments {
  const settings: { name: string; value: string }[] = []
  const skipped: { line: number; name?: string; why: string }[] = []
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .forEach((raw, i) => {
      const line = raw.trim()
      if (line === '' || line.startsWith('#')) return
      const match = ASSIGNMENT.exec(line)
      if (match === null) {
        skipped.push({ line: i + 1, why: 'not an assignment; exitgate never executes this file' })
        return
      }
      const name = match[1]!
      const value = literal(match[2]!)
      if (value === undefined) skipped.push({ line: i + 1, name, why: 'only a shell can evaluate this value' })
      else settings.push({ name, value })
    })
  return { settings, skipped }
}

/** The value of a right-hand side that needs no shell, or undefined. */
function literal(right: string): string | undefined {
  const quoted = /^'([^']*)'(?:\s+#.*|\s*)$/.exec(right)
  if (quoted) return quoted[1]
  const double = /^"((?:[^"\\]|\\.)*)"(?:\s+#.*|\s*)$/.exec(right)
  const bare = double ? undefined : /^([^\s#"'`;|&<>()]*)(?:\s+#.*|\s*)$/.exec(right)
  const inner = double ? double[1]! : bare?.[1]
  if (inner === undefined) return undefined
  const fallback = FALLBACK.exec(inner)
  if (fallback) return fallback[1]
  return /[$`\\]/.test(inner) ? undefined : inner
}
