import type { Answer, Condition, Facts, Finding } from '../types.ts'

/** The small vocabulary in which every condition answers. */
export function finding(name: string, answer: Answer, detail: string, parts?: readonly Finding[]): Finding {
  return parts ? { name, answer, detail, parts } : { name, answer, detail }
}

export const yesNo = (holds: boolean): Answer => (holds ? 'yes' : 'no')

/** Yes when every part is yes. No part at all is `unknown`: nothing asked is nothing proven. */
export function all(name: string, ...conditions: readonly Condition[]): Condition {
  return (facts) =>
    allOf(
      name,
      conditions.map((condition) => condition(facts)),
    )
}

export function allOf(name: string, parts: readonly Finding[]): Finding {
  const open = parts.filter((part) => part.answer !== 'yes')
  if (parts.length === 0) return finding(name, 'unknown', 'nothing was asked, so nothing is proven', parts)
  if (open.length === 0) return finding(name, 'yes', sentence(parts), parts)
  const answer = open.some((part) => part.answer === 'no') ? 'no' : 'unknown'
  return finding(name, answer, sentence(open), parts)
}

/** The details as one sentence. */
const sentence = (parts: readonly Finding[]): string => parts.map(({ detail }) => detail.replace(/\.$/, '')).join('; ')

/** Yes when one part is yes. */
export function any(name: string, ...conditions: readonly Condition[]): Condition {
  return (facts) => {
    const parts = conditions.map((condition) => condition(facts))
    const yes = parts.find((part) => part.answer === 'yes')
    if (yes) return finding(name, 'yes', yes.detail, parts)
    const answer = parts.some((part) => part.answer === 'unknown') ? 'unknown' : 'no'
    return finding(name, answer, sentence(parts), parts)
  }
}

/** The same condition, asked once about the same facts: they never change, and many rules, streaks and measures ask for the proof. */
export function once(condition: Condition): Condition {
  let last: { readonly facts: Facts; readonly found: Finding } | undefined
  return (facts) => {
    if (last?.facts !== facts) last = { facts, found: condition(facts) }
    return last.found
  }
}

/** Asked only when the guard says yes, so that the reason is the condition's own; else the guard's finding stands. */
export const provided =
  (guard: Condition, condition: Condition): Condition =>
  (facts) => {
    const guarded = guard(facts)
    return guarded.answer === 'yes' ? condition(facts) : guarded
  }

/** The same condition, speaking only in one phase of the work and `unknown` in any other. */
export function byPhase(name: string, phases: Readonly<Record<string, Condition>>): Condition {
  return (facts) => {
    const inPhase = facts.phase === undefined ? undefined : phases[facts.phase]
    if (!inPhase) return finding(name, 'unknown', `no gate is known for the phase ${facts.phase ?? '(none)'}`)
    const found = inPhase(facts)
    return finding(name, found.answer, found.detail, found.parts ?? [found])
  }
}

export const always =
  (name: string, detail: (facts: Facts) => string): Condition =>
  (facts) =>
    finding(name, 'yes', detail(facts))

/** The findings at the ends of the tree that do not say yes: what is still missing, one by one. */
export function openLeaves(found: Finding): readonly Finding[] {
  if (found.answer === 'yes') return []
  if (!found.parts || found.parts.length === 0) return [found]
  return found.parts.flatMap(openLeaves)
}
