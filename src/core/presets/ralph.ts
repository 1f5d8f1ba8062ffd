import type { Config } from '../config.ts'
import { atLeast, check, claimed, movedOn, phrase } from '../policy/conditions.ts'
import { all, any, either, finding, once, yesNo } from '../policy/finding.ts'
import { phraseGroup, streak } from '../policy/measures.ts'
import { nothingRefuted } from '../policy/proof.ts'
import { gateOf, planDone, threshold } from '../policy/rules/completion.ts'
import { explained, notYet } from '../policy/rules/continue.ts'
import { limits } from '../policy/rules/limits.ts'
import { needsHuman, permissionDenied } from '../policy/rules/needs-human.ts'
import { forced, interrupted } from '../policy/rules/person.ts'
import { breakerOpen, breakerWasOpen, hollowClaims, stagnation } from '../policy/rules/stuck.ts'
import type { Preset } from '../preset.ts'
import type { Condition } from '../types.ts'
import { breakerOf, commonStreaks, earlierChecks } from './shared.ts'

/** Tells the agent how to report. It contains only placeholders, so an echo of it is never a claim. */
const ralphStatus = `## Status block

End your final message with this block. Write one value per line, outside code fences:

---RALPH_STATUS---
STATUS: IN_PROGRESS|COMPLETE|BLOCKED
TASKS_COMPLETED_THIS_LOOP: <number>
FILES_MODIFIED: <number>
TESTS_STATUS: PASSING|FAILING|NOT_RUN
WORK_TYPE: IMPLEMENTATION|TESTING|DOCUMENTATION|REFACTORING
EXIT_SIGNAL: false|true
RECOMMENDATION: <one line on what comes next>
---END_RALPH_STATUS---

Tick an item of the plan when it is finished and works.
Set EXIT_SIGNAL to true only if every required item is ticked and nothing is left to do. Otherwise set it to false.
`

/**
 * Ralph as documented: EXIT_SIGNAL: true, and repeated done signals, repeated completion indicators or a fully ticked plan. Its own
 * code requires the signal in only one of the three cases, which it never reaches.
 */
