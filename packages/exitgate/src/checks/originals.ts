import type { TestCase, TestRun } from '../../../test-output/src/types.ts'
import { isByExitCode } from './exit-code.ts'
import { type ChangedFile, canBeLeftOut, type OriginalFile, type OriginalSide } from './sides.ts'
import type { PutFile, Ran, RunTree } from './trees.ts'

/** What became of a test of the start, as its file shows it. */
export interface Successor {
  /**
   * `same`: only names, imports, arguments or set-up differ. `changed`: it expects something else, and is as strong. `unread`: nothing
   * can read the file, or it does not show the test.
   */
  readonly is: 'same' | 'changed' | 'gone' | 'skipped' | 'weaker' | 'replaced' | 'unread'
  readonly file?: string
  readonly line?: number
  /** With its groups, in the new version of the file. */
  readonly name?: string
  /** What it expects differently, or the test as it was and as it is, for people. */
  readonly before?: string
  readonly after?: string
  /** How it is weaker, or what has changed outside of the test, as a sentence. */
  readonly why?: string
  /** Values that the test, or what it uses, did not contain before. */
  readonly entered?: readonly string[]
}

export type Refuted =
  /** It passes only with files of the agent that are neither tests nor product, and these hide nothing. */
  | 'helped'
  | 'adapted'
  | 'changed'
  /** Like `changed`, but nothing could read what it expects. */
  | 'unread'
  | 'lost'
  /** It failed at the start, and only another version of it passes. */
  | 'still-failing'

/** An original test that does not pass on the new code as it is. */
export interface RefutedTest {
  readonly name: string
  readonly file?: string
  readonly is: Refuted
  readonly successor?: Successor
  /** The agent's files that it needs. */
  readonly needs?: readonly string[]
  /** They may be the product: then it proves what they do. */
  readonly isUnclear?: true
}

/** What run B showed. */
export interface Originals {
  /** `own`: nothing but product code changed, so it is the second run of the agent's tree. */
  readonly tree: 'own' | 'original'
  readonly run?: TestRun
  /** Original tests that passed. */
  readonly cleared: number
  /** Tests that gave different results in two runs on the same files. */
  readonly flaky: readonly TestCase[]
  readonly refuted: readonly RefutedTest[]
  /** Tests that fail in every copy, so that run B does not show anything about them. */
  readonly unjudged: readonly TestCase[]
  /** Changed files whose original content is not known. */
  readonly notRestored: readonly string[]
  /** Why it shows nothing, as a sentence. */
  readonly why?: string
}

export interface OriginalsQuestion {
  readonly side: OriginalSide
  /** The tests at the start, and those of run A. */
  readonly before: TestRun | undefined
  readonly own: TestRun
  /** What changed apart from the test side. */
  readonly product?: readonly ChangedFile[]
  /** Run A was in a copy too. Otherwise what fails in one may fail because of the copy. */
  readonly isOwnInCopy: boolean
  /** The file of a test at the start. */
  readonly fileOf: (test: TestCase) => string | undefined
  readonly successorsOf: (tests: readonly TestCase[]) => Promise<ReadonlyMap<TestCase, Successor>>
  /** What such files do that makes a test pass which needs them, as a sentence; undefined if that is harmless. */
  readonly helperHides: (paths: readonly string[]) => string | undefined
  /** The same for files that may be the product. */
  readonly unclearHides?: (paths: readonly string[]) => string | undefined
  /** Tests whose result you or the baseline excuse. */
  readonly isExcused: (test: TestCase) => boolean
  /** In what serves tests, only names differ that the product has renamed. */
  readonly isOnlyRenamed?: boolean
  /** Only these test files, for a suite that takes too long. */
  readonly only?: ReadonlySet<string>
}

/**
 * Run B: does the new code pass the tests it was given? What does not pass is repaired where it only can't be loaded, then judged.
 * Files that may be product or tests are the agent's first, and then all as they were.
 */
