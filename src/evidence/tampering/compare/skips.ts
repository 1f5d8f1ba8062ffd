import { short } from '../findings.ts'
import type { Marker } from '../tests/model.ts'
import type { TamperFinding } from '../types.ts'
import { holds } from './conditions.ts'
import type { Probe } from './probe.ts'

/** A test that ran before and does not any more, or runs alone. */
export function skipFindings(before: Probe, after: Probe): TamperFinding[] {
  const had = before.test.markers
  const file = after.file.path
  if (had.some(({ kind, condition }) => kind === 'skip' && (condition === undefined || holds(condition) === 'always')))
    return focusFindings(had, after)
  const added = after.test.markers.filter(
    (marker) => marker.kind !== 'focus' && !had.some((old) => sameMarker(old, marker)),
  )
  const skips = added.flatMap((marker): TamperFinding[] => {
    const severity = judged(marker, before, after)
    if (severity === undefined) return []
    const what =
      marker.kind === 'inverted'
        ? 'passes now only when it fails'
        : marker.condition === undefined
          ? 'is skipped now'
          : `is skipped now when ${short(marker.condition)}`
    return [
      {
        kind: 'test-skipped',
        severity,
        file,
        line: marker.line,
        before: had.length === 0 ? 'not skipped' : short(had.map(({ text }) => text).join(', ')),
        after: short(marker.text),
        detail: `The test "${after.test.name}" ${what}.`,
      },
    ]
  })
  return [...mostTelling(skips), ...focusFindings(had, after)]
}

/** Several marks on one test are one story: a sure one hides the doubtful ones. */
function mostTelling(findings: readonly TamperFinding[]): TamperFinding[] {
  const blocking = findings.filter(({ severity }) => severity === 'block')
  return blocking.length > 0 ? blocking.slice(0, 1) : findings.slice(0, 1)
}

const sameMarker = (a: Marker, b: Marker) =>
  a.kind === b.kind && (bareText(a.condition) === bareText(b.condition) || a.text === b.text)
const bareText = (text: string | undefined) => text?.replace(/[\s"':()]/g, '')

function judged(marker: Marker, before: Probe, after: Probe): 'block' | 'warn' | undefined {
  if (marker.kind === 'inverted') {
    if (!/expected|Expected|should_panic/.test(marker.text))
      return marker.condition === undefined || holds(marker.condition) !== 'elsewhere' ? 'block' : 'warn'
    // A test that expects an error may be new behaviour; one whose code stayed the same is turned over.
    return sameCode(before, after) && before.assertions.length > 0 ? 'block' : undefined
  }
  const { condition } = marker
  if (condition === undefined) return 'block'
  if (condition === 'abstract') return undefined
  if (condition.startsWith('group ')) return 'warn'
  if (condition.startsWith('missing ')) {
    const wanted = condition.slice('missing '.length).split(/\s/)[0]!
    return wanted !== '' && before.file.unit.text.includes(wanted) ? 'warn' : 'block'
  }
  // One condition that took the place of another.
  const conditional = before.test.markers.filter((old) => old.kind === 'skip' && old.condition !== undefined).length
  const now = after.test.markers.filter((each) => each.kind === 'skip' && each.condition !== undefined).length
  if (conditional >= now && holds(condition) !== 'always' && !/env|ENV/.test(condition)) return 'warn'
  return holds(condition) === 'elsewhere' ? 'warn' : 'block'
}

const sameCode = (before: Probe, after: Probe) => before.mark === after.mark

/** Also for tests that are new: whatever is focused takes the others with it. */
export function focusFindings(had: readonly Marker[], after: Probe): TamperFinding[] {
  const { file, test } = after
  return test.markers
    .filter((marker) => marker.kind === 'focus' && !had.some((old) => old.kind === 'focus'))
    .map((marker) => ({
      kind: 'test-focused',
      severity: marker.condition !== undefined && holds(marker.condition) === 'elsewhere' ? 'warn' : 'block',
      file: file.path,
      line: marker.line,
      after: short(marker.text),
      detail: `Only what is marked with ${short(marker.text)} runs in this file; its other tests do not.`,
    }))
}
