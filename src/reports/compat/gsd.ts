import type { Ending, Outcome } from '../../types.ts'
import { hoursAndMinutes, oneLine, plainTime, runSeconds, taskOf } from './format.ts'
import { editState } from './gsd-state.ts'
import type { CompatInput, CompatWriter, FileWrite } from './types.ts'

const STATE = '.planning/STATE.md'
const LOG = '.planning/ralph.log'

const STATUS: Readonly<Record<Outcome, string>> = {
  completed: 'COMPLETED',
  stuck: 'STUCK',
  aborted: 'ABORTED',
  interrupted: 'INTERRUPTED',
}
const COLORS: Readonly<Record<string, string>> = { COMPLETED: 'green', STUCK: 'red' }
/** What its documents print; its code prints one headline for all. */
const HEADLINES: Readonly<Record<string, (reason: string) => string>> = {
  COMPLETED: () => '=== Ralph Complete: COMPLETED ===',
  STUCK: (reason) => `=== Ralph Stuck: ${reason} ===`,
}

/** The lines at the end of a run: as documented, or `shipped` as its code prints them. A number of seconds is put in words. */
export function gsdBanner(
  status: string,
  reason: string,
  lastTask: string,
  iterations: number,
  duration: string | number,
  form: 'documented' | 'shipped' = 'documented',
): { lines: readonly string[]; color: string } {
  const documented = (HEADLINES[status] ?? (() => `=== Ralph Exited: ${status} ===`))(reason)
  const head = form === 'documented' ? [documented] : [`=== Ralph Exit: ${status} ===`, `Reason: ${reason}`]
  const time = typeof duration === 'number' ? hoursAndMinutes(duration) : duration
  const lines = [...head, `Last task: ${lastTask}`, `Iterations: ${iterations}`, `Duration: ${time}`]
  return { lines, color: COLORS[status] ?? 'yellow' }
}

/** Reasons in the words its users know. */
const REASONS: Readonly<Partial<Record<Ending, string>>> = {
  verified: 'All tests pass and all plans done',
  iterations: 'Iteration cap reached',
  time: 'Time limit reached',
  interrupt: 'User interrupt',
}

function reasonOf({ verdict, observation }: CompatInput): string {
  if (verdict.action === 'stop') return REASONS[verdict.ending] ?? verdict.reason
  return observation.failed?.reason ?? verdict.reason
}

function edit(input: CompatInput) {
  const { verdict, observation, state, at } = input
  const time = plainTime(at)
  const task = taskOf(input)
  const reason = reasonOf(input)
  const activity = `${time} - ${reason}`
  if (verdict.action !== 'stop') {
    const outcome = observation.failed === undefined ? 'SUCCESS' : 'FAILURE'
    const text = task === '' ? reason : `${task}: ${reason}`
    return { status: 'In progress', activity, row: [state.iterations, time, outcome, text] as const }
  }
  // What a person forced is never written down as a plain completion.
  const status = STATUS[verdict.outcome] + (verdict.ending === 'forced' ? ' (forced)' : '')
  const text = `Exit: ${status} - ${reason} (${state.iterations} iterations, ${hoursAndMinutes(runSeconds(input))})`
  return { status, activity, row: [state.iterations, time, status, text] as const }
}

/** One entry of ralph.log. */
function logEntry(input: CompatInput, status: string): string {
  const { observation, state, at } = input
  const lines = [
    '---',
    `Iteration: ${state.iterations}`,
    `Timestamp: ${plainTime(at)}`,
    `Task: ${taskOf(input)}`,
    `Status: ${status}`,
    `Duration: ${Math.round(observation.spent.ms / 1000)}s`,
    `Summary: ${oneLine(reasonOf(input))}`,
  ]
  return `${lines.join('\n')}\n`
}

function write(input: CompatInput): readonly FileWrite[] {
  const change = edit(input)
  const log: FileWrite = { path: LOG, mode: 'append', text: logEntry(input, change.row[2]) }
  const current = input.read(STATE)
  // A project without STATE.md has not asked for one.
  return current === undefined ? [log] : [{ path: STATE, mode: 'replace', text: editState(current, change) }, log]
}

export const gsd: CompatWriter = { write, paths: () => [STATE, LOG] }
