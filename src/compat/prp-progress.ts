import { isJson, type Json } from './format.ts'

export const PHASES: readonly string[] = ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT', 'QA']
const WEIGHTS: Readonly<Record<string, number>> = { RED: 10, GREEN: 45, REFACTOR: 15, DOCUMENT: 15, QA: 15 }
const DOCUMENTS = 6

/** Numbers of a phase under the names that PRP's files use; what is not known is left out. */
export type PhaseValues = Readonly<Record<string, number | boolean | string>>

const percent = (value: number) => Math.max(0, Math.min(100, Math.floor(value)))

/** How far a phase is, 0 to 100. Nothing to count is no progress. */
export function progressPercent(phase: string, values: PhaseValues): number {
  const of = (name: string) => Number(values[name] ?? 0)
  const share = (part: string, whole: string) => (of(whole) > 0 ? of(part) / of(whole) : 0)
  switch (phase) {
    case 'RED':
      // Where nobody judges which criterion a test covers, a failing test stands for one.
      return percent(
        share(values.criteria_covered === undefined ? 'tests_failing' : 'criteria_covered', 'criteria_count') * 100,
      )
    case 'GREEN':
      if (of('tests_total') <= 0) return 0
      // The last tenth is for runs that stay green. Summed before dividing, so that 90 % of a third loses nothing.
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

export interface SessionPlace {
  readonly phases_completed: readonly string[]
  readonly current_phase: string
  /** Within the current phase; ten count as all of it. */
  readonly current_iteration: number
}

/** How far the whole session is, 0 to 100. */
export function overallProgress(place: SessionPlace): number {
  const done = new Set(place.phases_completed)
  const finished = [...done].reduce((sum, phase) => sum + (WEIGHTS[phase] ?? 0), 0)
  if (done.has(place.current_phase)) return percent(finished)
  return percent(finished + (WEIGHTS[place.current_phase] ?? 0) * Math.min(place.current_iteration / 10, 1))
}

const REQUIRED = ['session_id', 'prp_file', 'started_at', 'current_phase', 'status']
const RESUMABLE = ['running', 'paused', 'suspended']

/** May a stored session be taken up again for this PRP? The message says why not, and is empty when it may. */
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
