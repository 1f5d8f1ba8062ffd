import type { Config } from '../../core/config.ts'
import type { Answer, ChecksPolicy, Evidence } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import type { TestRun } from '../../test-output/types.ts'
import type { GitLook } from '../git.ts'
import type { Check, CheckContext, Detected } from '../types.ts'

/** One line in the list of checks: when it is asked, and what. */
export interface CheckDefinition {
  readonly name: string
  /** Asked only where the policy lists it (`checks.also`). */
  readonly onlyListed?: true
  /** The checks to ask; none when the configuration or the workspace gives it nothing to ask about. */
  checksFor(input: CheckInput): readonly Check[]
}

/** What decides whether and how a check is asked. */
export interface CheckInput {
  readonly config: Config
  readonly policy: ChecksPolicy
  readonly context: CheckContext
  /** The project's test commands. */
  readonly testCommands: readonly Detected[]
  /** The results of the tests: they run once, however many checks need them. */
  readonly tests: (context: CheckContext) => Promise<CollectedTests>
  /** What git and the files showed when the tree was identified. */
  readonly look: GitLook
  readonly task?: string
  /** Prompt, task and plan as a person wrote them. */
  readonly taskTexts: readonly string[]
  /** Tasks that a person took off the list, by id. */
  readonly skipped?: readonly string[]
  /** The plan's text after the iteration before. */
  readonly previousPlan?: string
}

/** What the tests said, with the run itself for the baseline to keep. */
export interface CollectedTests {
  readonly evidence: readonly Evidence[]
  readonly run?: TestRun
}

/** An answer about the workspace, with a detail a person can act on. */
export interface CheckAnswer {
  readonly answer: Answer
  readonly detail: string
  readonly counts?: Readonly<Record<string, number>>
}

/** A check that gives one answer under its own name. */
export function checkOf(name: string, ask: (context: CheckContext) => Promise<CheckAnswer> | CheckAnswer): Check {
  return {
    name,
    async collect(context) {
      const started = awake.now()
      const { answer, detail, counts } = await ask(context)
      const ms = Math.round(awake.now() - started)
      return [{ check: name, answer, detail, ...(counts === undefined ? {} : { counts }), ms, tree: context.tree }]
    },
  }
}
