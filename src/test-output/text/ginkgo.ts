import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'

const RAN = /^Ran \d+ of (\d+) Specs? in /
const VERDICT = /^(SUCCESS|FAIL)! .*?(\d+) Passed \| (\d+) Failed \| (?:\d+ Flaked \| )?(\d+) Pending \| (\d+) Skipped/

/** Ginkgo on its own. Under `go test` its package counts. */
export const ginkgo: TextReader = {
  framework: 'ginkgo',
  hints: [' Passed | '],
  read: (lines) => {
    const parts: Part[] = []
    for (let at = 0; at < lines.length; at += 1) {
      const verdict = VERDICT.exec(lines[at]!)
      if (verdict === null) continue
      const [passed, failed, pending, skipped] = verdict.slice(2).map(Number) as [number, number, number, number]
      const head = at > 0 && RAN.test(lines[at - 1]!)
      const broken =
        verdict[1] === 'FAIL' && failed === 0 ? 'The run failed without a failed spec (ginkgo).' : undefined
      parts.push({
        framework: 'ginkgo',
        from: head ? at - 1 : at,
        to: at,
        passed,
        failed,
        skipped: pending + skipped,
        ...(broken !== undefined && { broken }),
      })
    }
    return parts
  },
}
