import type { Condition } from '../types.ts'
import { isInformation } from './check-text.ts'
import { check, notRefuted } from './conditions.ts'
import { allOf } from './finding.ts'

/**
 * Checks that count only when they fail. Every other check has to pass, also one that could not finish: that may be the agent's doing.
 */
const ONLY_REFUTE: readonly string[] = ['changed', 'proven', 'red-proof', 'baseline-tests', 'special-cased', 'mutation']

/** The proof of the `default` preset: every required check passes, so does everything else that was checked, and something changed. */
export const everyCheck =
  (required: readonly string[], requireChange: boolean): Condition =>
  (facts) => {
    const gathered = Object.keys(facts.evidence).sort()
    const asked = new Set([
      ...required,
      ...gathered.filter((name) => !ONLY_REFUTE.includes(name) && !isInformation(name)),
    ])
    const against = gathered.filter(
      (name) => ONLY_REFUTE.includes(name) && (name !== 'changed' || requireChange) && !asked.has(name),
    )
    return allOf('proof', [
      ...[...asked].map((name) => check(name)(facts)),
      // Without a known change it is not known what was verified.
      ...against.map((name) => (name === 'changed' ? check : notRefuted)(name)(facts)),
    ])
  }

/** None of these checks failed. For presets with another kind of proof. */
export const nothingRefuted =
  (...names: readonly string[]): Condition =>
  (facts) =>
    allOf(
      'nothing refuted',
      names.map((name) => notRefuted(name)(facts)),
    )
