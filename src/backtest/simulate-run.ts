import type { Config } from '../core/config.ts'
import { beforeOf } from '../core/journal/before.ts'
import { eventInputsOf, withoutTrace } from '../core/journal/event-inputs.ts'
import type { Decided, EventInput, JournalEvent, State } from '../core/journal/events.ts'
import { reduce } from '../core/journal/reduce.ts'
import { missingCodeText } from '../core/own-parts.ts'
import { rest } from '../core/policy/breaker.ts'
import { type DecidedIteration, decideIteration } from '../core/policy/decide.ts'
import { usedUp } from '../core/policy/rules/limits.ts'
import type { Spent } from '../core/types.ts'
import { type ConfigWithPolicy, isUnprompted } from './comparable-facts.ts'
import { sameStop } from './effect.ts'
import type { Pair, PairLookup } from './pairs.ts'
import type { DecidedAs, RunBacktest, Stop } from './types.ts'

const PAST_RECORDED_END = 'it would have continued past the recorded end'
const NOTHING_SAVED = { iterations: 0, ms: 0, tokens: 0, usd: 0 }

type Of<T extends EventInput['type']> = Extract<JournalEvent, { type: T }>

/** Simulates a recorded run with the alternative, event by event. */
export class SimulatedRun {
  readonly #run: string
  readonly #pairFor: PairLookup
  #pair: Pair | undefined
  /** The state with the alternative. */
  #state: State
  /** How the run ended as recorded, and with the alternative. */
  #recorded: Stop | undefined
  #stop: Stop | undefined
  /** Why the end with the alternative is unknown. */
  #why: string | undefined
  #firstDifference: RunBacktest['firstDifference']
  #iterations = 0
  #looped = false
  #last: JournalEvent | undefined
  #spent: Spent = { ms: 0, tokens: 0, usd: 0 }
  #saved = NOTHING_SAVED

  /** The run starts with the breaker state the previous recorded run left, because every run is simulated separately. */
  constructor(run: string, before: State, pairFor: PairLookup) {
    this.#run = run
    this.#state = before
    this.#pairFor = pairFor
  }

