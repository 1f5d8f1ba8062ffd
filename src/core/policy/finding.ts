import { count } from '../../../packages/core/src/count.ts'
import type { Answer, Condition, Ending, Facts, Finding, Outcome, Rule } from '../types.ts'

/** What every condition returns. */
export function finding(name: string, answer: Answer, detail: string, parts?: readonly Finding[]): Finding {
  return parts ? { name, answer, detail, parts } : { name, answer, detail }
}

export const yesNo = (holds: boolean): Answer => (holds ? 'yes' : 'no')

/** A rule that ends the run. */
export const stops = (outcome: Outcome, ending: Ending, name: string, when: Condition): Rule => ({
  name,
  when,
  decision: { action: 'stop', outcome, ending },
})

/** Yes or no, each with its own text. */
export const either = (name: string, holds: boolean, yes: string, no: string): Finding =>
  finding(name, yesNo(holds), holds ? yes : no)

/** Yes when every part is yes. Without any part it is `unknown`: no check ran, so nothing is proven. */
export function all(name: string, ...conditions: readonly Condition[]): Condition {
  return (facts) =>
    allOf(
      name,
      conditions.map((condition) => condition(facts)),
    )
}

export function allOf(name: string, parts: readonly Finding[]): Finding {
  const open = parts.filter((part) => part.answer !== 'yes')
  if (parts.length === 0) return finding(name, 'unknown', 'no check ran, so nothing is proven', parts)
  // That the rule is about this phase says nothing about the work.
  const about = parts.filter((part) => !part.name.startsWith('phase '))
  if (open.length === 0) return finding(name, 'yes', sentence(about.length === 0 ? parts : about), parts)
  const answer = open.some((part) => part.answer === 'no') ? 'no' : 'unknown'
  const [first] = open
  const detail =
    open.length === 1 && first ? first.detail : `${open.length} of ${count(parts.length, 'condition')} not met`
  return finding(name, answer, detail, parts)
}

/** The details in one line. */
const sentence = (parts: readonly Finding[]): string => parts.map(({ detail }) => detail.replace(/\.$/, '')).join('; ')

/** Yes when one part is yes. */
export function any(name: string, ...conditions: readonly Condition[]): Condition {
  return (facts) => {
    const parts = conditions.map((condition) => condition(facts))
    const yes = parts.find((part) => part.answer === 'yes')
    if (yes) return finding(name, 'yes', yes.detail, parts)
    const answer = parts.some((part) => part.answer === 'unknown') ? 'unknown' : 'no'
    return finding(name, answer, name === 'warn' ? 'no warning applies' : sentence(parts), parts)
  }
}

/** Remembers its last answer. Facts never change, and many rules, streaks and measures need the proof. */
export function once(condition: Condition): Condition {
  let last: { readonly facts: Facts; readonly found: Finding } | undefined
  return (facts) => {
    if (last?.facts !== facts) last = { facts, found: condition(facts) }
    return last.found
  }
}

/** If the guard is yes, the condition decides, with its own detail. Otherwise the guard's finding is the result. */
export const provided =
  (guard: Condition, condition: Condition): Condition =>
  (facts) => {
    const guarded = guard(facts)
    return guarded.answer === 'yes' ? condition(facts) : guarded
  }

/** One condition for each phase. Any other phase is `unknown`. */
export function byPhase(name: string, phases: Readonly<Record<string, Condition>>): Condition {
  return (facts) => {
    const inPhase = facts.phase === undefined ? undefined : phases[facts.phase]
    if (!inPhase) return finding(name, 'unknown', `the phase ${facts.phase ?? '(none)'} has no checks`)
    const found = inPhase(facts)
    return finding(name, found.answer, found.detail, found.parts ?? [found])
  }
}

export const always =
  (name: string, detail: (facts: Facts) => string): Condition =>
  (facts) =>
    finding(name, 'yes', detail(facts))

/** The leaves of the tree that are not yes: what is still missing, one by one. */
export function openLeaves(found: Finding): readonly Finding[] {
  if (found.answer === 'yes') return []
  if (!found.parts || found.parts.length === 0) return [found]
  return found.parts.flatMap(openLeaves)
}
