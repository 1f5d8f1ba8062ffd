/**
 * `exitgate/testing`: plays a table of scenarios against a preset, your own or one of ours. Each row tells what the agent said and what
 * the checks found, iteration by iteration, and what must be decided.
 */
import { configure, type ProjectConfig } from '../config/project-config.ts'
import type { Verdict } from '../core/types.ts'
import { createDecider } from './decider.ts'
import type { EvidenceInput } from './evidence-input.ts'

export interface Scenario {
  readonly name: string
  /** The preset and its settings; a setting here goes before those of the table. */
  readonly config?: ProjectConfig
  readonly iterations: readonly ScenarioIteration[]
}

export interface ScenarioIteration {
  /** The agent's final message. */
  readonly says: string
  /** What the checks found. Checks of your own are named in `config`. */
  readonly evidence?: EvidenceInput<string>
  /** Minutes since the iteration before; one unless given. */
  readonly after?: number
  /** `continue`, `advance GREEN`, or an outcome with its ending: `completed/verified`. */
  readonly expect: string
  /** The rule that decides. */
  readonly rule?: string
}

export interface Played {
  readonly name: string
  readonly verdicts: readonly Verdict[]
  /** One sentence for each iteration that was decided otherwise. */
  readonly problems: readonly string[]
}

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 5, 8)

/** Plays every row. Throws an error that lists all differences; use `playScenario` to look at them yourself. */
export function testScenarios(rows: readonly Scenario[], config: ProjectConfig = {}): void {
  const problems = rows.flatMap((row) => {
    const { name, problems } = playScenario(row, config)
    return problems.map((problem) => `${name}: ${problem}`)
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** Plays one row through the real decision. */
export function playScenario({ name, config: own, iterations }: Scenario, config: ProjectConfig = {}): Played {
  const project = { ...config, ...own }
  const names = [...(project.checks ?? []).map((check) => check.name), ...Object.keys(project.commands ?? {})]
  const { decide } = createDecider<string>(configure(project), { own: names })
  const problems: string[] = []
  let at = START
  const verdicts = iterations.map(({ says, evidence = {}, after = 1, expect, rule }, index) => {
    at += after * MINUTE
    const verdict = decide({ output: says, format: 'text', evidence, at })
    const made = decisionOf(verdict)
    if (made !== expect || (rule !== undefined && verdict.rule !== rule))
      problems.push(
        `iteration ${index + 1} was decided as ${made} by the rule ${verdict.rule} (${verdict.reason}), not as ${expect}${rule === undefined ? '' : ` by ${rule}`}`,
      )
    return verdict
  })
  return { name, verdicts, problems }
}

function decisionOf(verdict: Verdict): string {
  if (verdict.action === 'stop') return `${verdict.outcome}/${verdict.ending}`
  return verdict.action === 'advance' ? `advance ${verdict.phase}` : verdict.action
}
