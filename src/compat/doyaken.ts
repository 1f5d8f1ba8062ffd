import { breakerName, isoTime, oneLine, taskOf } from './format.ts'
import type { CompatInput, CompatWriter, FileWrite } from './types.ts'

const LOG = '.doyaken/logs/confidence.log'
/** Its tool names the file after the agent, and uses `agent` if there is no name. */
const BREAKER = '.doyaken/state/circuit-breaker-agent'

/** The parts of the score in the order its users expect. */
const REASONS: readonly (readonly [measure: string, reason: string])[] = [
  ['score.block', 'status_block'],
  ['score.phaseComplete', 'phase_complete'],
  ['score.testsPass', 'tests_pass'],
  ['score.changed', 'files_modified'],
  ['score.taskInDone', 'task_in_done'],
  ['score.keywords', 'keywords'],
]

export function doyakenLogLine(at: number, task: string, measures: Readonly<Record<string, number>>): string {
  const reasons = REASONS.filter(([measure]) => (measures[measure] ?? 0) > 0)
  const told = reasons.map(([measure, reason]) => `${reason}:+${measures[measure]}`).join(' ')
  return `${isoTime(at)} task=${task.replace(/\s/g, '_')} score=${measures.score ?? 0} reasons=${told}`
}

const seconds = (at: number | undefined) => (at === undefined ? 0 : Math.floor(at / 1000))

/** `KEY="value"` lines, which its tool reads with grep. */
function breakerFile(input: CompatInput): string {
  const { breaker } = input.state.counters
  const before = /^CB_LAST_TRANSITION="(\d+)"$/m.exec(input.read(BREAKER) ?? '')?.[1] ?? ''
  const lines: readonly (readonly [string, string | number])[] = [
    ['CB_STATE', breakerName(breaker.state)],
    ['CB_NO_PROGRESS_COUNT', breaker.noProgress],
    ['CB_SAME_ERROR_COUNT', breaker.sameError],
    ['CB_LAST_ERROR_HASH', breaker.errorKey ?? ''],
    ['CB_OUTPUT_SIZES', breaker.sizes.join(',')],
    ['CB_LAST_TRANSITION', input.transitions.length > 0 ? seconds(input.at) : before],
    ['CB_OPEN_SINCE', breaker.state === 'open' ? seconds(breaker.openedAt) : 0],
  ]
  return lines.map(([key, value]) => `${key}="${oneLine(String(value)).replaceAll('"', "'")}"\n`).join('')
}

function write(input: CompatInput): readonly FileWrite[] {
  const line = doyakenLogLine(input.at, taskOf(input), input.verdict.measures)
  return [
    { path: LOG, mode: 'append', text: `${line}\n` },
    { path: BREAKER, mode: 'replace', text: breakerFile(input) },
  ]
}

export const doyaken: CompatWriter = { write, paths: () => [LOG, BREAKER] }
