const CONTEXT = 3
/** With more differing lines than this, the exact shortest diff takes too long. The texts are split at lines that both have once. */
const MOST_EDITS = 1_000
/** Between such lines. */
const MOST_EDITS_BETWEEN = 200

type Edit = readonly [sign: ' ' | '-' | '+', line: string]

const NO_NEWLINE = '\n\\ No newline at end of file'

/** Unified diff of two texts, without file names; empty if their lines are the same. */
export const lineDiff = (before: string, after: string): string => hunks(editsOf(linesOf(before), linesOf(after)))

/** The same for files: as in git, a last line without a newline differs from one with it. */
export const diffOfFiles = (before: string, after: string): string =>
  hunks(editsOf(fileLinesOf(before), fileLinesOf(after)))

/** Numbers of the lines that the text did not have before. */
export function addedLines(before: string, after: string): ReadonlySet<number> {
  const added = new Set<number>()
  let line = 0
  for (const [sign] of editsOf(linesOf(before), linesOf(after))) {
    if (sign !== '-') line += 1
    if (sign === '+') added.add(line)
  }
  return added
}

function editsOf(a: readonly string[], b: readonly string[]): readonly Edit[] {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  const same = (lines: readonly string[]): Edit[] => lines.map((line) => [' ', line])
  return [
    ...same(a.slice(0, head)),
    ...shared(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ]
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

function fileLinesOf(text: string): readonly string[] {
  const lines = linesOf(text)
  if (text !== '' && !text.endsWith('\n')) lines.push(`${lines.pop()}${NO_NEWLINE}`)
  return lines
}

/** Lines that only one text has are certain to differ, so only the others are searched for the shortest diff. */
function shared(a: readonly string[], b: readonly string[]): readonly Edit[] {
  const [inA, inB] = [new Set(a), new Set(b)]
  const searched = middle(
    a.filter((line) => inB.has(line)),
    b.filter((line) => inA.has(line)),
  )
  const edits: Edit[] = []
  let [atA, atB] = [0, 0]
  const takeOwn = (): void => {
    for (; atA < a.length && !inB.has(a[atA]!); atA++) edits.push(['-', a[atA]!])
    for (; atB < b.length && !inA.has(b[atB]!); atB++) edits.push(['+', b[atB]!])
  }
  for (const edit of searched) {
    takeOwn()
    edits.push(edit)
    if (edit[0] !== '+') atA += 1
    if (edit[0] !== '-') atB += 1
  }
  takeOwn()
  return removedFirst(edits)
}

/** Between two common lines, the old lines come before the new ones. */
function removedFirst(edits: readonly Edit[]): readonly Edit[] {
  const ordered: Edit[] = []
  let added: Edit[] = []
  for (const edit of edits) {
    if (edit[0] === '+') added.push(edit)
    else {
      if (edit[0] === ' ' && added.length > 0) {
        for (const each of added) ordered.push(each)
        added = []
      }
      ordered.push(edit)
    }
  }
  for (const each of added) ordered.push(each)
  return ordered
}

/** The greedy shortest edit script: one furthest-reaching path per diagonal, kept for the way back. */
function middle(a: readonly string[], b: readonly string[], most = MOST_EDITS): Edit[] {
  const limit = Math.min(a.length + b.length, most)
  const zero = limit + 1
  const reach = new Int32Array(2 * limit + 3)
  const rounds: Int32Array[] = []
  for (let d = 0; d <= limit; d++) {
    rounds.push(reach.slice(zero - d - 1, zero + d + 2))
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[zero + k - 1]! < reach[zero + k + 1]!)
      let x = down ? reach[zero + k + 1]! : reach[zero + k - 1]! + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      reach[zero + k] = x
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, rounds)
    }
  }
  return split(a, b)
}

/** The diffs between the lines that both texts have exactly once, in the same order. Without such lines, all old ones go. */
function split(a: readonly string[], b: readonly string[]): Edit[] {
  const edits: Edit[] = []
  let [fromA, fromB] = [0, 0]
  const anchors = commonOnce(a, b)
  for (const [atA, atB] of anchors) {
    for (const edit of between(a.slice(fromA, atA), b.slice(fromB, atB))) edits.push(edit)
    edits.push([' ', a[atA]!])
    fromA = atA + 1
    fromB = atB + 1
  }
  if (anchors.length > 0) return edits.concat(between(a.slice(fromA), b.slice(fromB)))
  return [...a.map((line): Edit => ['-', line]), ...b.map((line): Edit => ['+', line])]
}

