import type { TestRun } from '../../../test-output/src/types.ts'
import { type SourceTest, stateIn } from './reported-tests.ts'
import type { PutFile, Ran, RunTree } from './trees.ts'

/** A test that is new, or checks something new. Its file is empty if no report names it. */
export interface TestToProve extends SourceTest {
  /** `fixed`: it failed before the run. */
  readonly kind: 'new' | 'changed' | 'fixed'
  /** Names used in its body; absent if there is no reader for the language. */
  readonly uses?: ReadonlySet<string>
  /** It has an assertion that can fail, or calls a function that has one; absent if there is no reader for the language. */
  readonly asserts?: boolean
}

/** What run C undoes, and which tests must be red then. */
export interface WithoutPlan {
  readonly tests: readonly TestToProve[]
  /** Files to restore or remove, the removed ones first, so that a new file can't block an old folder. */
  readonly revert: readonly PutFile[]
  /** Changed code that can't be reverted: its old content is unknown, or it mixes tests and source. */
  readonly notReverted: readonly string[]
  /** Names that only the changes add. If a suite doesn't load without them, the error mentions one. */
  readonly newNames: ReadonlySet<string>
  /** The modules among them. */
  readonly newModules: ReadonlySet<string>
  /** Texts of the changed test code, by path. */
  readonly testTexts: ReadonlyMap<string, string>
}

/** The changed source with its new and changed functions emptied. */
export interface EmptiedSource {
  readonly files: readonly PutFile[]
  /** The functions that do nothing now. */
  readonly names: ReadonlySet<string>
}

export type Judgement = 'proves' | 'vacuous' | 'could-not-run'

export interface JudgedTest {
  readonly test: TestToProve
  readonly judgement: Judgement
  /** A clause without a full stop. */
  readonly why: string
  /** Its assertions failed. It's not only that its file could not be loaded. */
  readonly failed?: true
  /** Its file can't be loaded without the changes. */
  readonly unloaded?: true
  /** It failed in a copy that has the changes. */
  readonly failsInCopy?: true
}

/**
 * Run C: do the new and changed tests notice that the code is the original? What fails has to fail twice. Tests that only can't be
 * loaded without the changes get a second form, in which the new and changed functions do nothing.
 */
export async function tryWithout(
  plan: WithoutPlan,
  now: TestRun,
  run: RunTree,
  emptied: () => Promise<EmptiedSource | undefined>,
): Promise<readonly JudgedTest[]> {
  const files = new Set(plan.tests.map(({ file }) => file))
  let only: ReadonlySet<string> | undefined = files.has('') ? undefined : files
  const runWith = (put: readonly PutFile[]) =>
    run({ experiment: put.length === 0 ? 'copy' : 'without', put, ...(only && { only }) })
  const isShown = ({ run: report, output }: Ran) => {
    const errors = loadErrors(output)
    if (judgeCounted(plan, now, report) !== undefined) return true
    return plan.tests.some(
      (test) => (report && stateIn(report, test) !== 'absent') || missingFor(test, plan, errors) !== undefined,
    )
  }
  const few = await runWith(plan.revert)
  const without = isShown(few) ? few : await complete()
  async function complete(): Promise<Ran> {
    // The command may name its files, and then it needs all of them.
    only = undefined
    return runWith(plan.revert)
  }
  const counted = judgeCounted(plan, now, without.run)
  let judged = counted === undefined ? judgeTests(plan, now, without) : [counted]
  if (judged.some(({ failed }) => failed)) {
    judged =
      (without.run?.passed ?? 0) === 0
        ? controlled(judged, (await runWith([])).run)
        : redTwice(judged, (await runWith(plan.revert)).run)
  }
  const empty = judged.some(({ unloaded }) => unloaded) ? await emptied() : undefined
  return empty === undefined ? judged : judgeEmptied(judged, plan, (await runWith(empty.files)).run, empty.names)
}

/** A report without names shows only how many tests fail: one answer for all of them. */
function judgeCounted({ tests }: WithoutPlan, now: TestRun, without: TestRun | undefined): JudgedTest | undefined {
  const [first] = tests
  // Some runners name only the tests that fail.
  const isAboutAll = tests.length === 1 && first?.file === '' && first.name === ''
  const hasNames = (now.tests ?? []).length + (isAboutAll ? 0 : (without?.tests ?? []).length) > 0
  if (hasNames || first === undefined || now.ok !== true || without?.total !== now.total || without.failed === 0)
    return undefined
  const files = [...new Set(tests.map(({ file }) => file))].join(', ')
  const why = `${without.failed} of ${without.total} tests fail without the changes`
  return { test: { file: files, groups: [], name: '', kind: first.kind }, judgement: 'proves', why, failed: true }
}

