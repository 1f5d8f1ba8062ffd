import { count } from '../../../core/src/count.ts'
import type { TestCase, TestRun } from '../../../test-output/src/types.ts'
import { type BreakTests, type BrokenResult, tryBroken } from './broken.ts'
import { type CommandBreaks, tryCommand } from './command.ts'
import { doubtfulFirst } from './doubtful.ts'
import {
  lastProblem,
  type Originals,
  type OriginalsQuestion,
  outcomesOf,
  type RefutedTest,
  testKey,
  tryOriginals,
  UNTOUCHED,
} from './originals.ts'
import { casesOf } from './reported-tests.ts'
import type { Ran, RunTree } from './trees.ts'
import { type EmptiedSource, type JudgedTest, tryWithout, type WithoutPlan } from './without.ts'

/** Run A: what the agent's own tests showed. */
export interface Own {
  readonly run: TestRun
  readonly ms: number
}

/** What to ask, prepared from the two trees. A part that is missing is not asked. */
export interface Questions {
  /** Run C. */
  readonly without?: { readonly plan: WithoutPlan; readonly emptied: () => Promise<EmptiedSource | undefined> }
  /** Run B. */
  readonly originals?: OriginalsQuestion
  /** Test files of the agent that run B does not contain, for a second run of their own. */
  readonly again?: ReadonlySet<string>
  /** Run D. */
  readonly broken?: { readonly choose: BreakTests; readonly limitMs: number }
  /** Run D, if nothing but an exit code shows what the tests did. */
  readonly command?: CommandBreaks & { readonly limitMs: number }
  /** The agent added the test command, so run D has to show that it can fail. */
  readonly isAdded?: true
}

/** Tests that fail only in another order, and the options that give it. */
export interface Ordered {
  readonly tests: readonly TestCase[]
  readonly order: string
}

export interface Experiments {
  /** C: what each new or changed test does without the change. */
  readonly without?: readonly JudgedTest[]
  /** B: what the original tests do on the new code. */
  readonly originals?: Originals
  /** Tests that passed in A and failed when they ran a second time on the same files. */
  readonly flaky: readonly TestCase[]
  /** Of the agent's test files. */
  readonly ordered?: Ordered
  /** D: what tests do that were broken on purpose. */
  readonly broken?: BrokenResult
  /** Why the tests count as run only once, as a sentence. */
  readonly why?: string
  /** There was no test command at the start. */
  readonly isAdded?: true
}

/**
 * The experiments that follow a run A in which everything passed. First C (without the change), then B (original tests). Then a second
 * run of the agent's tests that B does not contain, and D (broken tests). C and B both answer, so that one refusal says everything. What
 * follows runs only if nothing refuses so far. Every run has a copy of its own.
 */
export async function runExperiments(own: Own, questions: Questions, run: RunTree): Promise<Experiments> {
  const { without: c, originals: b, again, broken: d, command, isAdded } = questions
  const without = c && (await tryWithout(c.plan, own.run, run, c.emptied))
  const tried = b && (await tryOriginals(b, run))
  const originals = tried && { ...tried, refuted: doubtfulFirst(tried.refuted, without ?? [], b.product ?? []) }
  // Run A was in a copy like that one.
  const changing = b?.isOwnInCopy ? (without ?? []).filter(({ failsInCopy }) => failsInCopy) : []
  const unsteady = changing.flatMap(({ test }) => casesOf(own.run, test))
  const flakyInB = originals?.flaky ?? []
  const flakyBefore = [...flakyInB, ...unsteady.filter((test) => !flakyInB.includes(test))]
  const experiments = { ...(without && { without }), ...(originals && { originals }), ...(isAdded && { isAdded }) }
  const found = { ...experiments, flaky: flakyBefore }
  if (originals !== undefined && refuses(originals)) return { ...found, ...(originals.why && { why: originals.why }) }
  const second = again === undefined || again.size === 0 ? undefined : await runAgain(again, own.run, run, b?.before)
  const flaky = [...found.flaky, ...(second?.flaky ?? [])]
  const isSteady = second?.why === undefined && flaky.every((test) => b?.isExcused(test) === true)
  const broken = !isSteady
    ? undefined
    : command
      ? await tryCommand(command, without ?? [], run, command.limitMs)
      : d && (await tryBroken(d.choose, own.run, run, d.limitMs))
  const isUnsure = isSteady && broken?.state !== 'armed'
  const why = second?.why ?? (isUnsure ? (isAdded ? CANNOT_TELL : needsOtherRunner(originals, b)) : undefined)
  const { ordered } = second ?? {}
  return {
    ...{ ...found, flaky },
    ...(ordered && { ordered }),
    ...(broken && { broken }),
    ...(why !== undefined && { why }),
  }
}

