import type { Attributes } from '@opentelemetry/api'
import type { AgentResult } from '../../core/run.ts'

/** Names of providers in the GenAI semantic conventions, by the agent's output format. Any other agent is its own provider. */
const PROVIDERS: Readonly<Record<string, string>> = { claude: 'anthropic', codex: 'openai', gemini: 'gcp.gemini' }

export const providerOf = ({ format }: AgentResult): string => PROVIDERS[format] ?? format

/** The model that produced the most output. */
export function modelOf({ usage, format }: AgentResult): string | undefined {
  const models = Object.entries(usage.models ?? {}).filter(([name]) => name !== format)
  return models.sort(([, one], [, other]) => other.output - one.output)[0]?.[0]
}

/** Tokens by kind; undefined if the agent reports only a total. */
export function tokensOf({ usage }: AgentResult): { input: number; cached: number; output: number } | undefined {
  const models = Object.values(usage.models ?? {})
  if (models.length === 0) return undefined
  const sum = (of: (each: (typeof models)[number]) => number) => models.reduce((all, each) => all + of(each), 0)
  const cached = sum(({ cachedInput }) => cachedInput)
  return { input: cached + sum(({ input }) => input), cached, output: sum(({ output }) => output) }
}

/** The agent's part of an iteration, in the GenAI semantic conventions. */
export function agentAttributes(result: AgentResult): Attributes {
  const { session, usage, code } = result
  const tokens = tokensOf(result)
  const model = modelOf(result)
  return {
    'gen_ai.provider.name': providerOf(result),
    ...(model === undefined ? {} : { 'gen_ai.request.model': model, 'gen_ai.response.model': model }),
    ...(session === undefined ? {} : { 'gen_ai.conversation.id': session }),
    ...(tokens === undefined
      ? {}
      : {
          'gen_ai.usage.input_tokens': tokens.input,
          'gen_ai.usage.cache_read.input_tokens': tokens.cached,
          'gen_ai.usage.output_tokens': tokens.output,
        }),
    ...(usage.tokens === undefined ? {} : { 'exitgate.usage.tokens': usage.tokens }),
    ...(usage.usd === undefined ? {} : { 'gen_ai.usage.cost': usage.usd }),
    ...(code === null ? {} : { 'process.exit.code': code }),
  }
}
