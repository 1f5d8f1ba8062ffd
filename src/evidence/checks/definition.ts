import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { Config } from '../../core/config.ts'
import type { AcceptedFinding, Answer, ChecksPolicy, Evidence } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import type { Proof } from '../experiments.ts'
import type { GitSnapshot } from '../git.ts'
import type { Check, CheckContext, Detected, UnsteadyTest } from '../types.ts'

/** An entry in the list of checks: when it runs, and on what. */
export interface CheckDefinition {
  readonly name: string
  /** Runs only if the policy lists it (`checks.also`). */
  readonly onlyListed?: true
  /** The checks to run; none if the configuration or the workspace has nothing for it to check. */
  checksFor(input: CheckInput): readonly Check[]
}

/** What decides whether and how a check runs. */
export interface CheckInput {
  readonly config: Config
  readonly policy: ChecksPolicy
  readonly context: CheckContext
  /** The run's folder. Held-out tests are next to it. */
  readonly stateDir: string
  /** The project's test commands. */
  readonly testCommands: readonly Detected[]
  /** The test results: the tests run once, however many checks need them. */
  readonly tests: (context: CheckContext) => Promise<CollectedTests>
  /** What git and the files showed when the tree was identified. */
  readonly snapshot: GitSnapshot
  readonly task?: string | undefined
  /** Prompt, task and plan as the user wrote them. */
  readonly taskTexts: readonly string[]
  /** Ids of the tasks that the user skipped. */
  readonly skipped?: readonly string[] | undefined
  /** Findings that the user accepted. */
  readonly accepted: readonly AcceptedFinding[]
  /** A run decides, and not `check` or a hook. */
  readonly isRun?: true | undefined
  /** The agent's final message. */
  readonly said?: string | undefined
  /** The plan's text after the previous iteration. */
  readonly previousPlan?: string | undefined
}

/** The test evidence, and the run itself, which the baseline keeps. */
export interface CollectedTests {
  readonly evidence: readonly Evidence[]
  readonly run?: TestRun
  /** On a claim whose tests pass: what the experiments showed. */
  readonly proof?: Proof
  /** Before the first iteration: tests that failed for a reason that is not in the code. */
  readonly unsteady?: readonly UnsteadyTest[]
}

/** An answer about the workspace, with a detail the user can act on. */
export interface CheckAnswer {
  readonly answer: Answer
  readonly detail: string
  readonly counts?: Readonly<Record<string, number>>
  readonly spent?: NonNullable<Evidence['spent']>
}

/** A check that gives one answer under its own name. */
export function checkOf(name: string, ask: (context: CheckContext) => Promise<CheckAnswer> | CheckAnswer): Check {
  return {
    name,
    async collect(context) {
      const started = awake.now()
      const { answer, detail, counts, spent } = await ask(context)
      const ms = Math.round(awake.now() - started)
      return [
        { check: name, answer, detail, ...(counts && { counts }), ...(spent && { spent }), ms, tree: context.tree },
      ]
    },
  }
}