export async function tryOriginals(asked: OriginalsQuestion, run: RunTree): Promise<Originals> {
  const { before, own, isExcused, only } = asked
  const unclear = asked.side.files.filter(({ started }) => started === 'unclear').map(({ path }) => path)
  const side = { ...asked.side, files: asked.side.files.filter(({ path }) => !unclear.includes(path)) }
  const question = { ...asked, side }
  const put = side.files.map(original)
  const isOwn = put.length === 0
  const first = await run({ experiment: isOwn ? 'own' : 'original', put, ...(only && { only }) })
  const found = {
    tree: isOwn ? ('own' as const) : ('original' as const),
    notRestored: side.notRestored,
    ...(first.run && { run: first.run }),
  }
  const nothing = (why: string): Originals => ({ ...found, cleared: 0, flaky: [], refuted: [], unjudged: [], why })
  if (isOwn && (first.run === undefined || first.stopped !== undefined))
    return nothing(`The tests could not be run a second time: ${first.stopped ?? 'the output shows no results'}.`)
  const known = (before?.tests ?? []).filter((test) => !isExcused(test))
  const atStart = outcomesOf(known)
  const unnamed = isOwn ? [] : failedUnnamed(before, own, first, isExcused)
  const now = outcomesOf([...(own.tests ?? []), ...unnamed.map((test): TestCase => ({ ...test, state: 'passed' }))])
  const hasFailed = (test: TestCase) => atStart.get(testKey(test)) === 'failed'
  const passesNow = (own.tests ?? []).filter((test) => now.get(testKey(test)) === 'passed' && !isExcused(test))
  // A report without names only says whether all pass.
  const passesInOwn = (test: TestCase) =>
    (own.tests ?? []).length === 0 ? own.ok === true : now.get(testKey(test)) === 'passed'
  const originals = known.filter(
    (test) => atStart.get(testKey(test)) === 'passed' || (hasFailed(test) && passesInOwn(test)),
  )
  const wanted = (isOwn ? passesNow : originals).filter(
    (test) => only === undefined || only.has(question.fileOf(test) ?? ''),
  )
  const expected = only === undefined ? (isOwn ? own : before) : undefined
  const failing = [...withoutRandomNames(notPassing(wanted, first), expected, first), ...unnamed]
  const repaired = failing.length === 0 ? NOTHING_TO_REPAIR : await repair(failing, question, run)
  const { shown } = repaired
  // On its own tree, it passed in run A.
  const unsteadyHere = isOwn ? repaired.left : []
  const isPlain = unclear.length === 0 || repaired.left.length > 0
  // A fix of the product is what makes a failing test pass.
  const isFix = asked.side.files.every(({ started, isRatherProduct }) => started !== 'unclear' || isRatherProduct)
  const asNeeded = isFix ? originals.filter((test) => !hasFailed(test)) : originals
  const withUnclear = isPlain ? [] : await needUnclear(asNeeded, asked, run)
  const helped: readonly Helped[] = [
    ...repaired.helped.filter(({ test }) => !withUnclear.includes(test)),
    ...withUnclear.map((test) => ({ test, needs: unclear, isUnclear: true as const })),
  ]
  const cleared = Math.max(0, wanted.length + unnamed.length - repaired.left.length - helped.length)
  if (isOwn && helped.length === 0)
    return { ...found, cleared, flaky: [...repaired.flaky, ...unsteadyHere], refuted: [], unjudged: [] }
  const unjudged = question.isOwnInCopy ? [] : await failingInCopies(repaired.left, question, run)
  const left = repaired.left.filter((test) => !unjudged.includes(test))
  if (unjudged.length === wanted.length && wanted.length > 0)
    return nothing('The original tests could not be run on the new code: the tests fail even in an unchanged copy.')
  if (left.length === wanted.length && wanted.length > 0 && (first.run?.passed ?? 0) === 0 && !shown)
    return nothing(`The original tests could not be run on the new code: ${first.stopped ?? lastProblem(first)}.`)
  const successors = await question.successorsOf([...left, ...unjudged, ...helped.map(({ test }) => test)])
  // A script shows no tests, so its reader sees no change.
  const hasScript = side.files.some(({ started }) => started === 'test')
  const unsure = left.filter((test) => !hasScript && !hasFailed(test) && isSteadyIn(test, now, successors))
  const judged = [
    ...helped.map((each) => judgeHelped(each, hasFailed(each.test), asked, successors.get(each.test))),
    ...left
      .filter((test) => !unsure.includes(test))
      .map((test) =>
        judge(test, hasFailed(test), now, isByExitCode(own) ? commandSuccessor(asked) : successors.get(test)),
      ),
    // Nothing shows that they pass, so what they check must not become less.
    ...unjudged.map((test) => judge(test, false, now, successors.get(test))).filter(({ is }) => is === 'lost'),
  ]
  // Not every report names files.
  const fileOf = new Map(wanted.map((test) => [test.name, question.fileOf(test)]))
  const refuted = judged.map((each) => {
    const file = each.file ?? fileOf.get(each.name)
    return { ...each, ...(file !== undefined && { file }) }
  })
  const byFile = failsWithoutNames(before, first) ? await judgeFiles(question) : []
  return { ...found, cleared, flaky: [...repaired.flaky, ...unsure], refuted: [...refuted, ...byFile], unjudged }
}

