import { count } from '../../../core/src/count.ts'
import type { ReportedUsage } from './session-usage.ts'

/** The limits of a run that count what its agent uses. */
export interface UsageLimits {
  readonly usd?: number | undefined
  readonly tokens?: number | undefined
}

/** Warns after a start if a limit can't be enforced, because the agent doesn't report what it uses. */
export function unenforced({ ended, usage }: Start, { usd, tokens }: UsageLimits): readonly string[] {
  if (ended === 'not-started' || ended === 'aborted') return []
  const [noCost, noTokens] = [
    usd !== undefined && usage.usd === undefined,
    tokens !== undefined && usage.tokens === undefined,
  ]
  if (ended !== 'exit') {
    const flags = [...(noCost ? ['--max-cost'] : []), ...(noTokens ? ['--max-tokens'] : [])].join(' and ')
    return flags === ''
      ? []
      : [`The agent was ended before it reported what it used, so ${flags} can't count that start.`]
  }
  return [
    ...(noCost
      ? [
          "This agent doesn't report costs, so --max-cost can't be enforced. Set run.prices, or use --max-iterations and --max-minutes.",
        ]
      : []),
    ...(usd !== undefined && usage.usd === 0 && (usage.tokens ?? 0) > 0
      ? ['This agent reports a cost of $0, so --max-cost never ends the run. If its model is not free, set run.prices.']
      : []),
    ...(noTokens
      ? ["This agent doesn't report tokens, so --max-tokens can't be enforced. Use --max-iterations and --max-minutes."]
      : []),
  ]
}

interface Start {
  readonly ended: 'exit' | 'deadline' | 'silence' | 'runaway' | 'aborted' | 'not-started'
  readonly usage: ReportedUsage
}

/** What is known of an agent before it starts. */
interface Known {
  readonly launcher: { readonly name: string; readonly reportsTokens?: false | 'at its end' } | undefined
}

/** Why a limit may count too little, before the first start. Costs that are never known are another matter. */
export function limitDoubts(agents: readonly Known[], { usd, tokens }: UsageLimits): readonly string[] {
  return agents.flatMap(({ launcher }): readonly string[] => {
    if (launcher === undefined)
      return tokens === undefined ? [] : ['the first iteration shows whether this agent reports tokens']
    const { name, reportsTokens } = launcher
    if (reportsTokens === false)
      return tokens === undefined
        ? []
        : [`${count(tokens, 'token')} can't be enforced, because ${name} reports no tokens`]
    const limits = [
      ...(usd === undefined ? [] : [`$${usd}`]),
      ...(tokens === undefined ? [] : [count(tokens, 'token')]),
    ]
    if (reportsTokens === undefined || limits.length === 0) return []
    return [
      `${name} reports what it used only at its end, so ${limits.join(' and ')} can't count a start that is ended early`,
    ]
  })
}
