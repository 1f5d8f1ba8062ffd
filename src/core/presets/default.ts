import { claimed, movedOn } from '../policy/conditions.ts'
import { completionConfidence, fixedConfidence } from '../policy/confidence.ts'
import { once } from '../policy/finding.ts'
import { countsOf } from '../policy/measures.ts'
import { everyCheck } from '../policy/proof.ts'
import { gate } from '../policy/rules/completion.ts'
import { explained, notYet } from '../policy/rules/continue.ts'
import { agentFails, failureStreaks, refused } from '../policy/rules/failing.ts'
import { limits } from '../policy/rules/limits.ts'
import {
  asksPermission,
  asksQuestion,
  needsAccept,
  needsHuman,
  undecided,
  unproven,
  unprovenClaims,
  unverifiable,
} from '../policy/rules/needs-human.ts'
import { forced, interrupted } from '../policy/rules/person.ts'
import { breakerOpen, hollowClaims, oscillation, sameTask } from '../policy/rules/stuck.ts'
import type { Preset } from '../preset.ts'
import { completionProtocol, exitStatusReport } from './completion-protocol.ts'
import { breakerOf, commonChecks, commonStreaks } from './shared.ts'

/** Needs the agent's explicit claim and exitgate's own proof in the same iteration. */
export const preset: Preset = {
  name: 'default',
  about: 'claim and proof in the same iteration: every required check passes',
  defaults: {},
  env: {},
  policy: (config) => {
    const required = config.plan === undefined ? config.required : [...new Set([...config.required, 'checklist'])]
    const claim = claimed()
    const proof = once(everyCheck(required, config.requireChange))
    const fixed = fixedConfidence(claim, proof)
    const explain = explained(claim, proof)
    return {
      preset: 'default',
      weaker: [],
      claim,
      proof,
      measures: {
        confidence: completionConfidence(fixed, config.calibration),
        ...(config.calibration === undefined ? {} : { 'confidence.fixed': fixed }),
        ...countsOf(['tests', 'total', 'passed', 'failed'], ['checklist', 'total', 'done']),
      },
      streaks: {
        ...commonStreaks(claim, proof),
        ...failureStreaks,
        undecided: undecided(claim, proof),
        unproven: unprovenClaims(claim, proof),
      },
      progress: movedOn,
      breaker: breakerOf(config, { despiteProgress: false }),
      rules: [
        interrupted,
        forced,
        gate(claim, proof),
        asksPermission(config.asking),
        asksQuestion(config.asking),
        refused,
        agentFails(config.sameTask),
        ...[breakerOpen, sameTask(config.sameTask), oscillation(config.oscillation)].map(explain),
        unproven,
        needsAccept,
        explain(hollowClaims(config.hollowClaims)),
        unverifiable(config.unverifiable),
        ...limits(config.limits).map(explain),
        needsHuman(config.blocked),
        ...notYet(claim, proof),
      ],
      shadowed: {},
      reading: { promise: config.promise, patterns: config.patterns },
      prompt: completionProtocol,
      report: exitStatusReport,
      checks: {
        ...commonChecks,
        plan: { required: true, plansOnly: false },
        needs: required,
        quick: true,
        proof: true,
      },
      calibrated: true,
    }
  },
}
