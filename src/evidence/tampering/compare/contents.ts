import { short } from '../findings.ts'
import type { TamperFinding } from '../types.ts'
import type { Vanished } from './obsolete.ts'
import { literalsIn, type Probe } from './probe.ts'

const NOTHING =
  /^(?:pass|\.\.\.|;|return|undefined|null|None|nil|void|true|True|done|\(|\)|Promise|\.|resolve|t|end|pass|Ok|plan|0)$/

/** A body in which nothing happens: no statement but `pass` and its like. */
export function isTrivial({ test, file }: Probe): boolean {
  if (!test.body) return true
  for (let i = test.body[0]; i < test.body[1]; i++) {
    const token = file.unit.tokens[i]!
    // A lone string is a comment in Python.
    if (token.kind === 'string' && file.language === 'python' && token.first) continue
    if (!NOTHING.test(token.text)) return false
  }
  return true
}

/** The test is still there by name, but nothing is left in it. */
export function emptiedFinding(old: Probe, now: Probe): TamperFinding | undefined {
  if (isTrivial(old) || !isTrivial(now) || now.test.markers.some(({ kind }) => kind === 'skip')) return undefined
  return {
    kind: 'test-emptied',
    severity: 'block',
    file: now.file.path,
    line: now.test.line,
    before: short(old.text),
    after: short(now.text),
    detail: `The test "${now.test.name}" has nothing left in it.`,
  }
}

/** Rows that left the table of a test without others in their place. */
export function rowFindings(old: Probe, now: Probe, vanished: Vanished): TamperFinding[] {
  const [was, is] = [[...new Set(old.test.rows)], [...new Set(now.test.rows)]]
  if (was.length === 0 || is.length >= was.length) return []
  const left = [...is]
  const lost = was.filter((row) => {
    const at = left.indexOf(row)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  // Rows that were rewritten take the place of lost ones.
  const missing = lost.length - left.length
  if (missing <= 0 || is.length === 0) return []
  // Rows that are spread or computed cannot be counted.
  if (
    is.some(
      (row) => /^(?:\.\.\.|\*|yield from)/.test(row) || (/ \( /.test(row) && !was.some((other) => / \( /.test(other))),
    )
  )
    return []
  const text = lost.join(' ')
  const words = new Set(text.replace(/"(?:[^"\\]|\\.)*"/g, ' ').match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])
  const reason = vanished.reason(words, new Set(lost.flatMap(literalsIn)))
  return [
    {
      kind: 'test-removed',
      severity: reason === undefined ? 'block' : 'warn',
      file: now.file.path,
      line: now.test.line,
      before: short(lost.join(' / ')),
      detail: `The table of the test "${now.test.name}" lost ${missing} of its ${was.length} rows${reason === undefined ? '' : `; ${reason}`}.`,
    },
  ]
}
