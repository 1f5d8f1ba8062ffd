import type { Config } from '../core/config.ts'
import { beforeOf } from '../core/journal/before.ts'
import { eventInputsOf, withoutTrace } from '../core/journal/event-inputs.ts'
import type { Decided, EventInput, JournalEvent, State } from '../core/journal/events.ts'
import { reduce } from '../core/journal/reduce.ts'
import type { PolicyOfPast } from '../core/journal/replay.ts'
import { otherCode } from '../core/own-parts.ts'
import { rest } from '../core/policy/breaker.ts'
import { type DecidedIteration, decideIteration } from '../core/policy/decide-iteration.ts'
import { usedUp } from '../core/policy/rules/limits.ts'
import type { Facts, Policy } from '../core/types.ts'
import { type ConfigWithPolicy, comparableFacts, type Seen } from './comparable-facts.ts'
import { sameStop } from './effect.ts'
import type { Alternative, DecidedAs, RunBacktest, Stop } from './types.ts'

type Of<T extends EventInput['type']> = Extract<JournalEvent, { type: T }>

/** What happens to a run of the past under the alternative, event by event. */
export interface SimulatedRun {
  /** `before` and `after` are the states of the past around the event. */
  take(event: JournalEvent, before: State, after: State): void
  result(): RunBacktest
}

/** The configuration in force, the one in its place, and what that one would have seen. */
interface Pair {
  readonly then: ConfigWithPolicy
  readonly other: ConfigWithPolicy
  readonly seen: Seen
}

export function simulateRun(
  start: Of<'run.started'>,
  before: State,
  alternative: Alternative,
  policyFor: PolicyOfPast,
): SimulatedRun {
  let pair: Pair | undefined
  // The run begins with the breaker that the run before it left in the past: every run is a question of its own.
  let state = before
  let recorded: Stop | undefined
  let stop: Stop | undefined
  let why: string | undefined
  let firstDifference: RunBacktest['firstDifference']
  let iterations = 0
  let looped = false
  let last: JournalEvent | undefined
  let spent = { ms: 0, tokens: 0, usd: 0 }
  let saved = { iterations: 0, ms: 0, tokens: 0, usd: 0 }

  /** Whether the alternative is still under way; an end that both have is none when the run was taken up again. */
  const goesOn = (): boolean => why === undefined && (stop === undefined || sameStop(stop, recorded))

  /** Undefined when that cannot be told, and then `why` says why. */
  function pairUp(config: Config | undefined): Pair | undefined {
    if (config === undefined) {
      why ??= 'no configuration was recorded'
      return undefined
    }
    if (pair?.then.config === config) return pair
    const policy = policyFor(config)
    // Asked second: the alternative may need the recorded preset, which is part of the code.
    const other = policy === undefined ? config : alternative.config(config)
    const policyOfOther = other === config ? policy : policyFor(other)
    if (policy === undefined || policyOfOther === undefined) {
      why ??= otherCode(config)
      return undefined
    }
    const then = { config, policy }
    const ruled = { config: other, policy: policyOfOther }
    return { then, other: ruled, seen: comparableFacts(then, ruled) }
  }

  function configure(event: Of<'run.started'> | Of<'config.changed'> | Of<'task.config'>, after: State): void {
    pair = pairUp(after.config)
    if (goesOn() && pair !== undefined) state = reduce(state, { ...event, config: pair.other.config })
  }

  /** Whatever is begun, decided or ended after an end means that the run was taken up again. */
  function again(): void {
    if (recorded === undefined) return
    if (goesOn()) stop = undefined
    recorded = undefined
  }

  function decided(event: Of<'iteration.decided'>, before: State): void {
    again()
    const { observation, verdict, iteration } = event
    iterations = iteration
    spend(observation.spent)
    if (goesOn() && pair !== undefined) decideAgain(event, before, pair)
    else if (why === undefined) saved = { ...saved, iterations: saved.iterations + 1 }
    recorded = stopOf(verdict, iteration)
  }

  function decideAgain(event: Of<'iteration.decided'>, before: State, { other, then, seen }: Pair): void {
    // Whatever else the alternative would have seen: a person who ends the run ends it.
    const byPerson = event.observation.interrupted || event.observation.forced?.scope === 'run'
    const observation = byPerson ? event.observation : seen(event.observation)
    if (typeof observation === 'string') {
      why = observation
      return
    }
    if (!byPerson && state.counters.phase !== before.counters.phase) {
      why = `after iteration ${before.iterations} the run would have been in another phase`
      return
    }
    const decision = decideIteration(beforeOf(state), observation, other.policy, event.at)
    if (!byPerson && isUnprompted(decision.facts, then.policy, other.policy)) {
      why = `the agent was not asked for the words that ${other.config.preset} listens to`
      return
    }
    note(event, decision)
    for (const happening of eventInputsOf(observation, decision)) state = reduce(state, stamped(happening, event))
    const end = stopOf(decision.verdict, decision.facts.iteration)
    if (end === undefined) return
    if (looped && waitsForIt(end, other) && !sameStop(end, stopOf(event.verdict, event.iteration)))
      why = `at iteration ${end.iteration} the breaker would have opened, and the run would have waited for it`
    else stop = end
  }

  function note(event: Of<'iteration.decided'>, { verdict }: DecidedIteration): void {
    if (firstDifference !== undefined || decisionText(event.verdict) === decisionText(withoutTrace(verdict))) return
    const { iteration } = event
    firstDifference = { iteration, recorded: decidedAs(event.verdict), alternative: decidedAs(verdict) }
  }

  /** Before an iteration starts, a loop looks whether a limit is used up or the breaker is open. */
  function startIteration(event: Of<'iteration.started'>, before: State): void {
    looped = true
    again()
    if (!goesOn() || pair === undefined) return
    const end = endBefore(state, pair.other, event.at)
    if (end === undefined || endBefore(before, pair.then, event.at)?.ending === end.ending) return
    if (waitsForIt(end, pair.other)) why = 'the breaker would have been open, and the run would have waited for it'
    else stop = end
  }

  function end(event: Of<'run.ended'>, before: State): void {
    if (last?.type === 'iteration.decided' && last.verdict.action === 'stop') return
    again()
    const { iteration, outcome, ending, reason } = event
    recorded = { iteration, outcome, ending, rule: ending, reason }
    if (why !== undefined || stop !== undefined || pair === undefined) return
    // An end by a limit or the breaker follows the policy; every other one happened to the run, and stays.
    const byPolicy = endBefore(before, pair.then, event.at)?.ending === ending
    stop = byPolicy ? endBefore(state, pair.other, event.at) : recorded
  }

  function spend(more: { readonly ms: number; readonly tokens: number; readonly usd: number }): void {
    const add = <T extends typeof spent>(so: T): T => ({
      ...so,
      ms: so.ms + more.ms,
      tokens: so.tokens + more.tokens,
      usd: so.usd + more.usd,
    })
    spent = add(spent)
    if (why === undefined && !goesOn()) saved = add(saved)
  }

  return {
    take(event, before, after) {
      if (event.type === 'iteration.decided') decided(event, before)
      else if (event.type === 'run.started' || event.type === 'config.changed' || event.type === 'task.config')
        configure(event, after)
      else if (event.type === 'iteration.started') startIteration(event, before)
      else if (event.type === 'run.ended') end(event, before)
      else if (event.type === 'run.resumed') again()
      else if (event.type === 'iteration.limited') spend(event.spent)
      if ((event.type === 'iteration.limited' || event.type === 'breaker.reset') && goesOn())
        state = reduce(state, event)
      last = event
    },
    result() {
      const preset = pair?.then.config.preset ?? start.config?.preset ?? '?'
      const base = { run: start.run, preset, iterations, spent, recorded }
      const different = firstDifference === undefined ? {} : { firstDifference }
      const none = { iterations: 0, ms: 0, tokens: 0, usd: 0 }
      if (why !== undefined)
        return { ...base, alternative: undefined, known: false, why, saved: none, effect: 'cannot-tell', ...different }
      if (stop === undefined && recorded !== undefined)
        return {
          ...base,
          alternative: undefined,
          known: false,
          why: BEYOND,
          saved: none,
          effect: 'goes-on',
          ...different,
        }
      return { ...base, alternative: stop, known: true, saved, effect: 'same', ...different }
    },
  }
}

