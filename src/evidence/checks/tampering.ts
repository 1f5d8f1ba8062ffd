import { join } from 'node:path'
import type { AcceptedFinding, Evidence, EvidenceChange } from '../../core/types.ts'
import { redact } from '../../system/redact.ts'
import { findingsIn, tamperFinding, withoutAccepted } from '../accepted-findings.ts'
import { changedSince, viewOf } from '../baseline/changed.ts'
import { algorithmOf, contentId } from '../baseline/content-id.ts'
import { isFull } from '../baseline/stored-baseline.ts'
import { dependencyFindings } from '../tampering/dependencies/index.ts'
import { withoutDuplicates } from '../tampering/finding.ts'
import { type Allowance, findTampering, type TamperFinding } from '../tampering/index.ts'
import type { Baseline, Check, Workspace } from '../types.ts'
import type { CheckDefinition } from './definition.ts'

const NAMED = 5
/** More changed test files than this are recorded in part only. */
const MOST_REFUSED = 2_000
/**
 * Up to this many findings keep their text before and after, each cut to this length, because the journal stores them for every
 * iteration.
 */
const SHOWN = 12
const LONGEST = 400

export const tampering: CheckDefinition = {
  name: 'tampering',
  checksFor: ({ config, accepted }) => [tamperingCheck(config.evidence.allow, accepted)],
}

/** The `tampering` check: were tests, their runner or the gate itself weakened since the baseline? Does nothing without one. */
export function tamperingCheck(allow: readonly Allowance[], accepted: readonly AcceptedFinding[] = []): Check {
  return {
    name: 'tampering',
    async collect({ workspace, baseline, tree, claim }): Promise<readonly Evidence[]> {
      if (baseline === undefined) return []
      const started = performance.now()
      const found = await tamperingSince(baseline, workspace, allow, claim)
      const against = found
        .filter(({ severity }) => severity === 'block')
        .map((each) => ({ ...each, detail: redact(each.detail) }))
      const warnings = found.filter(({ severity }) => severity !== 'block')
      const sorted = withoutAccepted(against, accepted, (each) => tamperFinding(each, workspace.dir))
      const blocking = sorted.open
      const ids = sorted.findings.map(({ id }) => id)
      const counts = {
        blocking: blocking.length,
        warnings: warnings.length,
        ...(sorted.accepted.length > 0 && { accepted: sorted.accepted.length }),
      }
      const detail = [
        ...(blocking.length > 0
          ? [named(blocking, ids)]
          : warnings.length > 0
            ? [`Warnings only. ${named(warnings)}`]
            : sorted.accepted.length === 0
              ? ['No tests were weakened.']
              : []),
        ...(sorted.accepted.length > 0 ? [`Accepted: ${sorted.accepted.map(acceptedText).join(' ')}`] : []),
      ].join(' ')
      const ms = Math.round(performance.now() - started)
      const answer = blocking.length > 0 ? 'no' : 'yes'
      const changes = [
        ...blocking.map((each, at) => changeOf(each, ids[at])),
        ...warnings.map((each) => changeOf(each)),
      ].slice(0, SHOWN)
      return [
        {
          check: 'tampering',
          answer,
          detail,
          counts,
          ms,
          tree,
          ...(changes.length === 0 ? {} : { changes }),
          ...(blocking.length === 0 ? {} : { refused: refusedContents(blocking, baseline, workspace) }),
          ...findingsIn(sorted.findings, sorted.accepted),
          ...(blocking.length > 0 && { onlyFindings: true as const }),
        },
      ]
    },
  }
}

/** The content that was refused, by file, so that a later run recognises it. */
function refusedContents(
  findings: readonly TamperFinding[],
  baseline: Baseline,
  { dir }: Workspace,
): Readonly<Record<string, string>> {
  const algorithm = algorithmOf(baseline.head ?? '')
  const paths = [...new Set(findings.map(({ file }) => file))].slice(0, MOST_REFUSED)
  return Object.fromEntries(paths.map((path) => [path, contentId(join(dir, path), algorithm) ?? '']))
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
function changeOf({ file, line, kind, severity, detail, before, after }: TamperFinding, id?: string): EvidenceChange {
  return {
    ...(id !== undefined && { id }),
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

function named(findings: readonly TamperFinding[], ids: readonly string[] = []): string {
  const each = findings
    .slice(0, NAMED)
    .map((finding, at) => `${placed(finding)}${ids[at] === undefined ? '' : ` (${ids[at]})`}`)
  return `${each.join(' ')}${findings.length > NAMED ? ` And ${findings.length - NAMED} more.` : ''}`
}

const placed = ({ file, line, detail }: Pick<TamperFinding, 'file' | 'line' | 'detail'>): string =>
  `${file}${line === undefined ? '' : `:${line}`}: ${detail}`

const acceptedText = ({ file = '', line, detail, by, reason }: AcceptedFinding): string =>
  `${placed({ file, detail, ...(line !== undefined && { line }) })} (${by}: ${reason})`
