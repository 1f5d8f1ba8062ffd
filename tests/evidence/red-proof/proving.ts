import { fileURLToPath } from 'node:url'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { Evidence } from '../../../src/core/types.ts'
import { type RedProofOptions, redProofCheck } from '../../../src/evidence/checks/red-proof.ts'
import type { RunTestCommand } from '../../../src/evidence/red-proof/run-copy.ts'
import type { CheckContext, Detected } from '../../../src/evidence/types.ts'
import { readTestOutput } from '../../../src/test-output/index.ts'
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
export async function remember({ workspace }: Project) {
  const files = new Map<string, string>()
  for (const path of await workspace.list()) {
    const text = workspace.read(path)
    if (text !== undefined) files.set(path, text)
  }
  return {
    read: (path: string) => files.get(path),
    changed: async () => {
      const now = await workspace.list()
      return [...new Set([...files.keys(), ...now])].filter((path) => workspace.read(path) !== files.get(path)).sort()
    },
  }
}

export interface Proof {
  readonly evidence: Evidence | undefined
  readonly now: TestRun | undefined
  /** How often the test command ran in a copy. */
  readonly runs: number
}

/** Runs the tests, and then the red-proof check. */
export async function prove(
  { workspace }: Project,
  then: Awaited<ReturnType<typeof remember>>,
  commands: readonly Detected[],
  more: Partial<RedProofOptions> = {},
): Promise<Proof> {
  const now = (await runPlain(workspace, commands[0]!, { deadlineMs: 60_000 })).run
  let runs = 0
  const check = redProofCheck({
    commands,
    run: (...args) => {
      runs += 1
      return runPlain(...args)
    },
    baselineRead: then.read,
    changed: then.changed,
    testsNow: now,
    ...more,
  })
  const [evidence] = await check.collect(contextOf(workspace))
  return { evidence, now, runs }
}
