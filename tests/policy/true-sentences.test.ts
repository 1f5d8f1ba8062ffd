import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decisionText } from '../../src/cli/commands/explain.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { checkTitle } from '../../src/core/policy/check-text.ts'
import { decideIteration } from '../../src/core/policy/decide.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { AcceptedFinding, Answer, Evidence, EvidenceSet } from '../../src/core/types.ts'
import { markdownReport } from '../../src/reports/page/markdown.ts'
import { reportModel } from '../../src/reports/page/model.ts'
import { verdictText } from '../../src/reports/verdict-text.ts'
import { stamped } from '../journal/samples.ts'
import { configFor } from '../scenarios/play.ts'
import { before as anyBefore, signals as anySignals } from './arbitrary.ts'

const n = fc.integer({ min: 0, max: 3 })
/** Mostly yes: a verified run needs it from every check, and its sentences are the ones that matter most. */
const answer = fc.constantFrom<Answer>(...Array<Answer>(12).fill('yes'), 'no', 'unknown')
const few = fc.constantFrom(0, 0, 0, 0, 0, 0, 1)
const RULES = ['--allow-test-changes', 'evidence.allow']
/** Keys differ between checks too: they identify a finding by its content. */
const accepted = (check: string): fc.Arbitrary<readonly AcceptedFinding[]> =>
  fc.uniqueArray(
    fc.record({
      id: fc.constant('ABCDE'),
      key: fc.stringMatching(/^[0-9a-f]{39}$/).map((key) => `${check.length % 10}${key}`),
      kind: fc.constantFrom('test-skipped', 'test-removed'),
      file: fc.constantFrom('a.test.js', 'b.test.js'),
      detail: fc.constantFrom('Test "a" is now skipped. Restore it.', 'Test "b" was removed. Restore it.'),
      by: fc.constantFrom('you', 'you', ...RULES),
      reason: fc.constant('because'),
    }),
    { maxLength: 3, selector: ({ key }) => key },
  )
const of = <T extends Partial<Evidence>>(check: string, more: fc.Arbitrary<T>): fc.Arbitrary<Evidence> =>
  fc
    .tuple(answer, more)
    .map(([answer, rest]) => ({ check, answer, detail: `What ${check} saw.`, ms: 1, tree: '', ...rest }))
const notes = (length: number) =>
  Array.from({ length }, () => ({
    file: 'c.test.js',
    kind: 'snapshot-updated',
    blocks: false,
    detail: 'A snapshot was rewritten. Review it.',
  }))
const withChanges = (check: string) =>
  of(
    check,
    fc.tuple(accepted(check), n).map(([all, warnings]) => {
      const yours = all.filter(({ by }) => by === 'you').length
      const counts = { blocking: 0, warnings, ...(yours > 0 && { accepted: yours }) }
      return { counts, changes: notes(warnings), ...(all.length > 0 && { accepted: all }) }
    }),
  )
/** Mostly with a test that proves the work. */
const proven: fc.Arbitrary<Evidence> = fc
  .record({ proves: fc.constantFrom(1, 2, 1, 3, 1, 0), vacuous: n, required: fc.nat(1) })
  .map(({ proves, vacuous, required }) => {
    const row = (name: string, without: 'fails' | 'passes') => ({ name, file: 'd.test.js', without })
    const rows = (many: number, name: string, without: 'fails' | 'passes') =>
      Array.from({ length: many }, (_, i) => row(`${name} ${i}`, without))
    return {
      check: 'proven',
      answer: proves > 0 ? 'yes' : required === 1 ? 'no' : 'unknown',
      detail: `What proven saw.`,
      counts: { proves, vacuous, couldNotRun: 0, required },
      proof: {
        tests: [...rows(proves, 'adds', 'fails'), ...rows(vacuous, 'loads', 'passes')],
        expects: 'refactor',
        why: 'the task asks for no other behaviour',
      },
      ms: 1,
      tree: '',
    }
  })
