import type { TestCase, TestRun } from '../../../test-output/src/types.ts'
import type { Matched, Pair } from './matched-tests.ts'
import type { Successor } from './originals.ts'
import { casesOf } from './reported-tests.ts'
import { lineOf, partsOf, titleOf } from './test-names.ts'

export interface Bodies {
  bodyThen?(test: TestCase): string | undefined
  bodyNow?(test: TestCase): string | undefined
}
export interface Resolved extends Matched {
  /** Tests that were split or turned into a table: other tests cover them now. */
  readonly replaced: readonly TestCase[]
}

/** A file that could not be loaded is reported like a failing test: `tests.test_add`, `test/add.test.js`. Now it can be. */
export function isFile(name: string, paths: readonly string[]): boolean {
  const path = name.replaceAll('.', '/')
  const files = new Set([name, `${path}.py`, `${path}/__init__.py`])
  return paths.some((each) => files.has(each))
}

/** Whether the new version of a test runs, and as many rows of it as before. */
export function standsIn({ file = '', name, is }: Partial<Successor> = {}, then: TestRun, now: TestRun): boolean {
  if (name === undefined || is === 'skipped') return false
  const passing = (run: TestRun) =>
    casesOf(run, { file, groups: [], name: titleOf(name) }).filter(({ state }) => state === 'passed').length
  return passing(now) >= Math.max(1, passing(then))
}

/** Beyond this many pairs, comparing each with each takes too long. */
const MOST_COMPARED = 60_000
const IDENTICAL = 0.99
const SIMILAR = 0.8
const RELATED = 0.5

/**
 * Finds tests that only seem to be gone. A test that failed must have the same body under its new name; anything else would be a
 * way to get rid of it. A test that passed may have been reworked along with its name.
 */
export function resolveRenames({ pairs, gone, added }: Matched, bodies: Bodies): Resolved {
  const left = new Set(gone)
  const free = new Set(added)
  const found: Pair[] = []
  const pass = (fits: (then: TestCase, now: TestCase) => number) => {
    if (left.size * free.size > MOST_COMPARED) return
    for (const then of [...left]) {
      let best: { now: TestCase; score: number } | undefined
      for (const now of free) {
        const score = fits(then, now)
        if (score > 0 && score > (best?.score ?? 0)) best = { now, score }
      }
      if (best === undefined) continue
      left.delete(then)
      free.delete(best.now)
      found.push({ was: then, is: best.now, unclear: false, renamed: true })
    }
  }
  const alike = (then: TestCase, now: TestCase): number | undefined => {
    const [before, after] = [bodies.bodyThen?.(then), bodies.bodyNow?.(now)]
    return before === undefined || after === undefined ? undefined : similarity(before, after)
  }
  /** For tests with the same title: are the bodies similar enough? */
  const moved = (then: TestCase, now: TestCase) => {
    const same = alike(then, now)
    if (then.state === 'failed') return same !== undefined && same >= IDENTICAL ? 1 : 0
    return same === undefined || same >= RELATED ? (same ?? RELATED) : 0
  }
  pass((then, now) => (then.name === now.name ? moved(then, now) : 0))
  pass((then, now) => (titleKey(then) === titleKey(now) ? moved(then, now) : 0))
  pass((then, now) => {
    const same = alike(then, now)
    if (same === undefined) return 0
    // Another row of the same table is another test, even if the two look the same.
    if (then.state === 'failed') return same >= IDENTICAL && !isSibling(then, now) ? same : 0
    return same >= SIMILAR || (same >= RELATED && similarity(lineOf(then.name), lineOf(now.name)) >= RELATED) ? same : 0
  })
  // Several tests became rows of one table: each row stands for one of them.
  pass((then, now) => {
    const [before, after] = [bodies.bodyThen?.(then), bodies.bodyNow?.(now)]
    const isRow = then.state !== 'failed' && now.state !== 'skipped' && functionOf(now) !== undefined
    if (!isRow || before === undefined || after === undefined || !callsAll(before, after)) return 0
    return containment(before, after)
  })
  // A number, a date or an id in the name may differ from run to run.
  pass((then, now) => (then.state !== 'failed' && shapeOf(then) === shapeOf(now) ? 1 : 0))
  const instances = sameFunction(pairs, gone, added)
  pass((then, now) => (then.state !== 'failed' && instances(then, now) ? 1 : 0))
  const replaced = [...left].filter((then) => then.state !== 'failed' && isCoveredElsewhere(then, added, bodies))
  const rest = [...left].filter((then) => !replaced.includes(then))
  return { pairs: [...pairs, ...found], gone: rest, added: [...free], replaced }
}

