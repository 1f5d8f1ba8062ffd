import type { TestRun } from '../../../test-output/src/types.ts'
import { type BreakTests, type BrokenResult, tryBroken } from './broken.ts'
import { type Originals, type OriginalsQuestion, tryOriginals } from './originals.ts'
import type { RunTree } from './trees.ts'
import { type EmptiedSource, type JudgedTest, tryWithout, type WithoutPlan } from './without.ts'

/** What the agent's own tests showed, compared with the start of the run. */
export interface Own {
  readonly passes: boolean
  readonly run: TestRun
  readonly ms: number
}

/** What to ask, prepared from the two trees. A part that is missing is not asked. */
export interface Questions {
  /** Run C. */
  readonly without?: { readonly plan: WithoutPlan; readonly emptied: () => Promise<EmptiedSource | undefined> }
  /** Run B. */
  readonly originals?: OriginalsQuestion
  /** Run D. */
  readonly broken?: { readonly choose: BreakTests; readonly limitMs: number }
}

export interface Experiments {
  /** C: what each new or changed test does without the change. */
  readonly without?: readonly JudgedTest[]
  /** B: what the original tests do on the new code. */
  readonly originals?: Originals
  /** D: what tests do that were broken on purpose. */
  readonly broken?: BrokenResult
}

/**
 * The experiments that follow run A (own), in this order: C (without the change), B (original tests), D (broken tests). If A refuses
 * the claim, nothing else runs. C and B both answer, so that one refusal says everything. D runs only if B refuses nothing. Every run
 * has a copy of its own.
 */
export async function runExperiments(own: Own, questions: Questions, run: RunTree): Promise<Experiments> {
  if (!own.passes) return {}
  const { without: c, originals: b, broken: d } = questions
  const without = c && (await tryWithout(c.plan, own.run, run, c.emptied))
  const originals = b && (await tryOriginals(b, run))
  const broken =
    d && (originals === undefined || !refuses(originals))
      ? await tryBroken(d.choose, own.run, run, d.limitMs)
      : undefined
  return { ...(without && { without }), ...(originals && { originals }), ...(broken && { broken }) }
}

/** Whether run B keeps the claim from being verified. */
export const refuses = ({ refuted, flaky, why }: Originals): boolean =>
  why !== undefined || flaky.length > 0 || refuted.some(blocks)

/** `helped` is judged by what the helper does, which only its reader knows. */
export const blocks = ({ is }: Originals['refuted'][number]): boolean => is === 'lost' || is === 'still-failing'