/** Original tests that fail, of a report that names only failures: no test of the start has a name. */
const failedUnnamed = (
  before: TestRun | undefined,
  own: TestRun,
  { run }: Ran,
  isExcused: (test: TestCase) => boolean,
): readonly TestCase[] => {
  const isNamed = [before, own].some((each) => (each?.tests ?? []).length > 0)
  if (isNamed || before?.ok !== true || own.ok !== true) return []
  return (run?.tests ?? []).filter((test) => test.state === 'failed' && !isExcused(test))
}

/** More original tests fail than at the start, and no report says which. */
const failsWithoutNames = (before: TestRun | undefined, { run }: Ran): boolean =>
  run !== undefined && (run.tests ?? []).length === 0 && run.failed > (before?.failed ?? 0)

/** The changed test files stand for their tests: those that check less, else the first of them. */
async function judgeFiles({ side, successorsOf }: OriginalsQuestion): Promise<readonly RefutedTest[]> {
  const files = side.files.flatMap(({ path, original }): readonly TestCase[] =>
    original === undefined ? [] : [{ name: path, file: path, state: 'passed' }],
  )
  const successors = await successorsOf(files)
  const judged = files.map((file) => {
    const successor = successors.get(file) ?? { is: 'unread' as const }
    const isLost = ['gone', 'skipped', 'weaker'].includes(successor.is) || successor.why !== undefined
    return refuted(file, isLost ? 'lost' : 'unread', successor)
  })
  const lost = judged.filter(({ is }) => is === 'lost')
  return lost.length > 0 ? lost : judged.slice(0, 1)
}

/** What passes only with the agent's versions of such files. */
async function needUnclear(
  tests: readonly TestCase[],
  question: OriginalsQuestion,
  run: RunTree,
): Promise<readonly TestCase[]> {
  const { side, isOwnInCopy } = question
  const failing = notPassing(tests, await run({ experiment: 'original', put: side.files.map(original) }))
  const elsewhere = isOwnInCopy ? [] : await failingInCopies(failing, question, run)
  return failing.filter((test) => !elsewhere.includes(test))
}

/** Where the tests did not run at the start: those that pass now, and whose source was there. */
export function testsOfBoth(
  before: TestRun | undefined,
  own: TestRun,
  wasThere: (test: TestCase) => boolean,
): TestRun | undefined {
  if ((before?.tests ?? []).length > 0) return before
  const tests = own.tests?.filter((test) => test.state === 'passed' && wasThere(test)) ?? []
  return tests.length === 0 ? before : { ...own, tests, total: tests.length }
}

/** Nothing shows which test of a command fails. */
const commandSuccessor = ({ side: { files }, isOnlyRenamed }: OriginalsQuestion): Successor => {
  const place = files[0] && { file: files[0].path }
  if (isOnlyRenamed) return { is: 'same', ...place }
  return { is: 'unread', why: 'the tests and scripts of the start fail on the new code', ...place }
}

/** Tests that fail in a copy of the agent's tree too, by themselves or with their file. */
async function failingInCopies(
  tests: readonly TestCase[],
  { own, fileOf }: OriginalsQuestion,
  run: RunTree,
): Promise<readonly TestCase[]> {
  if (tests.length === 0) return []
  const files = new Set(tests.flatMap((test) => fileOf(test) ?? []))
  const isSeparable = tests.every((test) => fileOf(test) !== undefined) && [...files].every(canBeLeftOut)
  const ran = await run({ experiment: 'copy', put: [], ...(isSeparable && { only: files }) })
  const passed = (cases: readonly TestCase[]) => cases.filter(({ state }) => state === 'passed')
  const inCopy = outcomesOf(ran.run?.tests ?? [])
  const known = outcomesOf(own.tests ?? [])
  const worksInCopy = new Set(passed(ran.run?.tests ?? []).flatMap((test) => test.file ?? fileOf(test) ?? []))
  return tests.filter((test) => {
    const key = testKey(test)
    // A test that has another name now: its file shows it.
    if (known.get(key) === 'passed') return inCopy.get(key) !== 'passed'
    return ran.run?.ok !== true && !worksInCopy.has(fileOf(test) ?? '')
  })
}

