import type { State } from '../core/journal/events.ts'

/** Where the run stands, as far as the agent may know it: what is missing, in words that hold no completion token. */
export interface GateStatus {
  readonly run?: string
  readonly iteration?: number
  readonly decided: number
  readonly ended?: string
  readonly rule?: string
  readonly reason?: string
  readonly claim?: string
  readonly proof?: string
  readonly missing: readonly string[]
}

export function gateStatus(state: State): GateStatus {
  const { last, ended, running } = state
  return {
    ...(state.run === undefined ? {} : { run: state.run }),
    ...(running === undefined ? {} : { iteration: running.iteration }),
    decided: state.iterations,
    ...(ended === undefined ? {} : { ended: `${ended.outcome}/${ended.ending}` }),
    ...(last === undefined
      ? {}
      : {
          rule: last.verdict.rule,
          reason: last.verdict.reason,
          claim: last.verdict.gate.claim,
          proof: last.verdict.gate.proof,
        }),
    missing: last?.verdict.missing ?? [],
  }
}

export function gateStatusText({ run, decided, ended, reason, missing }: GateStatus): string {
  if (run === undefined || (decided === 0 && missing.length === 0))
    return 'Nothing has been decided yet. exitgate looks at the project when you end your turn.'
  const lines = [
    ended === undefined ? `Run ${run}, ${decided} iterations decided.` : `Run ${run} has ended: ${ended}.`,
    ...(reason === undefined ? [] : [`The last decision: ${reason}.`]),
    ...(missing.length === 0 ? ['Nothing was missing.'] : ['Missing:', ...missing.map((each) => `- ${each}`)]),
  ]
  return lines.join('\n')
}
