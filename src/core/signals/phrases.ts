import { isAsserted, type PhraseKind } from './negation.ts'
import { PHRASE_TABLE } from './phrase-table.ts'
import { sentencesOf } from './sentences.ts'

/**
 * Phrases that hint at something: that the work is finished, how sure the agent is, that it asks. Hints only; in the
 * `default` preset they open nothing. English only: negation in German, Spanish or French is out of scope, and so are
 * the phrases themselves.
 */
export interface Phrase {
  /** `group:name`, as the presets know it. */
  readonly name: string
  readonly group: string
  readonly pattern: RegExp
  /** Lower-case; at least one stands in every lower-cased line that matches. The filter for huge files. */
  readonly literals: readonly string[]
  readonly weighing: PhraseKind
}

export const PHRASES: readonly Phrase[] = PHRASE_TABLE.flatMap(({ group, weighing, rows }) =>
  rows.map(([name, pattern, ...literals]) => ({
    name: `${group}:${name}`,
    group,
    pattern,
    literals,
    weighing,
  })),
)

/** Names of the phrases that stand, un-negated, in these lines; in the order of the table, each once. */
export function findPhrases(lines: Iterable<string>): string[] {
  const all = [...lines]
  const holds = (text: string) => (phrase: Phrase) => phrase.literals.some((literal) => text.includes(literal))
  // Most phrases stand nowhere: one look at the whole text spares a look at every line.
  let open = PHRASES.filter(holds(all.join('\n').toLowerCase()))
  const found = new Set<string>()
  for (const line of all) {
    if (open.length === 0) break
    const candidates = open.filter(holds(line.toLowerCase()))
    if (candidates.length === 0) continue
    const sentences = sentencesOf(line)
    for (const { name, pattern, weighing } of candidates)
      if (sentences.some((sentence) => isAsserted(pattern, weighing, sentence))) found.add(name)
    open = open.filter(({ name }) => !found.has(name))
  }
  return PHRASES.map(({ name }) => name).filter((name) => found.has(name))
}
