const CONTEXT = 3
/** With more differing lines than this, the exact shortest diff takes too long: all old lines go, all new ones come. */
const MOST_EDITS = 1_000

type Edit = readonly [sign: ' ' | '-' | '+', line: string]

/** Unified diff of two texts, without file names; empty if their lines are the same. */
export const lineDiff = (before: string, after: string): string => hunks(editsOf(before, after))

/** Numbers of the lines that the text did not have before. */
export function addedLines(before: string, after: string): ReadonlySet<number> {
  const added = new Set<number>()
  let line = 0
  for (const [sign] of editsOf(before, after)) {
    if (sign !== '-') line += 1
    if (sign === '+') added.add(line)
  }
  return added
}

function editsOf(before: string, after: string): readonly Edit[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  const same = (lines: readonly string[]): Edit[] => lines.map((line) => [' ', line])
  return [
    ...same(a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ]
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

/** The greedy shortest edit script: one furthest-reaching path per diagonal, kept for the way back. */
function middle(a: readonly string[], b: readonly string[]): Edit[] {
  const reach = new Map<number, number>([[1, 0]])
  const rounds: Map<number, number>[] = []
  for (let d = 0; d <= Math.min(a.length + b.length, MOST_EDITS); d++) {
    rounds.push(new Map(reach))
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach.get(k - 1)! < reach.get(k + 1)!)
      let x = down ? reach.get(k + 1)! : reach.get(k - 1)! + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      reach.set(k, x)
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, rounds)
    }
  }
  return [...a.map((line): Edit => ['-', line]), ...b.map((line): Edit => ['+', line])]
}

function wayBack(a: readonly string[], b: readonly string[], rounds: readonly Map<number, number>[]): Edit[] {
  const edits: Edit[] = []
  let [x, y] = [a.length, b.length]
  for (let d = rounds.length - 1; d >= 0; d--) {
    const reach = rounds[d]!
    const k = x - y
    const down = k === -d || (k !== d && reach.get(k - 1)! < reach.get(k + 1)!)
    const fromX = d === 0 ? 0 : down ? reach.get(k + 1)! : reach.get(k - 1)!
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
