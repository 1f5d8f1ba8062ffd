import type { Assertion } from '../assertions/model.ts'
import { canonical } from '../assertions/strength.ts'
import { alive, closeness, rootOf, sayingOf, strip, values, WORD } from './assertion-states.ts'
import { literalsIn, type Probe } from './probe.ts'

/** Assertions that this change brought into the tests: those without a counterpart. Each can stand for one that left elsewhere. */
export type Arrivals = Map<Assertion, Probe>

/** The same, or the same expectation of nearly the same thing, was added to another test. */
export function moved(old: Assertion, own: Probe, arrivals: Arrivals): boolean {
  for (const [now, probe] of arrivals) {
    if (probe === own || !alive(now)) continue
    const alike =
      sayingOf(old) === sayingOf(now) ||
      (old.expected === now.expected && canonical(old.matcher) === canonical(now.matcher) && closeness(old, now) >= 0.4)
    if (!alike) continue
    arrivals.delete(now)
    return true
  }
  return false
}

/** Copies of one assertion became that assertion in a loop or a table. */
export function looped(
  old: Assertion,
  pairs: readonly (readonly [Assertion, Assertion])[],
  before: Probe,
  after: Probe,
): boolean {
  const table = after.test.rows !== undefined && before.test.rows === undefined
  return pairs.some(
    ([was, now]) =>
      was !== old &&
      shapeOf(was) === shapeOf(old) &&
      alive(now) &&
      (table || (now.loops === true && was.loops !== true)),
  )
}

/** An assertion with its values left out. */
const shapeOf = ({ matcher, helper, subject }: Assertion) =>
  [canonical(matcher), helper ?? strip(subject).replace(/"(?:[^"\\]|\\.)*"|\b\d[\w.]*/g, '_')].join(' ')

/** The values of an assertion became a row of the table that the test now runs over. */
export function inRows(old: Assertion, before: Probe, after: Probe): boolean {
  const had = new Set(before.test.rows ?? [])
  const wanted = literalsIn(`${old.subject} ${old.expected}`)
  const called = [...old.subject.matchAll(/([\p{L}_$][\p{L}\p{N}_$]*) \(/gu)].map((match) => match[1]!)
  if (wanted.length === 0 || !called.some((name) => after.words.has(name))) return false
  return (after.test.rows ?? []).some((row) => {
    const values = had.has(row) ? [] : literalsIn(row)
    return values.length > 0 && wanted.every((value) => values.includes(value))
  })
}

/** "There was no error" needs no asking once there is no error to be had. */
export function errorGone(old: Assertion, after: Probe): boolean {
  const name = /^(\w*err\w*|\w*error)(?: [!=]=+ (?:nil|null|undefined))?$/i.exec(old.subject)?.[1]
  const asksForNone =
    old.strength === 'exists' ||
    old.matcher === 'guard' ||
    /null|nil|none|undefined|error/i.test(`${old.matcher} ${old.expected}`)
  return name !== undefined && asksForNone && !after.words.has(name) && !/(?:^|\W)_ (?::=|=)/.test(after.text)
}

/** Something else that is still asserted says it too: the whole of which this was a part, or the value it only asked to be there. */
export function covered(
  old: Assertion,
  remaining: readonly Assertion[],
  pairs: readonly (readonly [Assertion, Assertion])[],
): boolean {
  const fresh = remaining.filter((now) => !pairs.some(([a, b]) => b === now && a.text === now.text))
  const root = rootOf(old.subject)
  if (root === '') return false
  if (old.strength === 'exists')
    return remaining.some((now) => rootOf(now.subject) === root && now.strength !== 'exists')
  return fresh.some((now) => {
    const words: readonly string[] = now.scope.match(WORD) ?? []
    if (now.strength === 'exists' || !words.includes(root)) return false
    const whole =
      strip(old.subject).startsWith(strip(now.subject)) &&
      strip(now.subject) !== strip(old.subject) &&
      now.subject !== ''
    const wanted = values(old.matcher === 'guard' ? old.subject : old.expected).split(',')
    const spoken = wanted.every((value) => value === '' || now.scope.toLowerCase().includes(value))
    const members = [...old.subject.matchAll(/(?:\.|->|\[) ?"?([\p{L}_]\w*)"?/gu)].map((match) => match[1]!)
    const within = ` ${now.subject} `.includes(` ${old.subject} `)
    return (whole || within || (members.length > 0 && members.every((member) => now.scope.includes(member)))) && spoken
  })
}
