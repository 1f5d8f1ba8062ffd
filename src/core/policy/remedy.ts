import { ADD_TEST } from '../../../packages/exitgate/src/checks/proven.ts'
import { listedFindings } from '../accepting.ts'
import type { Evidence, EvidenceSet, OpenFinding } from '../types.ts'
import { isInformation } from './check-text.ts'

/** What you can do about each check that did not pass, worst first. */
export function remedies(
  evidence: EvidenceSet,
  {
    required = [],
    baseline,
  }: { readonly required?: readonly string[]; readonly baseline?: EvidenceSet | undefined } = {},
): readonly string[] {
  const open = Object.values(evidence).filter(
    ({ check, answer }) => answer !== 'yes' && !isInformation(check, required),
  )
  const ordered = open.sort((a, b) => Number(b.answer === 'no') - Number(a.answer === 'no'))
  return [...new Set([...ordered.flatMap((each) => remedy(each, baseline)), ...acceptHint(listedFindings(evidence))])]
}

const MOST_IDS = 5

/** The exact command for what the user may accept. */
export function acceptHint(findings: readonly OpenFinding[]): readonly string[] {
  const ids = [...new Set(findings.map(({ id }) => id))]
  if (ids.length === 0) return []
  const more = ids.length > MOST_IDS ? ` (${ids.length - MOST_IDS} more: exitgate accept lists them)` : ''
  return [`If this is right, accept it: exitgate accept ${ids.slice(0, MOST_IDS).join(' ')} --reason "..."${more}`]
}

const REARM =
  'Remove the code that keeps tests from failing. If your tests have to work this way, set evidence.canary to false.'

const NO_START = 'Start exitgate run or next before the work, or set requireChange to false.'

const UNSEEN = 'Handle every case that the task asks for, not only those of the visible tests and examples.'

function remedy({ check, answer, named, counts = {} }: Evidence, baseline: EvidenceSet | undefined): readonly string[] {
  switch (check) {
    case 'tests': {
      if (counts.disarmed !== undefined) return [REARM]
      if (answer !== 'no') return []
      const before = new Set(baseline?.tests?.named?.failing ?? [])
      const known = (named?.failing ?? []).some((name) => before.has(name))
      const { failed = 0, excused = 0, missing = 0 } = counts
      return [
        missing > 0 && failed <= excused ? 'Bring back the tests that no longer run.' : 'Fix the failing tests.',
        ...(known ? ['To accept all tests that failed before the run, start it with --accept-failing.'] : []),
      ]
    }
    case 'flakes':
      return ['Fix the flaky tests, or list them in evidence.quarantine with a reason and a date.']
    case 'tampering':
      return answer === 'no' ? ['Undo the change to the tests.'] : []
    case 'checklist':
      return answer === 'no'
        ? ['Finish the open items of the plan and tick them.', 'If the plan is not part of this work, pass --no-plan.']
        : []
    case 'changed':
      return [answer === 'no' ? 'If no change is needed, set requireChange to false.' : NO_START]
    case 'proven':
      return answer === 'no' ? [ADD_TEST] : []
    case 'special-cased':
      return answer === 'no' ? ['Compute the results for every input, not only for those of the tests.'] : []
    case 'mutation':
      return answer === 'no' ? ['Write tests that check what the changed functions return or do.'] : []
    case 'held-out':
    case 'examples':
      return answer === 'no' ? [UNSEEN] : []
    case 'clean':
      return answer === 'no' ? ['Commit or stash the uncommitted changes.'] : []
    default:
      return answer === 'no' ? [`Fix what "${check}" reports.`] : []
  }
}
