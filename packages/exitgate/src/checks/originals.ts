import type { TestCase, TestRun } from '../../../test-output/src/types.ts'
import { canBeLeftOut, type OriginalFile, type OriginalSide } from './sides.ts'
import type { PutFile, Ran, RunTree } from './trees.ts'

/** What became of a test of the start, as its file shows it. */
export interface Successor {
  /**
   * `same`: only names, imports, arguments or set-up differ. `changed`: it expects something else, and is as strong. `unread`: nothing
   * can read the file, or it does not show the test.
   */
  readonly is: 'same' | 'changed' | 'gone' | 'skipped' | 'weaker' | 'unread'
  readonly file?: string
  readonly line?: number
  /** The test as it was and as it is, for people. */
  readonly before?: string
  readonly after?: string
  /** How it is weaker, as a clause. */
  readonly why?: string
}

export type Refuted =
  /** It passes only with files of the agent that are neither tests nor product. */
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
}

/** What run B showed. */
export interface Originals {
  /** `own`: nothing but product code changed, so it is the second run of the agent's tree. */
  readonly tree: 'own' | 'original'
  readonly run?: TestRun
  /** Original tests that passed. */
  readonly cleared: number
  /** Original tests that passed in the first run of B or the repeated one, but not in both. */
  readonly flaky: readonly TestCase[]
  readonly refuted: readonly RefutedTest[]
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
  /** The file of a test at the start. */
  readonly fileOf: (test: TestCase) => string | undefined
  readonly successorOf: (test: TestCase) => Successor
  /** Tests whose result you or the baseline excuse. */
  readonly isExcused: (test: TestCase) => boolean
  /** Only these test files, for a suite that takes too long. */
  readonly only?: ReadonlySet<string>
}

/** Run B: does the new code pass the tests it was given? What does not pass is repaired where it only can't be loaded, then judged. */
export async function tryOriginals(question: OriginalsQuestion, run: RunTree): Promise<Originals> {
  const { side, before, own, isExcused, only } = question
  const put = side.files.map(original)
  const first = await run({ experiment: put.length === 0 ? 'copy' : 'original', put, ...(only && { only }) })
  const found = {
    tree: put.length === 0 ? ('own' as const) : ('original' as const),
    notRestored: side.notRestored,
    ...(first.run && { run: first.run }),
  }
  const nothing = (why: string): Originals => ({ ...found, cleared: 0, flaky: [], refuted: [], why })
  if (put.length === 0) {
    if (first.run === undefined || first.stopped !== undefined)
      return nothing(`The tests could not be run a second time: ${first.stopped ?? 'the output shows no results'}.`)
    return { ...found, cleared: first.run.passed, flaky: [], refuted: [] }
  }
  const known = (before?.tests ?? []).filter((test) => !isExcused(test))
  const [atStart, passesNow] = [outcomesOf(known), outcomesOf(own.tests ?? [])]
  const wanted = known.filter((test) => {
    const then = atStart.get(keyOf(test))
    return then === 'passed' || (then === 'failed' && passesNow.get(keyOf(test)) === 'passed')
  })
  if (wanted.length === 0) return { ...found, cleared: 0, flaky: [], refuted: [] }
  const isWanted = only === undefined ? wanted : wanted.filter((test) => only.has(question.fileOf(test) ?? ''))
  const failing = notPassing(isWanted, first)
  const repaired = failing.length === 0 ? NOTHING_TO_REPAIR : await repair(failing, question, run)
  if (repaired.left.length === isWanted.length && first.run === undefined && repaired.shown === false)
    return nothing(`The original tests could not be run on the new code: ${first.stopped ?? lastProblem(first)}.`)
  const judged = repaired.left.map((test) => judge(test, atStart.get(keyOf(test)) === 'failed', question, passesNow))
  return {
    ...found,
    cleared: isWanted.length - repaired.left.length - repaired.helped.length,
    flaky: repaired.flaky,
    refuted: [...repaired.helped, ...judged],
  }
}

const original = ({ path, original }: OriginalFile): PutFile => ({
  path,
  ...(original !== undefined && { text: original }),
})

const lastProblem = ({ run }: Ran) => run?.problems?.[0]?.replace(/\.$/, '') ?? 'the output shows no test results'

/** With its file, if the report names files: two files may have tests of the same name. */
const keyOf = ({ file, name }: TestCase): string => `${file ?? ''}\0${name}`

/** The outcome by test. If several share a name, a failed one decides. */
function outcomesOf(tests: readonly TestCase[]): ReadonlyMap<string, TestCase['state']> {
  const outcomes = new Map<string, TestCase['state']>()
  for (const test of tests)
    if (outcomes.get(keyOf(test)) !== 'failed' && (test.state !== 'skipped' || !outcomes.has(keyOf(test))))
      outcomes.set(keyOf(test), test.state)
  return outcomes
}

function notPassing(tests: readonly TestCase[], { run }: Ran): readonly TestCase[] {
  // A report that names no tests shows only whether all of them passed.
  if ((run?.tests ?? []).length === 0 && run?.ok === true && run.passed >= tests.length) return []
  const outcomes = outcomesOf(run?.tests ?? [])
  const seen = new Set<string>()
  return tests.filter((test) => {
    const key = keyOf(test)
    return !seen.has(key) && seen.add(key) && outcomes.get(key) !== 'passed'
  })
}

interface Repaired {
  readonly left: readonly TestCase[]
  readonly helped: readonly RefutedTest[]
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
  const tries = [
    { put: withImports, needs: [] as readonly string[] },
    ...(helpers.length === 0
      ? []
      : [{ put: withImports.filter(({ path }) => !helpers.includes(path)), needs: helpers }]),
  ]
  const flaky: TestCase[] = []
  const helped: RefutedTest[] = []
  let left = failing
  let shown = false
  for (const { put, needs } of areSeparable ? tries : tries.slice(-1)) {
    if (left.length === 0) break
    const ran = await run({ experiment: 'original', put, ...(areSeparable && { only: files }) })
    shown ||= (ran.run?.total ?? 0) > 0
    const still = new Set(notPassing(left, ran).map(keyOf))
    for (const test of left.filter((each) => !still.has(keyOf(each)))) {
      const { name, file } = test
      if (needs.length > 0) helped.push({ name, ...(file !== undefined && { file }), is: 'helped', needs })
      else if (!renewed.has(fileOf(test) ?? '')) flaky.push(test)
    }
    left = left.filter((test) => still.has(keyOf(test)))
  }
  return { left, helped, flaky, shown }
}

/** A test that passed at the start is judged by its successor. One that failed then counts only in its original form. */
function judge(
  test: TestCase,
  failedAtStart: boolean,
  { successorOf }: OriginalsQuestion,
  passesNow: ReadonlyMap<string, TestCase['state']>,
): RefutedTest {
  const { name, file } = test
  const judged = (is: Refuted, successor?: Successor): RefutedTest => ({
    name,
    is,
    ...(file !== undefined && { file }),
    ...(successor && { successor }),
  })
  const successor = successorOf(test)
  if (failedAtStart) return judged('still-failing', successor)
  const state = passesNow.get(keyOf(test))
  switch (successor.is) {
    case 'same':
      return judged('adapted', successor)
    case 'changed':
      return judged('changed', successor)
    case 'unread': {
      if (state === 'passed') return judged(successor.why === undefined ? 'unread' : 'lost', successor)
      return judged('lost', { ...successor, is: state === 'skipped' ? 'skipped' : 'gone' })
    }
    default:
      return judged('lost', successor)
  }
}
