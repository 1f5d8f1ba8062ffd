import type { Condition } from '../types.ts'
import { check, notRefuted } from './conditions.ts'
import { allOf } from './finding.ts'

/**
 * Checks that only inform, or only speak when they say no. Everything else that was gathered has to say yes: a look for tampering
 * that came to no end may be the agent's doing.
 */
const ONLY_REFUTE: readonly string[] = ['changed', 'red-proof', 'baseline-tests']
const ONLY_INFORM: readonly string[] = ['clean', 'task-done', 'quality']

/**
 * The proof of the `default` preset: every required check says yes, whatever else was gathered says yes too,
 * and nothing speaks of a run that changed nothing.
 */
export const everyCheck =
  (required: readonly string[], requireChange: boolean): Condition =>
  (facts) => {
    const gathered = Object.keys(facts.evidence).sort()
    const asked = new Set([
      ...required,
      ...gathered.filter((name) => !ONLY_REFUTE.includes(name) && !ONLY_INFORM.includes(name)),
    ])
    const against = gathered.filter(
      (name) => ONLY_REFUTE.includes(name) && (name !== 'changed' || requireChange) && !asked.has(name),
    )
    return allOf('proof', [
      ...[...asked].map((name) => check(name)(facts)),
      ...against.map((name) => notRefuted(name)(facts)),
    ])
  }

/** Nothing that was gathered says no. For presets whose proof is made of other things. */
export const nothingRefuted =
  (...names: readonly string[]): Condition =>
  (facts) =>
    allOf(
      'nothing refuted',
      names.map((name) => notRefuted(name)(facts)),
    )