const SANDBOXES = ['bubblewrap', 'off (bwrap was not found)', undefined]
const evidence = fc.record(
  {
    tests: of(
      'tests',
      fc.record(
        {
          counts: fc
            .record({ passed: n, failed: few, skipped: n, gone: n, fixed: n, canary: n })
            .map((c) => ({ ...c, total: c.passed + c.failed + c.skipped })),
          ranIn: fc.record(
            { cleanRoom: fc.boolean(), why: fc.constant('a reason'), sandbox: fc.constant('bubblewrap') },
            { requiredKeys: ['cleanRoom', 'why'] },
          ),
        },
        { requiredKeys: ['counts'] },
      ),
    ),
    tampering: withChanges('tampering'),
    'special-cased': withChanges('special-cased'),
    changed: of('changed', fc.record({ counts: fc.record({ files: n }) })),
    clean: of('clean', fc.constant({})),
    proven,
    'baseline-tests': of(
      'baseline-tests',
      fc
        .tuple(accepted('baseline-tests'), n)
        .map(([all, fixed]) => (all.length > 0 ? { accepted: all } : { counts: { fixed } })),
    ),
  },
  { requiredKeys: ['tests'] },
) as unknown as fc.Arbitrary<EvidenceSet>

const count = (seen: EvidenceSet, check: string, name: string) => seen[check]?.counts?.[name] ?? 0
const yes = (seen: EvidenceSet, check: string) => seen[check]?.answer === 'yes'
const leave = (seen: EvidenceSet, check: string, by: (who: string) => boolean) =>
  (seen[check]?.accepted ?? []).filter((each) => by(each.by)).length
const byYou = (who: string) => !RULES.includes(who)

