import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'

const EXECUTED =
  /Executed (\d+) of (\d+)((?: \(?(?:\d+ FAILED|skipped \d+|SUCCESS|ERROR|DISCONNECTED)\)?)*) \(\d.*\)\s*$/
const BROWSER = /^(.*?): Executed /

/** Karma prints its counts repeatedly; the last line of each browser counts. */
export const karma: TextReader = {
  framework: 'karma',
  hints: ['Executed '],
  read: (lines) => {
    const last = new Map<string, Part>()
    for (let at = 0; at < lines.length; at += 1) {
      const executed = EXECUTED.exec(lines[at]!)
      if (executed === null) continue
      const browser = BROWSER.exec(lines[at]!)?.[1]?.trim() ?? ''
      const marks = executed[3]!
      const failed = Number(/(\d+) FAILED/.exec(marks)?.[1] ?? 0)
      const skipped = Number(/skipped (\d+)/.exec(marks)?.[1] ?? 0)
      const ran = Number(executed[1])
      const bad = /ERROR|DISCONNECTED/.exec(marks)?.[0]
      last.set(browser, {
        framework: 'karma',
        from: last.get(browser)?.from ?? at,
        to: at,
        passed: Math.max(0, ran - failed),
        failed,
        skipped,
        total: Number(executed[2]),
        ...(bad !== undefined && { broken: `A browser ended with ${bad} (karma).` }),
      })
    }
    // The spans of browsers overlap; only the end of each is its own.
    return [...last.values()].map((part) => ({ ...part, from: part.to }))
  },
}