  /** `before` and `after` are the recorded states around the event. */
  take(event: JournalEvent, before: State, after: State): void {
    if (event.type === 'iteration.decided') this.#decided(event, before)
    else if (event.type === 'run.started' || event.type === 'config.changed' || event.type === 'task.config')
      this.#configure(event, after)
    else if (event.type === 'iteration.started') this.#startIteration(event, before)
    else if (event.type === 'run.ended') this.#end(event, before)
    else if (event.type === 'run.resumed') this.#clearEndOfResumedRun()
    else if (event.type === 'iteration.limited') this.#spend(event.spent)
    const counts = event.type === 'iteration.limited' || event.type === 'breaker.reset' || event.type === 'run.resumed'
    if (counts && this.#isRunning()) this.#state = reduce(this.#state, event)
    this.#last = event
  }

  result(): RunBacktest {
    const base = {
      run: this.#run,
      preset: this.#pair?.then.config.preset ?? '?',
      iterations: this.#iterations,
      spent: this.#spent,
      recorded: this.#recorded,
    }
    const different = this.#firstDifference === undefined ? {} : { firstDifference: this.#firstDifference }
    const unknown = (why: string, effect: 'cannot-tell' | 'goes-on'): RunBacktest => ({
      ...base,
      alternative: undefined,
      known: false,
      why,
      saved: NOTHING_SAVED,
      effect,
      ...different,
    })
    if (this.#why !== undefined) return unknown(this.#why, 'cannot-tell')
    if (this.#stop === undefined && this.#recorded !== undefined) return unknown(PAST_RECORDED_END, 'goes-on')
    return { ...base, alternative: this.#stop, known: true, saved: this.#saved, effect: 'same', ...different }
  }

  /** Whether the alternative is still running. An end both have doesn't count if the run was resumed. */
  #isRunning(): boolean {
    return this.#why === undefined && (this.#stop === undefined || sameStop(this.#stop, this.#recorded))
  }

  /** Undefined if the configuration or its code is missing; `#why` has the reason. */
  #pairConfigs(config: Config | undefined): Pair | undefined {
    if (config === undefined) {
      this.#why ??= 'no configuration was recorded'
      return undefined
    }
    const pair = this.#pairFor(config)
    if (pair === undefined) this.#why ??= missingCodeText(config)
    return pair
  }

  #configure(event: Of<'run.started'> | Of<'config.changed'> | Of<'task.config'>, after: State): void {
    this.#pair = this.#pairConfigs(after.config)
    if (this.#isRunning() && this.#pair !== undefined)
      this.#state = reduce(this.#state, { ...event, config: this.#pair.other.config })
  }

  /** An event after an end means the run was resumed. */
  #clearEndOfResumedRun(): void {
    if (this.#recorded === undefined) return
    if (this.#isRunning()) this.#stop = undefined
    this.#recorded = undefined
  }

  #decided(event: Of<'iteration.decided'>, before: State): void {
    this.#clearEndOfResumedRun()
    const { observation, verdict, iteration } = event
    this.#iterations = iteration
    this.#spend(observation.spent)
    if (this.#isRunning() && this.#pair !== undefined) this.#decideAgain(event, before, this.#pair)
    else if (this.#why === undefined) this.#saved = { ...this.#saved, iterations: this.#saved.iterations + 1 }
    this.#recorded = stopOf(verdict, iteration)
  }

  #decideAgain(event: Of<'iteration.decided'>, before: State, { other, then, seen }: Pair): void {
    // If the user ended the run, it ends with the alternative too.
    const byUser = event.observation.interrupted || event.observation.forced?.scope === 'run'
    const observation = byUser ? event.observation : seen(event.observation)
    if (typeof observation === 'string') {
      this.#why = observation
      return
    }
    if (!byUser && this.#state.counters.phase !== before.counters.phase) {
      this.#why = `after iteration ${before.iterations} the run would have been in another phase`
      return
    }
    const decision = decideIteration(beforeOf(this.#state), observation, other.policy, event.at)
    if (!byUser && isUnprompted(decision.facts, then.policy, other.policy)) {
      this.#why = `the prompt did not describe the status format of ${other.config.preset}`
      return
    }
    this.#firstDifference ??= differenceAt(event, decision)
    for (const input of eventInputsOf(observation, decision)) this.#state = reduce(this.#state, stamped(input, event))
    const end = stopOf(decision.verdict, decision.facts.iteration)
    if (end === undefined) return
    if (this.#looped && waitsForBreaker(end, other) && !sameStop(end, stopOf(event.verdict, event.iteration)))
      this.#why = `at iteration ${end.iteration} the breaker would have opened and the run would have waited`
    else this.#stop = end
  }

  /** Before each iteration a loop checks limits and the breaker. */
  #startIteration(event: Of<'iteration.started'>, before: State): void {
    this.#looped = true
    this.#clearEndOfResumedRun()
    if (!this.#isRunning() || this.#pair === undefined) return
    const { then, other } = this.#pair
    const end = endBeforeIteration(this.#state, other, event.at)
    if (end === undefined || endBeforeIteration(before, then, event.at)?.ending === end.ending) return
    if (waitsForBreaker(end, other)) this.#why = 'the breaker would have been open and the run would have waited'
    else this.#stop = end
  }

  #end(event: Of<'run.ended'>, before: State): void {
    if (this.#last?.type === 'iteration.decided' && this.#last.verdict.action === 'stop') return
    this.#clearEndOfResumedRun()
    const { iteration, outcome, ending, reason } = event
    this.#recorded = { iteration, outcome, ending, rule: ending, reason }
    if (this.#why !== undefined || this.#stop !== undefined || this.#pair === undefined) return
    // Ends caused by a limit or the breaker follow the policy; all others stay.
    const byPolicy = endBeforeIteration(before, this.#pair.then, event.at)?.ending === ending
    this.#stop = byPolicy ? endBeforeIteration(this.#state, this.#pair.other, event.at) : this.#recorded
  }

  #spend(more: Spent): void {
    this.#spent = plus(this.#spent, more)
    if (this.#why === undefined && !this.#isRunning()) this.#saved = plus(this.#saved, more)
  }
}

const plus = <T extends Spent>(sum: T, { ms, tokens, usd }: Spent): T => ({
  ...sum,
  ms: sum.ms + ms,
  tokens: sum.tokens + tokens,
  usd: sum.usd + usd,
})

function differenceAt(event: Of<'iteration.decided'>, { verdict }: DecidedIteration): RunBacktest['firstDifference'] {
  if (decisionText(event.verdict) === decisionText(withoutTrace(verdict))) return undefined
  return { iteration: event.iteration, recorded: decidedAs(event.verdict), alternative: decidedAs(verdict) }
}

function stopOf(verdict: Decided, iteration: number): Stop | undefined {
  if (verdict.action !== 'stop') return undefined
  const { outcome, ending, rule, reason } = verdict
  return { iteration, outcome, ending, rule, reason }
}

function decidedAs(verdict: Decided): DecidedAs {
  const { rule, reason } = verdict
  return { action: actionText(verdict), rule, reason }
}

const actionText = (verdict: Decided): string =>
  verdict.action === 'stop'
    ? `${verdict.outcome}/${verdict.ending}`
    : verdict.action === 'advance'
      ? `advance to ${verdict.phase}`
      : 'continue'

const decisionText = (verdict: Decided): string => `${actionText(verdict)} ${verdict.rule}`

const stamped = (happening: EventInput, { v, seq, at, prev }: JournalEvent): JournalEvent => ({
  v,
  seq,
  at,
  prev,
  ...happening,
})

/** The end before another iteration starts: a limit is reached, or the breaker is open. */
function endBeforeIteration(state: State, { config, policy }: ConfigWithPolicy, at: number): Stop | undefined {
  const { iterations: iteration, counters } = state
  const used = usedUp(config.limits, { iteration, total: counters.total })
  if (used !== undefined) return { iteration, outcome: 'aborted', rule: used.ending, ...used }
  const { breaker } = rest(counters.breaker, policy.breaker, at)
  if (!policy.breaker.enabled || breaker.state !== 'open') return undefined
  const reason = `Circuit breaker is OPEN: ${breaker.reason ?? 'no reason was recorded'}`
  return { iteration, outcome: 'stuck', ending: 'breaker', rule: 'breaker', reason }
}

/** A loop that waits for the breaker's cooldown continues later, with iterations that were never recorded. */
const waitsForBreaker = ({ ending }: Stop, { config, policy }: ConfigWithPolicy): boolean =>
  ending === 'breaker' && config.breaker.onOpen === 'wait' && policy.breaker.recovery === 'cooldown'
