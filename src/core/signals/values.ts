import type { Scalar } from '../types.ts'

/** The meaning of a value with any formatting: a word, nothing, or an unfilled placeholder. */

// Words in the templates of all dialects. Only a list made of these alone is a choice offered to the agent.
const CHOICES = new Set(
  (
    'true false yes no pass passing passed fail failing failed skip skipped unknown not_run high medium low none ' +
    'complete continue blocked in_progress open closed half_open approve reject red green refactor document qa'
  ).split(' '),
)
/** Every placeholder contains one of these. Most values don't, so the longer patterns needn't be compiled. */
const PLACEHOLDER_SIGNS = /[<{[|/%.…_]|\sor\s/i
const WRAPPED = /^(?:<[^<>]*>|\$?\{+[^{}]*\}+|\[[^[\]]*\|[^[\]]*\]|%s|\.{3,}|…+|_{3,}|\[(?:\.{3}|…)\])$/

/** An unfilled value: `{COMPLETE|CONTINUE}`, `true/false`, `<count>`, `[true|false]`, `...`. */
export function isPlaceholder(value: string): boolean {
  const text = unquote(value.trim())
  if (text === '{}' || text === '<>' || !PLACEHOLDER_SIGNS.test(text)) return false
  if (WRAPPED.test(text)) return true
  const parts = text.split(/\s*[|/]\s*|\s+or\s+/i)
  if (parts.length < 2) return false
  // A pipe between upper-case words is a choice too. A slash between other words is a path.
  const capitals = text.includes('|') && parts.every((part) => /^[A-Z][A-Z0-9_ ]*$/.test(part))
  return capitals || parts.every((part) => CHOICES.has(part.toLowerCase().replace(/[\s-]+/g, '_')))
}

export interface Word {
  /** Upper case, with underscores for spaces and hyphens. Empty if there is none. */
  readonly word: string
  /** A remark after the word takes it back or makes it conditional. */
  readonly doubtful: boolean
}

const REMARK = /\s+(?:#|\/\/|--?|–|—)\s|\s*[(,;]/
// A remark with one of these explains the word, offers another one or adds a condition.
const DOUBT =
  /\b(?:if|once|when|until|unless|after|or|not|\w*n['’]t|pending|except|but|false|true|still|todo|(?<!(?:nothing|no work) )remain\w*|assuming|should|would|will|partial\w*|blocked|continue|incomplete|means?|which|print\w*|output\w*|emit\w*|only|so far|for now)\b/i
/** `step 1 of 3`, unless both numbers are equal, or a percentage alone. */
const PART = /^\W*\d{1,2}(?:\.\d+)?\s?%\W*$|\b(\d{1,4})\s*(?:of|\/|out of)\s*(?!\1\b)\d{1,4}\b/i
const TRAILING = /(?:[\s.!✓。！]|[\u2190-\u2bff\u{1f000}-\u{1faff}]|\ufe0f)+$/u

/** The word in a value such as `COMPLETE`, `true # all green` or `In progress (docs)`. */
export function wordOf(value: string): Word {
  const text = unquote(value.trim())
  // The word is short. Its remark may be long.
  const start = text.slice(0, 400)
  const remark = REMARK.exec(start)
  const head = remark ? start.slice(0, remark.index) : start
  const word = unquote(/\w$/.test(head) ? head : head.replace(TRAILING, ''))
    .toUpperCase()
    .replace(/[\s-]+/g, '_')
  const behind = remark === null ? '' : text.slice(remark.index)
  return { word, doubtful: DOUBT.test(behind) || PART.test(behind) }
}

const NONE = new Set([
  '',
  'NONE',
  'N/A',
  'NA',
  'NOTHING',
  '_',
  '–',
  '—',
  '0',
  'NO',
  'NIL',
  'NULL',
  '[]',
  '{}',
  '""',
  "''",
  'NONE_REMAINING',
])
// "None" in other languages. It must be the whole value, so that no remark counts as nothing.
const NONE_OTHER_LANGUAGES = new Set(
  (
    'KEINE KEINES NICHTS NINGUNO NINGUNA NADA AUCUN AUCUNE RIEN NESSUNO NESSUNA NIENTE NENHUM NENHUMA GEEN NIETS BRAK YOK ' +
    'INGET INGEN НЕТ НИЧЕГО НЕМАЄ НІЧОГО 无 無 没有 沒有 なし 無し 없음'
  ).split(' '),
)

/** Whether REMAINING_WORK or BLOCKERS means "nothing". When in doubt, it doesn't. */
export function isNone(value: string): boolean {
  const { word, doubtful } = wordOf(value)
  if (!doubtful && NONE.has(word)) return true
  // The doubtful remarks are English.
  return NONE_OTHER_LANGUAGES.has(word) && !REMARK.test(value)
}

/** A boolean or number if the text is exactly one, otherwise the text as written. */
export function parseScalar(value: string): Scalar {
  const bare = unquote(value)
  const lower = bare.toLowerCase()
  if (lower === 'true' || lower === 'false') return lower === 'true'
  const number = Number(value)
  // `007`, `1.10` and `1e3` are often names or versions, so only the plain form counts as a number.
  return Number.isFinite(number) && String(number) === value ? number : bare
}

const MARKS = '*_`"\''

/** Removes one pair of quotes or marks around the whole value. */
export function unquote(value: string): string {
  if (!MARKS.includes(value.charAt(0))) return value
  const pair = /^(\*{1,3}|_{1,3}|`{1,3}|["'])([\s\S]*)\1$/.exec(value)
  return pair?.[2] !== undefined && pair[2] !== '' && !pair[2].includes(pair[1] ?? '') ? pair[2].trim() : value
}