/** What a verdict may say in its first line, and when it is true. `N` is the first number of the sentence. */
type Claim = readonly [says: RegExp, isTrue: (seen: EvidenceSet, found: RegExpExecArray) => boolean]
const CLAIMS: readonly Claim[] = [
  [
    /^Verified/,
    (seen) =>
      Object.values(seen).every(
        ({ check, answer }) => answer === 'yes' || ['clean', 'baseline-tests', 'special-cased'].includes(check),
      ),
  ],
  [/^Verified/, (seen) => yes(seen, 'proven')],
  [/^Passed, not proven/, (seen) => !yes(seen, 'proven') && seen.proven?.answer !== 'no'],
  [/No proof was required: /, (seen) => seen.proven?.answer === 'unknown'],
  [
    /proven by: "(.*?)"/,
    (seen, [, name]) =>
      seen.proven?.proof?.tests.some((each) => each.name === name && each.without === 'fails') === true,
  ],
  [/^Verified/, (seen) => seen.changed === undefined || yes(seen, 'changed')],
  [/^Verified/, (seen) => !['baseline-tests', 'special-cased'].some((check) => seen[check]?.answer === 'no')],
  [
    /^Claim rejected/,
    (seen) => Object.values(seen).some(({ answer, counts = {} }) => answer === 'no' || (counts.failed ?? 0) > 0),
  ],
  [
    /no test was weakened/,
    (seen) =>
      yes(seen, 'tampering') &&
      count(seen, 'tampering', 'warnings') === 0 &&
      leave(seen, 'tampering', () => true) === 0 &&
      count(seen, 'tests', 'gone') === 0,
  ],
  [/accepted by you: (\d+) test change/, (seen, [, k]) => leave(seen, 'tampering', byYou) === Number(k)],
  [
    /allowed by --allow-test-changes: (\d+) test change/,
    (seen, [, k]) => leave(seen, 'tampering', (who) => who === '--allow-test-changes') === Number(k),
  ],
  [
    /allowed by evidence\.allow: (\d+) test change/,
    (seen, [, k]) => leave(seen, 'tampering', (who) => who === 'evidence.allow') === Number(k),
  ],
  [/to review: (\d+) test change/, (seen, [, k]) => count(seen, 'tampering', 'warnings') === Number(k)],
  [
    /no special case found/,
    (seen) =>
      yes(seen, 'special-cased') &&
      count(seen, 'special-cased', 'warnings') + leave(seen, 'special-cased', () => true) === 0,
  ],
  [
    /(\d+) fixed tests? pass(?:es)? in the original version/,
    (seen, [, k]) =>
      yes(seen, 'baseline-tests') &&
      count(seen, 'baseline-tests', 'fixed') === Number(k) &&
      leave(seen, 'baseline-tests', () => true) === 0,
  ],
  [
    /original tests? (?:pass|turned out)/,
    (seen) => yes(seen, 'baseline-tests') && leave(seen, 'baseline-tests', () => true) === 0,
  ],
  [
    /(\d+) of (\d+) tests? pass/,
    (seen, [, k, all]) => count(seen, 'tests', 'passed') === Number(k) && count(seen, 'tests', 'total') === Number(all),
  ],
  [/(\d+) gone\b/, (seen, [, k]) => count(seen, 'tests', 'gone') === Number(k)],
  [/(\d+) newly fixed/, (seen, [, k]) => count(seen, 'tests', 'fixed') === Number(k)],
  [/(?<!no )(?:\d+ )?files? changed(?! unknown|[:"]| \|)/, (seen) => yes(seen, 'changed')],
  [/no files changed/, (seen) => seen.changed?.answer === 'no'],
]

/** What reports also say about where the tests ran and what is missing. */
type Where = { readonly sandbox: string | undefined; readonly verified: boolean }
const REPORT_CLAIMS: readonly (readonly [
  RegExp,
  isTrue: (seen: EvidenceSet, found: RegExpExecArray, where: Where) => boolean,
])[] = [
  [/^### Proven$/, (_seen, _found, { verified }) => verified],
  [/^### What passed in the last iteration$/, (_seen, _found, { verified }) => !verified],
  [
    /exitgate broke (\d+) tests? on purpose, and each of them failed/,
    (seen, [, k]) => count(seen, 'tests', 'canary') === Number(k) && Number(k) > 0,
  ],
  [/The tests ran in a private copy/, (seen) => seen.tests?.ranIn?.cleanRoom === true],
  [/The tests ran in the workspace/, (seen) => seen.tests?.ranIn?.cleanRoom === false],
  [
    /The agent and the tests ran in (\w+)\./,
    (seen, [, name], { sandbox }) => seen.tests?.ranIn?.sandbox === name && sandbox === name,
  ],
  [/The tests ran in (bubblewrap)/, (seen, [, name]) => seen.tests?.ranIn?.sandbox === name],
  [/The tests ran without one/, (seen) => seen.tests?.ranIn !== undefined && seen.tests.ranIn.sandbox === undefined],
  [/The agent ran in (\w+)\./, (_seen, [, name], { sandbox }) => sandbox === name],
  [/The agent ran without one/, (_seen, _found, { sandbox }) => sandbox !== 'bubblewrap'],
  [/it is turned off/, (_seen, _found, { sandbox }) => sandbox === undefined],
]

/** The title of a check that passed. */
const PASSED: Readonly<Record<string, (seen: EvidenceSet) => boolean>> = {
  'tests intact': (seen) => count(seen, 'tampering', 'warnings') === 0 && leave(seen, 'tampering', () => true) === 0,
  'test changes accepted': (seen) =>
    count(seen, 'tampering', 'warnings') === 0 && leave(seen, 'tampering', () => true) > 0,
  'test changes to review': (seen) => count(seen, 'tampering', 'warnings') > 0,
  proven: (seen) => count(seen, 'proven', 'proves') > 0,
  'results computed': (seen) =>
    count(seen, 'special-cased', 'warnings') + leave(seen, 'special-cased', () => true) === 0,
}

const policy = policyFor(configFor('default', {}))
const said = anySignals.map((signals) => ({
  ...signals,
  claim: true,
  claims: { 'exit-status': true },
  source: 'exit-status',
  vetoes: [],
  denials: [],
  problems: [],
}))

it('no sentence of a verdict contradicts the evidence', () => {
  const reached = new Set<RegExp>()
  fc.assert(
    fc.property(anyBefore, said, evidence, (before, signals, seen) => {
      const spent = { ms: 1, tokens: 0, usd: 0 }
      const decided = decideIteration(
        { ...before, iterations: 1 },
        { signals, evidence: seen, spent, interrupted: false } as never,
        policy,
        1,
      )
      const text = verdictText(decided, 'default', { color: false }, ['tests'])
      const [headline = ''] = text.split('\n')
      for (const [says, isTrue] of CLAIMS) {
        const found = says.exec(headline)
        if (found === null) continue
        reached.add(says)
        expect([says, isTrue(seen, found)], `${headline}\n${JSON.stringify(seen)}`).toEqual([says, true])
      }
      if (!yes(seen, 'proven')) expect(headline).not.toMatch(/proven by|is proven|(?<!not )proven: /)
      if (!/^(?:Verified|Passed)/.test(headline)) return
      // The headline names what was let through.
      for (const { by, file, detail } of seen.tampering?.accepted ?? []) {
        expect(headline).toContain(byYou(by) ? 'accepted by you: ' : `allowed by ${by}: `)
        expect(text).toContain(`Accepted: ${file}: ${detail.split('. ')[0]}`)
      }
      expect(headline.includes('to review: ')).toBe(
        count(seen, 'tampering', 'warnings') +
          (yes(seen, 'special-cased') ? count(seen, 'special-cased', 'warnings') : 0) >
          0,
      )
      expect(headline.includes(' gone')).toBe(count(seen, 'tests', 'gone') > 0)
    }),
    { numRuns: 2000 },
  )
  const never = CLAIMS.map(([says]) => says).filter((says) => !reached.has(says))
  expect(never.map(String)).toEqual([])
})

it('no sentence of explain and of the reports contradicts the evidence', () => {
  const reached = new Set<RegExp | string>()
  const start = '^(?:## ✅ exitgate: v|V)erified'
  const anywhere = [...CLAIMS, ...REPORT_CLAIMS].map(
    ([says, isTrue]) => [says, isTrue, new RegExp(says.source.replace('^Verified', start), 'i')] as const,
  )
  fc.assert(
    fc.property(anyBefore, said, evidence, fc.constantFrom(...SANDBOXES), (before, signals, seen, sandbox) => {
      const spent = { ms: 1, tokens: 0, usd: 0 }
      const observation = { signals, evidence: seen, spent, interrupted: false } as never
      const { verdict } = decideIteration({ ...before, iterations: 1 }, observation, policy, 1)
      const { trace: _trace, ...decided } = verdict
      const config = configFor('default', {})
      const verified = verdict.action === 'stop' && verdict.ending === 'verified'
      const ended = verdict.action === 'stop' && {
        ...{ type: 'run.ended' as const, outcome: verdict.outcome, ending: verdict.ending },
        ...{ reason: verdict.reason, iteration: 1 },
      }
      const events = stamped([
        { type: 'run.started', run: 'r1', config, ...(sandbox !== undefined && { sandbox }) },
        { type: 'iteration.decided', iteration: 1, observation, verdict: decided, after: emptyState().counters },
        ...(ended ? [ended] : []),
      ])
      const report = reportModel(events)!
      const markdown = markdownReport(report).replaceAll('\\', '')
      const outcome = report.proven.map(({ title, detail }) => `${title}: ${detail}`).join('\n')
      const started = stamped(events.slice(0, 1)).reduce(reduce, emptyState())
      const found = events.find((event) => event.type === 'iteration.decided')!
      const explained = decisionText(found, started, decided, undefined, (text) => text).join('\n')
      for (const [name, text] of Object.entries({ markdown, outcome, explained })) {
        const why = `${name}\n${text}\n${JSON.stringify([seen, sandbox])}`
        for (const [says, isTrue, first] of anywhere) {
          for (const line of text.split('\n')) {
            const claim = first.exec(line)
            if (claim === null) continue
            reached.add(says)
            expect([says, isTrue(seen, claim, { sandbox, verified })], `${line}\n${why}`).toEqual([says, true])
          }
        }
        for (const [title, isTrue] of Object.entries(PASSED)) {
          if (!new RegExp(`^(?:  pass +|[-] ✅ |\\| )?${title}(?::| \\| ✅)`, 'im').test(text)) continue
          reached.add(title)
          expect([title, isTrue(seen)], why).toEqual([title, true])
        }
      }
      // Nothing that passed is still needed, and only open findings wait for a decision.
      const needed = /this run still needs:\n((?: {2}- .*\n?)+)/.exec(explained)?.[1] ?? ''
      // The decision doesn't believe a "yes" about tests of which none passed or some failed.
      const tests = count(seen, 'tests', 'passed') > 0 && count(seen, 'tests', 'failed') === 0
      const passed = Object.values(seen).filter(({ check, answer }) => answer === 'yes' && (check !== 'tests' || tests))
      for (const { check } of passed) expect(needed, explained).not.toContain(`- "${checkTitle(check)}" to pass`)
      expect(explained.includes('You decide:')).toBe(
        Object.values(seen).some(({ findings = [] }) => findings.length > 0),
      )
      if (verified) expect(explained).not.toMatch(/still needs|What to do/)
      if (verified) expect(markdown).not.toContain('### Still needed')
    }),
    { numRuns: 600 },
  )
  const all = [...REPORT_CLAIMS.map(([says]) => says), ...Object.keys(PASSED)]
  expect(all.filter((each) => !reached.has(each)).map(String)).toEqual([])
})
