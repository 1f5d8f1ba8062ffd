import { oneLine } from './format.ts'

export interface StateEdit {
  /** Replaces the value of the first `Status:` line. */
  readonly status: string
  /** Replaces the value of the first `Last activity:` line. */
  readonly activity: string
  /** The newest row of the history: number, time, outcome, task. */
  readonly row: readonly [number | string, string, string, string]
  /** Percent of the plans that are done: redraws the bar of the first `Progress:` line. */
  readonly progress?: number
}

const HEADER = '| # | Timestamp | Outcome | Task |'
const RULER = '|---|-----------|---------|------|'
const START = '<!-- HISTORY_START -->'
const END = '<!-- HISTORY_END -->'

/** Text that can end neither its line nor the comment around the history. */
const safe = (text: string): string => oneLine(text).replaceAll('<!--', '<! --').replaceAll('-->', '-- >')
const cell = (text: string): string => safe(text).replaceAll('|', '\\|')

function setLine(markdown: string, name: string, value: string): string {
  const line = new RegExp(`^(${name}:)[^\\r\\n]*`, 'm')
  // A function, because a replacement string would give `$` a meaning.
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

/** Where the section goes that an older file does not have yet: before the session notes, else at the end. */
function withHistory(markdown: string, newline: string): string {
  const section = ['## Iteration History', '', START, HEADER, RULER, END, ''].join(newline)
  const notes = /^## Session Continuity/m.exec(markdown)
  if (notes !== null) return markdown.slice(0, notes.index) + section + newline + markdown.slice(notes.index)
  const gap = markdown === '' || markdown.endsWith('\n') ? newline : newline + newline
  return markdown + gap + section
}

/** The STATE.md of GSD, edited in place: what is not named in the edit stays byte for byte. */
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
