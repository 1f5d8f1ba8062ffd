import type { Ending, Outcome, Verdict } from '../core/types.ts'
import { hoursAndMinutes, oneLine, plainTime, runSeconds, taskOf } from './format.ts'
import type { CompatInput, CompatWriter, FileWrite } from './types.ts'

interface StateEdit {
  /** Replaces the value of the first `Status:` line. */
  readonly status: string
  /** Replaces the value of the first `Last activity:` line. */
  readonly activity: string
  /** The newest row of the history: number, time, outcome, task. */
  readonly row: readonly [number | string, string, string, string]
  /** Percentage of completed plans; redraws the bar of the first `Progress:` line. */
  readonly progress?: number
}

const HEADER = '| # | Timestamp | Outcome | Task |'
const RULER = '|---|-----------|---------|------|'
const START = '<!-- HISTORY_START -->'
const END = '<!-- HISTORY_END -->'

/** Text that can't end its line or the comment around the history. */
const safe = (text: string): string => oneLine(text).replaceAll('<!--', '<! --').replaceAll('-->', '-- >')
const cell = (text: string): string => safe(text).replaceAll('|', '\\|')

function setLine(markdown: string, name: string, value: string): string {
  const line = new RegExp(`^(${name}:)[^\\r\\n]*`, 'm')
  // A function, because `$` has a meaning in a replacement string.
  return markdown.replace(line, (_all, label: string) => `${label} ${safe(value)}`)
}

const BAR = 30

function setProgress(markdown: string, percent: number | undefined): string {
  if (percent === undefined) return markdown
  const full = Math.floor((percent * BAR) / 100)
  return markdown.replace(/^(Progress: )\[[^\]\r\n]*\] *\d+%/m, (_all, label: string) => {
    return `${label}[${'#'.repeat(full).padEnd(BAR)}] ${percent}%`
  })
}

/** Where a missing section goes in an older file: before the session notes, else at the end. */
function withHistory(markdown: string, newline: string): string {
  const section = ['## Iteration History', '', START, HEADER, RULER, END, ''].join(newline)
  const notes = /^## Session Continuity/m.exec(markdown)
  if (notes !== null) return markdown.slice(0, notes.index) + section + newline + markdown.slice(notes.index)
  const gap = markdown === '' || markdown.endsWith('\n') ? newline : newline + newline
  return markdown + gap + section
}

/** Edits GSD's STATE.md in place. Everything the edit doesn't mention stays byte for byte. */
export function editState(markdown: string, edit: StateEdit): string {
  const newline = markdown.includes('\r\n') ? '\r\n' : '\n'
  const known = markdown.indexOf(START)
  const complete = known >= 0 && markdown.indexOf(END, known) >= 0 ? markdown : withHistory(markdown, newline)
  const named = setLine(setLine(complete, 'Status', edit.status), 'Last activity', edit.activity)
  const lined = setProgress(named, edit.progress)
  const from = lined.lastIndexOf(START, lined.lastIndexOf(END)) + START.length
  const table = lined.slice(from, lined.indexOf(END, from))
  const row = `| ${edit.row.map((text) => cell(String(text))).join(' | ')} |`
  const ruler = /^\|[ \t]*-[-| \t:]*\|[ \t]*$/m.exec(table)
  const at = ruler === null ? from : from + ruler.index + ruler[0].length
  const rows = ruler === null ? [HEADER, RULER, row] : [row]
  return lined.slice(0, at) + rows.map((text) => newline + text).join('') + lined.slice(at)
}

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

/** The lines at the end of a run: as documented, or with `shipped` as its code prints them. A number of seconds is formatted. */
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

/** Reasons in the wording its users know. */
const REASONS: Readonly<Partial<Record<Ending, string>>> = {
  verified: 'All tests pass and all plans done',
  iterations: 'Iteration cap reached',
  time: 'Time limit reached',
  interrupt: 'User interrupt',
}

