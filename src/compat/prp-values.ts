import type { Config } from '../core/config.ts'
import { isJson, type Json, passed } from './format.ts'
import type { CompatInput } from './types.ts'

export const PHASES: readonly string[] = ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT', 'QA']
const WEIGHTS: Readonly<Record<string, number>> = { RED: 10, GREEN: 45, REFACTOR: 15, DOCUMENT: 15, QA: 15 }
const DOCUMENTS = 6

/** Numbers of a phase under the names in PRP's files; unknown ones are left out. */
export type PhaseValues = Readonly<Record<string, number | boolean | string>>

const percent = (value: number) => Math.max(0, Math.min(100, Math.floor(value)))

/** Progress of a phase, 0 to 100. With nothing to count it is 0. */
export function progressPercent(phase: string, values: PhaseValues): number {
  const of = (name: string) => Number(values[name] ?? 0)
  const share = (part: string, whole: string) => (of(whole) > 0 ? of(part) / of(whole) : 0)
  switch (phase) {
    case 'RED':
      // Without a judgement which criterion a test covers, each failing test counts as one.
      return percent(
        share(values.criteria_covered === undefined ? 'tests_failing' : 'criteria_covered', 'criteria_count') * 100,
      )
    case 'GREEN':
      if (of('tests_total') <= 0) return 0
      // The last tenth is for repeated passing runs. Summed before dividing, so that 90 % of a third loses nothing.
      return percent((of('tests_passing') * 90) / of('tests_total') + Math.min(5 * of('consecutive_green_runs'), 10))
    case 'REFACTOR':
      return percent(20 * of('iteration'))
    case 'DOCUMENT':
      return percent((of('docs_generated') * 100) / DOCUMENTS)
    case 'QA':
      return values.verdict === 'APPROVE' && of('blocking_issues') === 0 ? 100 : 0
    default:
      return 0
  }
}

interface SessionPlace {
  readonly phases_completed: readonly string[]
  readonly current_phase: string
  /** Within the current phase; ten count as all of it. */
  readonly current_iteration: number
}

/** Progress of the whole session, 0 to 100. */
export function overallProgress(place: SessionPlace): number {
  const done = new Set(place.phases_completed)
  const finished = [...done].reduce((sum, phase) => sum + (WEIGHTS[phase] ?? 0), 0)
  if (done.has(place.current_phase)) return percent(finished)
  return percent(finished + (WEIGHTS[place.current_phase] ?? 0) * Math.min(place.current_iteration / 10, 1))
}

const REQUIRED = ['session_id', 'prp_file', 'started_at', 'current_phase', 'status']
const RESUMABLE = ['running', 'paused', 'suspended']

/** Whether a stored session can be resumed for this PRP. The message is the reason against it, or empty. */
export function validateSession(state: unknown, requestedPrp: string): { valid: boolean; message: string } {
  const invalid = (message: string) => ({ valid: false, message })
  const session: Json = isJson(state) ? state : {}
  const missing = REQUIRED.find((field) => session[field] === undefined)
  if (missing !== undefined) return invalid(`Missing required field: ${missing}`)
  const { prp_file, current_phase, status } = session
  if (prp_file !== requestedPrp) return invalid(`PRP mismatch: session=${prp_file}, requested=${requestedPrp}`)
  if (!PHASES.includes(String(current_phase))) return invalid(`Invalid phase: ${current_phase}`)
  if (status === 'completed') return invalid('Session already completed')
  if (status === 'halted') return invalid('Session halted by Circuit Breaker')
  return RESUMABLE.includes(String(status)) ? { valid: true, message: '' } : invalid(`Invalid status: ${status}`)
}

/** The phase of the decision, which an advance has already left. */
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

/** RED only counts tests of this run, not those that existed before. */
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

/** The values a phase's gate checked, under the names in PRP's files. All are measured by exitgate except two flags of REFACTOR. */
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

/** The objective half of a phase's gate, as text. */
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

/** The state of both gates in this iteration. */
export function gates(input: CompatInput) {
  const gate1 = input.verdict.gate.proof === 'yes'
  const gate2 = input.verdict.gate.claim === 'yes'
  return { gate1, gate2, canExit: passed(input), forced: input.observation.forced !== undefined }
}
