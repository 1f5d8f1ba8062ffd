import { expect, it } from 'vitest'
import { finding } from '../../src/core/policy/finding.ts'
import {
  asking,
  asksPermission,
  asksQuestion,
  errors,
  lowConfidence,
  needsAccept,
  needsHuman,
  permissionDenied,
  undecided,
  unverifiable,
} from '../../src/core/policy/rules/needs-human.ts'
import type { Answer, Condition, Facts, OpenFinding } from '../../src/core/types.ts'
import { facts } from './made-facts.ts'

const streak = (name: string, n: number, signals: object = {}, checks = {}) =>
  facts(checks, { streaks: { [name]: { n } } }, signals)
const told = (signals: object, checks = {}) => facts(checks, {}, { denials: [], ...signals })
const open = (ids: readonly string[], kind = 'test-removed', n = 2, asked = 0): Facts => {
  const findings: OpenFinding[] = ids.map((id) => ({ id, key: id, kind, file: 'a.js', detail: 'It is gone.' }))
  return facts({ tampering: { answer: 'no', findings, counts: { asked } } }, { streaks: { undecided: { n } } })
}
const is =
  (answer: Answer): Condition =>
  () =>
    finding('n', answer, answer)
const withFindings = (onlyFindings: true | undefined, signals: object) =>
  facts({ tampering: { answer: 'no', ...(onlyFindings === undefined ? {} : { onlyFindings }) } }, {}, signals)
const leftOver =
  (answer: Answer): Condition =>
  () =>
    finding('proof', answer, '', [finding('tampering', answer, ''), finding('lint', 'yes', '')])
const asks = asking.when
const files = (answer: Answer) => ({ changed: { answer } })

