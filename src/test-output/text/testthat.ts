import type { TextReader } from '../types.ts'

const COUNTS = /^\[ FAIL (\d+) \| WARN \d+ \| SKIP (\d+) \| PASS (\d+) \]\s*$/

/** R's testthat repeats its line while it runs; the last one holds. It counts expectations. */
export const testthat: TextReader = {
  framework: 'testthat',
  hints: ['[ FAIL '],
  read: (lines) => {
    const at = lines.findLastIndex((line) => COUNTS.test(line))
    if (at < 0) return []
    const [failed, skipped, passed] = COUNTS.exec(lines[at]!)!.slice(1).map(Number) as [number, number, number]
    return [{ framework: 'testthat', from: at, to: at, passed, failed, skipped }]
  },
}
