import { fileURLToPath } from 'node:url'
import { readTestOutput } from '../../../packages/test-output/src/index.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { Evidence } from '../../../src/core/types.ts'
import type { CollectedTests } from '../../../src/evidence/checks/definition.ts'
import { type ProvenOptions, provenCheck } from '../../../src/evidence/checks/proven.ts'
import { collectTests } from '../../../src/evidence/checks/tests.ts'
import { type ExperimentOptions, experimentsOn } from '../../../src/evidence/experiments.ts'
import type { RunTestCommand } from '../../../src/evidence/red-proof/run-copy.ts'
import type { Baseline, Check, CheckContext, Detected } from '../../../src/evidence/types.ts'
import { baselineOf } from '../baseline-of.ts'
import type { Project } from '../git-project.ts'

/** The runner itself, for rows in which a test file can't be loaded. */
export const NODE = 'node --test --test-reporter=tap'
/** The same results with a single process. */
export const ONE_NODE = `node --test-reporter=tap '${fileURLToPath(new URL('../run-tests.mjs', import.meta.url))}'`
export const PYTHON = 'python3 -m unittest discover -v'

/** Runs the command and reads its output. */
export const runPlain: RunTestCommand = async (workspace, detected, options) => {
  const ran = await workspace.run(detected.command, { ...options, cwd: detected.cwd })
  const run = readTestOutput(ran.output)
  return { ran, ...(run !== undefined && { run }), source: run === undefined ? 'none' : 'output' }
}

export const testCommand = (command: string, cwd = ''): Detected => ({
  kind: 'test',
  command,
  cwd,
  why: 'a test says so',
})

export const contextOf = (workspace: CheckContext['workspace'], more: Partial<CheckContext> = {}): CheckContext => {
  return { workspace, claim: true, tree: 'tree', taskTexts: [], deadlineMs: 60_000, ...more }
}

/** The current texts of a project, to compare with later. */
export async function remember({ workspace }: Project): Promise<Baseline> {
  const files = (await workspace.list()).map((path) => [path, workspace.read(path)] as const)
  return baselineOf(Object.fromEntries(files))
}

export interface Proof {
  readonly evidence: Evidence | undefined
  readonly now: TestRun | undefined
  /** What the experiments showed. */
  readonly proof: CollectedTests['proof']
  /** How often the test command ran in a copy. */
  readonly runs: number
}

export type Proving = Partial<Omit<ProvenOptions, 'tests'>> &
  Partial<ExperimentOptions> & {
    readonly context?: Partial<CheckContext>
    /** The answer of this check: `proven`, with proof required, unless named. */
    readonly check?: (tests: ProvenOptions['tests']) => Check
  }

/** Runs the tests and the experiments on a claim, and then the check `proven`. */
export async function prove(
  { workspace }: Project,
  baseline: Baseline,
  commands: readonly Detected[],
  { context: more = {}, check, accepted = [], run = inPlace, ...given }: Proving = {},
): Promise<Proof> {
  const context = contextOf(workspace, { baseline, ...more })
  let runs = 0
  const counted: ExperimentOptions['run'] = (...args) => {
    runs += 1
    return run(...args)
  }
  const options = { commands, run: counted, withoutChange: true, canary: false, ...given }
  const collected = collectTests(
    {
      commands,
      run: inPlace,
      experiments: (own, isHeld, at) => experimentsOn(own, { isHeld, ...options }, at),
    },
    context,
  )
  const tests = () => collected
  const wanted = check ?? ((from) => provenCheck({ tests: from, proof: 'required', accepted }))
  const [evidence] = await wanted(tests).collect(context)
  const { run: now, proof } = await collected
  return { evidence, now, proof, runs }
}

const inPlace: ExperimentOptions['run'] = (detected, options, workspace) => runPlain(workspace, detected, options)
