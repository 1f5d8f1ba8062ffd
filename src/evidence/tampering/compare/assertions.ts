import type { Assertion } from '../assertions/model.ts'
import { canonical } from '../assertions/strength.ts'
import { short } from '../findings.ts'
import type { TamperFinding } from '../types.ts'
import type { Vanished } from './obsolete.ts'
import { literalsIn, type Probe } from './probe.ts'
import { weaker } from './weaker.ts'

/** What the comparison of one test may know of the rest. */
export interface Surroundings {
  readonly vanished: Vanished
  /** What a helper asserts that is called from a file, before and after; undefined when it is defined nowhere we can see. */
  helperBefore(name: string, path: string): readonly Assertion[] | undefined
  helperAfter(name: string, path: string): readonly Assertion[] | undefined
}

const alive = ({ strength, lost }: Assertion) => strength !== 'vacuous' && lost === undefined
/** A failure that is asked for without a condition only says that a place must not be reached. */
const counts = (assertion: Assertion) =>
  alive(assertion) && !(assertion.matcher === 'guard' && assertion.subject === '')

/** A test before and after, with those of its assertions that plainly correspond. */
export interface Comparison extends Paired {
  readonly before: Probe
  readonly after: Probe
}

export function compareAssertions(before: Probe, after: Probe, around: Surroundings): Comparison {
  return { before, after, ...pairUp(before, after, around) }
}

/** Assertions that this change brought into the tests: those without a counterpart. Each can stand for one that left elsewhere. */
export type Arrivals = Map<Assertion, Probe>

/** What tests asserted before and do not any more. */
export function assertionFindings(
  { before, after, ...paired }: Comparison,
  arrivals: Arrivals,
  around: Surroundings,
): TamperFinding[] {
  const said = (
    kind: TamperFinding['kind'],
    severity: TamperFinding['severity'],
    old: Assertion,
    now: Assertion | undefined,
    why: string,
  ): TamperFinding => ({
    kind,
    severity,
    file: now ? after.file.path : before.file.path,
    line: now?.line ?? old.line,
    before: short(old.text),
    ...(now && { after: short(now.text) }),
    detail: `${where(after)}: ${why}.`,
  })
  const stays = paired.lost.filter((old) => !moved(old, after, arrivals))
  const { pairs, lost, left } = pairLoosely({ ...paired, lost: stays })
  const tight = new Set(paired.pairs)
  const findings = pairs.flatMap((pair): TamperFinding[] => {
    const [old, now] = pair
    const loss = weaker(old, now, tight.has(pair) || closeness(old, now) > 0.2)
    return loss ? [said(loss.kind, loss.severity, old, now, loss.why)] : []
  })
  const remaining = after.assertions.filter(alive)
  const hollow = left.filter((each) => !alive(each))
  for (const old of lost) {
    if (
      covered(old, remaining, pairs) ||
      errorGone(old, after) ||
      inRows(old, before, after) ||
      looped(old, pairs, before, after)
    )
      continue
    const reason = around.vanished.reason(wordsOf(old), literalsOf(old))
    const instead = hollow.shift()
    if (instead)
      findings.push(said('assertion-vacuous', 'block', old, instead, instead.lost ?? instead.why ?? 'it cannot fail'))
    else
      findings.push(
        said(
          'assertion-removed',
          reason === undefined ? 'block' : 'warn',
          old,
          undefined,
          reason === undefined ? 'this is not asserted any more' : `this is not asserted any more; ${reason}`,
        ),
      )
  }
  return findings
}

