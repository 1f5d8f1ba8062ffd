import type { Config } from '../config.ts'
import { atLeast, check, claimed, listDone, movedOn, toTheLetter } from '../policy/conditions.ts'
import { all, always, once, provided } from '../policy/finding.ts'
import { phraseCount, phraseGroup } from '../policy/measures.ts'
import { agentOverride, gate, gateOf, threshold } from '../policy/rules/completion.ts'
import { explained, notYet } from '../policy/rules/continue.ts'
import { limits } from '../policy/rules/limits.ts'
import { asksQuestion, needsHuman } from '../policy/rules/needs-human.ts'
import { forced, interrupted } from '../policy/rules/person.ts'
import { breakerOpen, sameTask } from '../policy/rules/stuck.ts'
import type { Preset } from '../preset.ts'
import type { Condition, Facts, Measure } from '../types.ts'
import { completionProtocol, exitStatusReport } from './completion-protocol.ts'
import { breakerOf, commonStreaks, earlierChecks } from './shared.ts'

/** Sentences of the agent count as indicators here, so the prompt asks for them. */
const CONFIRMATION = `
If you report COMPLETE, also write: The implementation is finished and ready for review.
`

/** Enough indicators (phrases and evidence, summed), and EXIT_STATUS is literally COMPLETE. */
export const preset: Preset = {
  name: 'cub',
  stateFiles: true,
  about: 'enough completion indicators and EXIT_STATUS: COMPLETE',
  defaults: {
    breaker: {
      noProgress: 0,
      sameError: 0,
      gateBlocked: 3,
      timeoutMinutes: 30,
      activityTimeoutMinutes: 15,
      recovery: 'manual',
    },
  },
  env: {
    CUB_EXIT_THRESHOLD: 'cub.threshold',
    CUB_STAGNATION_THRESHOLD: 'breaker.gateBlocked',
    CUB_CIRCUIT_BREAKER_ENABLED: 'breaker.enabled',
    CUB_CIRCUIT_BREAKER_TIMEOUT: 'breaker.timeoutMinutes',
    CUB_CIRCUIT_BREAKER_ACTIVITY_TIMEOUT: 'breaker.activityTimeoutMinutes',
  },
  threshold: 'cub.threshold',
  policy: (config) => {
    const claim = claimOf(config)
    const proof = config.cub.enabled
      ? once(proofOf(config))
      : always('proof', () => 'cub.enabled is false, so the promise tag alone decides')
    const whole = all('proof', proof, listDone(config.plan))
    const explain = explained(claim, whole)
    return {
      preset: 'cub',
      weaker: ['words alone can reach the threshold, even while tests fail: the ending is `threshold`, not `verified`'],
      claim,
      proof,
      measures: {
        indicators: indicators(config),
        textIndicators: textIndicators(config),
        evidenceIndicators: evidenceIndicators(config),
      },
      streaks: commonStreaks(claim, proof),
      progress: movedOn,
      breaker: breakerOf(config),
      rules: [
        interrupted,
        forced,
        agentOverride(config.agentOverride, claim),
        gate(claim, all('proof', whole, check('tests'))),
        threshold('indicators', gateOf(claim, whole)),
        asksQuestion(config.asking),
        breakerOpen,
        sameTask(config.sameTask),
        ...limits(config.limits).map(explain),
        needsHuman(config.blocked),
        ...notYet(claim, proof, whole),
      ],
      shadowed: {},
      reading: { promise: config.promise, patterns: config.cub.patterns },
      prompt: `${completionProtocol}${CONFIRMATION}`,
      ...(config.cub.requireExplicitSignal ? { report: { ...exitStatusReport, perItem: true } } : {}),
      checks: earlierChecks,
    }
  },
}

function claimOf(config: Config): Condition {
  if (!config.cub.enabled) return claimed('promise')
  if (!config.cub.requireExplicitSignal) return always('claim', () => 'this configuration requires no explicit signal')
  return provided(claimed('exit-status', 'tool'), toTheLetter('EXIT_STATUS', 'COMPLETE'))
}

function proofOf(config: Config): Condition {
  const { threshold: least, minTextIndicators } = config.cub
  return all(
    'proof',
    atLeast(
      'indicators',
      indicators(config),
      Math.max(1, least),
      (n) => `${n} completion indicators of ${Math.max(1, least)} needed`,
    ),
    atLeast(
      'words',
      textIndicators(config),
      minTextIndicators,
      (n) => `${n} of the indicators are phrases of the agent, ${minTextIndicators} needed`,
    ),
  )
}

const textIndicators = (config: Config): Measure =>
  phraseCount(phraseGroup(config.cub.patterns.length > 0 ? 'user' : 'cub'))

const evidenceIndicators =
  (config: Config): Measure =>
  (facts) => {
    const { tests, build, criteria, cleanGit } = config.cub.evidence
    const asked = [tests && 'tests', build && 'build', criteria && criteriaName(facts), cleanGit && 'clean'].filter(
      (name) => name !== false,
    )
    return asked.filter((name) => check(name)(facts).answer === 'yes').length
  }

/** Acceptance criteria have their own check. Without it, the plan counts. */
const criteriaName = (facts: Facts): string => (facts.evidence.criteria ? 'criteria' : 'checklist')

const indicators =
  (config: Config): Measure =>
  (facts) =>
    (textIndicators(config)(facts) ?? 0) + (evidenceIndicators(config)(facts) ?? 0)
