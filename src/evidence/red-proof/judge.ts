import type { TestRun } from '../../test-output/types.ts'
import { stateIn } from './find-in-report.ts'
import type { RedProofPlan, TestToProve } from './plan.ts'

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
}

/** The run in the copy, without the changes. */
export interface RunWithout {
  readonly run: TestRun | undefined
  readonly output: string
  /** Why the command did not end normally. */
  readonly stopped?: string
  /** It was stopped because it took too long. */
  readonly late?: true
}

/** Compares each test's result with the changes and without them. */
export function judgeTests(plan: RedProofPlan, now: TestRun, without: RunWithout): readonly JudgedTest[] {
  const lines = loadErrors(without.output)
  return plan.tests.map((test) => judgeOne(test, plan, now, without, lines))
}

function judgeOne(
  test: TestToProve,
  plan: RedProofPlan,
  now: TestRun,
  without: RunWithout,
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
    const how = usesNewCode(test, plan)
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
  plan: RedProofPlan,
  run: TestRun | undefined,
  names: ReadonlySet<string>,
): readonly JudgedTest[] {
  return judged.map((each): JudgedTest => {
    const { test } = each
    const state = run === undefined || each.unloaded !== true ? 'absent' : stateIn(run, test)
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
  /cannot find|can't find|could not find|not found|no module named|cannot import|importerror|does not provide an export|failed to (?:load|resolve|import|find)|could not (?:resolve|load|import)|cannot (?:load|open|resolve)|unresolved|undefined|not defined|undeclared|not declared|uninitialized constant|does not (?:exist|contain|have)|has no |no (?:such|matching|exported|required|method|function|associated|symbol|package)|error TS\d+|unknown (?:import|type|module)|is not a (?:function|constructor|member)/i
/** Java prints the missing symbol on its own line, up to this many lines below. */
const LINES_BELOW = 3

function loadErrors(output: string): readonly string[] {
  const lines = output.split('\n')
  return lines.flatMap((text, i) => (MISSING.test(text) ? [lines.slice(i, i + 1 + LINES_BELOW).join('\n')] : []))
}

/** Something that only the changes add, that the test's file mentions, and that an error reports as missing. */
function missingFor({ file }: TestToProve, plan: RedProofPlan, errors: readonly string[]): string | undefined {
  // A test often uses it through helpers that were added with it.
  const own = plan.testTexts.get(file) ?? ''
  const around = [...plan.testTexts.values()].join('\n')
  for (const text of [own, around]) {
    const mentioned = new Set([...namesIn(text)].filter((name) => plan.newNames.has(name)))
    for (const error of errors) {
      const named = [...namesIn(error)].find((name) => mentioned.has(name))
      if (named !== undefined) return named
    }
  }
  return undefined
}

/** Whether the test itself, not only its file, uses what the changes add, and asserts something. */
function usesNewCode({ file, uses, asserts }: TestToProve, { newNames, newModules, testTexts }: RedProofPlan): boolean {
  if (uses === undefined || asserts === undefined) return true
  const lines = (testTexts.get(file) ?? '').split('\n')
  const importing = lines.filter((text) => [...namesIn(text)].some((name) => newModules.has(name)))
  const bound = new Set(importing.flatMap((text) => [...namesIn(text)]))
  return asserts && [...uses].some((name) => newNames.has(name) || bound.has(name))
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
