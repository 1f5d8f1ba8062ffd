import { count } from '../../../packages/core/src/count.ts'
import { casesOf, stateIn } from '../../../packages/exitgate/src/checks/reported-tests.ts'
import { LONG_MS, otherTests } from '../../../packages/exitgate/src/checks/sides.ts'
import {
  type JudgedTest,
  type Judgement,
  judgeEmptied,
  judgeTests,
} from '../../../packages/exitgate/src/checks/without.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { AcceptedFinding, Answer, Evidence, OpenFinding } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import type { Environment } from '../../system/environment.ts'
import { findingsIn, openFinding, withoutAccepted } from '../accepted-findings.ts'
import { changedSince } from '../baseline/changed.ts'
import { idInBaseline, isFull } from '../baseline/stored-baseline.ts'
import { hollowed } from '../red-proof/hollow.ts'
import { type ChangedFile, planRedProof, type RedProofPlan, type TestToProve } from '../red-proof/plan.ts'
import { type CopyRun, type RunTestCommand, runInCopy } from '../red-proof/run-copy.ts'
import type { ScratchOptions } from '../red-proof/scratch.ts'
import { runTestCommand } from '../runners/run.ts'
import { withGrammars } from '../syntax/parse.ts'
import type { Check, CheckContext, Detected } from '../types.ts'
import type { CheckDefinition } from './definition.ts'

interface Conclusion {
  readonly answer: Answer
  readonly detail: string
  readonly counts: Readonly<Record<'proves' | 'vacuous' | 'couldNotRun', number>>
}

const NAMED = 5

/**
 * The answer is `yes` if at least one test fails without the changes; the others are still listed. It is `no` if none does and more
 * than half of all examined tests are vacuous, unless something else proves the changes. In the strict form, more than half is
 * enough. Otherwise it is `unknown`, as it is whenever a vacuous test may be about code that could not be reverted.
 */
export function conclude(
  judged: readonly JudgedTest[],
  { notReverted }: Pick<RedProofPlan, 'notReverted'>,
  { strict = false, fixed = 0 }: { readonly strict?: boolean; readonly fixed?: number } = {},
): Conclusion {
  const those = (judgement: Judgement) => judged.filter((each) => each.judgement === judgement)
  const [proves, vacuous, rest] = [those('proves'), those('vacuous'), those('could-not-run')]
  const counts = { proves: proves.length, vacuous: vacuous.length, couldNotRun: rest.length }
  const areMostVacuous = vacuous.length > judged.length / 2
  const refuted = areMostVacuous && (strict || (proves.length === 0 && fixed === 0))
  const proven = proves.length > 0 && (!strict || vacuous.length <= proves.length)
  const isFixed = !strict && areMostVacuous && proves.length === 0 && fixed > 0
  const answer = refuted ? (notReverted.length > 0 ? 'unknown' : 'no') : proven || isFixed ? 'yes' : 'unknown'
  const sentences = [
    `${proves.length} of ${count(judged.length, 'new or changed test')} ${judged.length === 1 ? 'fails' : 'fail'} without the code changes${proves.length === judged.length ? ', as expected' : ''}.`,
    vacuous.length > 0 && `Passing even without the code changes, so proving nothing: ${list(vacuous)}.`,
    isFixed && `Tests that failed before and pass now: ${fixed}.`,
    rest.length > 0 && `Could not be judged: ${list(rest, true)}.`,
    loadOnly(proves),
    notReverted.length > 0 && `Could not be reverted: ${some(notReverted)}.`,
  ]
  return { answer, detail: sentences.filter((sentence) => sentence !== false).join(' '), counts }
}

function loadOnly(proves: readonly JudgedTest[]): string | false {
  const unloaded = proves.filter(({ failed }) => failed !== true)
  return unloaded.length > 0 && `Counted as failing because they could not be loaded: ${list(unloaded, true)}.`
}

const labelOf = ({ file, groups, name }: TestToProve) => (name === '' ? file : [...groups, name].join(' > '))

const list = (judged: readonly JudgedTest[], withReason = false) =>
  some(
    judged.map(({ test, why }) => `${labelOf(test)} (${withReason ? why : test.file})`),
    '; ',
  )

