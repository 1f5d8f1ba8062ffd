import { breakerName, isoTime, json, numbersIn, oneLine, readJson } from './format.ts'
import type { CompatInput, CompatWriter, FileWrite } from './types.ts'

const STATE = '.ralph/exit-state.json'
const LOGS = '.ralph/logs/'
/** Where its analyser looks for the agent's last output. */
const RESPONSE = '.ralph/last-response.md'
/** Enough for any chart; the journal has everything. */
const KEPT = 100

const dayOf = (at: number) => isoTime(at).slice(0, 10).replaceAll('-', '')

function write(input: CompatInput): readonly FileWrite[] {
  const { verdict, state, at } = input
  const { completion, confidence, errors, length, stagnation } = verdict.measures
  const decision = verdict.action === 'stop' ? 'EXIT' : 'CONTINUE'
  const before = readJson(input, STATE)
  const longer = (name: string, value: number | undefined) =>
    [...numbersIn(before[name]), ...(value === undefined ? [] : [value])].slice(-KEPT)
  // Users who switch bring their counts along, and counting continues from there.
  const count = (name: string, counts: boolean, own: number) => {
    const [known] = numbersIn([before[name]])
    return known === undefined ? own : known + (counts ? 1 : 0)
  }
  const exitState = {
    last_decision: decision,
    decision_reason: oneLine(verdict.reason),
    confidence_history: longer('confidence_history', confidence),
    completion_history: longer('completion_history', completion),
    error_history: longer('error_history', errors),
    stagnation_count: stagnation ?? 0,
    total_decisions: count('total_decisions', true, state.totals.decisions),
    continue_count: count('continue_count', decision === 'CONTINUE', state.totals.continues),
    exit_count: count('exit_count', decision === 'EXIT', state.totals.stops),
  }
  const metrics = {
    completion_score: completion ?? null,
    confidence: confidence ?? null,
    error_count: errors ?? null,
    response_length: length ?? null,
  }
  const entry = [
    `[${isoTime(at)}] Decision: ${decision}`,
    `   Reason: ${oneLine(verdict.reason)}`,
    `   Metrics: ${JSON.stringify(metrics)}`,
    `   Circuit status: ${breakerName(state.counters.breaker.state)}`,
  ]
  const { text } = input.observation.signals
  return [
    ...(text === '' ? [] : [{ path: RESPONSE, mode: 'replace', text: `${text.trimEnd()}\n` } as const]),
    { path: STATE, mode: 'replace', text: json(exitState) },
    { path: `${LOGS}exit-decisions_${dayOf(at)}.log`, mode: 'append', text: `${entry.join('\n')}\n\n` },
  ]
}

/** Nothing was measured, so the end has only its reason. */
const end = (input: CompatInput): readonly FileWrite[] => {
  const { stagnation = 0 } = input.verdict.measures
  return write({ ...input, verdict: { ...input.verdict, measures: { stagnation } } })
}

export const blackbox: CompatWriter = { write, end, paths: () => [STATE, RESPONSE, LOGS] }
