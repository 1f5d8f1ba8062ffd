import type { Config } from '../config.ts'
import { atLeast, check, claimed, listDone, movedOn, notVetoed, phrase, said } from '../policy/conditions.ts'
import { all, any, finding, once, yesNo } from '../policy/finding.ts'
import { phraseGroup } from '../policy/measures.ts'
import { gate, gateOf, threshold } from '../policy/rules/completion.ts'
import { breakerHalfOpen, explained, keepGoing, notDone, readingProblems, warn } from '../policy/rules/continue.ts'
import { limits } from '../policy/rules/limits.ts'
import { asksQuestion, needsHuman } from '../policy/rules/needs-human.ts'
import { forced, interrupted } from '../policy/rules/person.ts'
import { breakerOpen, breakerWasOpen, sameTask } from '../policy/rules/stuck.ts'
import type { Preset } from '../preset.ts'
import type { Condition, Measure } from '../types.ts'
import { breakerOf, commonStreaks, earlierChecks } from './shared.ts'

/** Tells the agent how to report. It contains only placeholders, so an echo of it is never a claim. */
const doyakenStatus = `## Status block

End your final message with this block. Indent the fields by two spaces and write one value per line, outside code fences:

DOYAKEN_STATUS:
  PHASE_COMPLETE: true/false
  FILES_MODIFIED: <count>
  TESTS_STATUS: pass/fail/skip/unknown
  CONFIDENCE: high/medium/low
  REMAINING_WORK: <brief description or "none">

Set PHASE_COMPLETE to true only if nothing is left to do. If anything is left, set it to false and list it in REMAINING_WORK.
If you set it to true, also write: The implementation is finished and the tests are passing.
`

/** A score of six weighted signals reaches the threshold, there is a completion indicator, and the DOYAKEN_STATUS block claims. */
export const preset: Preset = {
  name: 'doyaken',
  stateFiles: true,
  about: 'score of 70 or more, a completion indicator, and a DOYAKEN_STATUS block',
  defaults: { breaker: { noProgress: 3, sameError: 5, outputDecline: 70, cooldownMinutes: 5, autoReset: false } },
  env: {
    ED_CONFIDENCE_THRESHOLD: 'doyaken.threshold',
    ED_LOW_CONFIDENCE_WARN: 'doyaken.lowConfidenceWarn',
    CB_ENABLED: 'breaker.enabled',
    CB_NO_PROGRESS_THRESHOLD: 'breaker.noProgress',
    CB_SAME_ERROR_THRESHOLD: 'breaker.sameError',
    CB_OUTPUT_DECLINE_PERCENT: 'breaker.outputDecline',
    CB_COOLDOWN_MINUTES: 'breaker.cooldownMinutes',
  },
  threshold: 'doyaken.threshold',
  policy: (config) => {
    const { threshold: least, dualCondition, structuredSignal, lowConfidenceBelow, lowConfidenceWarn } = config.doyaken
    const parts = scoreParts(config)
    const score: Measure = (facts) => Object.values(parts).reduce((sum, part) => sum + (part(facts) ?? 0), 0)
    const enough = atLeast('score', score, least, (n) => `score ${n} of ${least} needed`)
    const claim = claimed('doyaken-status', 'tool')
    const proof = once(dualCondition ? all('proof', enough, indicator) : all('proof', enough))
    const whole = all('proof', proof, listDone(config.plan))
    const speaksOfDone = all('mentions being done', notVetoed, any('mentions being done', claim, keywords))
    const low: Condition = (facts) =>
      finding('low', yesNo((score(facts) ?? 0) < lowConfidenceBelow), `score ${score(facts)}`)
    const explain = explained(claim, whole)
    return {
      preset: 'doyaken',
      weaker: ['most of the score comes from the agent’s own words; TESTS_STATUS is not checked'],
      claim,
      proof,
      measures: { score, ...parts },
      streaks: {
        ...commonStreaks(claim, proof),
        lowConfidence: { when: all('low confidence', speaksOfDone, low) },
        refused: { when: speaksOfDone },
      },
      progress: exceptFirstClaims(lowConfidenceWarn),
      breaker: breakerOf(config),
      rules: [
        interrupted,
        forced,
        breakerWasOpen,
        gate(claim, all('proof', whole, check('tests'))),
        threshold('score', gateOf(claim, whole)),
        ...(structuredSignal === 'booster'
          ? [
              threshold(
                'without-block',
                all('without block', notVetoed, keywords, check('task-done'), check('tests'), listDone(config.plan)),
              ),
            ]
          : []),
        asksQuestion(config.asking),
        explain(breakerOpen),
        sameTask(config.sameTask),
        ...limits(config.limits).map(explain),
        needsHuman(config.blocked),
        warn(repeatedLow(lowConfidenceWarn), onlyWords(claim), onlyBlock(claim), breakerHalfOpen, readingProblems),
        keepGoing(notDone(claim, whole)),
      ],
      shadowed: {},
      reading: { promise: config.promise, patterns: config.patterns },
      prompt: doyakenStatus,
      report: { done: 'Set PHASE_COMPLETE to true', notDone: 'set it to false' },
      checks: { ...earlierChecks, also: ['task-done'] },
    }
  },
}

const keywords = phrase('completion words', phraseGroup('doyaken'))
const indicator: Condition = any('indicator', keywords, check('task-done'))

/** The six signals, each worth its weight or nothing. */
function scoreParts(config: Config): Readonly<Record<string, Measure>> {
  const { weights } = config.doyaken
  const block: Condition = ({ signals }) =>
    finding('block', yesNo(signals.blocks.includes('doyaken-status')), 'a status block')
  const worth =
    (weight: number, condition: Condition): Measure =>
    (facts) =>
      condition(facts).answer === 'yes' ? weight : 0
  return {
    'score.block': worth(weights.block, block),
    'score.phaseComplete': worth(weights.phaseComplete, said('PHASE_COMPLETE', true, 'PHASE_COMPLETE')),
    'score.testsPass': worth(weights.testsPass, said('TESTS_STATUS', 'pass', 'TESTS_STATUS')),
    'score.changed': worth(weights.changed, check('changed')),
    'score.taskInDone': worth(weights.taskInDone, check('task-done')),
    'score.keywords': worth(weights.keywords, keywords),
  }
}

/** The score judges the claim first. It counts for the breaker only after the warning. */
const exceptFirstClaims =
  (most: number): Condition =>
  (facts) => {
    const moved = movedOn(facts)
    const n = facts.streaks.refused?.n ?? 0
    return moved.answer === 'no' && n > 0 && n <= most
      ? finding('progress', 'unknown', 'no progress, but the agent mentions being done')
      : moved
  }

const repeatedLow =
  (limit: number): Condition =>
  ({ streaks }) => {
    const n = streaks.lowConfidence?.n ?? 0
    return finding(
      'low confidence',
      yesNo(n >= limit),
      `the agent claimed completion ${n} times with a low score: review its work`,
    )
  }

const onlyWords =
  (claim: Condition): Condition =>
  (facts) =>
    finding(
      'only words',
      yesNo(indicator(facts).answer === 'yes' && claim(facts).answer === 'unknown'),
      'there are completion words, but no status block with a claim',
    )

const onlyBlock =
  (claim: Condition): Condition =>
  (facts) =>
    finding(
      'only block',
      yesNo(claim(facts).answer === 'yes' && indicator(facts).answer !== 'yes'),
      'the status block claims completion, but there is no completion indicator',
    )
