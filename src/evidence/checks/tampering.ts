import type { Evidence } from '../../types.ts'
import { changedSince } from '../baseline/changed.ts'
import { viewOf } from '../baseline/view.ts'
import { type Allowance, findTampering, type TamperFinding } from '../tampering/index.ts'
import type { Baseline, Check, Workspace } from '../types.ts'

const NAMED = 5

/** The `tampering` check: were tests, their runner or the gate itself made weaker since the baseline? Without one nothing is asked. */
export function tamperingCheck(allow: readonly Allowance[]): Check {
  return {
    name: 'tampering',
    async collect({ workspace, baseline, tree }): Promise<readonly Evidence[]> {
      if (baseline === undefined) return []
      const started = performance.now()
      const findings = await tamperingSince(baseline, workspace, allow)
      const blocking = findings.filter(({ severity }) => severity === 'block')
      const counts = { blocking: blocking.length, warnings: findings.length - blocking.length }
      const detail =
        blocking.length > 0
          ? named(blocking)
          : findings.length > 0
            ? `Nothing blocks. ${named(findings)}`
            : 'No tests were weakened.'
      const ms = Math.round(performance.now() - started)
      return [{ check: 'tampering', answer: blocking.length > 0 ? 'no' : 'yes', detail, counts, ms, tree }]
    },
  }
}

/** Every finding, with file and line. */
export async function tamperingSince(
  baseline: Baseline,
  workspace: Workspace,
  allow: readonly Allowance[],
): Promise<readonly TamperFinding[]> {
  const changed = await changedSince(baseline, workspace)
  const now = await viewOf(workspace)
  return changed.length === 0 ? [] : findTampering(viewOf(baseline, changed), now, { allow, changed })
}

function named(findings: readonly TamperFinding[]): string {
  const each = findings
    .slice(0, NAMED)
    .map(({ file, line, detail }) => `${file}${line === undefined ? '' : `:${line}`}: ${detail}`)
  return `${each.join(' ')}${findings.length > NAMED ? ` And ${findings.length - NAMED} more.` : ''}`
}
