import type { Part } from './types.ts'

/** A separate word: not part of an identifier, a path or a hyphenated name. */
const wholeWord = (words: string) => new RegExp(`(?<![\\w./-])(?:${words})(?![\\w/-]|\\.\\w)`, 'i')

const SUBJECT = '(?:unit |integration )?(?:tests?|specs?|examples?|test cases?|assertions?|checks?|suites?|files?)'
const VERB = '(?:(?:have|has|were|was|are) )?'
/** "3 tests passed", "passed: 3". */
const numbersNextTo = (words: string) => [
  new RegExp(`(?<![\\w.-])(\\d+) (?:${SUBJECT} )?${VERB}(?:${words})\\b`, 'gi'),
  new RegExp(`(?<![\\w-])(?:${SUBJECT} )?(?:${words})[ \\t]*[:=][ \\t]*(\\d+)\\b`, 'gi'),
]
const PASSED = [
  ...numbersNextTo('passed|passing|passes'),
  // `200 OK` is a server's response: these words count only with a noun that they refer to.
  new RegExp(`(?<![\\w.-])(\\d+) ${SUBJECT} ${VERB}(?:pass|ok|succeeded|successful)\\b`, 'gi'),
  new RegExp(`(?<![\\w-])${SUBJECT} (?:ok|succeeded|successful)[ \\t]*[:=][ \\t]*(\\d+)\\b`, 'gi'),
  /(?<![\w-])pass(?:ed|ing|es)?[ \t]*[:=]?[ \t]*(\d+)(?=\s*(?:$|[,;|)\]]))/gi,
]
const FAILED = numbersNextTo('failed|failing|failures?|fail|errors?|errored|exceptions?|broken|crashed|timed[ -]out')
const SKIPPED = numbersNextTo('skipped|pending|ignored|todo')

const FAIL_WORD = wholeWord(
  'FAIL|FAILS|FAILED|FAILING|FAILURES?|ERRORS?|EXCEPTIONS?|FATAL|PANIC|PANICKED|CRASHED|ABORTED|not ok',
)
const PASS_WORD = wholeWord('PASS|PASSED|PASSING|OK|SUCCESS|SUCCEEDED')
/** A test may be called "handles errors": the start of its line decides. */
const PASS_MARK = /^\s*(?:PASS(?:ED)?\b|ok\b|[✓√✔✅])/i
const DENIED = wholeWord(
  '(?:no|without|zero|0) (?:any )?(?:test )?(?:errors?|failures?|failed|exceptions?|crash(?:es)?)',
)
/** Things that were built, installed or checked were not tested. */
const NOT_TESTS = /\b(?:build|built|compil\w+|install\w*|lint\w*|download\w*|bundl\w+|deploy\w*)\b/i
const NOTHING_RAN =
  /\b(?:no|0|zero) (?:tests?|specs?|examples?|items|passing|total)\b|\bno test (?:files|suites?)\b|\bno tests? (?:found|ran|to run)\b/i

/** Lines without any of these are skipped, which is most lines. */
const ANY = /pass|fail|err|ok|succe|exception|fatal|panic|crash|abort|broken|timed|skip|\b(?:no|0|zero) /i

const numbersIn = (line: string, patterns: readonly RegExp[]): number[] =>
  patterns.flatMap((pattern) => [...line.matchAll(pattern)].map((match) => Number(match[1])))

/**
 * The last resort: numbers next to words, or lines with words, one result per line. If in doubt it reports a failure: a false alarm
 * costs one more iteration, a false success costs the night.
 */
export function fallbackReader(text: string, printed: readonly string[]): Part | undefined {
  // Machine-readable reports have their own readers; their tags and keys are not words.
  if (/^\s*(?:<\?xml|<[!\w]|\{\s*["}]|\[\s*[[{"])/.test(text)) return undefined
  const counted = { passed: 0, failed: 0, skipped: 0 }
  const lines = { passed: 0, failed: 0 }
  let numbered = false
  let nothingRan = false
  for (const line of printed) {
    if (!ANY.test(line)) continue
    const passed = numbersIn(line, PASSED)
    const failed = numbersIn(line, FAILED)
    const skipped = numbersIn(line, SKIPPED)
    nothingRan ||= NOTHING_RAN.test(line)
    if (passed.length > 0 || failed.length > 0) {
      numbered ||= passed.length > 0
      counted.passed = Math.max(counted.passed, ...passed)
      counted.failed = Math.max(counted.failed, ...failed)
      counted.skipped = Math.max(counted.skipped, ...skipped)
      if (passed.length > 0) continue
    }
    const rest = line.replace(DENIED, '').replace(FAILED[0]!, '').replace(FAILED[1]!, '')
    if (FAIL_WORD.test(rest) && !(PASS_MARK.test(line) && !/\bnot ok\b/i.test(line))) lines.failed += 1
    else if (PASS_WORD.test(line) && !NOT_TESTS.test(line)) lines.passed += 1
  }
  const passed = numbered || nothingRan ? counted.passed : lines.passed
  const failed = Math.max(counted.failed, lines.failed)
  if (passed === 0 && failed === 0 && !nothingRan) return undefined
  return { framework: numbered ? 'words' : 'lines', from: 0, to: 0, passed, failed, skipped: counted.skipped }
}
