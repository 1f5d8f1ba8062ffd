import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests } from '../scan.ts'

const PROGRESS = /^(?:\d+:)?\d+:\d+ \+(\d+)(?: ~(\d+))?(?: -(\d+))?: (.*?)\s*$/
const END = /^(All tests passed!|All tests skipped\.|Some tests failed\.|No tests ran\.|No tests were found\.)$/
const GITHUB =
  /^(?:🎉 |::error::|❌ )?(\d+) tests? (passed|failed)(?:, (\d+) (passed|failed))?(?:, (\d+) skipped)?\.\s*$/u
const FAILED_TEST = /^(.*) \[E\]$/

/** `dart test` and `flutter test`: each line contains the counts so far, the last one ends the run. */
export const flutter: TextReader = {
  framework: 'flutter',
  hints: [
    'All tests passed!',
    'Some tests failed.',
    'All tests skipped.',
    'No tests ran.',
    ' +0: ',
    '0:0',
    '00:',
    ' tests passed',
    ' test passed',
    ' tests failed',
    ' test failed',
  ],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    let tests = new Tests()
    let open: RegExpExecArray | undefined
    for (let at = 0; at < lines.length; at += 1) {
      const github = GITHUB.exec(lines[at]!)
      if (github !== null && /^(?:🎉|::error::|❌)/u.test(lines[at]!)) {
        const counts: Record<string, number> = {
          [github[2]!]: Number(github[1]),
          ...(github[4] !== undefined && { [github[4]]: Number(github[3]) }),
        }
        parts.push({
          framework: 'flutter',
          from: at,
          to: at,
          passed: counts.passed ?? 0,
          failed: counts.failed ?? 0,
          skipped: Number(github[5] ?? 0),
        })
      }
      const progress = PROGRESS.exec(lines[at]!)
      if (progress === null) continue
      if (first < 0) first = at
      open = progress
      const failed = FAILED_TEST.exec(progress[4]!)
      if (failed !== null) tests.set(failed[1]!, 'failed')
      if (!END.test(progress[4]!)) continue
      parts.push(part(progress, first, at, tests))
      first = -1
      tests = new Tests()
      open = undefined
    }
    if (open !== undefined)
      parts.push({ ...part(open, first, lines.length - 1, tests), unproven: 'The closing line is missing (flutter).' })
    return parts
  },
}

function part(progress: RegExpExecArray, from: number, to: number, tests: Tests): Part {
  const failed = Number(progress[3] ?? 0)
  return {
    framework: 'flutter',
    from,
    to,
    passed: Number(progress[1]),
    failed,
    skipped: Number(progress[2] ?? 0),
    tests: tests.list(),
    ...(progress[4] === 'Some tests failed.' &&
      failed === 0 && { broken: 'The run failed without a failed test (flutter).' }),
  }
}