const isStillRed = (again: TestRun, test: TestToProve): boolean =>
  test.file === '' && test.name === '' ? again.failed > 0 : stateIn(again, test) !== 'passed'

/** A test that is red only the first time depends on something else. */
const redTwice = (judged: readonly JudgedTest[], again: TestRun | undefined): readonly JudgedTest[] =>
  judged.map((each) =>
    each.failed !== true || again === undefined || isStillRed(again, each.test)
      ? each
      : { test: each.test, judgement: 'could-not-run', why: 'without the changes it fails only sometimes' },
  )

/**
 * If no test passes without the changes, the copy itself may be the cause. So the tests run again in a copy that has the changes: a
 * test that fails there too proves nothing.
 */
function controlled(judged: readonly JudgedTest[], control: TestRun | undefined): readonly JudgedTest[] {
  return judged.map((each): JudgedTest => {
    if (each.failed !== true || (control !== undefined && stateIn(control, each.test) === 'passed')) return each
    return {
      test: each.test,
      judgement: 'could-not-run',
      why: 'in a copy of the workspace it fails even with the code changes',
      ...(control !== undefined && stateIn(control, each.test) === 'failed' && { failsInCopy: true as const }),
    }
  })
}

/** Compares each test's result with the changes and without them. */
export function judgeTests(plan: WithoutPlan, now: TestRun, without: Ran): readonly JudgedTest[] {
  const lines = loadErrors(without.output)
  return plan.tests.map((test) => judgeOne(test, plan, now, without, lines))
}

function judgeOne(
  test: TestToProve,
  plan: WithoutPlan,
  now: TestRun,
  without: Ran,
  errors: readonly string[],
): JudgedTest {
  const judged = (judgement: Judgement, why: string): JudgedTest => ({ test, judgement, why })
  const withChanges = stateIn(now, test)
  if (withChanges === 'failed') return judged('could-not-run', 'it fails with the changes too')
  if (withChanges === 'skipped') return judged('could-not-run', 'it is skipped')
  if (withChanges === 'absent') return judged('could-not-run', 'no report contains it')
  const withoutChanges = without.run === undefined ? 'absent' : stateIn(without.run, test, now.total)
  if (withoutChanges === 'failed') return { ...judged('proves', 'it fails without the changes'), failed: true }
  if (withoutChanges === 'passed') return judged('vacuous', 'it passes without the changes too')
  if (withoutChanges === 'skipped') return judged('could-not-run', 'it is skipped without the changes')
  const missing = missingFor(test, plan, errors)
  if (missing !== undefined) {
    // A missing import makes every test in the file fail, even one that asserts nothing.
    const how = usesNewCode(test, plan, missing)
      ? judged('proves', `it can't be loaded without ${missing}, which the changes add`)
      : judged('could-not-run', `its file can't be loaded without ${missing}, but the test itself doesn't use it`)
    return { ...how, unloaded: true }
  }
  if (without.stopped !== undefined) return judged('could-not-run', without.stopped)
  return {
    ...judged('could-not-run', 'its suite did not run without the changes, for another reason'),
    unloaded: true,
  }
}

/** Judges tests that could not be loaded again, by a run in which the new and changed functions do nothing. */
export function judgeEmptied(
  judged: readonly JudgedTest[],
  plan: WithoutPlan,
  run: TestRun | undefined,
  names: ReadonlySet<string>,
): readonly JudgedTest[] {
  return judged.map((each): JudgedTest => {
    const { test } = each
    const state = run === undefined || each.unloaded !== true ? 'absent' : stateIn(run, test)
    // A function that panics fails a test that only calls it.
    if (state === 'failed' && test.asserts === false)
      return { test, judgement: 'could-not-run', why: 'it has no assertion that can fail' }
    if (state === 'failed')
      return { test, judgement: 'proves', why: 'it fails if the new functions do nothing', failed: true }
    if (state !== 'passed') return each
    // New values that are not functions are still there, and a test of them passes rightly.
    const isAboutData =
      usesNewCode(test, plan) && !names.has('default') && ![...(test.uses ?? [])].some((name) => names.has(name))
    return isAboutData ? each : { test, judgement: 'vacuous', why: 'it passes even if the new functions do nothing' }
  })
}

