import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { partsOf, titleOf } from '../../packages/exitgate/src/checks/test-names.ts'
import { findingId } from '../core/accepting.ts'
import type { AcceptedFinding, Evidence, EvidenceSet, OpenFinding } from '../core/types.ts'
import { digest } from '../system/digest.ts'
import type { TamperFinding } from './tampering/finding.ts'

/** The journal stores findings with every iteration, so their number and length are limited. */
const MOST = 100
const LONGEST = 300

type Described = Omit<OpenFinding, 'id' | 'key'>

/** A finding with its key. `content` tells it from a later change of the same kind in the same place. */
export function openFinding(described: Described, content: readonly unknown[]): OpenFinding {
  const { kind, file = '', test = '' } = described
  const key = digest(JSON.stringify([kind, file, test, ...content]))
  return { id: findingId(key), key, ...described, detail: described.detail.slice(0, LONGEST) }
}

/** Kinds whose text before and after says everything. Any other change is accepted together with the rest of its file. */
const BY_TEXT: ReadonlySet<string> = new Set([
  'test-removed',
  'test-file-deleted',
  'test-emptied',
  'test-skipped',
  'test-focused',
  'assertion-removed',
  'assertion-weakened',
  'assertion-vacuous',
  'threshold-lowered',
  'script-changed',
  'exit-masked',
  'ci-weakened',
  'suppression-added',
])

export function tamperFinding(
  { kind, file, line, test, detail, before, after }: TamperFinding,
  dir: string,
): OpenFinding {
  const texts = [before, after].filter((text) => text !== undefined)
  // A text that was cut, or none, leaves open what else changed.
  const isComplete = BY_TEXT.has(kind) && texts.length > 0 && !texts.some((text) => text.endsWith('...'))
  const place = { file, ...(line !== undefined && { line }), ...(test !== undefined && { test }) }
  return openFinding({ kind, ...place, detail }, [detail, before, after, isComplete ? '' : contentOf(dir, file)])
}

function contentOf(dir: string, file: string): string {
  try {
    return digest(readFileSync(join(dir, file)))
  } catch {
    return 'gone'
  }
}

/** What a check found, without what the user accepted. */
export interface Sorted<T> {
  readonly open: readonly T[]
  readonly findings: readonly OpenFinding[]
  readonly accepted: readonly AcceptedFinding[]
}

export function withoutAccepted<T>(
  found: readonly T[],
  accepted: readonly AcceptedFinding[],
  findingOf: (each: T) => OpenFinding,
): Sorted<T> {
  const byKey = new Map(accepted.map((each) => [each.key, each]))
  const seen = new Map<string, number>()
  const all = found.map((each) => ({ each, finding: numbered(findingOf(each), seen) }))
  const open = all.filter(({ finding }) => !byKey.has(finding.key))
  return {
    open: open.map(({ each }) => each),
    findings: open.map(({ finding }) => finding),
    accepted: all.flatMap(({ finding }) => {
      const as = byKey.get(finding.key)
      return as === undefined ? [] : [{ ...finding, by: as.by, reason: as.reason }]
    }),
  }
}

/** The same change twice, such as two equal assertions removed from one test, is two findings. */
function numbered(finding: OpenFinding, seen: Map<string, number>): OpenFinding {
  const nth = seen.get(finding.key) ?? 0
  seen.set(finding.key, nth + 1)
  if (nth === 0) return finding
  const key = digest(`${finding.key} ${nth}`)
  return { ...finding, key, id: findingId(key) }
}

/** The part of an evidence about findings; empty if there are none. */
export const findingsIn = (
  findings: readonly OpenFinding[],
  accepted: readonly AcceptedFinding[],
): Pick<Evidence, 'findings' | 'accepted'> => ({
  ...(findings.length > 0 && { findings: findings.slice(0, MOST) }),
  ...(accepted.length > 0 && { accepted: accepted.slice(0, MOST) }),
})

/** A test that no longer runs. */
export const MISSING = 'test-missing'

/** Kinds that explain why a test no longer runs. */
const ENDS_TEST: ReadonlySet<string> = new Set(['test-removed', 'test-skipped', 'test-emptied'])
const ENDS_FILE: ReadonlySet<string> = new Set(['test-file-deleted', 'test-focused'])
const ENDS_SOME: ReadonlySet<string> = new Set(['runner-narrowed', 'script-changed', 'runner-replaced', 'test-skipped'])

/** Whether a change in the source explains that a test of the report no longer runs. */
export function explains({ kind, file, test }: Described, name: string, testFile: string | undefined): boolean {
  if (testFile !== undefined && file !== testFile) return false
  if (ENDS_FILE.has(kind)) return testFile !== undefined
  return ENDS_TEST.has(kind) && test !== undefined && isTitle(titleOf(test), name)
}

/** The title may be that of a table (`adds %i and $b`), of which the report names the rows. */
function isTitle(title: string, name: string): boolean {
  const given = partsOf(name).at(-1) ?? name
  if (title === given || name.endsWith(` ${title}`)) return true
  const pieces = title.split(/%[#$%a-z]|\$\{?[\w.#]+\}?|\{[^}]*\}/i)
  if (pieces.length === 1 || pieces.length > 8 || pieces.join('').trim() === '') return false
  return new RegExp(`^${pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`, 's').test(
    given,
  )
}

/** A test that was removed gives two findings: in the source and in the report. They get one id, so that you accept them once. */
export function linkFindings(evidence: EvidenceSet): EvidenceSet {
  const { tests, tampering } = evidence
  const changes = tampering?.findings ?? []
  if (tests?.findings === undefined || changes.length === 0) return evidence
  const some = changes.filter(({ kind, test }) => ENDS_SOME.has(kind) && test === undefined)
  const findings = tests.findings.map((finding) => {
    if (finding.kind !== MISSING) return finding
    const cause =
      changes.find((change) => explains(change, finding.test ?? '', finding.file)) ??
      (some.length === 1 ? some[0] : undefined)
    return cause === undefined ? finding : { ...finding, id: cause.id }
  })
  return { ...evidence, tests: { ...tests, findings } }
}
