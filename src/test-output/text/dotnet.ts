import { count } from '../../../packages/core/src/count.ts'
import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { labelled, Tests } from '../scan.ts'

/**
 * `Passed! - Failed: 0, Passed: 23, Skipped: 0, Total: 23, Duration: 2 s - X.dll (net10.0)`. The words are in the language of the
 * machine; the order of the numbers is fixed.
 */
const ASSEMBLY = /^\s*\S[^!！]{0,40}[!！].*?(\d+)\D+?(\d+)\D+?(\d+)\D+?(\d+)\s*[,，、;].*\.(?:dll|exe)\b/
const TOTAL = /^\s*Total tests: (\d+)(?:\. (.*))?\s*$/
const PLATFORM = /^\s*Test run summary: (\S+?)!?(?: .*)?$/
const FIELD = /^\s+(total|failed|succeeded|skipped|Passed|Failed|Skipped|Total time)\s*: *(\d+)/
const RUN = /^\s*Test run for .*\.(?:dll|exe)\b/
const NO_TESTS = /^\s*No test (?:is available in|matches the given testcase filter)/
/** These codes are the same in every language. A project that does not compile is not tested. */
const BUILD_ERROR = /(?:^|[\s:])error (?:CS|FS|BC|MSB|NU|NETSDK|CA|VSTEST|TESTERROR|TESTRUNABORT)\d*\s?:/
const ABORTED =
  /^\s*(?:Build FAILED\.|The active test run was aborted|Test Run Aborted|Test host process crashed|Testhost process .* exited with error|Unhandled exception\. )/
const TEST = /^\s{2,}(Passed|Failed|Skipped) (\S.*?)(?: \[[^\]]*\])?\s*$/
const STATES: Record<string, TestState> = { Passed: 'passed', Failed: 'failed', Skipped: 'skipped' }

function namesIn(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  for (let at = from; at < to; at += 1) {
    const test = TEST.exec(lines[at]!)
    if (test !== null && /\[[^\]]*\]\s*$/.test(lines[at]!)) tests.set(test[2]!, STATES[test[1]!]!)
  }
  return tests
}

/** `Total tests: 5` and the lines below it, or the block of the newer test platform. */
function block(lines: readonly string[], from: number, at: number): Part | undefined {
  const counts: Record<string, number> = {}
  const total = TOTAL.exec(lines[at]!)
  if (total !== null)
    Object.assign(counts, { total: Number(total[1]) }, labelled((total[2] ?? '').replaceAll('.', ',')))
  let to = at
  for (let next = at + 1; next < Math.min(lines.length, at + 7); next += 1) {
    const field = FIELD.exec(lines[next]!)
    if (field === null) break
    counts[field[1]!.toLowerCase()] = Number(field[2])
    to = next
  }
  if (counts.total === undefined) return undefined
  const { passed = counts.succeeded ?? 0, failed = 0, skipped = 0 } = counts
  const word = PLATFORM.exec(lines[at]!)?.[1]
  return {
    framework: 'dotnet test',
    from,
    to,
    passed,
    failed,
    skipped,
    total: counts.total,
    tests: namesIn(lines, from, at).list(),
    ...(word === 'Failed' && failed === 0 && { broken: 'The run failed without a failed test (dotnet test).' }),
  }
}

function assembly(lines: readonly string[], from: number, at: number): Part | undefined {
  const [failed, passed, skipped, total] = ASSEMBLY.exec(lines[at]!)!.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
  ]
  if (failed + passed + skipped !== total) return undefined
  const tests = namesIn(lines, from, at).list()
  return { framework: 'dotnet test', from, to: at, passed, failed, skipped, total, tests }
}

export const dotnet: TextReader = {
  framework: 'dotnet test',
  hints: ['.dll', 'Total tests: ', 'Test run summary: '],
  read: (lines) => {
    const parts: Part[] = []
    let begun = 0
    let from = -1
    let broken: number | undefined
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (RUN.test(line)) {
        begun += 1
        if (from < 0) from = at
      } else if (NO_TESTS.test(line)) begun -= 1
      else if (BUILD_ERROR.test(line) || ABORTED.test(line)) broken ??= at
      const start = from >= 0 ? from : Math.max(after, at)
      const part = ASSEMBLY.test(line)
        ? assembly(lines, start, at)
        : TOTAL.test(line) || PLATFORM.test(line)
          ? block(lines, start, at)
          : undefined
      if (part === undefined) continue
      parts.push(part)
      after = part.to + 1
      from = -1
    }
    return verdict(lines, parts, begun, broken)
  },
}

/** Reports a project that did not compile, or an assembly that started but has no totals. */
function verdict(lines: readonly string[], parts: Part[], begun: number, broken: number | undefined): readonly Part[] {
  const none = { framework: 'dotnet test', passed: 0, failed: 0, skipped: 0 }
  if (
    broken !== undefined &&
    (parts.length > 0 || begun > 0 || /error (?:CS|FS|BC|MSB|NETSDK)\d/.test(lines[broken]!))
  ) {
    const what = lines[broken]!.trim().slice(0, 200)
    parts.push({
      ...none,
      from: broken,
      to: broken,
      suitesFailed: 1,
      broken: `A project did not build or run: ${what}`,
    })
  } else if (begun > parts.length && parts.length > 0) {
    const unproven = `${count(begun, 'assembly')} started, ${parts.length} gave a result (dotnet test).`
    parts.push({ ...none, from: lines.length - 1, to: lines.length - 1, unproven })
  }
  return parts
}
