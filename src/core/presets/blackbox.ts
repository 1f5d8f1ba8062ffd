import { check, movedOn, notVetoed } from '../policy/conditions.ts'
import { all, always, either, finding, once, provided, yesNo } from '../policy/finding.ts'
import {
  completion,
  countIn,
  errorWords,
  languageConfidence,
  outputLength,
  seenBefore,
  streak,
} from '../policy/measures.ts'
import { planDone, threshold } from '../policy/rules/completion.ts'
import { keepGoing } from '../policy/rules/continue.ts'
import { limits } from '../policy/rules/limits.ts'
import { errors, lowConfidence } from '../policy/rules/needs-human.ts'
import { forced, interrupted } from '../policy/rules/person.ts'
import { breakerOpen, breakerWasOpen, stagnation } from '../policy/rules/stuck.ts'
import type { Preset } from '../preset.ts'
import type { Condition, Facts } from '../types.ts'
import { breakerOf, commonStreaks, earlierChecks } from './shared.ts'

const planTicks = `## Plan

Work through the plan. Tick an item only if it works and you have checked it.
Don't delete or reword items: they would still count as open.
End your message with how far you trust your work. If something is wrong, say what.
If you trust it fully, also write: "I am confident that this works."
`

/** Seven rules about the plan, the agent's wording and the breaker. The first one that applies decides. */
export const preset: Preset = {
  name: 'blackbox',
  stateFiles: true,
  about: '80 % of the plan ticked, confident wording, few error words, no stagnation',
  defaults: {
    plan: '.ralph/@fix_plan.md',
    breaker: { noProgress: 10, sameError: 0, loops: 20, recovery: 'manual', autoReset: false },
    taskTypes: {
      critical_feature: { breaker: { noProgress: 15, loops: 30 } },
      simple_script: { breaker: { noProgress: 3, loops: 5 } },
      research_task: { breaker: { noProgress: 20, loops: 50 } },
    },
  },
  env: {},
  threshold: 'blackbox.minCompletion',
  policy: (config) => {
    const { minConfidence, minCompletion, maxErrors, stagnationLoops } = config.blackbox
    const ticked = check('checklist')
    const proof = once(all('proof', reached(100), ticked))
    const claim = always('claim', () => 'this preset needs no claim: the ticked items of the plan count instead')
    return {
      preset: 'blackbox',
      weaker: [
        'requires no claim and no tests: ticks in a file the agent can write decide',
        'below 100 % it completes with work left: the ending is `threshold`, and the reason names the open share',
      ],
      claim,
      proof,
      measures: {
        completion,
        confidence: languageConfidence,
        errors: errorWords,
        length: outputLength,
        stagnation: streak('stagnation'),
      },
      streaks: { ...commonStreaks(claim, proof), stagnation: { when: noNewTick } },
      progress: movedOn,
      breaker: breakerOf(config),
      rules: [
        interrupted,
        forced,
        breakerWasOpen,
        ...(minCompletion <= 100
          ? [planDone('completion', provided(notVetoed, provided(ticked, reached(100, minCompletion))))]
          : []),
        threshold('completion-threshold', provided(notVetoed, reached(minCompletion))),
        lowConfidence(minConfidence),
        errors(maxErrors),
        planDone('all-ticked', provided(notVetoed, provided(ticked, allTicked))),
        stagnation('stagnation', 'stagnation', stagnationLoops, (n) => `No progress for ${n} consecutive loops`),
        breakerOpen,
        ...limits(config.limits),
        keepGoing((facts) => progressWords(facts, stagnationLoops)),
      ],
      shadowed:
        minCompletion <= 100
          ? {
              'all-ticked':
                'a fully ticked plan is at 100 %, so `completion` decides first; with minCompletion above 100 this rule is reached',
            }
          : {},
      reading: { promise: config.promise, patterns: config.patterns },
      prompt: planTicks,
      checks: earlierChecks,
    }
  },
}

const reached =
  (least: number, shown = least): Condition =>
  (facts) => {
    const value = completion(facts)
    if (value === undefined) return finding('completion', 'unknown', 'the plan is missing or empty')
    return either(
      'completion',
      value >= least,
      `Task completion ${value}% >= threshold ${shown}%`,
      `Task completion ${value}%, ${least}% needed`,
    )
  }

const allTicked: Condition = (facts) => {
  const total = countIn(facts, 'checklist', 'total')
  if (!total) return finding('all ticked', 'unknown', 'the plan is missing or empty')
  const open = total - (countIn(facts, 'checklist', 'done') ?? 0)
  return either('all ticked', open === 0, `All ${total} tasks completed`, `${open} of ${total} tasks are open`)
}

/** Counts tasks, not percent: a plan that grew without a new tick isn't progress. */
const noNewTick: Condition = (facts) => {
  const now = countIn(facts, 'checklist', 'done')
  const last = seenBefore(facts)
  const before = last && countIn(last, 'checklist', 'done')
  if (now === undefined || before === undefined)
    return finding('no newly ticked item', 'unknown', 'no earlier count to compare with')
  return finding('no newly ticked item', yesNo(now <= before), `${now} tasks ticked, ${before} before`)
}

function progressWords(facts: Facts, loops: number): string {
  const total = countIn(facts, 'checklist', 'total')
  const n = facts.streaks.stagnation?.n ?? 0
  if (!total) return 'Checking progress...'
  return n > 0
    ? `No progress (${n}/${loops} loops)`
    : `Progress detected: ${countIn(facts, 'checklist', 'done')}/${total} tasks done`
}
