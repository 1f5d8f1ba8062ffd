import { count } from '../../../packages/core/src/count.ts'
import { limitDoubts } from '../../../packages/exitgate/src/agents/limit-warnings.ts'
import { LAUNCHERS } from '../../agents/launch/index.ts'
import type { Launcher } from '../../agents/launch/launcher.ts'
import { LIST_PRICES_DATE } from '../../agents/list-prices.ts'
import type { Config } from '../../core/config.ts'
import type { PreflightFact } from '../../core/run.ts'
import { findModel } from '../agent/find-model.ts'
import { priceOf } from '../limits/cost.ts'
import { type AgentPlace, launcherOf } from './agent.ts'

/** The limits of the run, and whether exitgate can enforce them. */
export function limitsFact({ limits, run }: Config, place: Pick<AgentPlace, 'workspace' | 'env'>): PreflightFact {
  const { iterations, minutes, usd, tokens, callsPerHour } = limits
  const parts = [
    ...(iterations === undefined ? [] : [count(iterations, 'iteration')]),
    ...(minutes === undefined ? [] : [count(minutes, 'minute')]),
    ...(usd === undefined ? [] : [`$${usd}`]),
    ...(tokens === undefined ? [] : [count(tokens, 'token')]),
    ...(callsPerHour === undefined ? [] : [`${count(callsPerHour, 'call')} an hour`]),
  ]
  const text = parts.length === 0 ? 'none' : parts.join(', ')
  const name = 'limits'
  if (usd === undefined && tokens === undefined) return { name, state: 'good', text }
  const agents = agentsOf(run)
  const found = usd === undefined ? [] : agents.map((agent) => costOf(agent, run, place))
  const unknown = found.find((cost) => cost.remedy !== undefined)
  if (unknown?.remedy !== undefined) {
    const why = `$${usd} can't be enforced: ${unknown.text}`
    return { name, state: 'bad', text: `${text}; ${why}`, remedy: unknown.remedy, blocks: true }
  }
  const doubts = limitDoubts(agents, { usd, tokens })
  const notes = [...new Set([...found.flatMap((cost) => cost.text ?? []), ...doubts])]
  const isSure = found.every((cost) => cost.isSure) && doubts.length === 0
  return { name, state: isSure ? 'good' : 'note', text: [text, ...notes].join('; ') }
}

interface StartedAgent {
  readonly launcher: Launcher | undefined
  readonly args: readonly string[]
}

/** The agent and its fallback. */
function agentsOf(run: Config['run']): readonly StartedAgent[] {
  const { agent, fallbackAgent = agent, fallbackModel, fallbackArgs = [] } = run
  const first = { launcher: launcherOf(run), args: [...run.agentArgs, ...run.command.slice(1)] }
  if (run.fallbackAgent === undefined && fallbackModel === undefined) return [first]
  const launcher = LAUNCHERS.find(({ name }) => name === fallbackAgent)
  return [
    first,
    { launcher, args: [...fallbackArgs, ...(fallbackModel === undefined ? [] : ['--model', fallbackModel])] },
  ]
}

/** Whether the cost of an agent will be known. A remedy means that it will not. */
interface CostSource {
  readonly isSure: boolean
  readonly text?: string
  readonly remedy?: string
}

function costOf(
  { launcher, args }: StartedAgent,
  { prices }: Config['run'],
  { workspace, env }: Pick<AgentPlace, 'workspace' | 'env'>,
): CostSource {
  if (launcher === undefined)
    return { isSure: false, text: 'the first iteration shows whether this agent reports costs' }
  if (launcher.reportsCost) return { isSure: true }
  const agent = launcher.name
  const model = findModel(launcher, { args, workspace, env })
  if (launcher.reportsTokens === false)
    return {
      isSure: false,
      text: `${agent} reports neither costs nor tokens`,
      remedy: 'Use --max-iterations and --max-minutes instead.',
    }
  if (priceOf({ agent }, prices) !== undefined) return { isSure: true }
  if (model === undefined && launcher.model?.inOutput !== true)
    return Object.keys(prices).length > 0
      ? { isSure: false, text: 'the first iteration shows whether run.prices contains its model' }
      : {
          isSure: false,
          text: `${agent} reports no costs, and no setting names its model`,
          remedy: `Name the model (-- --model NAME), or set run.prices["${agent}"].`,
        }
  if (model === undefined) return { isSure: true, text: `estimated at list prices of ${LIST_PRICES_DATE}` }
  const price = priceOf({ agent, model }, prices)
  if (price === undefined)
    return {
      isSure: false,
      text: `${agent} reports no costs, and there is no price for "${model}"`,
      remedy: `Set run.prices["${model}"], or use --max-iterations and --max-minutes instead.`,
    }
  const isOwn = Object.values(prices).includes(price)
  return { isSure: true, ...(isOwn ? {} : { text: `estimated at list prices of ${LIST_PRICES_DATE} for ${model}` }) }
}
