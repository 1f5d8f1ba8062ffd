/** One line of a diff. */
export interface Row {
  readonly kind: 'same' | 'plus' | 'minus' | 'place' | 'note'
  readonly text: string
  readonly old?: number
  readonly new?: number
  /** The line that it replaces, or that replaces it. */
  twin?: number
}

const PLACE = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The lines of a file's hunks, with their numbers in the old and in the new file. */
export function rowsOf(hunks: string): readonly Row[] {
  const rows: Row[] = []
  let [old, now] = [0, 0]
  for (const line of hunks.replace(/\n$/, '').split('\n')) {
    const [sign, text] = [line.charAt(0), line.slice(1)]
    const place = sign === '@' ? PLACE.exec(line) : null
    if (place !== null) {
      old = Number(place[1])
      now = Number(place[2])
      rows.push({ kind: 'place', text: line })
    } else if (sign === '+') rows.push({ kind: 'plus', text, new: now++ })
    else if (sign === '-') rows.push({ kind: 'minus', text, old: old++ })
    else if (sign === '\\') rows.push({ kind: 'note', text: text.trim() })
    else rows.push({ kind: 'same', text, old: old++, new: now++ })
  }
  for (const { minus, plus } of changesIn(rows))
    for (let n = 0; n < Math.min(minus.length, plus.length); n++) {
      const [one, other] = [minus[n] ?? 0, plus[n] ?? 0]
      Object.assign(rows[one] ?? {}, { twin: other })
      Object.assign(rows[other] ?? {}, { twin: one })
    }
  return rows
}

/** Places of removed lines and of the added ones right after them, without notes. */
function* changesIn(
  rows: readonly Row[],
): Generator<{ readonly minus: readonly number[]; readonly plus: readonly number[] }> {
  for (let at = 0; at < rows.length; ) {
    const take = (kind: Row['kind']): readonly number[] => {
      const taken: number[] = []
      for (; rows[at]?.kind === kind || (rows[at]?.kind === 'note' && taken.length > 0); at++)
        if (rows[at]?.kind === kind) taken.push(at)
      return taken
    }
    const minus = take('minus')
    const plus = take('plus')
    if (minus.length === 0 && plus.length === 0) at += 1
    else yield { minus, plus }
  }
}

/** A line of the view side by side: places in the list of rows. */
export interface Pair {
  readonly left?: number
  readonly right?: number
}

/** Old lines on the left, the new ones that replace them on the right. */
export function pairsOf(rows: readonly Row[]): readonly Pair[] {
  const pairs: Pair[] = []
  let left: number[] = []
  let right: number[] = []
  const flush = (): void => {
    for (let n = 0; n < Math.max(left.length, right.length); n++)
      pairs.push({
        ...(left[n] !== undefined && { left: left[n] }),
        ...(right[n] !== undefined && { right: right[n] }),
      })
    left = []
    right = []
  }
  for (const [at, { kind }] of rows.entries()) {
    if (kind === 'minus') {
      if (right.length > 0) flush()
      left.push(at)
    } else if (kind === 'plus') right.push(at)
    else if (kind === 'note') {
      const before = rows[at - 1]?.kind
      if (before !== 'plus') left.push(at)
      if (before !== 'minus') right.push(at)
    } else {
      flush()
      pairs.push({ left: at, right: at })
    }
  }
  flush()
  return pairs
}
