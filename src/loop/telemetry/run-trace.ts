import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { LoopEvent } from '../../core/loop-event.ts'
import type { AgentResult } from '../../core/run.ts'
import { redact } from '../../system/redact.ts'
import { agentAttributes } from './agent-attributes.ts'

type EventOf<Type extends LoopEvent['type']> = Extract<LoopEvent, { type: Type }>

const MOST_TEXT = 1_000

/** Text of agents and commands: without secrets, and short. */
const text = (value: string): string => redact(value).slice(0, MOST_TEXT)

/** A run as a trace: the run, its iterations, and in each the agent, the evidence with its commands, and the decision. */
export class RunTrace {
  readonly #tracer: Tracer
  readonly #parent: Context
  #firstAt: number | undefined
  #lastAt: number | undefined
  #baseline: { readonly from: number; readonly to: number } | undefined
  #run: Span | undefined
  #agentName = 'agent'
  #iteration: Span | undefined
  #agent: Span | undefined
  #evidence: Span | undefined
  readonly #commands = new Map<number, Span>()

  constructor(tracer: Tracer, parent: Context) {
    this.#tracer = tracer
    this.#parent = parent
  }

  tell(event: LoopEvent): void {
    if ('at' in event) {
      this.#firstAt ??= event.at
      this.#lastAt = event.at
    }
    switch (event.type) {
      case 'baseline':
        this.#baseline = { from: event.done ? (this.#baseline?.from ?? event.at) : event.at, to: event.at }
        break
      case 'started':
        this.#start(event)
        break
      case 'iteration':
        this.#startIteration(event)
        break
      case 'agent-ended':
        this.#endAgent(event.result, event.at)
        break
      case 'evidence':
        this.#evidence = this.#child('evidence', this.#iteration ?? this.#run, event.at)
        break
      case 'command':
        this.#startCommand(event)
        break
      case 'command-ended':
        this.#endCommand(event)
        break
      case 'decided':
        this.#decide(event)
        break
      case 'waiting':
        this.#note('waiting', event.at, { 'exitgate.wait.reason': text(event.why) })
        break
      case 'warning':
        this.#note('warning', event.at, { 'exitgate.warning': text(event.text) })
        break
      case 'control':
        this.#note('control', event.at, { 'exitgate.control': event.control.kind })
        break
      case 'checkpoint':
        this.#note('checkpoint', event.at, { 'vcs.ref.head.revision': event.commit })
        break
      case 'ended':
        this.#end(event)
        break
    }
  }

  /** Ends what is open. A run that continues elsewhere has no outcome here. */
  close(): void {
    this.#endIteration(this.#lastAt)
    this.#run?.end(this.#lastAt)
    this.#run = undefined
  }

  #start({ run, preset, sandbox, resumed, command, config, at }: EventOf<'started'>): void {
    this.#agentName = config.run.agent ?? command[0]?.split(/[\\/]/).at(-1) ?? 'agent'
    const attributes = {
      'exitgate.run.id': run,
      'exitgate.preset': preset,
      'exitgate.resumed': resumed,
      ...(sandbox === undefined ? {} : { 'exitgate.sandbox': text(sandbox) }),
    }
    this.#run = this.#tracer.startSpan('exitgate run', { startTime: this.#firstAt ?? at, attributes }, this.#parent)
    if (this.#baseline !== undefined) this.#child('baseline', this.#run, this.#baseline.from).end(this.#baseline.to)
  }

  #startIteration({ iteration, attempt, phase, at }: EventOf<'iteration'>): void {
    // The provider's limit ended the one before, so nothing was decided.
    this.#endIteration(at)
    // A worker that takes over a run doesn't start it.
    const resumed = { 'exitgate.resumed': true }
    this.#run ??= this.#tracer.startSpan('exitgate run', { startTime: at, attributes: resumed }, this.#parent)
    this.#iteration = this.#child(`iteration ${iteration}`, this.#run, at, {
      'exitgate.iteration': iteration,
      'exitgate.attempt': attempt,
      ...(phase === undefined ? {} : { 'exitgate.phase': text(phase) }),
    })
    const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': text(this.#agentName) }
    this.#agent = this.#child(`invoke_agent ${text(this.#agentName)}`, this.#iteration, at, agent)
  }

  #endAgent(result: AgentResult, at: number): void {
    this.#agent?.setAttributes(agentAttributes(result))
    if (result.code !== 0) {
      this.#agent?.setAttribute('error.type', result.ended === 'exit' ? `exit ${result.code}` : result.ended)
      this.#agent?.setStatus({
        code: SpanStatusCode.ERROR,
        message: text(result.problem ?? result.errors[0]?.message ?? ''),
      })
    }
    this.#agent?.end(at)
    this.#agent = undefined
  }

  #startCommand({ id, check, command, run, at }: EventOf<'command'>): void {
    const span = this.#child(`check ${text(check)}`, this.#evidence ?? this.#run, at, {
      'exitgate.check': text(check),
      'process.command_line': text(command),
      ...(run === undefined ? {} : { 'exitgate.check.run': run }),
    })
    this.#commands.set(id, span)
  }

  #endCommand({ id, code, at }: EventOf<'command-ended'>): void {
    const span = this.#commands.get(id)
    this.#commands.delete(id)
    if (code !== null) span?.setAttribute('process.exit.code', code)
    span?.end(at)
  }

  #decide({ verdict, observation, at }: EventOf<'decided'>): void {
    for (const { check, answer, ms } of Object.values(observation.evidence))
      this.#evidence?.addEvent(text(check), { 'exitgate.answer': answer, 'exitgate.duration_ms': ms }, at)
    this.#evidence?.end(at)
    this.#evidence = undefined
    const decided = {
      'exitgate.action': verdict.action,
      'exitgate.rule': verdict.rule,
      'exitgate.reason': text(verdict.reason),
      'exitgate.claim': verdict.gate.claim,
      'exitgate.proof': verdict.gate.proof,
      ...(verdict.action === 'stop' ? { 'exitgate.ending': verdict.ending } : {}),
    }
    this.#child('decision', this.#iteration ?? this.#run, at, decided).end(at)
    this.#iteration?.setAttribute('exitgate.action', verdict.action)
    this.#endIteration(at)
  }

  #end({ end, at }: EventOf<'ended'>): void {
    this.#endIteration(at)
    this.#run?.setAttributes({
      'exitgate.outcome': end.outcome,
      'exitgate.ending': end.ending,
      'exitgate.iterations': end.iterations,
      'exitgate.usage.tokens': end.total.tokens,
      'gen_ai.usage.cost': end.total.usd,
    })
    const completed = end.outcome === 'completed'
    this.#run?.setStatus(
      completed ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: text(end.reason) },
    )
    this.#run?.end(at)
    this.#run = undefined
  }

  #endIteration(at: number | undefined): void {
    for (const span of this.#commands.values()) span.end(at)
    this.#commands.clear()
    for (const span of [this.#agent, this.#evidence, this.#iteration]) span?.end(at)
    this.#agent = undefined
    this.#evidence = undefined
    this.#iteration = undefined
  }

  #note(name: string, at: number, attributes: Attributes): void {
    this.#run?.addEvent(name, attributes, at)
  }

  #child(name: string, parent: Span | undefined, startTime: number, attributes: Attributes = {}): Span {
    const context = parent === undefined ? this.#parent : trace.setSpan(ROOT_CONTEXT, parent)
    return this.#tracer.startSpan(name, { startTime, attributes }, context)
  }
}
