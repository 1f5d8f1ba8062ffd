import { commonChecks } from '../policy/common-checks.ts'
import { commonStreaks } from '../policy/common-streaks.ts'
import { claimed, movedOn, notVetoed } from '../policy/conditions.ts'
import { completionConfidence, fixedConfidence } from '../policy/confidence.ts'
import { all, once, openLeaves } from '../policy/finding.ts'
import { count } from '../policy/measures.ts'
import { everyCheck } from '../policy/proof.ts'
import { asking, asksPermission } from '../policy/rules/asks-permission.ts'
import { breakerOpen } from '../policy/rules/breaker-open.ts'
import { forced } from '../policy/rules/forced.ts'
import { gate } from '../policy/rules/gate.ts'
import { goOn } from '../policy/rules/go-on.ts'
import { hollowClaims } from '../policy/rules/hollow-claims.ts'
import { interrupted } from '../policy/rules/interrupted.ts'
import { limits } from '../policy/rules/limits.ts'
import { needsHuman } from '../policy/rules/needs-human.ts'
import { oscillation } from '../policy/rules/oscillation.ts'
import { sameTask } from '../policy/rules/same-task.ts'
import { unverifiable } from '../policy/rules/unverifiable.ts'
import { warn } from '../policy/rules/warn.ts'
import { breakerHalfOpen, claimWithoutProof, proofWithoutClaim, readingProblems } from '../policy/warnings.ts'
import type { Preset } from '../preset.ts'
import { breakerOf } from './breaker.ts'
import { completionProtocol } from './completion-protocol.ts'

/** Two keys in the same iteration: the agent's explicit claim, and proof that exitgate gathered itself. */
export const preset: Preset = {
  name: 'default',
  about: 'claim and proof in the same iteration: every required check says yes',
  defaults: {},
  env: {},
  policy: (config) => {
    const required = config.plan === undefined ? config.required : [...new Set([...config.required, 'checklist'])]
    const claim = claimed()
    const proof = once(everyCheck(required, config.requireChange))
    const fixed = fixedConfidence(claim, proof)
    return {
      preset: 'default',
      weaker: [],
      claim,
      proof,
      measures: {
        confidence: completionConfidence(fixed, config.calibration),
        ...(config.calibration === undefined ? {} : { 'confidence.fixed': fixed }),
        'tests.total': count('tests', 'total'),
        'tests.passed': count('tests', 'passed'),
        'tests.failed': count('tests', 'failed'),
        'checklist.total': count('checklist', 'total'),
        'checklist.done': count('checklist', 'done'),
      },
      streaks: { ...commonStreaks(claim, proof), asking },
      progress: movedOn,
      breaker: breakerOf(config),
      rules: [
        interrupted,
        forced,
        gate(claim, proof),
        asksPermission(config.asking),
        breakerOpen,
        sameTask(config.sameTask),
        oscillation(config.oscillation),
        hollowClaims(config.hollowClaims),
        unverifiable(config.unverifiable),
        ...limits(config.limits),
        needsHuman(config.blocked),
        warn(claimWithoutProof(claim, proof), proofWithoutClaim(claim, proof), breakerHalfOpen, readingProblems),
        goOn((facts) => openLeaves(all('gate', claim, notVetoed, proof)(facts))[0]?.detail ?? 'not done yet'),
      ],
      shadowed: {},
      reading: { promise: config.promise, patterns: config.patterns },
      prompt: completionProtocol,
      checks: { ...commonChecks, plan: { required: true, plansOnly: false } },
      calibrated: true,
    }
  },
}
