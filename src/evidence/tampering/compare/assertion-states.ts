import type { Assertion } from '../assertions/model.ts'
import { canonical } from '../assertions/strength.ts'

/** It runs, and it can fail. */
export const alive = ({ strength, lost }: Assertion) => strength !== 'vacuous' && lost === undefined
/** A failure that is asked for without a condition only says that a place must not be reached. */
export const counts = (assertion: Assertion) =>
  alive(assertion) && !(assertion.matcher === 'guard' && assertion.subject === '')

/** What is asserted of what, whatever message goes with it. */
export const sayingOf = ({ matcher, subject, expected, negated }: Assertion) =>
  [canonical(matcher), strip(subject), expected, negated].join('|')

/** A subject without what only says how it is come by. */
export const strip = (text: string) =>
  text.replace(/^(?:await |\( \) => |async )+/, '').replace(/\b(?:get|find|query)(All)?By(?=[A-Z])/g, 'by$1')

export const same = (old: Assertion, now: Assertion) =>
  old.subject !== '' &&
  strip(old.subject) === strip(now.subject) &&
  (old.matcher === 'guard') === (now.matcher === 'guard')

/** Strings and numbers of an expectation, whatever is around them. */
export const values = (text: string) =>
  (text.match(/"(?:[^"\\]|\\.)*"|\b\d[\w.]*|\b(?:true|false|null|None|nil|True|False)\b/g) ?? []).join().toLowerCase()

export const WORD = /[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|"(?:[^"\\]|\\.)*"/gu

export function closeness(old: Assertion, now: Assertion): number {
  const a = new Set(old.subject.match(WORD) ?? [])
  const b = new Set(now.subject.match(WORD) ?? [])
  if (a.size === 0 || b.size === 0) return 0
  return (2 * [...a].filter((word) => b.has(word)).length) / (a.size + b.size)
}

export const rootOf = (subject: string) =>
  /[\p{L}_$][\p{L}\p{N}_$]*/u.exec(
    subject.replace(/^(?:await|len|str|list|sorted|this \.|\$this ->|self \.)\s?\(?\s?/, ''),
  )?.[0] ?? ''

export const wordsOf = (assertion: Assertion) =>
  new Set(
    `${assertion.subject} ${assertion.expected}`
      .replace(/"(?:[^"\\]|\\.)*"/g, ' ')
      .match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [],
  )
export const literalsOf = (assertion: Assertion) =>
  new Set([...`${assertion.subject} ${assertion.expected}`.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!))
