import { type Successor, UNTOUCHED } from '../../../../packages/exitgate/src/checks/originals.ts'
import { standIn } from '../../../../packages/exitgate/src/checks/origins.ts'
import {
  anySuccessor,
  fewerAssertions,
  plainSuccessor,
} from '../../../../packages/exitgate/src/checks/plain-successor.ts'
import { canBeLeftOut } from '../../../../packages/exitgate/src/checks/sides.ts'
import { nameOf } from '../../../../packages/exitgate/src/checks/test-names.ts'
import { branchesIn, exchanged, linesAround } from '../../../../packages/exitgate/src/checks/values-around.ts'
import { isSnapshot, isTestFile, isTestSupport } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { TestCase } from '../../../../packages/test-output/src/types.ts'
import { viewOf } from '../../baseline/changed.ts'
import { withGrammars } from '../../syntax/parse.ts'
import { findTest } from '../../test-results/test-index.ts'
import type { CheckContext } from '../../types.ts'
import { canonical } from '../assertions/assertion.ts'
import { addedLines, type Change, type Changes, changesBetween, removedLines } from '../changes.ts'
import { short } from '../finding.ts'
import { fullName } from '../tests/model.ts'
import { type ComparedTest, literalsIn } from './compared-test.ts'
import { valuesIn } from './pair-assertions.ts'
import { type ComparedTrees, comparedTrees, weakerThan } from './tests.ts'

const MOST_ENTERED = 20

/** What became of tests of the start, as the files show it. `paths`: those that have changed. */
export async function successorsOf(
  tests: readonly TestCase[],
  fileOf: (test: TestCase) => string | undefined,
  paths: readonly string[],
  { workspace, baseline }: CheckContext,
): Promise<ReadonlyMap<TestCase, Successor>> {
  if (tests.length === 0 || baseline === undefined) return new Map()
  const commands = baseline.commands.filter(({ kind }) => kind === 'test')
  const changes = changesBetween(viewOf(baseline, paths), await viewOf(workspace), { changed: paths, commands })
  return withGrammars(() => {
    const successor = successorsIn(changes)
    return new Map(tests.map((test) => [test, successor(test, fileOf(test))]))
  })
}

/** The same for any two trees. The grammars must be loaded. */
export function successorsIn(changes: Changes): (test: TestCase, file: string | undefined) => Successor {
  const trees = comparedTrees(changes)
  const around = changes.all.filter(({ path }) => isExpectation(path))
  return (test, file) => {
    const change = changes.all.find(({ path }) => path === file)
    if (file === undefined)
      return around.length === 0 ? { is: 'same', why: UNTOUCHED } : anySuccessor(around, test.name)
    if (change === undefined) return shared(around, file, changes)
    const read = trees?.before.files.get(file)
    const found = read && findTest(read, test)
    const old = found && trees?.before.tests.find((each) => each.test === found)
    if (old === undefined || trees === undefined)
      return fewerAssertions(change) ?? plainSuccessor(change, test.name) ?? { is: 'unread', file }
    const now = trees.matched.pairs.find(([each]) => each === old)?.[1]
    if (now === undefined) return { is: 'gone', file, line: old.test.line, before: short(old.text) }
    return compared(old, now, trees, changes, around)
  }
}

