import type { Scalar } from '../types.ts'

/** What a value means, however it was dressed: a word, nothing at all, or a placeholder somebody forgot to fill in. */

// Words of the templates of all dialects: only lists made of these alone are choices offered to the agent.
const CHOICES = new Set(
  (
    'true false yes no pass passing passed fail failing failed skip skipped unknown not_run high medium low none ' +
    'complete continue blocked in_progress open closed half_open approve reject red green refactor document qa'
  ).split(' '),
)
/** What every placeholder has at least one of. Most values have none, and then the longer patterns need not be compiled. */
const UNCHOSEN = /[<{[|/%.…_]|\sor\s/i
const WRAPPED = /^(?:<[^<>]*>|\$?\{+[^{}]*\}+|\[[^[\]]*\|[^[\]]*\]|%s|\.{3,}|…+|_{3,}|\[(?:\.{3}|…)\])$/

/** A value nobody has chosen yet: `{COMPLETE|CONTINUE}`, `true/false`, `<count>`, `[true|false]`, `...`. */
export function isPlaceholder(value: string): boolean {
  const text = unquote(value.trim())
  if (text === '{}' || text === '<>' || !UNCHOSEN.test(text)) return false
  if (WRAPPED.test(text)) return true
  const parts = text.split(/\s*[|/]\s*|\s+or\s+/i)
  if (parts.length < 2) return false
  // A pipe between capitals is a choice too; a slash between other words is a path, and means something.
  const capitals = text.includes('|') && parts.every((part) => /^[A-Z][A-Z0-9_ ]*$/.test(part))
  return capitals || parts.every((part) => CHOICES.has(part.toLowerCase().replace(/[\s-]+/g, '_')))
}

export interface Word {
  /** Upper case, blanks and hyphens as underscores; empty when there is none. */
  readonly word: string
  /** A remark behind the word takes it back or makes it depend on something. */
  readonly doubtful: boolean
}

const REMARK = /\s+(?:#|\/\/|--?|–|—)\s|\s*[(,;]/
// A remark with one of these explains the word, offers another or puts a condition on it.
const DOUBT =
  /\b(?:if|once|when|until|unless|after|or|not|\w*n['’]t|pending|except|but|false|true|still|todo|(?<!(?:nothing|no work) )remain\w*|assuming|should|would|will|partial\w*|blocked|continue|incomplete|means?|which|print\w*|output\w*|emit\w*|only|so far|for now)\b/i
/** `step 1 of 3`, unless the two numbers are the same, or a percentage by itself. */
const PART = /^\W*\d{1,2}(?:\.\d+)?\s?%\W*$|\b(\d{1,4})\s*(?:of|\/|out of)\s*(?!\1\b)\d{1,4}\b/i
const TRAILING = /(?:[\s.!✓。！]|[\u2190-\u2bff\u{1f000}-\u{1faff}]|\ufe0f)+$/u

/** The word of a value like `COMPLETE`, `true # all green`, `In progress (docs)`. */
export function wordOf(value: string): Word {
  const text = unquote(value.trim().slice(0, 400))
  const remark = REMARK.exec(text)
  const head = remark ? text.slice(0, remark.index) : text
  const word = unquote(/\w$/.test(head) ? head : head.replace(TRAILING, ''))
    .toUpperCase()
    .replace(/[\s-]+/g, '_')
  const behind = remark === null ? '' : text.slice(remark.index)
  return { word, doubtful: behind !== '' && (DOUBT.test(behind) || PART.test(behind)) }
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
  'NONE_REMAINING',
])
// The same where an agent is spoken to in another language. The whole value must be it, so that no remark is taken for nothing.
const NONE_ELSEWHERE = new Set(
  (
    'KEINE KEINES NICHTS NINGUNO NINGUNA NADA AUCUN AUCUNE RIEN NESSUNO NESSUNA NIENTE NENHUM NENHUMA GEEN NIETS BRAK YOK ' +
    'INGET INGEN НЕТ НИЧЕГО НЕМАЄ НІЧОГО 无 無 没有 沒有 なし 無し 없음'
  ).split(' '),
)

/** Says of REMAINING_WORK or BLOCKERS that there is nothing. In doubt there is something. */
export function isNone(value: string): boolean {
  const { word, doubtful } = wordOf(value)
  if (!doubtful && NONE.has(word)) return true
  // The words of doubt behind a remark are English ones.
  const text = value.trim()
  return NONE_ELSEWHERE.has(word) && text.length < 40 && !REMARK.test(text)
}

/** A boolean or a number where the text is exactly one; else the text as it was written. */
export function typed(value: string): Scalar {
  const bare = unquote(value)
  const lower = bare.length <= 5 ? bare.toLowerCase() : ''
  if (lower === 'true' || lower === 'false') return lower === 'true'
  if (bare !== value || value === '' || value.length > 16) return bare
  const number = Number(value)
  // `007`, `1.10` and `1e3` are names or versions as often as numbers: only the plain form is clear.
  return Number.isFinite(number) && String(number) === value ? number : bare
}

const MARKS = '*_`"\''

/** Takes away one pair of marks or quotes around the whole value. */
export function unquote(value: string): string {
  if (!MARKS.includes(value.charAt(0))) return value
  const pair = /^(\*{1,3}|_{1,3}|`{1,3}|["'])([\s\S]*)\1$/.exec(value)
  return pair?.[2] !== undefined && pair[2] !== '' && !pair[2].includes(pair[1] ?? '') ? pair[2].trim() : value
}