const some = (all: readonly string[], between = ', ') =>
  all.slice(0, NAMED).join(between) + (all.length > NAMED ? ` and ${all.length - NAMED} more` : '')

/** A value, or a function that gets it when the check runs. */
type Now<T> = T | (() => T | Promise<T>)

export interface RedProofOptions {
  readonly commands: readonly Detected[]
  readonly run: RunTestCommand
  /** Text of a file before the first iteration; from the baseline by default. */
  readonly baselineRead?: (path: string) => string | undefined
  /** Whether a file existed then, even if its text was not kept; from the baseline by default. */
  readonly wasThere?: (path: string) => boolean
  /** Paths whose content differs from the baseline's. */
  readonly changed: Now<readonly string[]>
  /** The test results of the current tree, if they passed. */
  readonly testsNow: Now<TestRun | 'not-passed' | undefined>
  /** For everything together; the context's deadline by default. */
  readonly deadlineMs?: number
  /** More than half vacuous is `no`, whatever else is proven. */
  readonly strict?: boolean
  /** Findings that the user accepted. */
  readonly accepted?: readonly AcceptedFinding[]
  readonly env?: Environment
  readonly allow?: readonly string[]
  readonly scratch?: ScratchOptions
}

export const redProof: CheckDefinition = {
  name: 'red-proof',
  checksFor({ config, policy, context, testCommands: commands, tests, accepted }) {
    const { baseline, workspace } = context
    const { redProof: mode } = config.evidence
    // A policy that does not look at the answer does not have to pay for it.
    if (baseline === undefined || mode === false || policy.redProof === false) return []
    const changed = () => changedSince(baseline, workspace)
    const testsNow = async () => {
      const { run, evidence } = await tests(context)
      // A claim whose tests do not pass is rejected anyway.
      return evidence.some(({ check, answer }) => check === 'tests' && answer !== 'yes') ? 'not-passed' : run
    }
    return [redProofCheck({ commands, run: runTestCommand, changed, testsNow, strict: mode === 'strict', accepted })]
  },
}

/**
 * Do the agent's new and changed tests fail when only its other changes are reverted? Runs only on a claim, and only if there are
 * such tests and such changes.
 */
export function redProofCheck(options: RedProofOptions): Check {
  return { name: 'red-proof', collect: (context) => collectRedProof(options, context) }
}

