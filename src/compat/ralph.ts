import { breakerName, isoTime, json, listIn, oneLine, readJson } from './format.ts'
import type { CompatInput, CompatWriter, FileWrite } from './types.ts'

const SIGNALS = '.ralph/.exit_signals'
const BREAKER = '.ralph/.circuit_breaker_state'
const ANALYSIS = '.ralph/.response_analysis'

/** Lists of loop numbers; its gate only uses their length. */
function exitSignals({ state, verdict }: CompatInput) {
  const { streaks } = state.counters
  const last = (n: number) => Array.from({ length: n }, (_, back) => state.iterations - n + 1 + back)
  const loops = (name: string) =>
    streaks[name]?.recent ?? last(Math.min(streaks[name]?.n ?? verdict.measures[name] ?? 0, state.iterations))
  return {
    test_only_loops: loops('testOnly'),
    done_signals: loops('doneSignals'),
    completion_indicators: loops('completionIndicators'),
  }
}

function breakerState(input: CompatInput) {
  const { state, transitions, at } = input
  const { breaker } = state.counters
  const before = readJson(input, BREAKER)
  const moved = transitions.length > 0 || typeof before.last_change !== 'string'
  const earlier = typeof before.last_progress_loop === 'number' ? before.last_progress_loop : 0
  return {
    state: breakerName(breaker.state),
    last_change: moved ? isoTime(at) : before.last_change,
    consecutive_no_progress: breaker.noProgress,
    consecutive_same_error: breaker.sameError,
    consecutive_permission_denials: breaker.denials,
    last_progress_loop: breaker.noProgress === 0 ? state.iterations : Math.min(earlier, state.iterations),
    total_opens: breaker.opens,
    reason: oneLine(breaker.state === 'open' ? (breaker.reason ?? '') : (transitions.at(-1)?.reason ?? '')),
    current_loop: state.iterations,
    ...(breaker.openedAt !== undefined && { opened_at: isoTime(breaker.openedAt) }),
  }
}

function responseAnalysis({ state, observation, verdict, at }: CompatInput) {
  const { signals, evidence } = observation
  const said = (name: string) => signals.said[name]
  const now = (name: string) => listIn(state.counters.streaks[name]?.recent).includes(state.iterations)
  const question = signals.phrases.filter((phrase) => phrase.startsWith('ralph-question:'))
  const files = evidence.changed?.counts?.files
  return {
    loop_number: state.iterations,
    timestamp: isoTime(at),
    output_format: 'text',
    analysis: {
      has_completion_signal: verdict.gate.claim === 'yes' || now('doneSignals'),
      is_test_only: (state.counters.streaks.testOnly?.n ?? 0) > 0,
      is_stuck: state.counters.breaker.state === 'open',
      has_progress: evidence.changed?.answer === 'yes',
      files_modified: files ?? 0,
      exit_signal: verdict.gate.claim === 'yes',
      tasks_completed_this_loop: Number(said('TASKS_COMPLETED_THIS_LOOP') ?? 0) || 0,
      tests_status: String(said('TESTS_STATUS') ?? 'UNKNOWN'),
      work_summary: oneLine(String(said('RECOMMENDATION') ?? signals.text.split('\n')[0] ?? '')).slice(0, 100),
      output_length: signals.length,
      asking_questions: question.length > 0,
      question_count: question.length,
      has_permission_denials: signals.denials.length > 0,
      permission_denial_count: signals.denials.length,
      denied_commands: signals.denials.map(oneLine),
    },
  }
}

const write = (input: CompatInput): readonly FileWrite[] => [
  { path: SIGNALS, mode: 'replace', text: json(exitSignals(input)) },
  { path: BREAKER, mode: 'replace', text: json(breakerState(input)) },
  { path: ANALYSIS, mode: 'replace', text: json(responseAnalysis(input)) },
]

export const ralph: CompatWriter = { write, paths: () => [SIGNALS, BREAKER, ANALYSIS] }
