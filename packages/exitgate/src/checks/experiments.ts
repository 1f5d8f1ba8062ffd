import type { TestCase, TestRun } from '../../../test-output/src/types.ts'
import { type BreakTests, type BrokenResult, tryBroken } from './broken.ts'
import { type Originals, type OriginalsQuestion, outcomesOf, testKey, tryOriginals } from './originals.ts'
import type { RunTree } from './trees.ts'
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
}

export interface Experiments {
  /** C: what each new or changed test does without the change. */
  readonly without?: readonly JudgedTest[]
  /** B: what the original tests do on the new code. */
  readonly originals?: Originals
  /** Tests that passed in A and failed when they ran a second time on the same files. */
  readonly flaky: readonly TestCase[]
  /** D: what tests do that were broken on purpose. */
  readonly broken?: BrokenResult
}

/**
 * The experiments that follow a run A in which everything passed, in this order: C (without the change), B (original tests), a second
 * run of the agent's tests that B does not contain, D (broken tests). C and B both answer, so that one refusal says everything. What
 * follows runs only if nothing refuses so far. Every run has a copy of its own.
 */
export async function runExperiments(own: Own, questions: Questions, run: RunTree): Promise<Experiments> {
  const { without: c, originals: b, again, broken: d } = questions
  const without = c && (await tryWithout(c.plan, own.run, run, c.emptied))
  const originals = b && (await tryOriginals(b, run))
  const found = { ...(without && { without }), ...(originals && { originals }), flaky: originals?.flaky ?? [] }
  if (originals !== undefined && refuses(originals)) return found
  const second =
    again === undefined || again.size === 0 ? undefined : await run({ experiment: 'own', put: [], only: again })
  const flaky = [...found.flaky, ...failedAgain(own.run, second?.run)]
  const broken = d && flaky.length === 0 ? await tryBroken(d.choose, own.run, run, d.limitMs) : undefined
  return { ...found, flaky, ...(broken && { broken }) }
}

/** Whether run B keeps the claim from being verified. */
const refuses = ({ refuted, flaky, why }: Originals): boolean =>
  why !== undefined || flaky.length > 0 || refuted.some(({ is }) => is === 'lost' || is === 'still-failing')

function failedAgain(own: TestRun, second: TestRun | undefined): readonly TestCase[] {
  const outcomes = outcomesOf(own.tests ?? [])
  return (second?.tests ?? []).filter((test) => test.state === 'failed' && outcomes.get(testKey(test)) === 'passed')
}