/** Nothing that belongs to it has changed, and it passed in run A: its result depends on something else. */
const isSteadyIn = (
  test: TestCase,
  now: ReadonlyMap<string, TestCase['state']>,
  successors: ReadonlyMap<TestCase, Successor>,
): boolean =>
  successors.get(test)?.is === 'same' && successors.get(test)?.why === UNTOUCHED && now.get(testKey(test)) === 'passed'

/** Neither the test nor anything that serves tests differs. */
export const UNTOUCHED = 'Nothing that serves tests has changed.'

const original = ({ path, original }: OriginalFile): PutFile => ({
  path,
  ...(original !== undefined && { text: original }),
})

/** What went wrong in a run without results. */
export const lastProblem = ({ run }: Ran) =>
  run?.problems?.[0]?.replace(/\.$/, '') ?? 'the output shows no test results'

/** With its file, if the report names files: two files may have tests of the same name. */
export const testKey = ({ file, name }: TestCase): string => `${file ?? ''}\0${name}`

/** The outcome by test. If several share a name, a failed one decides. */
export function outcomesOf(tests: readonly TestCase[]): ReadonlyMap<string, TestCase['state']> {
  const outcomes = new Map<string, TestCase['state']>()
  for (const test of tests)
    if (outcomes.get(testKey(test)) !== 'failed' && (test.state !== 'skipped' || !outcomes.has(testKey(test))))
      outcomes.set(testKey(test), test.state)
  return outcomes
}

function notPassing(tests: readonly TestCase[], { run }: Ran, namesOnlyFailures = false): readonly TestCase[] {
  // A report that names no tests shows only whether all of them passed.
  if ((run?.tests ?? []).length === 0 && run?.ok === true && run.passed >= tests.length) return []
  const outcomes = outcomesOf(run?.tests ?? [])
  const seen = new Set<string>()
  return tests.filter((test) => {
    const key = testKey(test)
    const isFailing = namesOnlyFailures && (run?.passed ?? 0) > 0 ? outcomes.has(key) : outcomes.get(key) !== 'passed'
    return !seen.has(key) && seen.add(key) && isFailing
  })
}

/** Names with a random part, such as an address, come and go: as many others take their place. */
function withoutRandomNames(
  failing: readonly TestCase[],
  expected: TestRun | undefined,
  { run }: Ran,
): readonly TestCase[] {
  const [known, now] = [outcomesOf(expected?.tests ?? []), outcomesOf(run?.tests ?? [])]
  const others = [...now].filter(([key, state]) => state === 'passed' && !known.has(key))
  const gone = failing.filter((test) => !now.has(testKey(test)))
  const isReplaced = expected !== undefined && gone.length <= others.length && run?.total === expected.total
  return isReplaced ? failing.filter((test) => !gone.includes(test)) : failing
}

/** A test, and the agent's files without which it fails. */
interface Helped extends Pick<RefutedTest, 'isUnclear'> {
  readonly test: TestCase
  readonly needs: readonly string[]
}

interface Repaired {
  readonly left: readonly TestCase[]
  readonly helped: readonly Helped[]
  readonly flaky: readonly TestCase[]
  readonly shown: boolean
}
const NOTHING_TO_REPAIR: Repaired = { left: [], helped: [], flaky: [], shown: true }

/**
 * Runs the failing files again: first with the imports of their new versions, which also shows what fails only sometimes, then with
 * the agent's helpers and settings too. Where single files can't run without the others, it is one more run of all.
 */
