import type { AbortedEnding, Facts, Limits, Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

const limit = (
  ending: AbortedEnding,
  most: number | undefined,
  used: (facts: Facts) => number,
  words: string,
): readonly Rule[] =>
  most === undefined
    ? []
    : [
        {
          name: ending,
          when: (facts) => finding(ending, yesNo(used(facts) >= most), `${round(used(facts))} of ${most} ${words}`),
          decision: { action: 'stop', outcome: 'aborted', ending },
        },
      ]

const round = (value: number): number => Math.round(value * 100) / 100

/** Each limit is a rule of its own, so that a cost stop is never reported as another. A cap of N lets N iterations run. */
export const limits = (most: Limits): readonly Rule[] => [
  ...limit('iterations', most.iterations, (facts) => facts.iteration, 'iterations were used'),
  ...limit('time', most.minutes, (facts) => facts.total.ms / 60_000, 'minutes were used'),
  ...limit('cost', most.usd, (facts) => facts.total.usd, 'dollars were spent'),
  ...limit('tokens', most.tokens, (facts) => facts.total.tokens, 'tokens were used'),
]
