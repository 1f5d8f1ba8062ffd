import type { Counter, Histogram, Meter } from '@opentelemetry/api'
import type { LoopEvent } from '../../core/loop-event.ts'
import { modelOf, providerOf, tokensOf } from './agent-attributes.ts'

/** Outcomes, decisions, rejected claims, the time of checks, and what the agent used. */
export class RunMetrics {
  readonly #started: Counter
  readonly #ended: Counter
  readonly #iterations: Counter
  readonly #rejected: Counter
  readonly #evidence: Histogram
  readonly #cost: Counter
  readonly #tokens: Histogram
  readonly #duration: Histogram

  constructor(meter: Meter) {
    const counter = (name: string, description: string, unit = '1') => meter.createCounter(name, { description, unit })
    const histogram = (name: string, description: string, unit: string) =>
      meter.createHistogram(name, { description, unit })
    this.#started = counter('exitgate.runs.started', 'Runs that started')
    this.#ended = counter('exitgate.runs', 'Runs that ended, by outcome')
    this.#iterations = counter('exitgate.iterations', 'Decided iterations')
    this.#rejected = counter('exitgate.claims.rejected', 'Claims that the checks did not confirm')
    this.#evidence = histogram('exitgate.evidence.duration', 'Time of each check', 's')
    this.#cost = counter('exitgate.cost', 'Cost of the agent', '{USD}')
    this.#tokens = histogram('gen_ai.client.token.usage', 'Tokens of one start of the agent', '{token}')
    this.#duration = histogram('gen_ai.client.operation.duration', 'Time of one start of the agent', 's')
  }

  tell(event: LoopEvent): void {
    switch (event.type) {
      case 'started':
        this.#started.add(1, { 'exitgate.preset': event.preset })
        break
      case 'agent-ended':
        this.#agent(event)
        break
      case 'decided':
        this.#decided(event)
        break
      case 'ended':
        this.#ended.add(1, { 'exitgate.outcome': event.end.outcome, 'exitgate.ending': event.end.ending })
        break
    }
  }

  #agent({ result }: Extract<LoopEvent, { type: 'agent-ended' }>): void {
    const model = modelOf(result)
    const about = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': providerOf(result),
      ...(model === undefined ? {} : { 'gen_ai.request.model': model }),
    }
    this.#duration.record(result.ms / 1000, about)
    const tokens = tokensOf(result)
    if (tokens !== undefined) {
      this.#tokens.record(tokens.input, { ...about, 'gen_ai.token.type': 'input' })
      this.#tokens.record(tokens.output, { ...about, 'gen_ai.token.type': 'output' })
    }
    if (result.usage.usd !== undefined) this.#cost.add(result.usage.usd, about)
  }

  #decided({ verdict, observation }: Extract<LoopEvent, { type: 'decided' }>): void {
    const { action, rule, gate } = verdict
    this.#iterations.add(1, { 'exitgate.action': action })
    const isConfirmed = action === 'advance' || (action === 'stop' && verdict.outcome === 'completed')
    if (gate.claim === 'yes' && !isConfirmed) this.#rejected.add(1, { 'exitgate.rule': rule })
    for (const { check, answer, ms } of Object.values(observation.evidence))
      this.#evidence.record(ms / 1000, { 'exitgate.check': check, 'exitgate.answer': answer })
  }
}
