import type { EvidenceSet, Verdict } from '../core/types.ts'
import type { TamperFinding } from '../evidence/tampering/index.ts'

/** A change after the decision about it: all that the summary, the annotations and the report are made of. */
export interface CheckedChange {
  readonly verdict: Verdict
  readonly evidence: EvidenceSet
  readonly findings: readonly TamperFinding[]
  /** The commit it was compared with. */
  readonly base: string
  readonly preset: string
  /** The checklist, where there is one. */
  readonly plan?: string
  readonly number?: number
  readonly draft: boolean
  readonly version: string
}

/** The gate is open: nothing has to be shown where it is wrong. */
export const isVerified = ({ verdict }: Pick<CheckedChange, 'verdict'>): boolean =>
  verdict.action === 'stop' && verdict.outcome === 'completed'

/** Checks that did not say yes, each with its answer; findings of tampering are shown where they are instead. */
export function unmetChecks({ evidence }: Pick<CheckedChange, 'evidence'>): readonly (readonly [string, string])[] {
  return Object.values(evidence)
    .filter(({ check, answer }) => answer !== 'yes' && check !== 'clean')
    .map(({ check, detail, answer }) => [check, detail || answer] as const)
}
