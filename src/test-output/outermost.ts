import type { Part } from './types.ts'

const counted = (part: Part): boolean => part.passed + part.failed + part.skipped > 0

/** Two readers may know the same summary line, and then read the same from it; the first one in the list has it. */
function oneReaderALine(parts: readonly Part[]): readonly Part[] {
  const owners = new Map<string, string>()
  return parts.filter((part) => {
    const key = [part.to, part.passed, part.failed, part.skipped].join()
    const owner = owners.get(key)
    if (owner === undefined) owners.set(key, part.framework)
    return owner === undefined || owner === part.framework
  })
}

const encloses = (part: Part): boolean => counted(part) && part.unproven === undefined

/** Parts that lie strictly inside a finished one, each with that one. */
function inner(parts: readonly Part[]): ReadonlyMap<Part, Part> {
  const sorted = [...parts].sort((a, b) => a.from - b.from)
  const inside = new Map<Part, Part>()
  let outer: Part | undefined
  let waiting: Part[] = []
  for (const part of sorted) {
    if (waiting.length > 0 && waiting[0]!.from < part.from) {
      for (const one of waiting) if (encloses(one) && one.to > (outer?.to ?? -1)) outer = one
      waiting = []
    }
    if (outer !== undefined && part.to < outer.to) inside.set(part, outer)
    waiting.push(part)
  }
  return inside
}

/** Runners that show what their tests print; and a runner that is tested by itself. */
const expects = (outer: Part, part: Part): boolean =>
  outer.framework === part.framework || /^(?:ctest|gradle|surefire)$/.test(outer.framework)

export interface Outermost {
  readonly parts: readonly Part[]
  /** Runs inside others that failed, where nobody expects that: two runners may have printed at the same time. */
  readonly doubts: readonly string[]
}

/**
 * The runs that count. A run inside another one is the output of a test (ctest shows what its programs print, a test of
 * a test runner prints summaries): it is already judged by the outer one, and must not be counted twice.
 */
export function outermost(parts: readonly Part[]): Outermost {
  const own = oneReaderALine(parts)
  const inside = inner(own)
  const outer = own.filter((part) => !inside.has(part))
  const speaking = outer.filter((part) => part.wrapper !== true || part.broken !== undefined || counted(part))
  const odd = [...inside].filter(
    ([part, around]) => (part.failed > 0 || part.broken !== undefined) && !expects(around, part),
  )
  return {
    parts: [...(speaking.length > 0 ? speaking : outer)].sort((a, b) => a.from - b.from),
    doubts: [
      ...new Set(odd.map(([part, around]) => `A run of ${part.framework} inside that of ${around.framework} failed.`)),
    ],
  }
}
