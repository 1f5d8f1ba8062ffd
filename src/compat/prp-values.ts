import type { Config } from '../core/config.ts'
import { passed } from './format.ts'
import type { PhaseValues } from './prp-progress.ts'
import type { CompatInput } from './types.ts'

/** The phase that was decided, which an advance has already left. */
export function phaseOf({ verdict, observation, state }: CompatInput): string {
  if (verdict.action !== 'advance') return observation.phase ?? state.counters.phase ?? 'RED'
  return observation.phase ?? state.phasesDone.at(-1)?.phase ?? state.counters.phase ?? 'RED'
}

/** The iteration within that phase, from 1. */
export function iterationOf({ verdict, state }: CompatInput): number {
  if (verdict.action !== 'advance') return state.counters.phaseIteration
  return state.phasesDone.at(-1)?.iterations ?? state.iterations
}

type Tests = Readonly<Record<'tests_failing' | 'tests_passing' | 'tests_total', number | undefined>>

/** RED is about the tests of this run: those that were there before it are not counted. */
function newOnes({ tests_failing, tests_passing, tests_total }: Tests, { state }: CompatInput): Tests {
  const before = state.baseline?.tests?.counts ?? {}
  const without = (now: number | undefined, name: string) => (now === undefined ? undefined : now - (before[name] ?? 0))
  return {
    tests_failing: without(tests_failing, 'failed'),
    tests_passing: without(tests_passing, 'passed'),
    tests_total: without(tests_total, 'total'),
  }
}

const known = (values: Readonly<Record<string, number | boolean | string | undefined>>): PhaseValues =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number | boolean | string] => entry[1] !== undefined),
  )

/** What the gate of a phase looked at, by the names of PRP's files. Only what exitgate counted itself, save two flags of REFACTOR. */
export function phaseValues(input: CompatInput): PhaseValues {
  const { measures } = input.verdict
  const { evidence, signals } = input.observation
  const count = (check: string, name: string) => evidence[check]?.counts?.[name]
  const flag = (check: string, name: string) => {
    const value = count(check, name)
    return value === undefined ? undefined : value > 0
  }
  const tests = {
    tests_failing: measures['tests.failed'],
    tests_passing: measures['tests.passed'],
    tests_total: measures['tests.total'],
  }
  switch (phaseOf(input)) {
    case 'RED':
      return known({
        ...newOnes(tests, input),
        criteria_count: measures.criteria,
        criteria_covered: count('criteria', 'met'),
      })
    case 'GREEN':
      return known({ ...tests, consecutive_green_runs: measures.greenRuns })
    case 'REFACTOR':
      return known({
        ...tests,
        refactoring_complete: signals.said.REFACTORING_COMPLETE === true,
        no_improvements: signals.said.NO_IMPROVEMENTS === true,
        iteration: iterationOf(input),
        complexity_score: count('quality', 'complexity'),
        duplication_count: count('quality', 'duplication'),
      })
    case 'DOCUMENT':
      return known({
        docs_generated: measures.docs,
        diagrams_valid: measures.diagramsValid,
        diagrams_total: measures.diagrams,
        has_adr: flag('documents', 'adr'),
        has_c4_diagrams: flag('documents', 'c4'),
      })
    default:
      return known({
        blocking_issues: count('review', 'blocking'),
        verdict: evidence.review === undefined ? undefined : evidence.review.answer === 'yes' ? 'APPROVE' : 'REJECT',
      })
  }
}

/** The objective half of a phase's gate, in words. */
export function gateCondition(phase: string, { prp }: Pick<Config, 'prp'>): string {
  switch (phase) {
    case 'RED':
      return 'tests_total >= criteria_count AND tests_failing == tests_total AND tests_passing == 0'
    case 'GREEN':
      return `tests_failing == 0 AND consecutive_green_runs >= ${prp.greenRuns}`
    case 'REFACTOR':
      return `tests_failing == 0 AND (refactoring_complete OR iteration >= ${prp.maxRefactorIterations} OR no_improvements)`
    case 'DOCUMENT':
      return [
        `docs_generated >= ${prp.requiredDocs}`,
        ...(prp.requireDiagrams ? ['diagrams_valid == diagrams_total'] : []),
        ...(prp.requireAdr ? ['has_adr'] : []),
        ...(prp.requireC4 ? ['has_c4_diagrams'] : []),
      ].join(' AND ')
    default:
      return 'blocking_issues == 0 AND verdict == APPROVE'
  }
}

/** The two gates as they stood in this iteration. */
export function gates(input: CompatInput) {
  const gate1 = input.verdict.gate.proof === 'yes'
  const gate2 = input.verdict.gate.claim === 'yes'
  return { gate1, gate2, canExit: passed(input), forced: input.observation.forced !== undefined }
}
