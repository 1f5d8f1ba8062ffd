/** What a file of shell assignments says, read as text: nothing in it is ever run or expanded. */
export interface Assignments {
  readonly settings: readonly { readonly name: string; readonly value: string }[]
  /** Lines that are more than a plain assignment, with the reason they were left alone. */
  readonly leftAlone: readonly { readonly line: number; readonly name?: string; readonly why: string }[]
}

const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/s
/** `"${NAME:-fallback}"`: the fallback is what the file itself sets. */
const FALLBACK = /^\$\{\w+:?[-=]([^${}`\\]*)\}$/

/** Reads `NAME=value`, `export NAME="value"`, `NAME='value'`, each with an optional comment. */
export function readAssignments(text: string): Assignments {
  const settings: { name: string; value: string }[] = []
  const leftAlone: { line: number; name?: string; why: string }[] = []
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .forEach((raw, i) => {
      const line = raw.trim()
      if (line === '' || line.startsWith('#')) return
      const match = ASSIGNMENT.exec(line)
      if (match === null) {
        leftAlone.push({ line: i + 1, why: 'it is not an assignment, and nothing of this file is run' })
        return
      }
      const name = match[1]!
      const value = literal(match[2]!)
      if (value === undefined) leftAlone.push({ line: i + 1, name, why: 'only a shell could say what its value is' })
      else settings.push({ name, value })
    })
  return { settings, leftAlone }
}

/** The value of a right-hand side that needs no shell, or nothing. */
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
