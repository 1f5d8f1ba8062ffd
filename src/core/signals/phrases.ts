import { isAsserted, type PhraseKind } from '../../../packages/core/src/signals/negation.ts'
import { PHRASE_TABLE } from './phrase-table.ts'
import { sentencesOf } from './sentences.ts'

/**
 * Phrases that hint at something: finished work, confidence, a question. In the `default` preset they never complete a run. English
 * only: phrases and negation in other languages are out of scope.
 */
export interface Phrase {
  /** `group:name`, as presets refer to it. */
  readonly name: string
  readonly group: string
  readonly pattern: RegExp
  /** Lower case. Every matching line contains at least one of these, which makes searching large files fast. */
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

/** Names of the phrases that occur in these lines without negation, in table order, without duplicates. */
export function findPhrases(lines: Iterable<string>): string[] {
  const all = [...lines]
  const holds = (text: string) => (phrase: Phrase) => phrase.literals.some((literal) => text.includes(literal))
  // Most phrases don't occur at all, so search the whole text before each line.
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
