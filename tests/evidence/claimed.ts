import type { Evidence } from '../../src/core/types.ts'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { provenCheck } from '../../src/evidence/checks/proven.ts'
import { tamperingCheck } from '../../src/evidence/checks/tampering.ts'
import { collectTests, type TestsOptions } from '../../src/evidence/checks/tests.ts'
import { type ExperimentOptions, experimentsOn, type Proof } from '../../src/evidence/experiments.ts'
import { collectGit } from '../../src/evidence/git.ts'
import { runTestCommand } from '../../src/evidence/runners/run.ts'
import type { Allowance } from '../../src/evidence/tampering/finding.ts'
import type { CheckContext, Detected } from '../../src/evidence/types.ts'
import { type Project, project } from './git-project.ts'

export const HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
export const NODE: Detected = { kind: 'test', command: 'node --test', cwd: '', runner: 'node', why: 'said so' }

export interface Settings {
  readonly command?: Partial<Omit<Detected, 'runner'>> & { readonly runner?: string | undefined }
  readonly tests?: Partial<TestsOptions>
  readonly experiments?: Partial<ExperimentOptions>
  readonly run?: TestsOptions['run']
  /** The tests did not run before the work. */
  readonly untested?: true
  readonly allow?: readonly Allowance[]
  /** What the user said. */
  readonly task?: readonly string[]
  /** For the folder, before the tests run the first time. */
  readonly prepare?: (dir: string) => void
}

export interface Claimed {
  readonly p: Project
  readonly tests: Evidence
  readonly flakes: Evidence | undefined
  readonly tampering: Evidence | undefined
  /** What the new, changed and fixed tests prove. */
  readonly proven: Evidence | undefined
  readonly proof: Proof | undefined
  /** How many tests each run had, in order. */
  readonly ran: readonly (number | undefined)[]
}

/** The tests before the work, the work, and a claim: run A and the experiments after it, with the real runner. */
export async function claimOn(
  files: Readonly<Record<string, string>>,
  work: (p: Project) => void,
  settings: Settings = {},
): Promise<Claimed> {
  const { command, tests, experiments, untested, allow = [], task = [] } = settings
  const { run = (each, limits, place) => runTestCommand(place, each, limits) } = settings
  const p = project(files)
  settings.prepare?.(p.dir)
  const { runner, ...plain } = { ...NODE, ...command }
  const commands: readonly Detected[] = [{ ...plain, ...(runner !== undefined && { runner }) }]
  const ran: (number | undefined)[] = []
  const counting: TestsOptions['run'] = async (...call) => {
    const result = await run(...call)
    ran.push(result.run?.total)
    return result
  }
  const look = async (claim: boolean): Promise<CheckContext> => ({
    workspace: p.workspace,
    claim,
    tree: (await collectGit(p.dir)).tree,
    taskTexts: [],
    deadlineMs: 60_000,
  })
  const all: TestsOptions = {
    commands,
    run: counting,
    experiments: (own, isHeld, context) =>
      experimentsOn(own, { commands, run: counting, withoutChange: true, isHeld, ...experiments }, context),
    ...tests,
  }
  const before = untested ? undefined : (await collectTests(all, await look(false))).run
  await takeBaseline(
    { workspace: p.workspace, commands, evidence: {}, tree: '', at: 1, ...(before && { tests: before }) },
    p.state,
  )
  work(p)
  ran.length = 0
  const context = { ...(await look(true)), baseline: openBaseline(p.state)!, taskTexts: task }
  const collected = await collectTests(all, context)
  const [own, flakes] = collected.evidence
  const [tampering] = await tamperingCheck(allow, async () => collected).collect(context)
  const [proven] = await provenCheck({ tests: async () => collected, taskTexts: task }).collect(context)
  return { p, tests: own!, flakes, tampering, proven, proof: collected.proof, ran }
}