export const preset: Preset = {
  name: 'ralph',
  stateFiles: true,
  about: 'EXIT_SIGNAL: true with repeated done signals or a fully ticked plan',
  defaults: {
    plan: '.ralph/fix_plan.md',
    breaker: { noProgress: 3, sameError: 5, denials: 2, recovery: 'cooldown', cooldownMinutes: 30, autoReset: false },
    limits: { callsPerHour: 100 },
  },
  env: {
    MAX_CALLS_PER_HOUR: 'limits.callsPerHour',
    CB_NO_PROGRESS_THRESHOLD: 'breaker.noProgress',
    CB_SAME_ERROR_THRESHOLD: 'breaker.sameError',
    CB_PERMISSION_DENIAL_THRESHOLD: 'breaker.denials',
    CB_COOLDOWN_MINUTES: 'breaker.cooldownMinutes',
    CB_AUTO_RESET: 'breaker.autoReset',
    ALLOWED_TOOLS: 'ralph.allowedTools',
    CLAUDE_ALLOWED_TOOLS: 'ralph.allowedTools',
    OPTIONAL_SECTIONS: 'optionalSections',
    MAX_CONSECUTIVE_TEST_LOOPS: 'ralph.testOnlyLoops',
    MAX_CONSECUTIVE_DONE_SIGNALS: 'ralph.doneSignals',
  },
  threshold: 'ralph.completionIndicators',
  policy: (config) => {
    const claim = claimed()
    const proof = once(proofOf(config))
    const explain = explained(claim, proof)
    return {
      preset: 'ralph',
      weaker: ['two "done" in the last five iterations replace proof: the ending is `threshold`, not `verified`'],
      claim,
      proof,
      measures: {
        testOnly: streak('testOnly'),
        doneSignals: streak('doneSignals'),
        completionIndicators: streak('completionIndicators'),
      },
      streaks: {
        ...commonStreaks(claim, proof),
        // An iteration that changed files did more than run tests, whatever it says.
        testOnly: {
          when: all('test only', testOnly, isNot(movedOn)),
          hold: all('hold', isNot(testOnly), isNot(check('changed'))),
        },
        doneSignals: {
          when: any('done', claim, phrase('done words', phraseGroup('ralph-done'))),
          window: config.ralph.window,
        },
        completionIndicators: { when: claim, window: config.ralph.window },
        hollowClaims: { when: claim, window: config.ralph.window },
      },
      progress: movedOnOr(claim),
      breaker: breakerOf(config, { hold: phrase('question', phraseGroup('ralph-question')) }),
      rules: [
        interrupted,
        forced,
        breakerWasOpen,
        permissionDenied(config.ralph.allowedTools),
        stagnation(
          'test-saturation',
          'testOnly',
          config.ralph.testOnlyLoops,
          (n) => `${n} iterations in a row only ran tests`,
        ),
        planDone('plan-complete', gateOf(claim, all('plan', check('checklist'), unrefuted))),
        threshold('completion-signals', gateOf(claim, all('done signals', doneSignals(config), unrefuted))),
        threshold('project-complete', gateOf(claim, all('indicators', indicators(config), unrefuted))),
        hollowWithClaim(config, claim),
        explain(breakerOpen),
        ...limits(config.limits).map(explain),
        needsHuman(config.blocked),
        ...notYet(claim, proof),
      ],
      shadowed:
        config.ralph.doneSignals <= config.ralph.completionIndicators
          ? {
              'project-complete':
                'every claim is also a done signal, so `completion-signals` decides first; with a higher doneSignals this rule is reached',
            }
          : {},
      reading: { promise: config.promise, patterns: config.patterns },
      prompt: ralphStatus,
      report: { done: 'Set EXIT_SIGNAL to true', notDone: 'set it to false' },
      checks: earlierChecks,
    }
  },
}

/** Here a claim alone counts as progress. */
const movedOnOr =
  (claim: Condition): Condition =>
  (facts) =>
    claim(facts).answer === 'yes' ? finding('progress', 'yes', 'the agent says it is done') : movedOn(facts)

const unrefuted = nothingRefuted('tests', 'tampering')

const isNot =
  (condition: Condition): Condition =>
  (facts) =>
    finding('not', yesNo(condition(facts).answer !== 'yes'), condition(facts).detail)

const doneSignals = (config: Config): Condition =>
  atLeast(
    'done signals',
    streak('doneSignals'),
    config.ralph.doneSignals,
    (n) => `${n} done signals in the last ${config.ralph.window} iterations, ${config.ralph.doneSignals} needed`,
  )

const indicators = (config: Config): Condition =>
  atLeast(
    'indicators',
    streak('completionIndicators'),
    config.ralph.completionIndicators,
    (n) => `${n} claims in the last ${config.ralph.window} iterations, ${config.ralph.completionIndicators} needed`,
  )

const proofOf = (config: Config): Condition =>
  all('proof', any('repeated', check('checklist'), doneSignals(config), indicators(config)), unrefuted)

/**
 * The safety stop: so many claims in the window that something keeps blocking completion. Applies only while the agent still
 * claims.
 */
const hollowWithClaim = (config: Config, claim: Condition) => {
  const rule = hollowClaims(config.ralph.safetyIndicators)
  return { ...rule, when: all(rule.name, claim, rule.when) }
}

/** An iteration that only ran tests: stated explicitly, or test words without work words. */
const testOnly: Condition = (facts) => {
  const has = (group: string) => facts.signals.phrases.some(phraseGroup(group))
  const outright = String(facts.signals.said.WORK_TYPE ?? '').toUpperCase()
  const only = outright === 'TEST_ONLY' || (outright === '' && has('ralph-test') && !has('ralph-work'))
  return either('test only', only, 'the iteration only ran tests', 'the iteration did other work')
}
