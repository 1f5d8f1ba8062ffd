import { count } from '../../../packages/core/src/count.ts'
import { limitedBy } from '../../../packages/exitgate/src/checks/proof.ts'
import type { JudgedTest, Judgement, TestToProve, WithoutPlan } from '../../../packages/exitgate/src/checks/without.ts'
import type { AcceptedFinding, Answer, Evidence, OpenFinding } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import { findingsIn, openFinding, withoutAccepted } from '../accepted-findings.ts'
import type { Check, CheckContext } from '../types.ts'
import type { CheckDefinition, CollectedTests } from './definition.ts'

interface Conclusion {
  readonly answer: Answer
  readonly detail: string
  readonly counts: Readonly<Record<'proves' | 'vacuous' | 'couldNotRun', number>>
}

const NAMED = 5

/**
 * The answer is `yes` if at least one test fails without the changes; the others are still listed. It is `no` if none does and more
 * than half of all examined tests are vacuous, unless something else proves the changes. In the strict form, more than half is
 * enough. Otherwise it is `unknown`, as it is whenever a vacuous test may be about code that could not be reverted.
 */
export function conclude(
  judged: readonly JudgedTest[],
  { notReverted }: Pick<WithoutPlan, 'notReverted'>,
  { strict = false }: { readonly strict?: boolean } = {},
): Conclusion {
  const those = (judgement: Judgement) => judged.filter((each) => each.judgement === judgement)
  const [proves, vacuous, rest] = [those('proves'), those('vacuous'), those('could-not-run')]
  const counts = { proves: proves.length, vacuous: vacuous.length, couldNotRun: rest.length }
  const areMostVacuous = vacuous.length > judged.length / 2
  const refuted = areMostVacuous && (strict || proves.length === 0)
  const proven = proves.length > 0 && (!strict || vacuous.length <= proves.length)
  const answer = refuted ? (notReverted.length > 0 ? 'unknown' : 'no') : proven ? 'yes' : 'unknown'
  const sentences = [
    `${proves.length} of ${count(judged.length, 'new, changed or fixed test')} ${judged.length === 1 ? 'fails' : 'fail'} without the code changes${proves.length === judged.length ? ', as expected' : ''}.`,
    vacuous.length > 0 && `Passing even without the code changes, so proving nothing: ${list(vacuous)}.`,
    rest.length > 0 && `Could not be judged: ${list(rest, true)}.`,
    loadOnly(proves),
    notReverted.length > 0 && `Could not be reverted: ${some(notReverted)}.`,
  ]
  return { answer, detail: sentences.filter((sentence) => sentence !== false).join(' '), counts }
}

function loadOnly(proves: readonly JudgedTest[]): string | false {
  const unloaded = proves.filter(({ failed }) => failed !== true)
  return unloaded.length > 0 && `Counted as failing because they could not be loaded: ${list(unloaded, true)}.`
}

const labelOf = ({ file, groups, name }: TestToProve) => (name === '' ? file : [...groups, name].join(' > '))

const list = (judged: readonly JudgedTest[], withReason = false) =>
  some(
    judged.map(({ test, why }) => `${labelOf(test)} (${withReason ? why : test.file})`),
    '; ',
  )

const some = (all: readonly string[], between = ', ') =>
  all.slice(0, NAMED).join(between) + (all.length > NAMED ? ` and ${all.length - NAMED} more` : '')

export interface RedProofOptions {
  /** The test results of the current tree, with the experiments that followed them. */
  readonly tests: (context: CheckContext) => Promise<CollectedTests>
  /** More than half vacuous is `no`, whatever else is proven. */
  readonly strict?: boolean
  /** Findings that the user accepted. */
  readonly accepted?: readonly AcceptedFinding[]
}

export const redProof: CheckDefinition = {
  name: 'red-proof',
  checksFor({ config, policy, context, tests, accepted }) {
    const { redProof: mode } = config.evidence
    // A policy that does not look at the answer does not have to pay for it.
    if (context.baseline === undefined || mode === false || policy.redProof === false) return []
    return [redProofCheck({ tests, strict: mode === 'strict', accepted })]
  },
}

/**
 * Do the new and changed tests fail without the code changes? A test that passes either way proves nothing. Runs only on a claim whose
 * tests pass: the experiments have shown it by then.
 */
export function redProofCheck({ tests, strict = false, accepted = [] }: RedProofOptions): Check {
  return {
    name: 'red-proof',
    async collect(context): Promise<readonly Evidence[]> {
      if (!context.claim) return []
      const started = awake.now()
      const { run: now, proof } = await tests(context)
      if (proof === undefined || now === undefined || proof.plan.tests.length === 0) return []
      const { plan, originals } = proof
      const answered = (answer: Answer, detail: string, more: Partial<Evidence> = {}): readonly Evidence[] => {
        const ms = Math.round(awake.now() - started)
        return [{ check: 'red-proof', answer, detail, ...more, ms, tree: context.tree }]
      }
      if (plan.revert.length === 0)
        return answered('unknown', `The code changes could not be reverted: ${some(plan.notReverted)}.`)
      const judged = limitedBy(proof.without ?? [], originals, now, context.taskTexts)
      const { answer, detail, counts } = conclude(judged, plan, { strict })
      if (answer !== 'no') return answered(answer, detail, { counts })
      const vacuous = judged.filter(({ judgement }) => judgement === 'vacuous')
      const sorted = withoutAccepted(vacuous, accepted, (each) => findingOf(each, plan))
      const findings = findingsIn(sorted.findings, sorted.accepted)
      return sorted.open.length > 0
        ? answered('no', detail, { counts, ...findings })
        : answered('yes', `${detail} Accepted.`, { counts, ...findings })
    },
  }
}

/** Another version of the test file is another finding. */
function findingOf({ test, why }: JudgedTest, { testTexts }: WithoutPlan): OpenFinding {
  const detail = `Test "${labelOf(test)}" proves nothing: ${why}.`
  return openFinding({ kind: 'vacuous-test', file: test.file, test: labelOf(test), detail }, [testTexts.get(test.file)])
}
