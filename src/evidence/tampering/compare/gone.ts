import { isTestFile } from '../../test-files.ts'
import { findAssertions } from '../assertions/find.ts'
import type { Change, Changes } from '../changes.ts'
import { short } from '../findings.ts'
import { readTestFile } from '../tests/read.ts'
import type { TamperFinding } from '../types.ts'
import type { Vanished } from './obsolete.ts'
import type { Probe, Side } from './probe.ts'

/** Tests that are nowhere any more; those of a deleted file are told as one. */
export function goneFindings(
  changes: Changes,
  gone: readonly Probe[],
  absorbed: ReadonlySet<Probe>,
  vanished: Vanished,
  after?: Side,
): TamperFinding[] {
  const lost = gone.filter((probe) => !absorbed.has(probe) && !asleep(probe) && !isGroupOnly(probe))
  const findings: TamperFinding[] = []
  for (const change of changes.tests) {
    const own = lost.filter(({ file }) => file.path === change.path)
    const left = change.after !== undefined && isTestFile(change.path, change.after)
    if (left)
      findings.push(
        ...own.map((probe) => removed(probe, vanished, halfWritten(change, after) ? change.after : undefined)),
      )
    else if (change.before !== undefined && isTestFile(change.path, change.before))
      findings.push(...deletedFile(changes, change, own, vanished))
  }
  return findings
}

/** A test that was skipped before is no loss. */
const asleep = ({ test }: Probe) =>
  test.markers.some(({ kind, condition }) => kind === 'skip' && condition === undefined)
/** Something that only looked like a test: it has no code. */
const isGroupOnly = ({ test, assertions, text }: Probe) =>
  test.body === undefined || (assertions.length === 0 && (text === '' || /^suite \. Run \(/.test(text)))

const halfWritten = ({ path }: Change, after: Side | undefined) => after?.files.get(path)?.broken === true

/** `lines`: the text of a file that cannot be read whole; there a name that still stands in a line is given the benefit. */
function removed(probe: Probe, vanished: Vanished, lines?: string): TamperFinding {
  const unread =
    lines?.includes(probe.test.name) === true ? 'its name still stands in the file, which is half-written' : undefined
  const reason = unread ?? vanished.reason(probe.words, probe.literals) ?? vanished.fileReason(probe.file.path)
  return {
    kind: 'test-removed',
    severity: reason === undefined ? 'block' : 'warn',
    file: probe.file.path,
    line: probe.test.line,
    before: short(probe.key),
    detail: `The test "${probe.test.name}" is gone and no other took its place${reason === undefined ? '' : `; ${reason}`}.`,
  }
}

function deletedFile(changes: Changes, change: Change, own: readonly Probe[], vanished: Vanished): TamperFinding[] {
  // Where tests were found in the file, their fate decides and not the file's.
  if (own.length === 0 && (!assertsWithoutTests(change) || movedAway(changes, change))) return []
  const why = (probe: Probe) => vanished.reason(probe.words, probe.literals)
  const reason =
    vanished.fileReason(change.path) ??
    (own.length > 0 && own.every((probe) => why(probe) !== undefined) ? why(own[0]!) : undefined)
  const what = change.after === undefined ? 'was deleted' : 'is no file of tests any more'
  const many = own.length > 1
  const count =
    own.length > 0 ? ` with ${own.length} test${many ? 's' : ''} that ${many ? 'are' : 'is'} nowhere else` : ''
  return [
    {
      kind: 'test-file-deleted',
      severity: reason === undefined ? 'block' : 'warn',
      file: change.path,
      ...(own[0] && { line: own[0].test.line }),
      ...(own.length > 0 && { before: short(own.map(({ test }) => test.name).join(', ')) }),
      detail: `The test file ${what}${count}${reason === undefined ? '' : `; ${reason}`}.`,
    },
  ]
}

/** A file that tests without a runner's words for it, or in a language that is not read. */
function assertsWithoutTests({ path, before }: Change): boolean {
  const file = readTestFile(path, before!)
  if (!file) return true
  return (
    file.tests.length === 0 &&
    findAssertions(file.unit, [0, file.unit.tokens.length]).some(({ matcher }) => matcher !== 'guard')
  )
}

/** Most lines of the file stand in one that is new. */
function movedAway(changes: Changes, change: Change): boolean {
  const lines = significant(change.before)
  return changes.all.some((other) => {
    if (other.before !== undefined || other.after === undefined) return false
    const now = new Set(significant(other.after))
    return lines.length > 0 && lines.filter((line) => now.has(line)).length / lines.length >= 0.5
  })
}

const significant = (text = '') =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > 3)
