import { baselineFromRevision } from '../evidence/baseline/revision.ts'
import { tamperingSince } from '../evidence/checks/tampering.ts'
import type { Allowance, TamperFinding } from '../evidence/tampering/index.ts'
import { openWorkspace } from '../evidence/workspace.ts'

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
