/**
 * `exitgate/testing`: tests a preset, built in or your own, with a table of scenarios. Each row lists the agent's messages, the
 * results of the checks and the expected decisions.
 */
import { configure, type ProjectConfig } from '../config/project-config.ts'
import type { Verdict } from '../core/types.ts'
import { createDecider } from './decider.ts'
import type { EvidenceInput } from './evidence-input.ts'

export interface Scenario {
  readonly name: string
  /** The preset and its settings. They override those passed to `testScenarios`. */
  readonly config?: ProjectConfig
  readonly iterations: readonly ScenarioIteration[]
}

export interface ScenarioIteration {
  /** The agent's final message. */
  readonly says: string
  /** Results of the checks. Define your own checks in `config`. */
  readonly evidence?: EvidenceInput<string>
  /** Minutes since the previous iteration. Default: 1. */
  readonly after?: number
  /** The expected decision: `continue`, `advance GREEN`, or outcome and ending such as `completed/verified`. */
  readonly expect: string
  /** The rule expected to decide. */
  readonly rule?: string
}

export interface Played {
  readonly name: string
  readonly verdicts: readonly Verdict[]
  /** One sentence for each iteration with an unexpected decision. */
  readonly problems: readonly string[]
}

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 5, 8)

/** Plays every scenario and throws an error that lists all differences. Use `playScenario` to get them as data. */
export function testScenarios(rows: readonly Scenario[], config: ProjectConfig = {}): void {
  const problems = rows.flatMap((row) => {
    const { name, problems } = playScenario(row, config)
    return problems.map((problem) => `${name}: ${problem}`)
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** Plays one scenario through the real decision engine. */
export function playScenario({ name, config: own, iterations }: Scenario, config: ProjectConfig = {}): Played {
  const project = { ...config, ...own }
  const names = [...(project.checks ?? []).map((check) => check.name), ...Object.keys(project.commands ?? {})]
  const { decide } = createDecider<string>(configure(project), { own: names })
  const problems: string[] = []
  let at = START
  const verdicts = iterations.map(({ says, evidence = {}, after = 1, expect, rule }, index) => {
    at += after * MINUTE
    const verdict = decide({ output: says, format: 'text', evidence, at })
    const decision = decisionOf(verdict)
    if (decision !== expect || (rule !== undefined && verdict.rule !== rule))
      problems.push(
        `iteration ${index + 1}: expected ${expect}${rule === undefined ? '' : ` by ${rule}`}, but the rule ${verdict.rule} decided ${decision} (${verdict.reason})`,
      )
    return verdict
  })
  return { name, verdicts, problems }
}

function decisionOf(verdict: Verdict): string {
  if (verdict.action === 'stop') return `${verdict.outcome}/${verdict.ending}`
  return verdict.action === 'advance' ? `advance ${verdict.phase}` : verdict.action
}
