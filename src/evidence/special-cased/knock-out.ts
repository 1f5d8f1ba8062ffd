import { casesOf } from '../../../packages/exitgate/src/checks/reported-tests.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { Judgement } from './judge.ts'
import type { Answered } from './match.ts'

/**
 * The source in which every value that these places compare with is another one, which occurs in none of the texts. What such a
 * place did for a test, it no longer does.
 */
export function knockedOut(source: string, answered: readonly Answered[], tests: readonly string[]): string {
  const places = [...new Map(answered.flatMap(({ at }) => at).map((each) => [each[0], each])).values()]
  const texts = [source, ...tests]
  let changed = source
  for (const [from, to] of places.sort((a, b) => b[0] - a[0]))
    changed = changed.slice(0, from) + otherValue(source.slice(from, to), texts) + changed.slice(to)
  return changed
}

/** A number stays close, so that it fits the same type. */
function otherValue(text: string, texts: readonly string[]): string {
  const isFree = (value: string) => !texts.some((each) => each.includes(value))
  const [, digits, rest] = /^(\d+)(.*)$/s.exec(text.replace(/_/g, '')) ?? []
  if (digits !== undefined && Number.isSafeInteger(Number(digits))) {
    let value = Number(digits) + 1
    while (!isFree(String(value))) value += 1
    return `${value}${rest}`
  }
  const [, before = text, quote = ''] = /^(.*?)(["'`]*)$/s.exec(text) ?? []
  // A single character in quotes can be of a type that has no more.
  const character = /^(b?')(\\?.)$/su.exec(before)
  const letters = [...'qzxjkwvyQZXJKWVY']
  if (character !== null && quote === "'")
    return `${character[1]}${letters.find((each) => isFree(`'${each}'`)) ?? 'q'}'`
  return `${before}_${quote}`
}

/**
 * What the knocked-out source does to the tests. `breaks`: exactly the tests fail that the places answer. `idle`: all tests pass. So the
 * result doesn't come from there. `endless`: the tests no longer come to an end.
 */
export type KnockOut = 'breaks' | 'idle' | 'endless' | 'unclear'

export function judgeKnockOut(answered: readonly Answered[], now: TestRun, without: TestRun | undefined): KnockOut {
  if (without === undefined) return 'endless'
  if ((without.suitesFailed ?? 0) > (now.suitesFailed ?? 0)) return 'unclear'
  if (without.failed === 0) return without.total === now.total && without.passed === now.passed ? 'idle' : 'unclear'
  const answers = answered.flatMap(({ tests }) => tests)
  if (without.tests === undefined) return without.failed <= new Set(answers).size ? 'breaks' : 'unclear'
  const passed = new Set((now.tests ?? []).flatMap(({ name, state }) => (state === 'passed' ? [name] : [])))
  const broken = without.tests.filter(({ name, state }) => state === 'failed' && passed.has(name))
  const expected = new Set(
    answers.flatMap(({ file, test: name }) => casesOf(without, { file, groups: [], name })).map(({ name }) => name),
  )
  return broken.length > 0 && broken.every(({ name }) => expected.has(name)) ? 'breaks' : 'unclear'
}

/**
 * What becomes of a finding; undefined if it is dropped. A single place that doesn't return what a test expects may be honest, and so
 * may a label. What reading was sure of stays a warning if the tests don't need it.
 */
export function severityAfter({ severity, answered }: Judgement, result: KnockOut): Judgement['severity'] | undefined {
  const wasSure = severity === 'block'
  if (result === 'idle') return wasSure ? 'warn' : undefined
  if (result === 'endless') return severity
  const isSure = wasSure || answered.every(({ exact, isLabel }) => exact && isLabel !== true)
  return result === 'breaks' && isSure ? 'block' : 'warn'
}
