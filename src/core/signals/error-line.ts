import type { AgentError } from '../types.ts'

/**
 * A short signature of an error: numbers, paths, times, ids and quotes are normalised, then hashed. The hash is implemented here
 * because this module is pure and can't import crypto. It isn't used for security.
 */
export function signature(type: string, message: string): string {
  const text = `${type.toLowerCase()}\n${normalise(message)}`
  return fnv(text, 0x811c9dc5) + fnv(text, 0x01000193)
}

const QUOTES = /[‘’“”`"«»]/g
const TIME =
  /\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?/g
const PATH = /(?:file:\/\/|[a-z]:)?(?:[\w.@+~-]*[\\/])+[\w.@+~-]*/g
const ID = /\b(?:0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[a-f]*\d)[0-9a-f]{7,})\b/g
const NUMBER = /\d+(?:[.,]\d+)*/g

function normalise(message: string): string {
  return message
    .slice(0, 1_000)
    .toLowerCase()
    .replace(QUOTES, "'")
    .replace(TIME, '<time>')
    .replace(PATH, '<path>')
    .replace(ID, '<id>')
    .replace(NUMBER, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
}

/** FNV-1a over UTF-16 units, with a final mix so that both halves depend on every bit. */
function fnv(text: string, seed: number): string {
  let hash = seed
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return ((hash ^ (hash >>> 13)) >>> 0).toString(16).padStart(8, '0')
}

const ERROR =
  /^\W{0,8}((?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception)|error(?:\[\w{1,10}\])?|ERROR|[Ff]atal|FATAL|[Pp]anic|Traceback)(?!\w)[^:]{0,40}:\s*(\S.*)$/
const FAILED_LINE = /^\W{0,8}(FAILED|FAIL)[\s:]+(\S.*)$/
const NONE = /^(?:0|none|no)\b/i

/** The signature of the iteration's error: the one the agent reports, or the last line that looks like an error. */
export function errorOf(errors: readonly AgentError[], lines: readonly string[]): string | undefined {
  const last = errors.at(-1)
  if (last) return signature(last.kind, last.message)
  for (const whole of lines.toReversed()) {
    const line = whole.slice(0, 1_000)
    const match =
      (line.includes(':') ? ERROR.exec(line) : null) ?? (line.includes('FAIL') ? FAILED_LINE.exec(line) : null)
    if (match?.[1] && match[2] && !NONE.test(match[2])) return signature(match[1], match[2])
  }
  return undefined
}
