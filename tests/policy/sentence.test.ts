import { describe, expect, it } from 'vitest'
import { finding } from '../../src/core/policy/finding.ts'
import { notDoneSentence, verifiedSentence } from '../../src/core/policy/sentence.ts'
import type { Answer, Evidence, Facts, Finding } from '../../src/core/types.ts'

type Checks = Readonly<Record<string, Partial<Evidence>>>
const facts = (checks: Checks, more: object = {}, signals: object = { claim: true, source: 'exit-status' }): Facts =>
  ({
    signals: { denials: [], ...signals },
    evidence: Object.fromEntries(
      Object.entries(checks).map(([check, each]) => [
        check,
        { check, answer: 'yes', detail: '', ms: 0, tree: '', ...each },
      ]),
    ),
    ...more,
  }) as unknown as Facts
const yes = (name: string, detail = name): Finding => finding(name, 'yes', detail)
const leaf = (name: string, answer: Answer, detail = name): Finding => finding(name, answer, detail)
const proofOf = (...parts: readonly Finding[]): Finding =>
  finding('proof', parts.some(({ answer }) => answer === 'no') ? 'no' : 'unknown', '', parts)

describe('what was verified', () => {
  const rows: readonly [string, Facts, readonly Finding[], string][] = [
    ['a reported status', facts({}), [yes('claim')], 'Verified: the agent reported COMPLETE.'],
    [
      'another dialect',
      facts({}, {}, { claim: true, source: 'promise' }),
      [yes('claim')],
      'Verified: the agent says it is done.',
    ],
    [
      'a claim of yours',
      facts({}, {}, { claim: true, source: 'caller' }),
      [yes('claim')],
      'Verified: you claim it is done.',
    ],
    [
      'a pull request',
      facts({}, {}, { claim: true, source: 'ci' }),
      [yes('claim')],
      'Verified: the pull request claims it is done.',
    ],
    [
      'no claim needed',
      facts({}, {}, { source: 'none' }),
      [yes('claim', 'no claim needed')],
      'Verified: no claim needed.',
    ],
    [
      'conditions that say nothing about the work',
      facts({}),
      [yes('no veto'), yes('list'), yes('iterations'), yes('phase RED'), yes('own', 'all good')],
      'Verified: all good.',
    ],
    ['a check', facts({ lint: {} }), [yes('lint')], 'Verified: lint passed.'],
    [
      'a check that could not answer',
      facts({ lint: { answer: 'unknown' } }),
      [yes('lint'), yes('own')],
      'Verified: own.',
    ],
    ['the same twice', facts({ lint: {} }), [yes('lint'), yes('lint'), yes('own')], 'Verified: lint passed, own.'],
    ['parts that are no', facts({}), [leaf('own', 'no'), leaf('other', 'unknown'), yes('third')], 'Verified: third.'],
    [
      'parts of parts',
      facts({}),
      [finding('all', 'yes', 'all', [yes('one'), leaf('two', 'no')]), finding('none', 'yes', 'none', [])],
      'Verified: one, none.',
    ],
  ]
  it.each(rows)('%s', (_name, seen, parts, sentence) => expect(verifiedSentence(seen, parts)).toBe(sentence))

  it('starts as the caller says', () => {
    expect(verifiedSentence(facts({}), [yes('own')], 'Phase RED done')).toBe('Phase RED done: own.')
  })
})