const between = (a: readonly string[], b: readonly string[]): Edit[] =>
  a.length === 0 || b.length === 0
    ? [...a.map((line): Edit => ['-', line]), ...b.map((line): Edit => ['+', line])]
    : middle(a, b, MOST_EDITS_BETWEEN)

/** Places of the lines that occur once in each text: the longest sequence that is ascending in both. */
function commonOnce(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const [inA, inB] = [placesOnce(a), placesOnce(b)]
  const pairs: (readonly [atA: number, atB: number, before: number])[] = []
  // The place in `pairs` of the best end of a sequence of each length.
  const ends: number[] = []
  for (const [line, atA] of inA) {
    const atB = atA < 0 ? -1 : (inB.get(line) ?? -1)
    if (atB < 0) continue
    let [low, high] = [0, ends.length]
    while (low < high) {
      const half = (low + high) >> 1
      if (pairs[ends[half]!]![1] < atB) low = half + 1
      else high = half
    }
    ends[low] = pairs.push([atA, atB, low === 0 ? -1 : ends[low - 1]!]) - 1
  }
  const found: (readonly [number, number])[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = pairs[at]![2]) found.push([pairs[at]![0], pairs[at]![1]])
  return found.reverse()
}

/** The place of each line; -1 if it occurs more than once. */
function placesOnce(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [at, line] of lines.entries()) places.set(line, places.has(line) ? -1 : at)
  return places
}

function wayBack(a: readonly string[], b: readonly string[], rounds: readonly Int32Array[]): Edit[] {
  const edits: Edit[] = []
  let [x, y] = [a.length, b.length]
  for (let d = rounds.length - 1; d >= 0; d--) {
    const reach = rounds[d]!
    const zero = d + 1
    const k = x - y
    const down = k === -d || (k !== d && reach[zero + k - 1]! < reach[zero + k + 1]!)
    const fromX = d === 0 ? 0 : down ? reach[zero + k + 1]! : reach[zero + k - 1]!
    const fromY = d === 0 ? 0 : fromX - (down ? k + 1 : k - 1)
    while (x > fromX && y > fromY) {
      x -= 1
      y -= 1
      edits.push([' ', a[x]!])
    }
    if (d > 0) edits.push(down ? ['+', b[fromY]!] : ['-', a[fromX]!])
    x = fromX
    y = fromY
  }
  return edits.reverse()
}

function hunks(edits: readonly Edit[]): string {
  const near = new Set<number>()
  for (const [at, [sign]] of edits.entries()) {
    if (sign !== ' ') for (let i = Math.max(0, at - CONTEXT); i <= at + CONTEXT; i++) near.add(i)
  }
  const out: string[] = []
  let [oldLine, newLine] = [1, 1]
  for (let at = 0; at < edits.length; at++) {
    if (near.has(at) && !near.has(at - 1)) {
      let end = at
      while (end < edits.length && near.has(end)) end += 1
      const hunk = edits.slice(at, end)
      const [olds, news] = ['+', '-'].map((other) => hunk.filter(([sign]) => sign !== other).length)
      out.push(`@@ -${olds === 0 ? oldLine - 1 : oldLine},${olds} +${news === 0 ? newLine - 1 : newLine},${news} @@`)
    }
    const [sign, line] = edits[at]!
    if (near.has(at)) out.push(sign + line)
    if (sign !== '+') oldLine += 1
    if (sign !== '-') newLine += 1
  }
  return out.length === 0 ? '' : `${out.join('\n')}\n`
}

/** The lines of the new text that the old one does not have anywhere. */
export function newLines(change: { readonly before?: string; readonly after?: string } | undefined): string {
  const known = new Set(change?.before?.split('\n').map((line) => line.trim()))
  return (change?.after ?? '')
    .split('\n')
    .filter((line) => !known.has(line.trim()))
    .join('\n')
}
