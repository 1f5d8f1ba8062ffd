import { join } from 'node:path'
import type { Evidence, EvidenceChange } from '../../core/types.ts'
import { redact } from '../../system/redact.ts'
import { changedSince, viewOf } from '../baseline/changed.ts'
import { algorithmOf, contentId } from '../baseline/content-id.ts'
import { isFull } from '../baseline/stored-baseline.ts'
import { isWatched } from '../baseline/take.ts'
import { dependencyFindings } from '../tampering/dependencies/index.ts'
import { withoutDuplicates } from '../tampering/finding.ts'
import { type Allowance, findTampering, type TamperFinding } from '../tampering/index.ts'
import type { Baseline, Check, Workspace } from '../types.ts'
import type { CheckDefinition } from './definition.ts'

const NAMED = 5
/** More changed test files than this are recorded in part only. */
const MOST_UNVERIFIED = 2_000
/**
 * Up to this many findings keep their text before and after, each cut to this length, because the journal stores them for every
 * iteration.
 */
const SHOWN = 12
const LONGEST = 400

export const tampering: CheckDefinition = {
  name: 'tampering',
  checksFor: ({ config }) => [tamperingCheck(config.evidence.allow)],
}

/** The `tampering` check: were tests, their runner or the gate itself weakened since the baseline? Does nothing without one. */
export function tamperingCheck(allow: readonly Allowance[]): Check {
  return {
    name: 'tampering',
    async collect({ workspace, baseline, tree, claim }): Promise<readonly Evidence[]> {
      if (baseline === undefined) return []
      const started = performance.now()
      const findings = await tamperingSince(baseline, workspace, allow, claim)
      const blocking = findings.filter(({ severity }) => severity === 'block')
      const counts = { blocking: blocking.length, warnings: findings.length - blocking.length }
      const detail =
        blocking.length > 0
          ? named(blocking)
          : findings.length > 0
            ? `Warnings only. ${named(findings)}`
            : 'No tests were weakened.'
      const ms = Math.round(performance.now() - started)
      const answer = blocking.length > 0 ? 'no' : 'yes'
      const changes = [...blocking, ...findings.filter(({ severity }) => severity !== 'block')]
        .slice(0, SHOWN)
        .map(changeOf)
      return [
        {
          ...{ check: 'tampering', answer, detail, counts, ms, tree },
          ...(changes.length === 0 ? {} : { changes }),
          ...(await unverifiedContents(blocking, baseline, workspace)),
        },
      ]
    },
  }
}

/** The contents of changed tests and settings, so that a later run recognises them. */
async function unverifiedContents(
  findings: readonly TamperFinding[],
  baseline: Baseline,
  workspace: Workspace,
): Promise<Pick<Evidence, 'unverified'>> {
  const algorithm = algorithmOf(baseline.head ?? '')
  const changed = (await changedSince(baseline, workspace)).filter(isWatched)
  const paths = [...new Set([...findings.map(({ file }) => file), ...changed])].slice(0, MOST_UNVERIFIED)
  if (paths.length === 0) return {}
  const ids = paths.map((path) => [path, contentId(join(workspace.dir, path), algorithm) ?? ''] as const)
  return { unverified: Object.fromEntries(ids) }
}

/** Every finding, with file and line. */
export async function tamperingSince(
  baseline: Baseline,
  workspace: Workspace,
  allow: readonly Allowance[],
  claim = true,
): Promise<readonly TamperFinding[]> {
  const changed = await changedSince(baseline, workspace)
  const now = await viewOf(workspace)
  const commands = baseline.commands.filter(({ kind }) => kind === 'test')
  const found =
    changed.length === 0 ? [] : await findTampering(viewOf(baseline, changed), now, { allow, changed, commands })
  // Looking at every installed file takes a moment, so it is done only when it decides something.
  const installed = claim && isFull(baseline) ? await dependencyFindings(baseline, workspace, changed) : []
  return installed.length === 0 ? found : withoutDuplicates([...found, ...installed], allow)
}

/** One finding for people, with anything that looks like a secret redacted. */
function changeOf({ file, line, kind, severity, detail, before, after }: TamperFinding): EvidenceChange {
  return {
    file,
    ...(line === undefined ? {} : { line }),
    kind,
    blocks: severity === 'block',
    detail,
    ...(before === undefined ? {} : { before: excerpt(before) }),
    ...(after === undefined ? {} : { after: excerpt(after) }),
  }
}

const excerpt = (text: string): string => {
  const shown = redact(text.slice(0, 4 * LONGEST))
  return shown.length <= LONGEST ? shown : `${shown.slice(0, LONGEST)}...`
}

function named(findings: readonly TamperFinding[]): string {
  const each = findings
    .slice(0, NAMED)
    .map(({ file, line, detail }) => `${file}${line === undefined ? '' : `:${line}`}: ${detail}`)
  return `${each.join(' ')}${findings.length > NAMED ? ` And ${findings.length - NAMED} more.` : ''}`
}
