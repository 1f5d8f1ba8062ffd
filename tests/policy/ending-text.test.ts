import { expect, it } from 'vitest'
import { endingText, endSentence, verdictSentence } from '../../src/core/policy/ending-text.ts'
import type { Decision } from '../../src/core/types.ts'

const titles: readonly [ending: string, cause: string | undefined, title: string][] = [
  ['verified', undefined, 'verified'],
  ['errors', undefined, 'stopped: too many errors'],
  ['errors', 'limit', 'stopped: provider limit'],
  ['errors', 'outage', 'stopped: provider failure'],
  ['errors', 'crash', 'stopped: too many errors'],
  ['breaker', 'limit', 'stuck: circuit breaker open'],
  ['from-a-later-release', undefined, 'from-a-later-release'],
]
it.each(titles)('%s %s: %s', (ending, cause, title) => expect(endingText(ending, cause)).toBe(title))

const ends: readonly [ending: string, reason: string, cause: string | undefined, sentence: string][] = [
  ['breaker', 'Circuit breaker is OPEN: no progress', undefined, 'Stuck: circuit breaker open. No progress.'],
  ['breaker', '', undefined, 'Stuck: circuit breaker open.'],
  ['interrupt', 'you stopped it', undefined, 'Interrupted: you stopped it.'],
  ['interrupt', 'why not?', undefined, 'Interrupted: why not?'],
  ['errors', 'try later!', 'limit', 'Stopped: provider limit. Try later!'],
  ['verified', 'Verified: 4 of 4 tests pass.', undefined, 'Verified: 4 of 4 tests pass.'],
  ['iterations', 'Not done: 1 test fails', undefined, 'Not done: 1 test fails'],
  ['forced', 'forced by mia', undefined, 'Forced, not verified: forced by mia.'],
]
it.each(ends)('%s, %s, %s', (ending, reason, cause, sentence) => {
  expect(endSentence({ ending, reason, ...(cause === undefined ? {} : { cause }) })).toBe(sentence)
})

const verdicts: readonly [Decision, string][] = [
  [{ action: 'stop', outcome: 'stuck', ending: 'breaker' }, 'Stuck: circuit breaker open. Why.'],
  [{ action: 'advance', phase: 'GREEN' }, 'Next phase GREEN: why.'],
  [{ action: 'continue', warnings: [] }, 'Not done: why.'],
]
it.each(verdicts)('%j: %s', (decision, sentence) => {
  expect(verdictSentence({ ...decision, reason: 'why' })).toBe(sentence)
})