const titleKey = (test: TestCase) => lineOf(test.name.split(/\s+[>›»]\s+|::/).at(-1) ?? test.name)
const shapeOf = ({ name, file }: TestCase) => `${file ?? ''}\0${name.replace(/[0-9a-f]*\d[0-9a-f.:-]*/gi, '#')}`
/** `test_add[1-2]` and `test_add[3-4]` are instances of one function. */
const functionOf = (test: TestCase) =>
  /\[.*\]$/.test(test.name) ? `${test.file ?? ''}\0${partsOf(test.name).join('\0')}` : undefined

const isSibling = (a: TestCase, b: TestCase) => functionOf(a) !== undefined && functionOf(a) === functionOf(b)

/** Instances may get other labels as long as there are no fewer of them. */
function sameFunction(pairs: readonly Pair[], gone: readonly TestCase[], added: readonly TestCase[]) {
  const count = (tests: readonly TestCase[]) => {
    const counts = new Map<string, number>()
    for (const test of tests) {
      const name = functionOf(test)
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return counts
  }
  const then = count([...gone, ...pairs.map((pair) => pair.was)])
  const now = count([...added, ...pairs.map((pair) => pair.is)])
  return (a: TestCase, b: TestCase) => {
    const name = functionOf(a)
    return name !== undefined && name === functionOf(b) && (now.get(name) ?? 0) >= (then.get(name) ?? 0)
  }
}

function isCoveredElsewhere(then: TestCase, added: readonly TestCase[], bodies: Bodies): boolean {
  // It has parameters now.
  if (added.some((now) => functionOf(now) === functionOf({ ...then, name: `${then.name}[]` }))) return true
  const before = bodies.bodyThen?.(then)
  if (before === undefined || added.length === 0) return false
  const near = added.filter(({ file, state }) => state !== 'skipped' && (file === undefined || file === then.file))
  const after = near.map((test) => bodies.bodyNow?.(test) ?? '').join('\n')
  return containment(before, after) >= SIMILAR
}
/** Names that a test calls, other than those of assertions and what every language has. */
const CALLS = /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]*)\s*\(/gu
const COMMON =
  /^(?:assert\w*|expect\w*|should|to[A-Z]\w*|raises|fail|str|repr|len|int|float|list|dict|set|tuple|sorted|isinstance|type|print|range|String|Number|Array|Object|JSON|if|for|while|switch|catch|except|return|new|def|function|it|test|describe)$/
const FEWEST_CALLS = 2

/** Whether one text calls everything that another calls, which is not nothing. */
function callsAll(before: string, after: string): boolean {
  const callsIn = (text: string) =>
    new Set([...text.matchAll(CALLS)].map(([, name = '']) => name).filter((name) => !COMMON.test(name)))
  const [was, now] = [callsIn(before), callsIn(after)]
  return was.size >= FEWEST_CALLS && [...was].every((name) => now.has(name))
}

const TOKENS = /[\p{L}_$][\p{L}\p{N}_$]*|\d+(?:\.\d+)?|"[^"\n]*"|'[^'\n]*'|`[^`]*`/gu

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [token] of text.matchAll(TOKENS)) {
    const plain = token.replace(/^["'`]|["'`]$/g, '')
    counts.set(plain, (counts.get(plain) ?? 0) + 1)
  }
  return counts
}

const sizeOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0)

const shared = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number =>
  [...a].reduce((sum, [token, n]) => sum + Math.min(n, b.get(token) ?? 0), 0)

/** How similar two texts are by their words and literals: 0 for nothing in common, 1 for the same ones. */
function similarity(a: string, b: string): number {
  const [left, right] = [countsOf(a), countsOf(b)]
  const size = sizeOf(left) + sizeOf(right)
  return size === 0 ? 0 : (2 * shared(left, right)) / size
}

/** The share of a text's words and literals that another text contains too. */
function containment(part: string, whole: string): number {
  const [tokens, others] = [[...countsOf(part).keys()], countsOf(whole)]
  return tokens.length === 0 ? 0 : tokens.filter((token) => others.has(token)).length / tokens.length
}
