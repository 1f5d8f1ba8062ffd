import type { Condition, Rule, StreakPolicy } from '../../types.ts'
import { movedOn } from '../conditions.ts'
import { finding, yesNo } from '../finding.ts'
import { phraseGroup } from '../measures.ts'

/**
 * The agent asks a person for leave, or its host refused a tool, and the iteration came to nothing. Words count unless files are known to have
 * changed; a refusal alone only where they are known to be the same, because one tool that is not allowed stops nobody.
 */
const asks: Condition = (facts) => {
  const { denials, phrases } = facts.signals
  const has = (group: string) => phrases.some(phraseGroup(group))
  const refused = denials.length > 0
  const inWords = has('asks') || (refused && has('ralph-question'))
  if (!refused && !inWords) return finding('asks', 'no', 'the agent asks nobody')
  const moved = movedOn(facts).answer
  return finding('asks', yesNo(moved === 'no' || (inWords && moved === 'unknown')), 'the agent asks for permission')
}

/** Iterations in a row that came to nothing because nobody was there to answer. */
export const asking: StreakPolicy = { when: asks }

/** Nobody answers in a loop: asking once more changes nothing, and a person can end it with one setting. */
export const asksPermission = (limit: number): Rule => ({
  name: 'asks-permission',
  when: ({ streaks, signals }) => {
    const n = streaks.asking?.n ?? 0
    const refused = signals.denials.at(-1)
    return finding(
      'asks-permission',
      yesNo(n >= limit),
      n >= limit
        ? `the agent asked for permission in ${n} iterations in a row and nothing changed${refused === undefined ? '' : `; its host refused ${refused}`}`
        : `${n} iterations in a row in which the agent only asked for permission`,
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})
