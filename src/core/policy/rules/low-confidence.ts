import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'
import { languageConfidence } from '../measures.ts'

/** The agent's language sounds unsure: a person should look. Never a completion. */
export const lowConfidence = (least: number): Rule => ({
  name: 'low-confidence',
  when: (facts) => {
    const value = languageConfidence(facts)
    if (value === undefined) return finding('low-confidence', 'unknown', 'the agent printed nothing')
    return finding(
      'low-confidence',
      yesNo(value < least),
      value < least ? `AI confidence ${value}% < threshold ${least}%` : `AI confidence ${value}%`,
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'low-confidence' },
})
