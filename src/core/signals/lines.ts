/**
 * The final message as lines, each with its standing: spoken by the agent itself, shown in a code fence, quoted from
 * someone else, or hidden in a comment, an example or a diff. Everything here is linear in the length of the text.
 */

export type Standing = 'own' | 'fenced' | 'quoted' | 'hidden'

export interface Line {
  readonly text: string
  /** Columns before the first character; a tab counts four. */
  readonly indent: number
  readonly standing: Standing
  readonly blank: boolean
  /** The line that opens or closes a fence: no words of anybody. */
  readonly fence: boolean
}

const ORDINARY = /^[\t\n\x20-\x7e]*$/
// An operating-system command ends with its line at the latest, so that a torn escape cannot swallow what follows.
const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_=>NOM78])/g
const INVISIBLE = /[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g
const BREAKS = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/** Takes away what a reader does not see: escapes, marks without width, the difference between line ends. */
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
// Names of tags that wrap somebody else's words. `details` is not among them: agents fold their own report with it.
const TAGS =
  'examples?|samples?|templates?|prompt|instructions?|system|system-reminder|quote|blockquote|format|output[-_]format|' +
  'expected|expected[-_]output|tool[-_]results?|function[-_]results?|documents?|file|diff|pre|code|user|human|transcript'
const OPEN_TAG = new RegExp(`^\\s*<(${TAGS})(?:\\s[^<>]*)?>`, 'i')
const CLOSE_TAG = new RegExp(`</(${TAGS})\\s*>`, 'gi')

/** Splits a cleaned text into lines and says of each how it stands. Patterns wait for their literals: compiling them takes time. */
export function toLines(text: string): Line[] {
  const raw = text.split('\n')
  const lastClose = closings(raw)
  const lines: Line[] = []
  let fence: { readonly char: string; readonly length: number; readonly standing: Standing } | undefined
  let hiddenUntil: RegExp | undefined
  let inHunk = false

  for (const [index, source] of raw.entries()) {
    let line = source
    const add = (standing: Standing, isFence = false) =>
      lines.push({ text: line, indent: indentOf(line), standing, blank: line.trim() === '', fence: isFence })

    if (hiddenUntil) {
      if (hiddenUntil.test(line)) hiddenUntil = undefined
      add('hidden')
      continue
    }
    const mark = line.includes('```') || line.includes('~~~') ? FENCE.exec(line) : null
    if (fence) {
      const closes = mark?.[1]?.[0] === fence.char && mark[1].length >= fence.length && mark[2]?.trim() === ''
      add(closes ? fence.standing : isQuote(line) ? 'quoted' : fence.standing, closes)
      if (closes) fence = undefined
      continue
    }
    if (mark?.[1] && mark[2] !== undefined && !(mark[1][0] === '`' && mark[2].includes('`'))) {
      fence = {
        char: mark[1][0] ?? '`',
        length: mark[1].length,
        standing: DIFF_FENCE.test(mark[2]) ? 'hidden' : 'fenced',
      }
      add(fence.standing, true)
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

/** Where a comment opens on this line, unless the mark itself stands in inline code. */
function openComment(line: string): number | undefined {
  const at = line.indexOf('<!--')
  if (at < 0) return undefined
  return line.slice(0, at).split('`').length % 2 === 0 ? undefined : at
}

/** The last line on which each comment or tag is closed: one that is never closed hides nothing but itself. */
function closings(raw: readonly string[]): Map<string, number> {
  const last = new Map<string, number>()
  for (const [index, line] of raw.entries()) {
    if (line.includes('-->')) last.set('-->', index)
    if (!line.includes('</')) continue
    for (const match of line.matchAll(CLOSE_TAG)) last.set((match[1] ?? '').toLowerCase(), index)
  }
  return last
}
