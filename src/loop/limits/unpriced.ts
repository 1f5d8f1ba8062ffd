import type { LimitsConfig } from '../../core/config.ts'
import type { AgentProcess } from '../../core/run.ts'

/** A limit on what the agent does not tell cannot hold, and whoever relies on it should know after the first iteration. */
export function unpriced({ ended, usage }: AgentProcess, { usd, tokens }: LimitsConfig): readonly string[] {
  if (ended !== 'exit') return []
  return [
    ...(usd !== undefined && usage.usd === undefined
      ? [
          'the agent does not tell what it costs, so the limit on cost cannot hold; give run.prices, or limit iterations and minutes',
        ]
      : []),
    ...(tokens !== undefined && usage.tokens === undefined
      ? ['the agent does not tell how many tokens it uses, so that limit cannot hold; limit iterations and minutes']
      : []),
  ]
}
