/**
 * The lines of the final message, each classified: the agent's own text, in a code fence, a quote, or hidden in a comment, example
 * or diff. Everything here takes linear time.
 */

export type LineKind = 'own' | 'fenced' | 'quoted' | 'hidden'

export interface Line {
  readonly text: string
  /** Indentation in columns. A tab counts as four. */
  readonly indent: number
  readonly kind: LineKind
  readonly blank: boolean
  /** A line that opens or closes a fence. */
  readonly fence: boolean
}

const ORDINARY = /^[\t\n\x20-\x7e]*$/
// An OSC escape ends with its line at the latest, so that a broken one can't swallow the rest.
const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_=>NOM78])/g
const INVISIBLE = /[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g
const BREAKS = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/** Removes what a reader doesn't see: escapes, zero-width characters, differences between line endings. */
export function clean(text: string): string {
  if (ORDINARY.test(text)) return text
  return text.replace(BREAKS, '\n').replace(ANSI, '').replace(INVISIBLE, '').replace(SPACES, ' ')
}

export function indentOf(text: string): number {
  let columns = 0
  for (const char of text) {
    if (char === ' ') columns += 1
    else if (char === '\t') columns += 4
    else break
  }
  return columns
}

const FENCE = /^\s*(?:(?:[-*•]|\d{1,3}[.)])\s+)?(`{3,}|~{3,})([^\n]*)$/
const DIFF_FENCE = /^\s*(?:diff|patch)\b/i
const INLINE_CODE = /^\s*(`{1,3})[^`]+\1[.!]?\s*$/
const HUNK = /^(?:@@ .*@@|diff --git )/
// Tags that wrap quoted text. `details` isn't one of them, because agents use it for their own reports.
const TAGS =
  'examples?|samples?|templates?|prompt|instructions?|system|system-reminder|quote|blockquote|format|output[-_]format|' +
  'expected|expected[-_]output|tool[-_]results?|function[-_]results?|documents?|file|diff|pre|code|user|human|transcript'
const OPEN_TAG = new RegExp(`^\\s*<(${TAGS})(?:\\s[^<>]*)?>`, 'i')
const CLOSE_TAG = new RegExp(`</(${TAGS})\\s*>`, 'gi')

/** Splits a cleaned text into classified lines. Patterns are compiled only if their literals occur, because that is slow. */
export function classifyLines(text: string): Line[] {
  const raw = text.split('\n')
  const lastClose = lastClosingLines(raw)
  const lines: Line[] = []
  let fence: { readonly marks: string; readonly kind: LineKind } | undefined
  let hiddenUntil: RegExp | undefined
  let inHunk = false

  for (const [index, source] of raw.entries()) {
    let line = source
    const add = (kind: LineKind, isFence = false) =>
      lines.push({ text: line, indent: indentOf(line), kind, blank: line.trim() === '', fence: isFence })

    if (hiddenUntil) {
      if (hiddenUntil.test(line)) hiddenUntil = undefined
      add('hidden')
      continue
    }
    const [, marks = '', info = ''] = (line.includes('```') || line.includes('~~~') ? FENCE.exec(line) : null) ?? []
    if (fence) {
      const closes = marks.startsWith(fence.marks) && info.trim() === ''
      add(closes ? fence.kind : isQuote(line) ? 'quoted' : fence.kind, closes)
      if (closes) fence = undefined
      continue
    }
    if (marks !== '' && !(marks.startsWith('`') && info.includes('`'))) {
      fence = { marks, kind: DIFF_FENCE.test(info) ? 'hidden' : 'fenced' }
      add(fence.kind, true)
      continue
    }
    const opened = openComment(line)
    if (opened !== undefined) {
      const end = line.indexOf('-->', opened)
      if (end >= 0) line = line.slice(0, opened) + line.slice(end + 3)
      else if ((lastClose.get('-->') ?? -1) > index || line.trimStart().startsWith('<!--')) {
        hiddenUntil = /-->/
        add('hidden')
        continue
      }
    }
    const tag = line.includes('<') ? OPEN_TAG.exec(line) : null
    if (tag?.[1]) {
      const name = tag[1].toLowerCase()
      const closesLater = (lastClose.get(name) ?? -1) >= index
      if (closesLater || line.trim() === tag[0].trim()) {
        const close = new RegExp(`</${name}\\s*>`, 'i')
        if (!close.test(line)) hiddenUntil = close
        add('hidden')
        continue
      }
    }
    if ((line.startsWith('@@') || line.startsWith('diff')) && HUNK.test(line)) inHunk = true
    else if (inHunk && !/^[ +\-\\]/.test(line)) inHunk = false
    add(inHunk ? 'hidden' : isQuote(line) ? 'quoted' : line.includes('`') && INLINE_CODE.test(line) ? 'fenced' : 'own')
  }
  return lines
}

export const isQuote = (line: string): boolean => line.trimStart().startsWith('>')

/** Where a comment starts on this line, unless the mark is in inline code. */
function openComment(line: string): number | undefined {
  const at = line.indexOf('<!--')
  if (at < 0) return undefined
  return line.slice(0, at).split('`').length % 2 === 0 ? undefined : at
}

/** The last line that closes each kind of comment or tag. One that is never closed hides nothing. */
function lastClosingLines(raw: readonly string[]): Map<string, number> {
  const last = new Map<string, number>()
  for (const [index, line] of raw.entries()) {
    if (line.includes('-->')) last.set('-->', index)
    if (!line.includes('</')) continue
    for (const match of line.matchAll(CLOSE_TAG)) last.set((match[1] ?? '').toLowerCase(), index)
  }
  return last
}