/** How compilers, loaders and interpreters report that something is missing. */
const MISSING =
  /cannot find|can't find|could not find|not found|no module named|cannot import|importerror|does not provide an export|is not exported by|can't locate|implicit declaration|failed to (?:load|resolve|import|find)|could not (?:resolve|load|import)|cannot (?:load|open|resolve)|unresolved|undefined|not defined|undeclared|not declared|uninitialized constant|does not (?:exist|contain|have)|has no |no (?:such|matching|exported|required|method|function|associated|symbol|package)|error TS\d+|unknown (?:import|type|module)|is not a (?:function|constructor|member)|unexpected keyword argument|unknown field/i
/** What such an error names as missing, although the same word may exist elsewhere. */
const NAMED =
  /(?:unexpected keyword argument|cannot import name|has no attribute|does not provide an export named|unknown field)\s+['"`]?([\p{L}_$][\p{L}\p{N}_$]*)/giu
/** Java prints the missing symbol on its own line, up to this many lines below. */
const LINES_BELOW = 3

function loadErrors(output: string): readonly string[] {
  const lines = output.split('\n')
  return lines.flatMap((text, i) => (MISSING.test(text) ? [lines.slice(i, i + 1 + LINES_BELOW).join('\n')] : []))
}

/** Something that only the changes add, that the test's file mentions, and that an error reports as missing. */
function missingFor({ file }: TestToProve, plan: WithoutPlan, errors: readonly string[]): string | undefined {
  // A test often uses it through helpers that were added with it.
  const own = plan.testTexts.get(file) ?? ''
  const around = [...plan.testTexts.values()].join('\n')
  for (const text of [own, around]) {
    const mentioned = namesIn(text)
    for (const error of errors) {
      const missing = [...error.matchAll(NAMED)].map(([, name = '']) => name)
      const names = [...missing, ...[...namesIn(error)].filter((name) => plan.newNames.has(name))]
      const named = names.find((name) => mentioned.has(name))
      if (named !== undefined) return named
    }
  }
  return undefined
}

/**
 * Whether the test itself, not only its file, uses what the changes add, and asserts something. It may use it through a class or a
 * function of its file.
 */
function usesNewCode(
  { file, uses, asserts }: TestToProve,
  { newNames, newModules, testTexts }: WithoutPlan,
  missing?: string,
): boolean {
  if (uses === undefined || asserts === undefined) return true
  const lines = (testTexts.get(file) ?? '').split('\n')
  const importing = lines.filter((text) => [...namesIn(text)].some((name) => newModules.has(name)))
  const bound = new Set(importing.flatMap((text) => [...namesIn(text)]))
  const helpers = definitionsIn(lines)
  const all = new Set([...uses].flatMap((name) => [name, ...(helpers.get(name) ?? [])]))
  return asserts && [...all].some((name) => newNames.has(name) || bound.has(name) || name === missing)
}

const DEFINITION =
  /^(?:export\s+)?(?:async\s+)?(?:(?:class|def|function\*?|func|const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*)|([\p{L}_$][\p{L}\p{N}_$]*)\s*=(?!=))/u

/** The names in each class and function at the top level of a file: its lines up to the next one that is not indented. */
function definitionsIn(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const bodies = new Map<string, string[]>()
  let current: string | undefined
  for (const line of lines) {
    const [, declared, assigned] = DEFINITION.exec(line) ?? []
    if (/^[\p{L}_$@]/u.test(line)) current = declared ?? assigned
    if (current === undefined) continue
    const body = bodies.get(current)
    if (body === undefined) bodies.set(current, [line])
    else body.push(line)
  }
  return new Map([...bodies].map(([name, body]) => [name, namesIn(body.join('\n'))]))
}

/** Words, and module names with dashes and dots: `order-total.mjs` also counts as `order-total`. */
function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [whole] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*(?:[-.][\p{L}\p{N}_$]+)*/gu)) {
    names.add(whole)
    names.add(whole.replace(/\.[^.]+$/, ''))
    for (const part of whole.split(/[-.]/)) names.add(part)
  }
  return names
}