describe('what is not done', () => {
  const failing: Partial<Evidence> = { answer: 'no', counts: { total: 4, failed: 2 } }
  const missing: Partial<Evidence> = { answer: 'no', counts: { missing: 1 } }
  const rows: readonly [string, Facts, claim: Answer, veto: Answer, Finding, string][] = [
    [
      'a failed iteration',
      facts({}, { failed: { reason: 'it crashed' } }),
      'yes',
      'yes',
      proofOf(),
      'Not done: it crashed.',
    ],
    [
      'no claim, all checks pass',
      facts({}),
      'unknown',
      'yes',
      yes('proof'),
      'Not done: claim unknown. All checks pass.',
    ],
    [
      'no claim, a failing check',
      facts({ lint: { answer: 'no' } }),
      'no',
      'yes',
      proofOf(leaf('lint', 'no')),
      'Not done: claim no. Lint fails: lint fails.',
    ],
    ['an explicit "not done"', facts({}), 'yes', 'no', yes('proof'), 'Not done: veto no. All checks pass.'],
    [
      'a rejected claim',
      facts({ tests: failing }),
      'yes',
      'yes',
      proofOf(leaf('tests', 'no')),
      'Claim rejected: 2 of 4 tests fail.',
    ],
    [
      'a claim without an answer',
      facts({}),
      'yes',
      'yes',
      proofOf(leaf('tests', 'unknown', 'no tests.')),
      'Claim not verified: no tests.',
    ],
    [
      'no claim needed',
      facts({}, {}, { source: 'none' }),
      'yes',
      'yes',
      proofOf(leaf('own', 'no', 'half.')),
      'Not done: half.',
    ],
    [
      'nothing is open',
      facts({}),
      'yes',
      'yes',
      finding('proof', 'unknown', '', [yes('own')]),
      'Claim not verified: a required check is missing.',
    ],
    [
      'failing tests come first, then other failures, then what is unknown',
      facts({ lint: { answer: 'unknown' }, build: { answer: 'no' }, tests: failing }),
      'yes',
      'yes',
      proofOf(leaf('lint', 'unknown'), leaf('build', 'no'), leaf('tests', 'no')),
      'Claim rejected: 2 of 4 tests fail. Also: build fails and lint unknown.',
    ],
    [
      'tests that no longer run come after other failures',
      facts({ tests: missing, build: { answer: 'no' } }),
      'yes',
      'yes',
      proofOf(leaf('tests', 'no'), leaf('build', 'no')),
      'Claim rejected: build fails: build fails. Also: 1 earlier test no longer runs.',
    ],
    [
      'accepted failures say no more than that',
      facts({ tests: { answer: 'no', counts: { total: 4, failed: 1, excused: 1 } }, build: { answer: 'no' } }),
      'yes',
      'yes',
      proofOf(leaf('tests', 'no'), leaf('build', 'no')),
      'Claim rejected: build fails: build fails. Also: tests fail.',
    ],
    [
      'flaky tests explain why the tests have no answer',
      facts({ tests: { answer: 'unknown' }, flakes: { answer: 'unknown', detail: 'One.' } }),
      'yes',
      'yes',
      proofOf(leaf('tests', 'unknown'), leaf('flakes', 'unknown')),
      'Claim not verified: flaky tests: One.',
    ],
    [
      'flaky tests after a failure',
      facts({ lint: { answer: 'no' }, flakes: { answer: 'unknown', detail: 'One.' }, tests: { answer: 'unknown' } }),
      'yes',
      'yes',
      proofOf(leaf('tests', 'unknown'), leaf('flakes', 'unknown'), leaf('lint', 'no')),
      'Claim rejected: lint fails: lint fails. Also: flaky tests and tests unknown.',
    ],
    [
      'weakened tests before open plan items and tests without an answer',
      facts({
        checklist: { answer: 'no', counts: { total: 2, open: 2 } },
        tests: { answer: 'unknown' },
        tampering: { answer: 'no', detail: 'cart.test.js was deleted.' },
      }),
      'yes',
      'yes',
      proofOf(leaf('tests', 'unknown'), leaf('checklist', 'no'), leaf('tampering', 'no')),
      'Claim rejected: tests weakened: cart.test.js was deleted. Also: plan not finished and tests unknown.',
    ],
    [
      'weakened tests before failing ones, and the plan after a command',
      facts({
        checklist: { answer: 'no', counts: { total: 2, open: 2 } },
        build: { answer: 'no' },
        tests: failing,
        tampering: { answer: 'no', detail: 'x' },
      }),
      'yes',
      'yes',
      proofOf(leaf('checklist', 'no'), leaf('build', 'no'), leaf('tests', 'no'), leaf('tampering', 'no')),
      'Claim rejected: tests weakened: x. Also: tests fail, build fails and plan not finished.',
    ],
    [
      'what the agent asks',
      facts({}, {}, { question: 'Cents, or exact?' }),
      'unknown',
      'yes',
      yes('proof'),
      'Not done: claim unknown. All checks pass. The agent asks: Cents, or exact?',
    ],
    [
      'what its CLI denied',
      facts({}, {}, { denials: ['Edit(a.ts)', 'Bash(ls)'] }),
      'unknown',
      'yes',
      yes('proof'),
      'Not done: claim unknown. All checks pass. Its CLI denied Bash(ls).',
    ],
    [
      'a condition without a check, and the same twice',
      facts({ lint: { answer: 'no' } }),
      'yes',
      'yes',
      proofOf(leaf('lint', 'no'), leaf('own', 'no', 'half'), leaf('other', 'no', 'half')),
      'Claim rejected: lint fails: lint fails. Also: half.',
    ],
  ]
  it.each(rows)('%s', (_name, seen, claim, veto, proof, sentence) => {
    const found = notDoneSentence(
      seen,
      leaf('claim', claim, `claim ${claim}`),
      leaf('no veto', veto, `veto ${veto}`),
      proof,
    )
    expect(found).toBe(sentence)
  })
})
