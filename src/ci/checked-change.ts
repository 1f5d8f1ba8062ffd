import type { EvidenceSet, Verdict } from '../core/types.ts'
import { baselineFromRevision } from '../evidence/baseline/revision.ts'
import { tamperingSince } from '../evidence/checks/tampering.ts'
import type { Allowance, TamperFinding } from '../evidence/tampering/index.ts'
import { openWorkspace } from '../evidence/workspace.ts'

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

/** The same findings that the check counted, with file and line, for those who show them where they are. */
export async function findingsSince(
  dir: string,
  commit: string,
  allow: readonly Allowance[],
): Promise<{ readonly findings: readonly TamperFinding[]; readonly prefix: string }> {
  const workspace = openWorkspace(dir)
  // The host knows files by their path from the root of the repository.
  const prefix = (await workspace.git(['rev-parse', '--show-prefix']))?.trim() ?? ''
  const baseline = await baselineFromRevision(workspace, commit)
  const found = baseline === undefined ? [] : await tamperingSince(baseline, workspace, allow)
  return { findings: found.map((finding) => ({ ...finding, file: `${prefix}${finding.file}` })), prefix }
}
