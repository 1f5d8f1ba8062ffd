import { count } from '../../../packages/core/src/count.ts'
import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { below, Tests } from '../scan.ts'

const COUNT =
  /^ {2}(\d+) (tests? passed|tests? failed|tests? skipped|tests? todo|known failures?|uncaught exceptions?|unhandled rejections?|tests? remained pending after .*|hooks? failed)\s*$/
const TEST = /^ {2}(✔|√|✘|✖|-) (?:\[(fail|skip|expected fail|todo)\]:? )?(.+?)(?: \(\d+(?:\.\d+)?m?s\))?\s*$/
const NONE = /^ *[✖✘] (?:No tests found|Couldn.t find any files to test)/
/** A line between the results and the details of the failed tests, which begin with the title. */
const RULE = /^ {2}─+$/

function namesIn(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  const rule = below(lines, from, to, RULE)
  const titles: string[] = []
  for (let at = rule < 0 ? to : rule; at < to; at += 1)
    if (RULE.test(lines[at]!) && lines[at + 1] === '') titles.push(lines[at + 2]?.trim() ?? '')
  for (let at = from; at < (rule < 0 ? to : rule); at += 1) {
    const test = TEST.exec(lines[at]!)
    if (test === null) continue
    const good = test[1] === '✔' || test[1] === '√'
    const aside = test[1] === '-' || (test[2] !== undefined && test[2] !== 'fail')
    const name = good || aside ? test[3]! : titleIn(test[3]!, titles)
    tests.set(name, aside ? 'skipped' : good ? 'passed' : 'failed')
  }
  return tests
}

/** The message of the error follows the title of a failed test on the same line. */
function titleIn(text: string, titles: readonly string[]): string {
  const fits = titles.filter((title) => title !== '' && (text === title || text.startsWith(`${title} `)))
  return (
    fits.reduce<string | undefined>((best, title) => (title.length > (best?.length ?? 0) ? title : best), undefined) ??
    text
  )
}

/** ava ends with one count per line. */
export const ava: TextReader = {
  framework: 'ava',
  hints: [
    ' tests passed',
    ' test passed',
    ' tests failed',
    ' test failed',
    'No tests found',
    'find any files to test',
    'uncaught exception',
  ],
  read: (lines) => {
    const parts: Part[] = []
    let after = 0
    for (let at = 0; at < lines.length; at += 1) {
      if (NONE.test(lines[at]!))
        parts.push({
          framework: 'ava',
          from: at,
          to: at,
          passed: 0,
          failed: 0,
          skipped: 0,
          broken: 'No tests found (ava).',
        })
      if (!COUNT.test(lines[at]!)) continue
      const tests = namesIn(lines, after, at)
      const counts: Record<string, number> = {}
      const from = at
      for (let match = COUNT.exec(lines[at]!); match !== null; match = COUNT.exec(lines[++at] ?? '')) {
        counts[
          match[2]!
            .replace(/^(test|hook|known failure|uncaught exception|unhandled rejection)s/, '$1')
            .split(' after')[0]!
        ] = Number(match[1])
      }
      at -= 1
      const escaped =
        (counts['uncaught exception'] ?? 0) +
        (counts['unhandled rejection'] ?? 0) +
        (counts['test remained pending'] ?? 0)
      parts.push({
        framework: 'ava',
        from,
        to: at,
        tests: tests.list(),
        // A failed run does not count the passed tests; it lists them.
        passed: counts['test passed'] ?? tests.count('passed'),
        failed: (counts['test failed'] ?? 0) + (counts['hook failed'] ?? 0),
        skipped: (counts['test skipped'] ?? 0) + (counts['test todo'] ?? 0),
        aside: counts['known failure'] ?? 0,
        ...(escaped > 0 && { broken: `${count(escaped, 'error')} outside of the tests (ava).` }),
      })
      after = at + 1
    }
    return parts
  },
}