const BEYOND = 'it would have gone on beyond the recorded end'

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

/** The end that a loop comes to before it starts another iteration: a used-up limit, or an open breaker. */
function endBefore(state: State, { config, policy }: ConfigWithPolicy, at: number): Stop | undefined {
  const { iterations: iteration, counters } = state
  const used = usedUp(config.limits, { iteration, total: counters.total })
  if (used !== undefined) return { iteration, outcome: 'aborted', rule: used.ending, ...used }
  const { breaker } = rest(counters.breaker, policy.breaker, at)
  if (!policy.breaker.enabled || breaker.state !== 'open') return undefined
  const reason = `Circuit breaker is OPEN: ${breaker.reason ?? 'no reason was recorded'}`
  return { iteration, outcome: 'stuck', ending: 'breaker', rule: 'breaker', reason }
}

/** A loop that waits until the breaker has cooled down goes on later, with iterations that nobody has seen. */
const waitsForIt = ({ ending }: Stop, { config, policy }: ConfigWithPolicy): boolean =>
  ending === 'breaker' && config.breaker.onOpen === 'wait' && policy.breaker.recovery === 'cooldown'

/** What nobody asked the agent for it could not say: its silence in a dialect of the alternative tells nothing. */
function isUnprompted(facts: Facts, then: Policy, other: Policy): boolean {
  if (then.prompt === other.prompt) return false
  return other.claim(facts).answer === 'unknown' && !hearsEveryDialect(facts, other)
}

function hearsEveryDialect(facts: Facts, policy: Policy): boolean {
  const signals = { ...facts.signals, claim: true, source: 'another', claims: { another: true }, said: {} }
  return policy.claim({ ...facts, signals }).answer === 'yes'
}