async function collectRedProof(options: RedProofOptions, context: CheckContext): Promise<readonly Evidence[]> {
  if (!context.claim) return []
  const started = awake.now()
  const answered = (answer: Answer, detail: string, more: Partial<Evidence> = {}): readonly Evidence[] => {
    const ms = Math.round(awake.now() - started)
    return [{ check: 'red-proof', answer, detail, ...more, ms, tree: context.tree }]
  }
  const changes = changesOf(await nowOf(options.changed), options, context)
  const plan = await withGrammars(() => planRedProof(changes))
  if (plan.tests.length === 0) return []
  if (plan.revert.length === 0) {
    return answered('unknown', `The code changes could not be reverted: ${plan.notReverted.slice(0, 5).join(', ')}.`)
  }
  const commands = options.commands.filter(({ kind, cwd }) => kind === 'test' && reaches(cwd, plan))
  if (commands.length === 0) return answered('unknown', 'No test command covers the new or changed tests.')
  const now = await nowOf(options.testsNow)
  if (now === 'not-passed') return []
  if (now === undefined) return answered('unknown', 'There are no current test results to compare with.')
  const until = awake.now() + (options.deadlineMs ?? context.deadlineMs)
  const runWith = (revert: CopyRun['revert']) => {
    const { run, env, allow, scratch } = options
    const deadlineMs = Math.max(1, until - awake.now())
    const { signal, openRoom } = context
    return runInCopy(context.workspace, {
      commands,
      run,
      revert,
      deadlineMs,
      ...(signal && { signal }),
      ...(env && { env }),
      ...(allow && { allow }),
      ...(scratch && { scratch }),
      ...(openRoom && { openRoom }),
    })
  }
  try {
    const others = (context.baseline?.evidence.tests?.ms ?? 0) > LONG_MS ? await testsToLeaveOut(plan, context) : []
    const few = await runWith([...others, ...plan.revert])
    const isShown = few.run !== undefined && plan.tests.some((test) => stateIn(few.run!, test) !== 'absent')
    // The command may name its files, and then it needs all of them.
    const without = others.length === 0 || isShown ? few : await runWith(plan.revert)
    const left = without === few ? others : []
    let judged = judgeTests(plan, now, without)
    if (judged.some(({ failed }) => failed) && (without.run?.passed ?? 0) === 0)
      judged = controlled(judged, (await runWith(left)).run)
    const empty = judged.some(({ unloaded }) => unloaded)
      ? await withGrammars(() => hollowed(changes, plan.revert))
      : undefined
    if (empty !== undefined)
      judged = judgeEmptied(judged, plan, (await runWith([...left, ...empty.files])).run, empty.names)
    const { strict = false, accepted = [] } = options
    const fixed = fixedTests(context.baseline?.tests, now, plan)
    const { answer, detail, counts } = conclude(judged, plan, { strict, fixed })
    if (answer !== 'no') return answered(answer, detail, { counts })
    const vacuous = judged.filter(({ judgement }) => judgement === 'vacuous')
    const sorted = withoutAccepted(vacuous, accepted, (each) => findingOf(each, plan))
    const findings = findingsIn(sorted.findings, sorted.accepted)
    if (sorted.open.length > 0) return answered('no', detail, { counts, ...findings })
    return answered('yes', `${detail} Accepted.`, { counts, ...findings })
  } catch (error) {
    return answered('unknown', `The workspace could not be copied: ${error instanceof Error ? error.message : error}.`)
  }
}

async function testsToLeaveOut({ tests }: RedProofPlan, { workspace }: CheckContext): Promise<CopyRun['revert']> {
  const kept = new Set(tests.map(({ file }) => file))
  return otherTests(await workspace.list(), kept).map((path) => ({ path }))
}

/** Another version of the test file is another finding. */
function findingOf({ test, why }: JudgedTest, { testTexts }: RedProofPlan): OpenFinding {
  const detail = `Test "${labelOf(test)}" proves nothing: ${why}.`
  return openFinding({ kind: 'vacuous-test', file: test.file, test: labelOf(test), detail }, [testTexts.get(test.file)])
}

/** How many tests that the agent did not change failed before the run and pass now. They prove the changes too. */
function fixedTests(before: TestRun | undefined, now: TestRun, { tests }: RedProofPlan): number {
  const failed = new Set((before?.tests ?? []).flatMap(({ name, state }) => (state === 'failed' ? [name] : [])))
  const own = new Set(tests.flatMap((test) => casesOf(now, test).map(({ name }) => name)))
  return (now.tests ?? []).filter(({ name, state }) => state === 'passed' && failed.has(name) && !own.has(name)).length
}

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
    }
  })
}

const nowOf = async <T>(value: Now<T>): Promise<T> => (value instanceof Function ? value() : value)

/** Whether a command that runs in this folder could run one of the tests. */
const reaches = (cwd: string, { tests }: RedProofPlan) =>
  cwd === '' || cwd === '.' || tests.some(({ file }) => file.startsWith(`${cwd.replace(/\/$/, '')}/`))

/** The changed files with their texts before and after. */
export function changesOf(
  paths: readonly string[],
  options: Pick<RedProofOptions, 'baselineRead' | 'wasThere'>,
  { workspace, baseline }: CheckContext,
): readonly ChangedFile[] {
  if (baseline !== undefined && isFull(baseline)) baseline.preload(paths)
  const readBefore = options.baselineRead ?? ((path: string) => baseline?.read(path))
  return paths.map((path) => {
    const before = readBefore(path)
    const after = workspace.read(path)
    const known = options.wasThere?.(path) ?? (baseline !== undefined && idInBaseline(baseline, path) !== undefined)
    return {
      path,
      wasThere: known || before !== undefined,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    }
  })
}