function compared(
  old: ComparedTest,
  now: ComparedTest,
  trees: ComparedTrees,
  changes: Changes,
  around: readonly Change[],
): Successor {
  const place = { file: now.file.path, line: now.test.line, name: fullName(now.test) }
  const weaker = weakerThan(old, now, trees, changes)
  if (weaker !== undefined) {
    const { detail, kind, before = short(old.text), after = short(now.text) } = weaker
    const line = { file: weaker.file, ...(weaker.line !== undefined && { line: weaker.line }) }
    return { is: kind === 'test-skipped' ? 'skipped' : 'weaker', ...place, ...line, before, after, why: detail }
  }
  const side = ({ file }: ComparedTest) => ({ path: file.path, text: file.unit.text })
  const instead = standIn(
    side(old),
    side(now),
    new Set([...old.words].filter((word) => now.words.has(word))),
    changes.after.read,
  )
  if (instead !== undefined)
    return { is: 'replaced', ...place, before: short(old.text), after: short(now.text), why: `${instead}.` }
  const [was, is] = [valuesOf(old), valuesOf(now)]
  const entered = [...is].filter((value) => !was.has(value))
  const left = [...was].filter((value) => !is.has(value))
  const isSame =
    entered.length + left.length === 0 &&
    expectationsOf(old) === expectationsOf(now) &&
    branchesIn(now.text) <= branchesIn(old.text)
  if (!isSame) {
    const [before, after] = [differing(old, now), differing(now, old)]
    return { is: 'changed', ...place, before, after, entered: entered.slice(0, MOST_ENTERED) }
  }
  const rows = exchanged(valuesAround(old), valuesAround(now))
  if (rows === undefined) return { ...shared(around, old.file.path, changes), ...place }
  const [before, after] = [rows.left, rows.entered].map((values) => short(values.join(', ')))
  const why = `${now.file.path} contains other values around its tests.`
  return { is: 'changed', ...place, before: before!, after: after!, why, entered: rows.entered.slice(0, MOST_ENTERED) }
}

/** The test itself expects the same. So does what it uses, unless values of other files that serve tests differ. */
function shared(around: readonly Change[], file: string, { before, after }: Changes): Successor {
  const text = [before.read(file), after.read(file)].join('\n')
  // Other tests are separate, unless this file imports them.
  const isUsed = ({ path, after = '', before = after }: Change) =>
    !canBeLeftOut(path) || !isTestFile(path, before) || text.includes(nameOf(path).replace(/\.[^.]+$/, ''))
  const others = around.filter((change) => change.path !== file && isUsed(change))
  if (around.length === 0) return { is: 'same', why: UNTOUCHED }
  for (const change of others) {
    const [now, was] = [addedLines(change), removedLines(change)].map(
      (lines) => new Set(lines.flatMap(({ text }) => dataIn(text))),
    )
    const entered = [...now!].filter((value) => !was!.has(value))
    // It may replace the product.
    const stem = nameOf(change.path).replace(/\.[^.]+$/, '')
    const isNew = change.before === undefined && before.read(file)?.includes(stem) === false && text.includes(stem)
    if (!isNew && entered.length === 0 && [...was!].every((value) => now!.has(value))) continue
    const [old, fresh] = [removedLines(change), addedLines(change)].map((lines) =>
      short(lines.map(({ text }) => text).join(' ')),
    )
    const why = isNew ? `it uses ${change.path} now, which is new.` : `${change.path} contains other values.`
    return {
      is: 'changed',
      file: change.path,
      before: old!,
      after: fresh!,
      why,
      entered: entered.slice(0, MOST_ENTERED),
    }
  }
  return { is: 'same' }
}

const listed = (text: string) => valuesIn(text).split(',').filter(Boolean)
const dataIn = (text: string): readonly string[] => [...literalsIn(text), ...listed(text)]

/** What rows and constants of its file contain. */
function valuesAround({ file: { unit, tests } }: ComparedTest): readonly string[] {
  const lineOf = (at: number) => unit.tokens[at]?.line ?? 0
  const spans = tests.map(({ span }) => [lineOf(span[0]), lineOf(span[1] - 1)] as const)
  return dataIn(linesAround(unit.text, spans))
}

/** Numbers, strings, and the words for true, false and nothing. */
const valuesOf = (test: ComparedTest): ReadonlySet<string> =>
  new Set([...test.literals, ...test.assertions.flatMap(({ expected }) => listed(expected))])

const expectationsOf = ({ assertions }: ComparedTest): string =>
  assertions
    .map(({ matcher, negated, expected }) => `${canonical(matcher)} ${negated} ${valuesIn(expected)}`)
    .sort()
    .join('\n')

/** The first assertion that only one version has, or its code. */
function differing(one: ComparedTest, other: ComparedTest): string {
  const known = new Set(other.assertions.map(({ text }) => text))
  return short(one.assertions.find(({ text }) => !known.has(text))?.text ?? one.text)
}

/** A file whose values are expectations, although no test is in it. */
const isExpectation = (path: string): boolean => isSnapshot(path) || isTestSupport(path)
