import type { TestRun } from '../../../test-output/src/types.ts'

/** A file of a copy with another content; without a text it does not exist there. */
export interface PutFile {
  readonly path: string
  readonly text?: string
}

/**
 * What the tests run for, in words for people. `own` and `copy` are the agent's tree as it is; `own` may be the tree of run A itself.
 */
export const EXPERIMENTS = {
  own: 'tests a second time',
  copy: 'tests in an unchanged copy',
  without: 'new tests without the change',
  original: 'original tests on the new code',
  broken: 'tests broken on purpose',
} as const

export type Experiment = keyof typeof EXPERIMENTS

/** A fresh copy of the agent's tree in which some files are others. */
export interface Tree {
  readonly experiment: Experiment
  readonly put: readonly PutFile[]
  /** Only these test files are needed. The copy may leave the others out, where the language allows that. */
  readonly only?: ReadonlySet<string>
  /** In another order, where the runner can. It is the same one for all runs of a claim. */
  readonly shuffled?: true
  /** For all runs in it together, instead of the usual deadline. */
  readonly deadlineMs?: number
}

/** What the tests did in a copy. */
export interface Ran {
  readonly run: TestRun | undefined
  readonly output: string
  /** Why the command did not end normally. */
  readonly stopped?: string
  /** It was stopped because it took too long. */
  readonly late?: true
  /** The options that put the tests in another order. */
  readonly order?: string
}

/** Makes the copy, runs the test commands of the start in it, reads the results and removes it. */
export type RunTree = (tree: Tree) => Promise<Ran>