const CANNOT_TELL = 'The agent added the test command, and nothing shows that its tests can fail.'

/** Tests that pass only with another script or other settings prove nothing, unless a broken test fails with them. */
function needsOtherRunner(originals: Originals | undefined, asked: OriginalsQuestion | undefined): string | undefined {
  const runs = new Set(asked?.side.files.flatMap(({ path, runsTests }) => (runsTests ? [path] : [])))
  if (runs.size === 0) return undefined
  const needs = ({ is, needs = [], successor }: RefutedTest) =>
    is === 'helped' ? needs.some((path) => runs.has(path)) : is === 'adapted' && successor?.why === UNTOUCHED
  const name = originals?.refuted.find(needs)?.name
  const files = [...runs].join(', ')
  return (
    name && `"${name}" passes only with the changed ${files}, and no broken test shows that tests can fail with it.`
  )
}

/** Whether run B keeps the claim from being verified. */
const refuses = ({ refuted, flaky, why }: Originals): boolean =>
  why !== undefined || flaky.length > 0 || refuted.some(({ is }) => is === 'lost' || is === 'still-failing')

interface SecondRun extends Pick<Experiments, 'ordered' | 'why'> {
  readonly flaky: readonly TestCase[]
}

/**
 * The agent's own tests a second time: without the others, or with them where they don't run alone. They run in another order where the
 * runner can. What fails then runs once more in the usual order, and if it passes, once more in the other one: a test that depends
 * on its order fails there again.
 */
async function runAgain(
  only: ReadonlySet<string>,
  own: TestRun,
  run: RunTree,
  before: TestRun | undefined,
): Promise<SecondRun> {
  const shows = ({ run, stopped }: Ran) =>
    run !== undefined && stopped === undefined && (run.ok === true || run.tests?.some(hasFailed) === true)
  const theirs = ({ tests = [] }: TestRun) => tests.filter(({ file }) => file !== undefined && only.has(file))
  // Names with a random part come and go.
  const areFewer = ({ run }: Ran) => run !== undefined && theirs(run).length < theirs(own).length
  const files = { experiment: 'own', put: [], only } as const
  const shuffled = await run({ ...files, shuffled: true })
  const fails = ({ run }: Ran) => run?.tests?.some(hasFailed) === true
  const isUsual = shuffled.order === undefined || (shows(shuffled) && !fails(shuffled))
  const few = isUsual ? shuffled : await run(files)
  // Some runners report a test with the file that defines it, although another file runs it.
  const ran = shows(few) && (fails(few) || !areFewer(few)) ? few : await run({ experiment: 'own', put: [] })
  if (!shows(ran))
    return { flaky: [], why: `The new tests could not be run a second time: ${ran.stopped ?? lastProblem(ran)}.` }
  const outcomes = outcomesOf(ran.run?.tests ?? [])
  const gone = new Set(ran !== few && areFewer(ran) ? theirs(own).filter((test) => !outcomes.has(testKey(test))) : [])
  const steady = outcomesOf(own.tests ?? [])
  const passed = (own.tests ?? []).filter((test) => steady.get(testKey(test)) === 'passed')
  const flaky = passed.filter((test) => gone.has(test) || /failed|skipped/.test(outcomes.get(testKey(test)) ?? ''))
  const { order } = shuffled
  const failing = isUsual || flaky.length > 0 ? [] : passed.filter((test) => hasFailedIn(shuffled, test))
  if (order === undefined || failing.length === 0) return { flaky }
  const again = await run({ ...files, shuffled: true })
  const tests = failing.filter((test) => hasFailedIn(again, test))
  const known = outcomesOf(before?.tests ?? [])
  const [first] = tests
  // If older tests of these files need their order too, that is how the project writes its tests.
  const isNew = first !== undefined && known.size > 0 && !tests.some((test) => known.has(testKey(test)))
  return {
    flaky: failing.filter((test) => !tests.includes(test)),
    ...(first && !isNew && { ordered: { tests, order } }),
    ...(isNew && { why: orderSentence({ tests, order }) }),
  }
}

const hasFailedIn = ({ run }: Ran, test: TestCase): boolean =>
  outcomesOf(run?.tests ?? []).get(testKey(test)) === 'failed'

export function orderSentence({ tests, order }: Ordered): string {
  const [first] = tests
  const more = tests.length > 1 ? ` and ${count(tests.length - 1, 'more test')}` : ''
  return `"${first?.name}"${more} passed only in the usual order (fails with ${order}).`
}

const hasFailed = ({ state }: TestCase): boolean => state === 'failed'
