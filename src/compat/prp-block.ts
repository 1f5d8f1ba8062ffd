import { breakerName, isoTime, oneLine, passed } from './format.ts'
import { gates, iterationOf, type PhaseValues, phaseOf, phaseValues, progressPercent } from './prp-values.ts'
import type { CompatInput } from './types.ts'

/** `tests_passing: 10/10, consecutive_runs: 2`. */
function gateDetail(phase: string, values: PhaseValues): string {
  const of = (name: string) => values[name] ?? '?'
  const passing = `tests_passing: ${of('tests_passing')}/${of('tests_total')}`
  switch (phase) {
    case 'RED':
      return `tests_failing: ${of('tests_failing')}/${of('tests_total')}, criteria: ${of('criteria_count')}`
    case 'GREEN':
      return `${passing}, consecutive_runs: ${of('consecutive_green_runs')}`
    case 'REFACTOR':
      return `${passing}, iteration: ${of('iteration')}`
    case 'DOCUMENT':
      return `docs: ${of('docs_generated')}, diagrams_valid: ${of('diagrams_valid')}/${of('diagrams_total')}`
    default:
      return `blocking_issues: ${of('blocking_issues')}, verdict: ${of('verdict')}`
  }
}

/** Block marks inside a text would end the block. */
const inBlock = (text: string) => oneLine(text).replace(/-{3,}/g, '--')

/** One line about the next step. */
function recommendation(input: CompatInput): string {
  const { verdict } = input
  if (!passed(input)) return inBlock(verdict.reason)
  const why = input.observation.forced === undefined ? 'Gate passed' : 'Forced by a person, not verified'
  return `${why} - ${verdict.action === 'advance' ? `proceed to ${verdict.phase} phase` : 'all phases are done'}`
}

/** The status block with the values exitgate measured itself, whatever the agent printed. */
export function statusBlock(input: CompatInput): string {
  const { verdict, observation, state, at } = input
  const { breaker } = state.counters
  const phase = phaseOf(input)
  const values = phaseValues(input)
  const { gate1, gate2, canExit, forced } = gates(input)
  const iteration = iterationOf(input)
  const blocked = breaker.state === 'open' || observation.signals.blocker !== undefined
  const tests = (name: string) => verdict.measures[`tests.${name}`] ?? 0
  const files = (name: string) => observation.evidence.changed?.counts?.[name] ?? 0
  const blockers = observation.signals.blocker === undefined ? ['none'] : [observation.signals.blocker]
  return [
    '---PRP_PHASE_STATUS---',
    `TIMESTAMP: ${isoTime(at)}`,
    `PHASE: ${phase}`,
    `STATUS: ${canExit ? 'COMPLETE' : blocked ? 'BLOCKED' : 'IN_PROGRESS'}`,
    `ITERATION: ${iteration}`,
    `PROGRESS_PERCENT: ${progressPercent(phase, { ...values, iteration })}`,
    '',
    'TESTS:',
    `  TOTAL: ${tests('total')}`,
    `  PASSING: ${tests('passed')}`,
    `  FAILING: ${tests('failed')}`,
    `  SKIPPED: ${tests('skipped')}`,
    '',
    'FILES:',
    `  CREATED: ${files('created')}`,
    `  MODIFIED: ${files('modified')}`,
    `  DELETED: ${files('deleted')}`,
    '',
    'CIRCUIT_BREAKER:',
    `  STATE: ${breakerName(breaker.state)}`,
    `  NO_PROGRESS_COUNT: ${breaker.noProgress}`,
    '',
    'DUAL_GATE:',
    `  GATE_1: ${gate1}`,
    `  GATE_1_DETAIL: "${gateDetail(phase, values)}"`,
    `  GATE_2: ${gate2}`,
    `  CAN_EXIT: ${canExit}`,
    ...(forced ? ['  FORCED_EXIT: true'] : []),
    '',
    'BLOCKERS:',
    ...blockers.map((text) => `  - ${inBlock(text)}`),
    '',
    `EXIT_SIGNAL: ${gate2}`,
    `RECOMMENDATION: ${recommendation(input)}`,
    '---END_PRP_PHASE_STATUS---',
    '',
  ].join('\n')
}

/** What the user sees when the breaker opens. */
export function breakerOpenBlock(input: CompatInput): string {
  const { verdict, observation, state } = input
  const phase = phaseOf(input)
  const { 'tests.passed': passing, 'tests.total': total } = verdict.measures
  return [
    '---CIRCUIT_BREAKER_OPEN---',
    `PHASE: ${phase}`,
    `REASON: ${inBlock(state.counters.breaker.reason ?? verdict.reason)}`,
    `ITERATIONS: ${iterationOf(input)}`,
    `TESTS_PASSING: ${passing ?? '?'}/${total ?? '?'} (no change)`,
    `LAST_ERROR: ${inBlock(observation.failed?.reason ?? observation.signals.error ?? 'none')}`,
    ...(phase === 'GREEN' ? ['SUGGESTION: Consider refactoring approach or splitting the feature'] : []),
    '',
    'OPTIONS:',
    '1. [R]eset and retry with current approach',
    `2. [S]kip ${phase} phase (mark tests as known failures)`,
    '3. [A]bort execution',
    '4. [M]odify approach (provide new guidance)',
    '---END_CIRCUIT_BREAKER_OPEN---',
    '',
  ].join('\n')
}
