import type { AbortedEnding, Facts, Limits, Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

type Used = Pick<Facts, 'iteration' | 'total'>

/** One limit: where it is set, how much of it is used, and how that is said. */
interface Limit {
  readonly ending: AbortedEnding
  readonly most: (limits: Limits) => number | undefined
  readonly used: (facts: Used) => number
  readonly words: string
}

const LIMITS: readonly Limit[] = [
  { ending: 'iterations', most: (l) => l.iterations, used: (f) => f.iteration, words: 'iterations were used' },
  { ending: 'time', most: (l) => l.minutes, used: (f) => f.total.ms / 60_000, words: 'minutes were used' },
  { ending: 'cost', most: (l) => l.usd, used: (f) => f.total.usd, words: 'dollars were spent' },
  { ending: 'tokens', most: (l) => l.tokens, used: (f) => f.total.tokens, words: 'tokens were used' },
]

const round = (value: number): number => Math.round(value * 100) / 100
const detail = ({ used, words }: Limit, facts: Used, most: number): string =>
  `${round(used(facts))} of ${most} ${words}`

/** Each limit is a rule of its own, so that a cost stop is never reported as another. A cap of N lets N iterations run. */
export const limits = (limits: Limits): readonly Rule[] =>
  LIMITS.flatMap((limit): readonly Rule[] => {
    const { ending } = limit
    const most = limit.most(limits)
    if (most === undefined) return []
    return [
      {
        name: ending,
        when: (facts) => finding(ending, yesNo(limit.used(facts) >= most), detail(limit, facts, most)),
        decision: { action: 'stop', outcome: 'aborted', ending },
      },
    ]
  })

/** The first limit that is used up already, in the words its rule would use. */
export function usedUp(
  limits: Limits,
  facts: Used,
): { readonly ending: AbortedEnding; readonly reason: string } | undefined {
  for (const limit of LIMITS) {
    const most = limit.most(limits)
    if (most !== undefined && limit.used(facts) >= most)
      return { ending: limit.ending, reason: detail(limit, facts, most) }
  }
  return undefined
}
