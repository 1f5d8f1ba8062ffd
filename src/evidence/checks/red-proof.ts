import { count } from '../../core/count.ts'
import type { Answer, Evidence } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import type { Environment } from '../../system/environment.ts'
import type { TestRun } from '../../test-output/types.ts'
import { changedSince } from '../baseline/changed.ts'
import { idInBaseline, isFull } from '../baseline/stored-baseline.ts'
import { stateIn } from '../red-proof/find-in-report.ts'
import { type JudgedTest, type Judgement, judgeTests } from '../red-proof/judge.ts'
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
 * The answer is `no` if more than half of all examined tests are vacuous. It is `yes` if at least one proves something and at
 * most half of the judged tests are vacuous; those are still listed. Otherwise it is `unknown`, as it is whenever a vacuous test
 * may be about code that could not be reverted.
 */
export function conclude(judged: readonly JudgedTest[], plan: RedProofPlan, mostVacuous = 0.5): Conclusion {
  const those = (judgement: Judgement) => judged.filter((each) => each.judgement === judgement)
  const [proves, vacuous, rest] = [those('proves'), those('vacuous'), those('could-not-run')]
  const counts = { proves: proves.length, vacuous: vacuous.length, couldNotRun: rest.length }
  const refuted = vacuous.length > mostVacuous * judged.length
  const mostlyProven = proves.length > 0 && vacuous.length <= mostVacuous * (proves.length + vacuous.length)
  const answer = refuted ? (plan.notReverted.length > 0 ? 'unknown' : 'no') : mostlyProven ? 'yes' : 'unknown'
  const sentences = [
    `${proves.length} of ${count(judged.length, 'new or changed test')} ${judged.length === 1 ? 'fails' : 'fail'} without the code changes${proves.length === judged.length ? ', as expected' : ''}.`,
    vacuous.length > 0 && `Passing even without the code changes, so proving nothing: ${list(vacuous)}.`,
    rest.length > 0 && `Could not be judged: ${list(rest, true)}.`,
    loadOnly(proves),
    plan.notReverted.length > 0 && `Could not be reverted: ${some(plan.notReverted)}.`,
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
  /** The test results of the current tree. */
  readonly testsNow: Now<TestRun | undefined>
  /** For everything together; the context's deadline by default. */
  readonly deadlineMs?: number
  /** The share of vacuous tests above which the answer is `no`. */
  readonly mostVacuous?: number
  readonly env?: Environment
  readonly allow?: readonly string[]
  readonly scratch?: ScratchOptions
}

export const redProof: CheckDefinition = {
  name: 'red-proof',
  checksFor({ config, context, testCommands: commands, tests }) {
    const { baseline, workspace } = context
    if (baseline === undefined || !config.evidence.redProof) return []
    const changed = () => changedSince(baseline, workspace)
    const testsNow = async () => (await tests(context)).run
    return [redProofCheck({ commands, run: runTestCommand, changed, testsNow })]
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
  const answered = (answer: Answer, detail: string, counts?: Readonly<Record<string, number>>): readonly Evidence[] => {
    const ms = Math.round(awake.now() - started)
    return [{ check: 'red-proof', answer, detail, ...(counts !== undefined && { counts }), ms, tree: context.tree }]
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
  if (now === undefined) return answered('unknown', 'There are no current test results to compare with.')
  const until = awake.now() + (options.deadlineMs ?? context.deadlineMs)
  const copyRun = (revert: CopyRun['revert']): CopyRun => {
    const { run, env, allow, scratch } = options
    const deadlineMs = Math.max(1, until - awake.now())
    const { signal, openRoom } = context
    return {
      commands,
      run,
      revert,
      deadlineMs,
      ...(signal && { signal }),
      ...(env && { env }),
      ...(allow && { allow }),
      ...(scratch && { scratch }),
      ...(openRoom && { openRoom }),
    }
  }
  try {
    const without = await runInCopy(context.workspace, copyRun(plan.revert))
    let judged = judgeTests(plan, now, without)
    if (judged.some(({ failed }) => failed) && (without.run?.passed ?? 0) === 0) {
      judged = controlled(judged, (await runInCopy(context.workspace, copyRun([]))).run)
    }
    const { answer, detail, counts } = conclude(judged, plan, options.mostVacuous)
    return answered(answer, detail, counts)
  } catch (error) {
    return answered('unknown', `The workspace could not be copied: ${error instanceof Error ? error.message : error}.`)
  }
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
