import type { Assertion } from '../assertions/assertion.ts'
import { canonical } from '../assertions/assertion.ts'
import type { ComparedTest } from './compared-test.ts'
import { closestPairs, sharedWords } from './shared-words.ts'

/** What the comparison of one test needs to know about the rest. */
export interface TestContext {
  /** What a helper called in this file asserts, before and after; undefined if its definition is not found. */
  helperBefore(name: string, path: string): readonly Assertion[] | undefined
  helperAfter(name: string, path: string): readonly Assertion[] | undefined
}

export interface PairedAssertions {
  readonly pairs: readonly (readonly [Assertion, Assertion])[]
  /** Old assertions without a partner. */
  readonly lost: readonly Assertion[]
  /** New assertions without a partner. */
  readonly added: readonly Assertion[]
}

export function pairAssertions(before: ComparedTest, after: ComparedTest, context: TestContext): PairedAssertions {
  const pairs: (readonly [Assertion, Assertion])[] = []
  let oldOnes = before.assertions.filter(isRealAssertion)
  let newOnes = after.assertions.filter((each) => isRealAssertion(each) || !canFail(each))
  // Paired by key instead of one by one: a single test can have thousands.
  const pairBy = (
    keyBefore: (old: Assertion) => string | undefined,
    keyAfter: (now: Assertion) => string | undefined = keyBefore,
    matches: (old: Assertion, now: Assertion) => boolean = () => true,
  ) => {
    const free = new Map<string, Assertion[]>()
    for (const now of newOnes) {
      const key = keyAfter(now)
      const group = key === undefined ? undefined : free.get(key)
      if (group !== undefined) group.push(now)
      else if (key !== undefined) free.set(key, [now])
    }
    const taken = new Set<Assertion>()
    oldOnes = oldOnes.filter((old) => {
      const key = keyBefore(old)
      const group = key === undefined ? [] : (free.get(key) ?? [])
      const at = group.findIndex((now) => matches(old, now))
      if (at < 0) return true
      const [now] = group.splice(at, 1)
      taken.add(now!)
      pairs.push([old, now!])
      return false
    })
    newOnes = newOnes.filter((now) => !taken.has(now))
  }
  const pairClosest = () => {
    const found = closestPairs(oldOnes, newOnes)
    for (const pair of found) pairs.push(pair)
    const [used, taken] = [new Set(found.map(([old]) => old)), new Set(found.map(([, now]) => now))]
    oldOnes = oldOnes.filter((old) => !used.has(old))
    newOnes = newOnes.filter((now) => !taken.has(now))
  }
  const bySubject = () => {
    const subject = ({ subject, matcher }: Assertion) => `${bareSubject(subject)}\0${matcher === 'guard'}`
    const named = (key: (old: Assertion) => string) => (old: Assertion) => (old.subject === '' ? undefined : key(old))
    const withExpected = (each: Assertion) => `${subject(each)}\0${each.expected}`
    const withBoth = (each: Assertion) => `${withExpected(each)}\0${canonical(each.matcher)}`
    pairBy(named(withBoth), withBoth)
    // The same call with the same values fails a test by hand, whatever its variables are called.
    const byCall = (each: Assertion) => {
      const called = each.matcher === 'guard' ? each.subject.match(/\w+(?= \()/g) : null
      return called === null ? undefined : `${called.join()}\0${valuesIn(each.subject)}`
    }
    pairBy(byCall)
    const withMatcher = (each: Assertion) => `${subject(each)}\0${canonical(each.matcher)}`
    pairBy(named(withExpected), withExpected)
    pairBy(named(withMatcher), withMatcher)
    pairBy(named(subject), subject)
    const byExpected = ({ expected, matcher }: Assertion) =>
      expected === '' ? undefined : `${expected}\0${canonical(matcher)}`
    pairBy(byExpected, (now) => (canFail(now) ? byExpected(now) : undefined))
    const values = ({ expected }: Assertion) => (valuesIn(expected).length > 1 ? valuesIn(expected) : undefined)
    pairBy(
      values,
      (now) => (canFail(now) ? values(now) : undefined),
      (old, now) => valuesIn(old.expected).length > 4 || sharedWords(old, now) > 0.2,
    )
    pairClosest()
  }
  pairBy(({ text, lost, condition }) => [text, lost, condition].join('\0'))
  pairBy(({ text }) => text)
  pairBy(({ helper }) => helper)
  bySubject()
  // A helper that only one side calls counts as the assertions in it.
  const expandHelpers = (list: Assertion[], assertionsOf: (name: string) => readonly Assertion[] | undefined) =>
    list.flatMap((each) => {
      const assertions = each.helper === undefined ? undefined : assertionsOf(each.helper)
      return (
        assertions?.map((assertion) => ({ ...assertion, line: each.line, calledIn: each })) ??
        (each.macro ? [] : [each])
      )
    })
  if (oldOnes.some(({ helper }) => helper !== undefined) || newOnes.some(({ helper }) => helper !== undefined)) {
    oldOnes = expandHelpers(oldOnes, (name) => context.helperBefore(name, before.file.path)).filter(isRealAssertion)
    newOnes = expandHelpers(newOnes, (name) => context.helperAfter(name, after.file.path))
    bySubject()
    const unknown = newOnes.filter(({ helper }) => helper !== undefined)
    // The assertions of an unknown helper are not visible, so it may cover anything asserted here.
    if (unknown.length > 0) {
      oldOnes = []
      newOnes = newOnes.filter((each) => !unknown.includes(each))
    }
  }
  return { pairs, lost: oldOnes, added: newOnes }
}

/** A failure without a condition only marks code that must not be reached. */
const isRealAssertion = (assertion: Assertion) =>
  canFail(assertion) && !(assertion.matcher === 'guard' && assertion.subject === '')

/** It runs, and it can fail. */
export const canFail = ({ strength, lost }: Assertion) => strength !== 'vacuous' && lost === undefined

/** A subject without the words that only say how it is obtained. */
export const bareSubject = (text: string) =>
  text.replace(/^(?:await |\( \) => |async )+/, '').replace(/\b(?:get|find|query)(All)?By(?=[A-Z])/g, 'by$1')

/** The strings and numbers of an expected value, without the code around them. */
export const valuesIn = (text: string) =>
  (text.match(/"(?:[^"\\]|\\.)*"|\b\d[\w.]*|\b(?:true|false|null|None|nil|True|False)\b/g) ?? []).join().toLowerCase()

/** Pairs what is left in order: such assertions were completely rewritten. */
export function pairInOrder({ pairs, lost, added }: PairedAssertions): PairedAssertions {
  const both = Math.min(lost.length, added.length)
  const byValue = [...added].sort((a, b) => Number(canFail(b)) - Number(canFail(a)))
  return {
    pairs: [...pairs, ...lost.slice(0, both).map((old, i) => [old, byValue[i]!] as const)],
    lost: lost.slice(both),
    added: byValue.slice(both),
  }
}

/** Whether some code contains a name, or a few tokens. */
export const mentions = (code: string, text: string) => ` ${code.replace(/\s+/g, ' ')} `.includes(` ${text} `)
