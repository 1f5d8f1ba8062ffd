import type { Part } from './types.ts'

const counted = (part: Part): boolean => part.passed + part.failed + part.skipped > 0

/** Two readers may know the same summary line; the first one in the list has it. */
function oneReaderALine(parts: readonly Part[]): readonly Part[] {
  const owners = new Map<number, string>()
  return parts.filter((part) => {
    const owner = owners.get(part.to)
    if (owner === undefined) owners.set(part.to, part.framework)
    return owner === undefined || owner === part.framework
  })
}

/** Parts that lie strictly inside a finished one. */
function inner(parts: readonly Part[]): ReadonlySet<Part> {
  const sorted = [...parts].sort((a, b) => a.from - b.from)
  const inside = new Set<Part>()
  let end = -1
  let waiting: Part[] = []
  for (const part of sorted) {
    if (waiting.length > 0 && waiting[0]!.from < part.from) {
      for (const earlier of waiting)
        if (counted(earlier) && earlier.unproven === undefined) end = Math.max(end, earlier.to)
      waiting = []
    }
    if (part.to < end) inside.add(part)
    waiting.push(part)
  }
  return inside
}

/**
 * The runs that count. A run inside another one is the output of a test (ctest shows what its programs print, a test of
 * a test runner prints summaries): it is already judged by the outer one, and must not be counted twice.
 */
export function outermost(parts: readonly Part[]): readonly Part[] {
  const own = oneReaderALine(parts)
  const inside = inner(own)
  const outer = own.filter((part) => !inside.has(part))
  const speaking = outer.filter((part) => part.wrapper !== true || part.broken !== undefined || counted(part))
  return [...(speaking.length > 0 ? speaking : outer)].sort((a, b) => a.from - b.from)
}
