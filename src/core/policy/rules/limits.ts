import { count } from '../../../../packages/core/src/count.ts'
import type { AbortedEnding, Facts, Limits, Rule } from '../../types.ts'
import { finding, stops, yesNo } from '../finding.ts'

type Used = Pick<Facts, 'iteration' | 'total'>

/** One limit: where it is set, how much of it is used, and how to write that. */
interface Limit {
  readonly ending: AbortedEnding
  readonly most: (limits: Limits) => number | undefined
  readonly used: (facts: Used) => number
  readonly text: (used: number, most: number) => string
}

const usedOf =
  (unit: string) =>
  (used: number, most: number): string =>
    `${Math.round(used * 100) / 100} of ${count(most, unit)} used`

const LIMITS: readonly Limit[] = [
  { ending: 'iterations', most: (l) => l.iterations, used: (f) => f.iteration, text: usedOf('iteration') },
  { ending: 'time', most: (l) => l.minutes, used: (f) => f.total.ms / 60_000, text: usedOf('minute') },
  {
    ending: 'cost',
    most: (l) => l.usd,
    used: (f) => f.total.usd,
    text: (used, most) => `$${used.toFixed(2)} of $${most.toFixed(2)} spent`,
  },
  { ending: 'tokens', most: (l) => l.tokens, used: (f) => f.total.tokens, text: usedOf('token') },
]

const detail = ({ used, text }: Limit, facts: Used, most: number): string => text(used(facts), most)

/** Each limit is its own rule, so that each stop names the right limit. A limit of N lets N iterations run. */
export const limits = (limits: Limits): readonly Rule[] =>
  LIMITS.flatMap((limit): readonly Rule[] => {
    const { ending } = limit
    const most = limit.most(limits)
    if (most === undefined) return []
    return [
      stops('aborted', ending, ending, (facts) =>
        finding(ending, yesNo(limit.used(facts) >= most), detail(limit, facts, most)),
      ),
    ]
  })

/** The first limit that is already used up, with the text of its rule. */
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