const reasonOf = ({ ending, reason }: Stop): string => REASONS[ending === 'passed' ? 'verified' : ending] ?? reason

type Stop = Extract<Verdict, { action: 'stop' }>

/** The record of one iteration or of the end: a row of the history and an entry of ralph.log. */
interface Entry {
  readonly outcome: string
  readonly reason: string
  readonly text: string
}

/** The iteration itself, whatever follows. An iteration the user interrupted or forced doesn't count. */
function iterationEntry(input: CompatInput): readonly Entry[] {
  const { verdict, observation } = input
  if (observation.interrupted || observation.forced !== undefined) return []
  const outcome = observation.failed === undefined ? 'SUCCESS' : 'FAILURE'
  const reason =
    observation.failed?.reason ?? firstSentence(verdict.action === 'stop' ? testsOf(input) : verdict.reason)
  const task = taskOf(input)
  return [{ outcome, reason, text: [task, reason].filter((each) => each !== '').join(': ') }]
}

const testsOf = ({ observation: { evidence } }: CompatInput): string =>
  evidence.tests === undefined ? '' : `tests: ${evidence.tests.detail}`

/** The names of all tests don't fit in a table cell; the journal has them. */
const firstSentence = (text: string): string => /^.*?[.](?= [A-Z])/s.exec(text)?.[0] ?? text

function endEntry(input: CompatInput): readonly Entry[] {
  const { verdict, state } = input
  if (verdict.action !== 'stop') return []
  // A forced end is never recorded as a plain completion.
  const outcome = STATUS[verdict.outcome] + (verdict.ending === 'forced' ? ' (forced)' : '')
  const reason = reasonOf(verdict)
  const took = `(${state.iterations} iterations, ${hoursAndMinutes(runSeconds(input))})`
  return [{ outcome, reason, text: `Exit: ${outcome} - ${reason} ${took}` }]
}

/** One entry of ralph.log. */
function logEntry(input: CompatInput, { outcome, reason }: Entry): string {
  const { observation, state, at } = input
  const lines = [
    '---',
    `Iteration: ${state.iterations}`,
    `Timestamp: ${plainTime(at)}`,
    `Task: ${taskOf(input)}`,
    `Status: ${outcome}`,
    `Duration: ${Math.round(observation.spent.ms / 1000)}s`,
    `Summary: ${oneLine(reason)}`,
  ]
  return `${lines.join('\n')}\n`
}

function writeEntries(input: CompatInput, entries: readonly Entry[]): readonly FileWrite[] {
  const { verdict, state, at } = input
  const log: FileWrite = { path: LOG, mode: 'append', text: entries.map((each) => logEntry(input, each)).join('') }
  const current = input.read(STATE)
  // Without a STATE.md in the project, none is created.
  if (current === undefined) return [log]
  const time = plainTime(at)
  const { 'checklist.done': done, 'checklist.total': total } = verdict.measures
  const share = done !== undefined && total ? { progress: Math.floor((done * 100) / total) } : {}
  const text = entries.reduce((markdown, { outcome, reason, text }) => {
    const status = verdict.action === 'stop' ? outcome : 'In progress'
    const row = [state.iterations, time, outcome, text] as const
    return editState(markdown, { status, activity: `${time} - ${reason}`, row, ...share })
  }, current)
  return [{ path: STATE, mode: 'replace', text }, log]
}

export const gsd: CompatWriter = {
  write: (input) => writeEntries(input, [...iterationEntry(input), ...endEntry(input)]),
  end: (input) => writeEntries(input, endEntry(input)),
  paths: () => [STATE, LOG],
  banner: ({ outcome, ending, reason, task = 'none', iterations, startedAt, endedAt }) => {
    const status = `${outcome.toUpperCase()}${ending === 'forced' ? ' (forced)' : ''}`
    const seconds = Math.max(0, Math.floor((endedAt - startedAt) / 1000))
    return gsdBanner(status, reason, task, iterations, seconds).lines
  },
}
