import type { Part, TextReader } from '../types.ts'

const COUNTS = /^(\d+) (?:critical )?tests?(?: total)?, (\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/

/** Robot Framework counts every suite; the last line is the sum of them. */
export const robot: TextReader = {
  framework: 'robot',
  hints: [' passed, '],
  read: (lines) => {
    const found: Part[] = []
    for (let at = 0; at < lines.length; at += 1) {
      const counts = COUNTS.exec(lines[at]!)
      if (counts === null) continue
      const [total, passed, failed] = counts.slice(1, 4).map(Number) as [number, number, number]
      found.push({ framework: 'robot', from: at, to: at, passed, failed, skipped: Number(counts[4] ?? 0), total })
    }
    return found.slice(-1)
  },
}