const rows: readonly [string, Condition, Facts, Answer, detail: string][] = [
  [
    'blocked often enough',
    needsHuman(2).when,
    streak('blocked', 2, { blocker: 'no key' }),
    'yes',
    'the agent is blocked: no key',
  ],
  ['blocked once', needsHuman(2).when, streak('blocked', 1), 'no', 'the agent reports no blocker'],
  ['never blocked', needsHuman(2).when, facts(), 'no', 'the agent reports no blocker'],

  [
    'one finding',
    needsAccept.when,
    open(['f1']),
    'yes',
    'Only you can decide about 1 change to the tests: f1 (a.js: It is gone). If this is right: exitgate accept f1 --reason "...", then exitgate run --resume',
  ],
  [
    'two findings',
    needsAccept.when,
    open(['f1', 'f2']),
    'yes',
    'Only you can decide about 2 changes to the tests: f1 (a.js: It is gone) and 1 more. If this is right: exitgate accept f1 f2 --reason "...", then exitgate run --resume',
  ],
  [
    'findings in the source',
    needsAccept.when,
    open(['f1'], 'special-cased'),
    'yes',
    'Only you can decide about 1 finding: f1 (a.js: It is gone). If this is right: exitgate accept f1 --reason "...", then exitgate run --resume',
  ],
  [
    'the first time, if all of it is to be decided at once',
    needsAccept.when,
    open(['f1'], 'expectation-changed', 1, 1),
    'yes',
    'Only you can decide about 1 change to the tests: f1 (a.js: It is gone). If this is right: exitgate accept f1 --reason "...", then exitgate run --resume',
  ],
  [
    'the first time, if something else is open too',
    needsAccept.when,
    open(['f1', 'f2'], 'expectation-changed', 1, 1),
    'no',
    'no change to the tests waits for you alone',
  ],
  ['the first time', needsAccept.when, open(['f1'], 'k', 1), 'no', 'no change to the tests waits for you alone'],
  ['no count', needsAccept.when, facts(), 'no', 'no change to the tests waits for you alone'],

  [
    'only findings are left after a claim',
    undecided(is('yes'), leftOver('no')).when,
    withFindings(true, {}),
    'yes',
    'only the user can decide about the rest',
  ],
  ['without a claim', undecided(is('unknown'), leftOver('no')).when, withFindings(true, {}), 'no', 'more is missing'],
  [
    'without a claim, but blocked',
    undecided(is('unknown'), leftOver('no')).when,
    withFindings(true, { blocker: 'b' }),
    'yes',
    'only the user can decide about the rest',
  ],
  [
    'an explicit "not done"',
    undecided(is('yes'), leftOver('no')).when,
    withFindings(true, { vetoes: ['v'] }),
    'no',
    'more is missing',
  ],
  [
    'more than findings',
    undecided(is('yes'), leftOver('no')).when,
    withFindings(undefined, {}),
    'no',
    'more is missing',
  ],
  [
    'a check without an answer',
    undecided(is('yes'), leftOver('unknown')).when,
    withFindings(true, {}),
    'no',
    'more is missing',
  ],
  ['nothing is left', undecided(is('yes'), leftOver('yes')).when, withFindings(true, {}), 'no', 'more is missing'],

  ['no question', asks, told({}), 'no', 'the agent asked for nothing'],
  ['a question', asks, told({ phrases: ['asks:may-i'] }), 'yes', 'the agent asks'],
  ['a question after a change', asks, told({ phrases: ['asks:may-i'] }, files('yes')), 'no', 'the agent asks'],
  ['a denial alone', asks, told({ denials: ['Bash'] }), 'no', 'the agent asks'],
  ['a denial without a change', asks, told({ denials: ['Bash'] }, files('no')), 'yes', 'the agent asks'],
  [
    'a denial and a question',
    asks,
    told({ denials: ['Bash'], phrases: ['ralph-question:x'] }),
    'yes',
    'the agent asks',
  ],
  [
    'another question without a denial',
    asks,
    told({ phrases: ['ralph-question:x'] }),
    'no',
    'the agent asked for nothing',
  ],
  ['a question to you', asks, told({ question: 'A or B?' }), 'yes', 'the agent asks'],
  ['a question to you after a change', asks, told({ question: 'A or B?' }, files('yes')), 'no', 'the agent asks'],
  [
    'permission, in other words',
    asksQuestion(2).when,
    streak('asking', 2, { denials: [] }),
    'no',
    '2 iterations in a row in which the agent only asked',
  ],
  [
    'a question too often',
    asksQuestion(2).when,
    streak('asking', 2, { question: 'A or B?' }),
    'yes',
    'the agent asks: A or B?',
  ],
  [
    'a question once',
    asksQuestion(2).when,
    streak('asking', 1, { question: 'A or B?' }),
    'no',
    '1 iteration in a row in which the agent only asked',
  ],
  [
    'a question is not about permission',
    asksPermission(2).when,
    streak('asking', 2, { denials: [], phrases: [], question: 'A or B?' }),
    'no',
    '2 iterations in a row in which the agent only asked',
  ],
  [
    'a question for permission is',
    asksPermission(2).when,
    streak('asking', 2, { denials: [], phrases: ['asks:leave'], question: 'Please grant it.' }),
    'yes',
    'the agent asked for permission in 2 iterations in a row and no file changed',
  ],
  [
    'asked too often',
    asksPermission(2).when,
    streak('asking', 2, { denials: [] }),
    'yes',
    'the agent asked for permission in 2 iterations in a row and no file changed',
  ],
  [
    'with the last denial',
    asksPermission(2).when,
    streak('asking', 3, { denials: ['A', 'B'] }),
    'yes',
    'the agent asked for permission in 3 iterations in a row and no file changed. Its CLI denied B',
  ],
  [
    'asked once',
    asksPermission(2).when,
    streak('asking', 1, { denials: [] }),
    'no',
    '1 iteration in a row in which the agent only asked',
  ],

  ['a denied tool', permissionDenied([]).when, told({ denials: ['A', 'B'] }), 'yes', 'permission denied: A, B'],
  [
    'a denied tool, and then a change',
    permissionDenied([]).when,
    told({ denials: ['A'] }, files('yes')),
    'no',
    'permission denied: A',
  ],
  ['no denied tool', permissionDenied([]).when, told({}), 'no', 'no permission was denied'],
  [
    'an allowed command in a compound',
    permissionDenied(['Bash(npm *)']).when,
    told({ denials: ['Bash(npm i x && y)'] }),
    'no',
    'no permission was denied',
  ],
  [
    'another command',
    permissionDenied(['Bash(npm *)']).when,
    told({ denials: ['Bash(rm x)'] }),
    'yes',
    'permission denied: Bash(rm x)',
  ],
  [
    'an allowed tool that is no command',
    permissionDenied(['Write']).when,
    told({ denials: ['Write'] }),
    'yes',
    'permission denied: Write',
  ],

  [
    'claims that no check could answer',
    unverifiable(2).when,
    streak('unverifiable', 2),
    'yes',
    'the agent claimed to be done 2 times, but no check could answer. Pass --test "..." or set commands.test',
  ],
  [
    'because of flaky tests',
    unverifiable(2).when,
    streak('unverifiable', 2, {}, { flakes: {} }),
    'yes',
    'the agent claimed to be done 2 times, but no check could answer. Some tests give different results on the same code: fix them, or list them in evidence.quarantine',
  ],
  ['one of them', unverifiable(2).when, streak('unverifiable', 1), 'no', '1 claim that no check could answer'],
  ['never asked', asksPermission(2).when, told({}), 'no', '0 iterations in a row in which the agent only asked'],
  ['no such claim', unverifiable(2).when, facts(), 'no', '0 claims that no check could answer'],
  [
    'a command that ends like an allowed one',
    permissionDenied(['Bash(npm *)']).when,
    told({ denials: ['Bash(pnpm x)'] }),
    'yes',
    'permission denied: Bash(pnpm x)',
  ],
  [
    'another tool than an allowed command',
    permissionDenied(['Bash(npm *)']).when,
    told({ denials: ['Write'] }),
    'yes',
    'permission denied: Write',
  ],
  ['too many errors', errors(1).when, told({ phrases: ['error:a', 'error:b'] }), 'yes', 'Error count 2 > threshold 1'],
  ['as many as allowed', errors(1).when, told({ phrases: ['error:a'] }), 'no', 'Error count 1'],
  ['unsure', lowConfidence(51).when, told({ length: 1 }), 'yes', 'AI confidence 50% < threshold 51%'],
  ['sure enough', lowConfidence(50).when, told({ length: 1 }), 'no', 'AI confidence 50%'],
  ['no output', lowConfidence(50).when, told({ length: 0 }), 'unknown', 'the agent printed nothing'],
]
it.each(rows)('%s', (_name, condition, seen, answer, detail) => {
  const found = condition(seen)
  expect([found.answer, found.detail]).toEqual([answer, detail])
})

it('other findings are another try, and at most ten ids are listed', () => {
  const key = undecided(is('yes'), is('no')).key!
  expect([key(open(['f2', 'f1'])), key(facts())]).toEqual(['f1 f2', ''])
  const ids = Array.from({ length: 12 }, (_, n) => `f${n}`)
  expect(needsAccept.when(open(ids)).detail).toContain(`exitgate accept ${ids.slice(0, 10).join(' ')} --reason`)
})
