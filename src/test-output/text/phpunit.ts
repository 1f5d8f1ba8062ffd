import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { labelled, Tests } from '../scan.ts'

const HEADER = /^PHPUnit \d+\.\d+/
const OK = /^OK \((\d+) tests?, \d+ assertions?\)\s*$/
const VERDICT =
  /^(?:FAILURES!|ERRORS!|WARNINGS!|OK, but (?:incomplete, skipped, or risky tests|incomplete or skipped tests|there were issues|some tests .*)!)\s*$/
const COUNTS = /^Tests: \d+, Assertions: \d+.*\.\s*$/
const NONE = /^No tests executed!\s*$/
const SECTION = /^There (?:was|were) \d+ (failure|error|warning|risky test|skipped test|incomplete test)s?:/
const NAMED = /^\d+\) (\S+::.*?)\s*$/

function namesIn(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  let section = ''
  for (let at = from; at < to; at += 1) {
    section = SECTION.exec(lines[at]!)?.[1] ?? section
    const named = NAMED.exec(lines[at]!)
    if (named === null || section === '') continue
    if (section === 'failure' || section === 'error') tests.set(named[1]!, 'failed')
    else if (section.startsWith('skipped') || section.startsWith('incomplete')) tests.set(named[1]!, 'skipped')
  }
  return tests
}

function counted(lines: readonly string[], from: number, at: number, word: string): Part {
  const counts = labelled(lines[at]!)
  const failed = (counts.failures ?? 0) + (counts.errors ?? 0)
  const skipped = (counts.skipped ?? 0) + (counts.incomplete ?? 0)
  const total = counts.tests ?? 0
  const bad = word.startsWith('FAILURES') || word.startsWith('ERRORS')
  return {
    framework: 'phpunit',
    from,
    to: at,
    passed: Math.max(0, total - failed - skipped),
    failed,
    skipped,
    total: Math.max(total, failed + skipped),
    tests: namesIn(lines, from, at).list(),
    ...(bad && failed === 0 && { broken: 'The run failed without a failed test (phpunit).' }),
    ...(word.startsWith('WARNINGS') && { unproven: 'The run ended with warnings (phpunit).' }),
  }
}

export const phpunit: TextReader = {
  framework: 'phpunit',
  hints: ['OK (', 'Tests: ', 'No tests executed!', 'PHPUnit '],
  read: (lines) => {
    const parts: Part[] = []
    let first = -1
    let word = ''
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (HEADER.test(line)) first = at
      const ok = OK.exec(line)
      const from = first >= 0 ? first : at
      if (VERDICT.test(line)) word = line
      else if (ok !== null) {
        const tests = namesIn(lines, from, at).list()
        parts.push({ framework: 'phpunit', from, to: at, passed: Number(ok[1]), failed: 0, skipped: 0, tests })
      } else if (COUNTS.test(line)) parts.push(counted(lines, from, at, word))
      else if (NONE.test(line)) parts.push({ framework: 'phpunit', from, to: at, passed: 0, failed: 0, skipped: 0 })
      else continue
      if (!VERDICT.test(line)) first = -1
    }
    if (first >= 0) {
      const unproven = 'phpunit started but printed no summary.'
      parts.push({
        framework: 'phpunit',
        from: first,
        to: lines.length - 1,
        passed: 0,
        failed: 0,
        skipped: 0,
        unproven,
      })
    }
    return parts
  },
}
