import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { Tests, tally } from '../scan.ts'

const BUILD = /^BUILD (SUCCESSFUL|FAILED) in /
const OLD_BUILD = /^BUILD (SUCCESSFUL|FAILED)\s*$/
const COMPLETED = /^(\d+) tests? completed((?:, \d+ (?:failed|skipped))*)\s*$/
const RESULTS = /^\s*(?:\|\s*)?Results: (SUCCESS|FAILURE|SKIPPED) \((.*)\)/
const LOGGER = /^\s*(SUCCESS|FAILURE): Executed (\d+) tests? in .*?(?: \((.*)\))?\s*$/
const TEST = /^(\S.*? > .*?) (PASSED|FAILED|SKIPPED)(?: \([^)]*\))?\s*$/
const DEVICE = /^Tests (\d+)\/(\d+) completed\. \((\d+) skipped\) \((\d+) failed\)/
const TASK = /^> Task (\S+?)(?: (\S+))?\s*$|^:(\S+?)(?: (UP-TO-DATE|NO-SOURCE|FAILED))?\s*$/
const STATES: Record<string, TestState> = { PASSED: 'passed', FAILED: 'failed', SKIPPED: 'skipped' }

interface Counts {
  passed: number
  failed: number
  skipped: number
}

class Build {
  from = -1
  readonly tests = new Tests()
  readonly counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  counted = false

  add(passed: number, failed: number, skipped: number): void {
    this.counted = true
    this.counts.passed += passed
    this.counts.failed += failed
    this.counts.skipped += skipped
  }

  line(line: string): void {
    const test = TEST.exec(line)
    if (test !== null) this.tests.set(test[1]!, STATES[test[2]!]!)
    const completed = COMPLETED.exec(line)
    if (completed !== null) {
      const { failed = 0, skipped = 0 } = tally(completed[2]!)
      this.add(Number(completed[1]) - failed - skipped, failed, skipped)
    }
    const results = RESULTS.exec(line)
    if (results !== null) {
      const counts = tally(results[2]!)
      const failed = counts.failed ?? counts.failures ?? 0
      this.add(counts.passed ?? counts.successes ?? 0, failed, counts.skipped ?? 0)
    }
    const logger = LOGGER.exec(line)
    if (logger !== null) {
      const { failed = 0, skipped = 0 } = tally(logger[3] ?? '')
      this.add(Number(logger[2]) - failed - skipped, failed, skipped)
    }
  }

  part(to: number, word: string | undefined): Part {
    const lines = {
      passed: this.tests.count('passed'),
      failed: this.tests.count('failed'),
      skipped: this.tests.count('skipped'),
    }
    // The line with the counts is printed only for tasks with failures; other tasks log their tests one by one.
    const counts =
      this.counted && this.counts.passed + this.counts.failed >= lines.passed + lines.failed ? this.counts : lines
    return {
      framework: 'gradle',
      from: this.from < 0 ? to : this.from,
      to,
      ...counts,
      tests: this.tests.list(),
      wrapper: true,
      ...(word === 'FAILED' && counts.failed === 0 && { broken: 'The build failed (gradle).' }),
      ...(word === 'SUCCESSFUL' &&
        counts.passed + counts.failed + counts.skipped === 0 && {
          unproven: 'The build succeeded, but lists no tests (gradle).',
        }),
      ...(word === undefined && { unproven: 'The end of the build is missing (gradle).' }),
    }
  }
}

/** Gradle prints BUILD SUCCESSFUL even without tests: only counted tests prove something. */
export const gradle: TextReader = {
  framework: 'gradle',
  hints: ['BUILD SUCCESSFUL', 'BUILD FAILED', '> Task :', 'tests completed'],
  read: (lines) => {
    const parts: Part[] = []
    let build = new Build()
    let device: Counts | undefined
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (build.from < 0 && (TASK.test(line) || TEST.test(line))) build.from = at
      build.line(line)
      const progress = DEVICE.exec(line)
      if (progress !== null) {
        const [done, , skipped, failed] = progress.slice(1).map(Number) as [number, number, number, number]
        device = { passed: done - skipped - failed, failed, skipped }
      }
      const word = (BUILD.exec(line) ?? OLD_BUILD.exec(line))?.[1]
      if (word === undefined) continue
      if (device !== undefined) build.add(device.passed, device.failed, device.skipped)
      parts.push(build.part(at, word))
      build = new Build()
      device = undefined
    }
    if (build.from >= 0 && (build.counted || lines.slice(build.from).some((line) => /^> Task :/.test(line)))) {
      parts.push(build.part(lines.length - 1, undefined))
    }
    return parts
  },
}
