import type { ChangedFunction, ChangedSource } from './functions.ts'
import { KINDS, type Mutation } from './operators.ts'

/** One mutant: a changed function with one small change. */
export interface Mutant {
  readonly of: ChangedFunction
  /** Absent for mutants of another tool. */
  readonly kind?: Mutation['kind']
  readonly line: number
  /** The complete text of the file. */
  readonly text: string
  /** The changed line before and after, shortened. */
  readonly before: string
  readonly after: string
}

/** More take too long, and say little more about whether a function is tested. */
export const MOST_MUTANTS = 30
const LONGEST_LINE = 120

/**
 * The mutants to run, in this order: one of each function first, then a second one of each, and so on. Within a function the
 * strongest come first, and different kinds before more of the same.
 */
export function chooseMutants(sources: readonly ChangedSource[], most = MOST_MUTANTS): readonly Mutant[] {
  const queues = sources.flatMap(({ text, functions }) => functions.map((of) => mutantsOf(of, text)))
  const chosen: Mutant[] = []
  for (let round = 0; chosen.length < most; round++) {
    const next = queues.flatMap((queue) => queue[round] ?? [])
    if (next.length === 0) break
    chosen.push(...spread(next, most - chosen.length))
  }
  return chosen
}

/** If there is no room for all, every second or third one instead of the first ones. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  return Array.from({ length: most }, (_, at) => all[Math.floor((at * all.length) / most)]!)
}

function mutantsOf(of: ChangedFunction, text: string): readonly Mutant[] {
  const byKind = KINDS.map((kind) => of.mutations.filter((each) => each.kind === kind))
  const longest = Math.max(0, ...byKind.map(({ length }) => length))
  const inTurn = Array.from({ length: longest }, (_, at) => byKind.flatMap((kind) => kind[at] ?? [])).flat()
  const seen = new Set([text])
  return inTurn.flatMap((mutation) => {
    const changed = text.slice(0, mutation.start) + mutation.instead + text.slice(mutation.end)
    if (seen.has(changed)) return []
    seen.add(changed)
    return [{ of, kind: mutation.kind, line: mutation.line, text: changed, ...lineOf(text, changed, mutation) }]
  })
}

/** What changed, on one line. */
function lineOf(before: string, after: string, { start, end, instead }: Mutation): Pick<Mutant, 'before' | 'after'> {
  const from = before.lastIndexOf('\n', start - 1) + 1
  const until = (text: string, at: number) => (text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at))
  const short = (text: string) => {
    const line = text.replace(/\s+/g, ' ').trim()
    return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}...` : line
  }
  return {
    before: short(before.slice(from, until(before, end))),
    after: short(after.slice(from, until(after, start + instead.length))),
  }
}
