import { check, failedIteration, movedOn, notRefuted } from '../policy/conditions.ts'
import { all, always, finding, once, yesNo } from '../policy/finding.ts'
import { countsOf } from '../policy/measures.ts'
import { gate } from '../policy/rules/completion.ts'
import { breakerHalfOpen, keepGoing, notDone, readingProblems, warn } from '../policy/rules/continue.ts'
import { limits } from '../policy/rules/limits.ts'
import { forced, interrupted } from '../policy/rules/person.ts'
import { breakerOpen, sameTask } from '../policy/rules/stuck.ts'
import type { Preset } from '../preset.ts'
import type { Condition } from '../types.ts'
import { breakerOf, commonStreaks, earlierChecks } from './shared.ts'

const roadmapTicks = `## Roadmap

Run the tests after every change. Tick a plan (NN-MM-PLAN.md) in the roadmap only if everything in it works and the tests pass.
Don't delete or reword a plan: it would still count as open.
`

/**
 * Tests pass and every plan in the roadmap is ticked. Three failures of the same task are stuck; five failures of any task open the
 * breaker.
 */
export const preset: Preset = {
  name: 'gsd',
  stateFiles: true,
  about: 'tests pass and every plan in the roadmap is ticked',
  defaults: {
    plan: '.planning/ROADMAP.md',
    limits: { iterations: 50, minutes: 480 },
    breaker: { noProgress: 0, sameError: 0, failures: 5, recovery: 'manual' },
  },
  env: {
    MAX_ITERATIONS: 'limits.iterations',
    TIMEOUT_HOURS: 'limits.minutes*60',
    STUCK_THRESHOLD: 'sameTask',
    CIRCUIT_BREAKER_THRESHOLD: 'breaker.failures',
    ROADMAP_FILE: 'plan',
  },
  policy: (config) => {
    const claim = always('claim', () => 'this preset needs no claim: the ticked plans of the roadmap count instead')
    const tests = config.gsd.unknownTests === 'pass' ? notRefuted('tests') : check('tests')
    const proof = once(all('proof', tests, check('checklist')))
    return {
      preset: 'gsd',
      weaker: [
        'requires no claim: ticks in a file the agent can write count instead',
        'open items that name no NN-MM-PLAN.md do not count',
      ],
      claim,
      proof,
      measures: {
        failures: (facts) => facts.charged.failures,
        ...countsOf(['tests', 'passed', 'failed'], ['checklist', 'total', 'done']),
      },
      streaks: {
        ...commonStreaks(claim, proof),
        sameTask: { when: all('named failure', failedIteration, named), key: (facts) => facts.task },
      },
      progress: movedOn,
      breaker: breakerOf(config),
      rules: [
        interrupted,
        forced,
        gate(claim, proof),
        sameTask(config.sameTask),
        breakerOpen,
        ...limits(config.limits),
        warn(testsNotPassing(tests), plansIncomplete, breakerHalfOpen, readingProblems),
        keepGoing(notDone(claim, proof)),
      ],
      shadowed: {},
      reading: { promise: config.promise, patterns: config.patterns },
      prompt: roadmapTicks,
      checks: {
        ...earlierChecks,
        plan: { required: false, plansOnly: true },
        needs: config.gsd.unknownTests === 'pass' ? [] : ['tests'],
      },
    }
  },
}

/** A failure without a task counts only for the breaker. */
const named: Condition = ({ task }) => finding('named', yesNo(Boolean(task)), task ? `the task is ${task}` : 'no task')

/** The two messages of the original, shown if the other half of the gate has an answer too. */
const testsNotPassing =
  (tests: Condition): Condition =>
  (facts) => {
    const failed = facts.evidence.tests?.counts?.failed
    const state = tests(facts).answer === 'unknown' ? 'TESTS_UNKNOWN' : `TESTS_FAIL:${failed ?? '?'}`
    const plans = check('checklist')(facts).answer
    const notPassing = tests(facts).answer !== 'yes' && plans === 'yes'
    const bothFail = tests(facts).answer === 'no' && plans === 'no'
    return finding('tests', yesNo(notPassing || bothFail), `Completion check: tests not passing (${state})`)
  }

const plansIncomplete: Condition = (facts) =>
  finding(
    'plans',
    yesNo(check('checklist')(facts).answer === 'no' && check('tests')(facts).answer !== 'unknown'),
    'Completion check: plans still incomplete',
  )
