import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { above, tally } from '../scan.ts'

const DONE = /^DONE (?:\d+ runs?, )?(\d+) tests?(?:, (.*?))? in \d+(?:\.\d+)?s\s*$/
const FAILED_TEST = /^=== FAIL: (\S+)(?: (\S+))? \(\d+(?:\.\d+)?s\)\s*$/
const FIRST = /^(?:=== (?:RUN|FAIL|SKIP|Failed|Skipped)|--- |[✓✖∅] {2}|(?:PASS|FAIL|EMPTY) \S|ok\s)/

/** gotestsum runs `go test -json` and ends with one line of its own. */
export const gotestsum: TextReader = {
  framework: 'gotestsum',
  hints: ['DONE '],
  read: (lines) => {
    const parts: Part[] = []
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      const done = DONE.exec(lines[at]!)
      if (done === null) continue
      const counts = tally(done[2] ?? '')
      const failures = (counts.failures ?? 0) + (counts.failure ?? 0)
      const errors = (counts.errors ?? 0) + (counts.error ?? 0)
      const total = Number(done[1])
      const first = lines.findIndex((line, index) => index >= after && index < at && FIRST.test(line))
      const from = first >= 0 ? Math.max(after, first - 1) : at
      const failing = lines.slice(from, at).map((line) => FAILED_TEST.exec(line))
      const names = new Set(
        failing.filter((match) => match !== null).map((match) => [match[1], match[2]].filter(Boolean).join(' > ')),
      )
      const packageFailed = above(lines, at, from, /^=== FAIL: \S+ {2}\(/) >= 0
      parts.push({
        framework: 'gotestsum',
        from,
        to: at,
        passed: Math.max(0, total - failures - (counts.skipped ?? 0)),
        failed: failures,
        skipped: counts.skipped ?? 0,
        total: Math.max(total, failures),
        tests: [...names].map((name) => ({ name, state: 'failed' as const })),
        ...((errors > 0 || packageFailed) && {
          broken: `${errors || 'Some'} packages could not be built or run (gotestsum).`,
        }),
      })
      after = at + 1
    }
    return parts
  },
}