/** The same, or the same expectation of nearly the same thing, was added to another test. */
function moved(old: Assertion, own: Probe, arrivals: Arrivals): boolean {
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
function looped(
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
function inRows(old: Assertion, before: Probe, after: Probe): boolean {
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
function errorGone(old: Assertion, after: Probe): boolean {
  const name = /^(\w*err\w*|\w*error)(?: [!=]=+ (?:nil|null|undefined))?$/i.exec(old.subject)?.[1]
  const asksForNone =
    old.strength === 'exists' ||
    old.matcher === 'guard' ||
    /null|nil|none|undefined|error/i.test(`${old.matcher} ${old.expected}`)
  return name !== undefined && asksForNone && !after.words.has(name) && !/(?:^|\W)_ (?::=|=)/.test(after.text)
}

const where = ({ test }: Probe) =>
  test.kind === 'helper' ? `In the helper "${test.name}"` : `In the test "${test.name}"`

export interface Paired {
  readonly pairs: readonly (readonly [Assertion, Assertion])[]
  /** Of before, without a partner. */
  readonly lost: readonly Assertion[]
  /** Of after, without a partner. */
  readonly left: readonly Assertion[]
}

function pairUp(before: Probe, after: Probe, around: Surroundings): Paired {
  const pairs: (readonly [Assertion, Assertion])[] = []
  let olds = before.assertions.filter(counts)
  let news = after.assertions.filter((each) => counts(each) || !alive(each))
  const settle = (
    fits: (old: Assertion, now: Assertion) => boolean,
    best: (old: Assertion, now: Assertion) => number = () => 1,
  ) => {
    olds = olds.filter((old) => {
      const candidates = news.filter((now) => fits(old, now))
      if (candidates.length === 0) return true
      const now = candidates.reduce((a, b) => (best(old, b) > best(old, a) ? b : a))
      news.splice(news.indexOf(now), 1)
      pairs.push([old, now])
      return false
    })
  }
  const bySubject = () => {
    settle((old, now) => same(old, now) && old.expected === now.expected)
    settle((old, now) => same(old, now) && canonical(old.matcher) === canonical(now.matcher))
    settle(same)
    settle(
      (old, now) =>
        old.expected !== '' &&
        old.expected === now.expected &&
        canonical(old.matcher) === canonical(now.matcher) &&
        alive(now),
    )
    settle(
      (old, now) =>
        values(old.expected).length > 1 &&
        values(old.expected) === values(now.expected) &&
        (values(old.expected).length > 4 || closeness(old, now) > 0.2) &&
        alive(now),
    )
    settle((old, now) => closeness(old, now) >= 0.5 && now.helper === old.helper, closeness)
  }
  settle((old, now) => old.text === now.text && old.lost === now.lost && old.condition === now.condition)
  settle((old, now) => old.text === now.text)
  settle((old, now) => old.helper !== undefined && old.helper === now.helper)
  bySubject()
  // A helper on one side only stands for what it asserts.
  const unfold = (list: Assertion[], look: (name: string) => readonly Assertion[] | undefined) =>
    list.flatMap((each) => {
      const said = each.helper === undefined ? undefined : look(each.helper)
      return said?.map((assertion) => ({ ...assertion, line: each.line })) ?? [each]
    })
  if (olds.some(({ helper }) => helper !== undefined) || news.some(({ helper }) => helper !== undefined)) {
    olds = unfold(olds, (name) => around.helperBefore(name, before.file.path)).filter(counts)
    news = unfold(news, (name) => around.helperAfter(name, after.file.path))
    bySubject()
    const unknown = news.filter(({ helper }) => helper !== undefined)
    // What an unknown helper asserts cannot be seen: it may stand for anything that was asserted here.
    if (unknown.length > 0) {
      olds = []
      news = news.filter((each) => !unknown.includes(each))
    }
  }
  return { pairs, lost: olds, left: news }
}

/** What is left on both sides is taken to correspond in order: an assertion was rewritten from the ground up. */
function pairLoosely({ pairs, lost, left }: Paired): Paired {
  const both = Math.min(lost.length, left.length)
  const byValue = [...left].sort((a, b) => Number(alive(b)) - Number(alive(a)))
  return {
    pairs: [...pairs, ...lost.slice(0, both).map((old, i) => [old, byValue[i]!] as const)],
    lost: lost.slice(both),
    left: byValue.slice(both),
  }
}

/** What is asserted of what, whatever message goes with it. */
export const sayingOf = ({ matcher, subject, expected, negated }: Assertion) =>
  [canonical(matcher), strip(subject), expected, negated].join('|')

/** A subject without what only says how it is come by. */
const strip = (text: string) =>
  text.replace(/^(?:await |\( \) => |async )+/, '').replace(/\b(?:get|find|query)(All)?By(?=[A-Z])/g, 'by$1')

const same = (old: Assertion, now: Assertion) =>
  old.subject !== '' &&
  strip(old.subject) === strip(now.subject) &&
  (old.matcher === 'guard') === (now.matcher === 'guard')

/** Strings and numbers of an expectation, whatever is around them. */
const values = (text: string) =>
  (text.match(/"(?:[^"\\]|\\.)*"|\b\d[\w.]*|\b(?:true|false|null|None|nil|True|False)\b/g) ?? []).join().toLowerCase()

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|"(?:[^"\\]|\\.)*"/gu

function closeness(old: Assertion, now: Assertion): number {
  const a = new Set(old.subject.match(WORD) ?? [])
  const b = new Set(now.subject.match(WORD) ?? [])
  if (a.size === 0 || b.size === 0) return 0
  return (2 * [...a].filter((word) => b.has(word)).length) / (a.size + b.size)
}

/** Something else that is still asserted says it too: the whole of which this was a part, or the value it only asked to be there. */
function covered(
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
    return (whole || (members.length > 0 && members.every((member) => now.scope.includes(member)))) && spoken
  })
}

const rootOf = (subject: string) =>
  /[\p{L}_$][\p{L}\p{N}_$]*/u.exec(
    subject.replace(/^(?:await|len|str|list|sorted|this \.|\$this ->|self \.)\s?\(?\s?/, ''),
  )?.[0] ?? ''

const wordsOf = (assertion: Assertion) =>
  new Set(
    `${assertion.subject} ${assertion.expected}`
      .replace(/"(?:[^"\\]|\\.)*"/g, ' ')
      .match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [],
  )
const literalsOf = (assertion: Assertion) =>
  new Set([...`${assertion.subject} ${assertion.expected}`.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!))
