import type { EvidenceSet, Verdict } from '../core/types.ts'
import { baselineFromRevision } from '../evidence/baseline/revision.ts'
import { tamperingSince } from '../evidence/checks/tampering.ts'
import type { Allowance, TamperFinding } from '../evidence/tampering/index.ts'
import { openWorkspace } from '../evidence/workspace.ts'

/** A change and the decision about it, for the summary, the annotations and the report. */
export interface CheckedChange {
  readonly verdict: Verdict
  readonly evidence: EvidenceSet
  readonly findings: readonly TamperFinding[]
  /** The commit it was compared with. */
  readonly base: string
  readonly preset: string
  /** The plan, if there is one. */
  readonly plan?: string
  readonly number?: number
  readonly draft: boolean
  readonly version: string
}

/** Verified: there is nothing to annotate. */
export const isVerified = ({ verdict }: Pick<CheckedChange, 'verdict'>): boolean =>
  verdict.action === 'stop' && verdict.outcome === 'completed'

/** Checks that did not pass. Findings about tests are not listed here, because they have their own place in a file. */
export function unmetChecks({ evidence }: Pick<CheckedChange, 'evidence'>): readonly (readonly [string, string])[] {
  return Object.values(evidence)
    .filter(({ check, answer }) => answer !== 'yes' && check !== 'clean')
    .map(({ check, detail, answer }) => [check, detail || answer] as const)
}

/** The findings the check counted, with file and line. */
export async function findingsSince(
  dir: string,
  commit: string,
  allow: readonly Allowance[],
): Promise<{ readonly findings: readonly TamperFinding[]; readonly prefix: string }> {
  const workspace = openWorkspace(dir)
  // GitHub expects paths relative to the repository root.
  const prefix = (await workspace.git(['rev-parse', '--show-prefix']))?.trim() ?? ''
  const baseline = await baselineFromRevision(workspace, commit)
  const found = baseline === undefined ? [] : await tamperingSince(baseline, workspace, allow)
  return { findings: found.map((finding) => ({ ...finding, file: `${prefix}${finding.file}` })), prefix }
}
