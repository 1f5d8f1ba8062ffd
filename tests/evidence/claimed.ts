import type { Evidence } from '../../src/core/types.ts'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { collectTests, type TestsOptions } from '../../src/evidence/checks/tests.ts'
import { type ExperimentOptions, experimentsOn, type Proof } from '../../src/evidence/experiments.ts'
import { collectGit } from '../../src/evidence/git.ts'
import { runTestCommand } from '../../src/evidence/runners/run.ts'
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
}

export interface Claimed {
  readonly p: Project
  readonly tests: Evidence
  readonly flakes: Evidence | undefined
  readonly proof: Proof | undefined
  /** How many tests each run had, in order. */
  readonly ran: readonly (number | undefined)[]
}

/** The tests before the work, the work, and a claim: run A and the experiments after it, with the real runner. */
export async function claimOn(
  files: Readonly<Record<string, string>>,
  work: (p: Project) => void,
  {
    command,
    tests,
    experiments,
    untested,
    run = (each, limits, place) => runTestCommand(place, each, limits),
  }: Settings = {},
): Promise<Claimed> {
  const p = project(files)
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
  const { evidence, proof } = await collectTests(all, { ...(await look(true)), baseline: openBaseline(p.state)! })
  return { p, tests: evidence[0]!, flakes: evidence[1], proof, ran }
}
