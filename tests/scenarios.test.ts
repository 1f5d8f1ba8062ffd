import { describe, expect, it } from 'vitest'
import type { DecidedIteration } from '../src/core/policy/decide.ts'
import type { Verdict } from '../src/core/types.ts'
import { scenarios } from './scenarios/index.ts'
import { play } from './scenarios/play.ts'
import type { Expected, More } from './scenarios/row.ts'

describe.each(Object.entries(scenarios))('%s', (_, rows) => {
  it.each(rows)('$id: $name', (row) => {
    const { steps } = play(row)
    steps.forEach((step, i) => {
      expect(shown(step, row.turns[i]![1]), `iteration ${i + 1}`).toEqual(wanted(row.turns[i]![1]))
    })
  })
})

const decisionOf = (verdict: Verdict): string =>
  verdict.action === 'stop'
    ? `${verdict.outcome}/${verdict.ending}`
    : verdict.action === 'advance'
      ? `advance ${verdict.phase}`
      : verdict.action

/** Only the fields that the row specifies, so that one comparison shows every difference. */
function shown({ verdict, after, transitions, facts }: DecidedIteration, [, , more = {}]: Expected): unknown {
  const warnings = verdict.action === 'continue' ? verdict.warnings : []
  const all: Record<keyof More, unknown> = {
    reason: fits(verdict.reason, more.reason),
    warnings: among(warnings, more.warnings),
    missing: among(verdict.missing, more.missing),
    measures: picked(verdict.measures, more.measures),
    unmeasured: more.unmeasured?.filter((name) => !Object.hasOwn(verdict.measures, name)),
    claim: verdict.gate.claim,
    proof: verdict.gate.proof,
    phase: after.phase,
    breaker: picked(after.breaker, more.breaker),
    streaks: picked(Object.fromEntries(Object.entries(facts.streaks).map(([name, { n }]) => [name, n])), more.streaks),
    moves: transitions.map(({ from, to }) => `${from}>${to}`).join(' '),
    said: picked(facts.signals.said, more.said),
    signals: picked(facts.signals, more.signals),
    answers: picked(
      Object.fromEntries(Object.entries(facts.evidence).map(([name, { answer }]) => [name, answer])),
      more.answers,
    ),
  }
  return [decisionOf(verdict), verdict.rule, picked(all, more)]
}

function wanted([decision, rule, more = {}]: Expected): unknown {
  return [decision, rule, more]
}

function picked(from: object, like: object | undefined): object {
  return Object.fromEntries(Object.keys(like ?? {}).map((key) => [key, (from as Record<string, unknown>)[key]]))
}

const matches = (text: string, pattern: string | RegExp): boolean =>
  typeof pattern === 'string' ? text === pattern : pattern.test(text)

/** The pattern if it matches, or else the actual text. */
const fits = (text: string, pattern: string | RegExp | undefined): unknown =>
  pattern !== undefined && matches(text, pattern) ? pattern : text

function among(texts: readonly string[], patterns: readonly (string | RegExp)[] | undefined): unknown {
  if (!patterns || patterns.length === 0) return texts
  return patterns.every((pattern) => texts.some((text) => matches(text, pattern))) ? patterns : texts
}
