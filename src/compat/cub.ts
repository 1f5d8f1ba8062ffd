import { isoTime, passed } from './format.ts'
import type { CompatInput, CompatWriter, FileWrite } from './types.ts'

const LOG = '.cub/exit-gate.log'

export interface CubGate {
  readonly indicators: number
  readonly explicit: boolean
  readonly threshold: number
  /** From the verdict; without one, from the numbers. */
  readonly passed?: boolean
  readonly forced?: boolean
}

/** The event as cub logs it. */
export function cubLogLine(gate: CubGate): string {
  const open = gate.passed ?? (gate.explicit && gate.indicators >= gate.threshold)
  const counted = `indicators=${gate.indicators} explicit=${gate.explicit}`
  if (!open) return `exit_gate_blocked ${counted} threshold=${gate.threshold}`
  return `exit_gate_passed ${counted}${gate.forced === true ? ' forced=true' : ''}`
}

/** One task of a list completed, and the run continues with the next. */
const taskPassed = ({ verdict: { gate }, observation }: CompatInput): boolean =>
  gate.claim === 'yes' && gate.proof === 'yes' && observation.signals.vetoes.length === 0

function write(input: CompatInput): readonly FileWrite[] {
  const { verdict, observation, config, at } = input
  const line = cubLogLine({
    indicators: verdict.measures.indicators ?? 0,
    explicit: verdict.gate.claim === 'yes',
    threshold: config.cub.threshold,
    passed: passed(input) || taskPassed(input),
    forced: observation.forced !== undefined,
  })
  return [{ path: LOG, mode: 'append', text: `${isoTime(at)} ${line}\n` }]
}

export const cub: CompatWriter = { write, paths: () => [LOG] }