async function repair(failing: readonly TestCase[], question: OriginalsQuestion, run: RunTree): Promise<Repaired> {
  const { side, fileOf } = question
  const files = new Set(failing.flatMap((test) => fileOf(test) ?? []))
  const areSeparable = failing.every((test) => fileOf(test) !== undefined) && [...files].every(canBeLeftOut)
  const renewed = new Set(side.files.flatMap(({ path, renewed }) => (renewed === undefined ? [] : [path])))
  const withImports = side.files.map((file) =>
    file.renewed === undefined ? original(file) : { path: file.path, text: file.renewed },
  )
  const helpers = side.files.filter(({ isHelper }) => isHelper).map(({ path }) => path)
  // Files that did not exist: nothing that was there is another version now.
  const added = side.files
    .filter(({ isHelper, original }) => isHelper && original === undefined)
    .map(({ path }) => path)
  const tries = [
    { put: withImports, needs: [] as readonly string[] },
    ...[added, helpers].flatMap((needs, i, all) =>
      needs.length === 0 || needs.length === all[i + 1]?.length
        ? []
        : [{ put: withImports.filter(({ path }) => !needs.includes(path)), needs }],
    ),
  ]
  const flaky: TestCase[] = []
  const helped: Helped[] = []
  let left = failing
  let shown = false
  const used = areSeparable ? tries : isByExitCode(question.own) ? tries.slice(0, 1) : tries.slice(-1)
  const isRenewed = (file: string | undefined) => (file === undefined ? renewed.size > 0 : renewed.has(file))
  for (const { put, needs } of used) {
    if (left.length === 0) break
    const experiment = put.length === 0 ? 'own' : 'original'
    const ran = await run({ experiment, put, ...(areSeparable && { only: files }) })
    shown ||= (ran.run?.total ?? 0) > 0
    const still = new Set(notPassing(left, ran, (question.own.tests ?? []).length === 0).map(testKey))
    for (const test of left.filter((each) => !still.has(testKey(each)))) {
      if (needs.length > 0) helped.push({ test, needs })
      else if (!isRenewed(fileOf(test))) flaky.push(test)
    }
    left = left.filter((test) => still.has(testKey(test)))
  }
  return { left, helped, flaky, shown }
}

/**
 * What passes only with files of the agent: expectations among them changed, and code is judged by what it does. A test that failed at
 * the start does not pass by another version of a file that it had then.
 */
function judgeHelped(
  { test, needs, isUnclear }: Helped,
  failedAtStart: boolean,
  { helperHides, unclearHides, side, own }: OriginalsQuestion,
  successor: Successor | undefined,
): RefutedTest {
  const why =
    helperHides(needs) ??
    (isUnclear
      ? unclearHides?.(needs)
      : isByExitCode(own)
        ? `the tests of the start fail without the changed ${needs.join(', ')}`
        : undefined)
  const isOther = !isUnclear && side.files.some(({ path, original }) => original !== undefined && needs.includes(path))
  const is = failedAtStart && isOther ? 'still-failing' : successor?.is === 'changed' ? 'changed' : 'helped'
  const isHelperWeaker = successor?.is === 'weaker' && needs.includes(successor.file ?? '')
  const more = { needs, ...(isUnclear && { isUnclear }) }
  if (successor?.is === 'replaced' || isHelperWeaker) return { ...refuted(test, 'lost', successor), ...more }
  const judged = refuted(test, why === undefined ? is : 'lost', {
    ...(successor ?? { is: 'same' }),
    ...(why !== undefined && { is: 'weaker', why }),
  })
  return { ...judged, ...more }
}

const refuted = ({ name, file }: TestCase, is: Refuted, successor?: Successor): RefutedTest => ({
  name,
  is,
  ...(file !== undefined && { file }),
  ...(successor && { successor }),
})

/** A test that passed at the start is judged by its successor. One that failed then counts only in its original form. */
function judge(
  test: TestCase,
  failedAtStart: boolean,
  now: ReadonlyMap<string, TestCase['state']>,
  successor: Successor = { is: 'unread' },
): RefutedTest {
  if (failedAtStart) return refuted(test, 'still-failing', successor)
  const state = now.get(testKey(test))
  switch (successor.is) {
    case 'same':
      return refuted(test, 'adapted', successor)
    case 'changed':
      return refuted(test, 'changed', successor)
    case 'unread':
      if (state === 'passed') return refuted(test, successor.why === undefined ? 'unread' : 'lost', successor)
      return refuted(test, 'lost', { ...successor, is: state === 'skipped' ? 'skipped' : 'gone' })
    default:
      return refuted(test, 'lost', successor)
  }
}
