import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/core/types.ts'
import { readGiven } from '../../src/evidence/given/given.ts'

const brief = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(readGiven(value).evidence).map(([check, { answer, counts }]) => [
      check,
      counts ? [answer, counts] : answer,
    ]),
  )

const shortcuts: [name: string, given: unknown, expected: Record<string, unknown>][] = [
  ['true', { tests: true }, { tests: 'yes' }],
  ['false', { tests: false }, { tests: 'no' }],
  ['null', { tests: null }, { tests: 'unknown' }],
  ['words', { tests: 'yes', build: 'NO', lint: 'Unknown' }, { tests: 'yes', build: 'no', lint: 'unknown' }],
  ['an object', { tests: { answer: 'yes' } }, { tests: 'yes' }],
  ['a strange answer', { tests: { answer: 'perhaps' } }, { tests: 'unknown' }],
  ['an object that says nothing', { tests: {} }, { tests: 'unknown' }],
  ['a command', { 'command:e2e': true, commands: { smoke: false } }, { 'command:e2e': 'yes', 'command:smoke': 'no' }],
  ['git', { git: { changed: true, clean: false } }, { changed: 'yes', clean: 'no' }],
  ['git modified', { git: { state: 'modified' } }, { changed: 'yes', clean: 'no' }],
  ['git clean', { git: { state: 'clean' } }, { changed: 'no', clean: 'yes' }],
  ['git untracked', { git: 'untracked' }, { changed: 'yes', clean: 'no' }],
  ['git committed', { git_state: 'committed' }, { changed: 'yes', clean: 'yes' }],
  ['git staged', { gitState: 'staged' }, { changed: 'yes', clean: 'no' }],
  ['no repository', { git: { state: 'no-repo' } }, { changed: 'unknown', clean: 'unknown' }],
  ['git that disagrees', { git: { state: 'modified', clean: true } }, { changed: 'yes', clean: 'no' }],
  ['git, dotted', { 'git.changed': true, 'git.clean': true }, { changed: 'yes', clean: 'yes' }],
  ['clean_git', { clean_git: true }, { clean: 'yes' }],
  ['git_clean and gitClean', { git_clean: true, gitClean: false }, { clean: 'no' }],
  ['acceptance criteria', { acceptance_criteria_met: true }, { criteria: 'yes' }],
  ['criteriaMet', { criteriaMet: false }, { criteria: 'no' }],
  ['tests_pass and build_ok', { tests_pass: true, 'build-ok': true }, { tests: 'yes', build: 'yes' }],
  ['done_file', { done_file: true }, { 'task-done': 'yes' }],
  ['task_in_done', { taskInDone: false }, { 'task-done': 'no' }],
  ['plan and docs', { plan: true, docs: 'no' }, { checklist: 'yes', documents: 'no' }],
  ['roadmap', { roadmap: null }, { checklist: 'unknown' }],
  ['proven', { red_proof: true, redProof: true }, { proven: 'yes' }],
]

describe('short forms and other names', () => {
  it.each(shortcuts)('%s', (_name, given, expected) => expect(brief(given)).toEqual(expected))
})

const t = (counts: Record<string, unknown>, answer?: string) => ({
  tests: answer === undefined ? { counts } : { answer, counts },
})
const derived: [name: string, given: unknown, check: string, answer: Answer][] = [
  ['none failed', t({ passed: 3, failed: 0 }), 'tests', 'yes'],
  ['some failed', t({ passed: 3, failed: 1 }), 'tests', 'no'],
  ['failed, all excused', t({ passed: 3, failed: 1, excused: 1 }), 'tests', 'yes'],
  ['failed, too few excused', t({ passed: 3, failed: 2, excused: 1 }), 'tests', 'no'],
  ['no tests', t({ total: 0 }), 'tests', 'unknown'],
  ['no tests at all', t({ passed: 0, failed: 0 }), 'tests', 'unknown'],
  ['only skipped', t({ total: 2, passed: 0, failed: 0, skipped: 2 }), 'tests', 'unknown'],
  ['all of total', t({ total: 4, passed: 4 }), 'tests', 'yes'],
  ['fewer than total', t({ total: 4, passed: 3 }), 'tests', 'unknown'],
  ['more than total', t({ total: 4, passed: 3, failed: 0, skipped: 2 }), 'tests', 'unknown'],
  ['some are lost', t({ total: 6, passed: 3, failed: 0 }), 'tests', 'unknown'],
  ['passed alone', t({ passed: 3 }), 'tests', 'unknown'],
  ['yes with zero tests', t({ total: 0 }, 'yes'), 'tests', 'unknown'],
  ['yes with failures', t({ total: 5, failed: 2 }, 'yes'), 'tests', 'no'],
  ['yes with excused failures', t({ total: 5, passed: 3, failed: 2, excused: 2 }, 'yes'), 'tests', 'yes'],
  ['yes with a total', t({ total: 5 }, 'yes'), 'tests', 'yes'],
  ['no with passing counts', t({ passed: 5, failed: 0 }, 'no'), 'tests', 'no'],
  ['unknown with passing counts', t({ passed: 5, failed: 0 }, 'unknown'), 'tests', 'unknown'],
  ['criteria met', { criteria: { total: 3, met: 3 } }, 'criteria', 'yes'],
  ['criteria not met', { criteria: { counts: { total: 3, met: 2 } } }, 'criteria', 'no'],
  ['no criteria', { criteria: { answer: 'yes', counts: { total: 0, met: 0 } } }, 'criteria', 'unknown'],
  ['more met than there are', { criteria: { total: 3, met: 4 } }, 'criteria', 'unknown'],
  ['checklist done', { checklist: { total: 3, open: 0 } }, 'checklist', 'yes'],
  ['checklist open', { checklist: { total: 3, done: 2 } }, 'checklist', 'no'],
  ['checklist yes and open', { checklist: { answer: 'yes', counts: { total: 3, open: 1 } } }, 'checklist', 'no'],
  ['checklist yes and empty', { checklist: { answer: 'yes', counts: { total: 0 } } }, 'checklist', 'unknown'],
  ['checklist that does not add up', { checklist: { total: 3, done: 2, open: 0 } }, 'checklist', 'unknown'],
  ['documents', { documents: { docs: 3, diagrams: 2, diagramsValid: 2, adr: true, c4: true } }, 'documents', 'yes'],
  [
    'a broken diagram',
    { documents: { answer: 'yes', counts: { docs: 3, diagrams: 2, diagramsValid: 1 } } },
    'documents',
    'no',
  ],
  ['no diagrams', { documents: { answer: 'yes', counts: { docs: 3, diagrams: 0 } } }, 'documents', 'unknown'],
  ['no ADR', { documents: { docs: 3, diagrams: 1, diagramsValid: 1, adr: false } }, 'documents', 'unknown'],
  ['review approves', { review: { verdict: 'APPROVE', blocking_issues: 0 } }, 'review', 'yes'],
  ['review rejects', { review: { verdict: 'REJECT' } }, 'review', 'no'],
  ['review yes with blocking issues', { review: { answer: true, counts: { blocking: 2 } } }, 'review', 'no'],
  ['anything yes of nothing', { 'command:e2e': { answer: 'yes', total: 0 } }, 'command:e2e', 'unknown'],
  ['review without a verdict', { review: { blocking: 0 } }, 'review', 'unknown'],
]

describe('numbers', () => {
  it.each(derived)('%s', (_name, given, check, answer) => {
    const { evidence, problems } = readGiven(given)
    expect(evidence[check]).toMatchObject({ check, answer })
    expect(problems).toEqual([])
  })

  it('that contradict a yes appear in the detail', () => {
    const { evidence } = readGiven({ tests: { answer: 'yes', detail: 'CI run 12.', counts: { total: 0 } } })
    expect(evidence.tests?.detail).toBe('CI run 12. Given as yes, but: No tests ran.')
  })
})

const names: [name: string, given: unknown, expected: Record<string, unknown>][] = [
  [
    'of the phases of prp',
    { tests: { tests_total: 10, tests_passing: 10, tests_failing: 0, consecutive_green_runs: 2, tests_skipped: 0 } },
    { tests: ['yes', { total: 10, passed: 10, failed: 0, greenRuns: 2, skipped: 0 }] },
  ],
  [
    'under the wrong check',
    { tests: { tests_generated: 5, criteria_count: 5, criteria_covered: 4, failing: 5 } },
    { tests: ['no', { total: 5, failed: 5, passed: 0 }], criteria: ['no', { total: 5, met: 4 }] },
  ],
  [
    'at the top',
    { testsTotal: 3, 'tests.passed': 3, has_adr: true, 'criteria-count': 2 },
    {
      tests: ['yes', { total: 3, passed: 3, failed: 0 }],
      documents: ['unknown', { adr: 1 }],
      criteria: ['unknown', { total: 2 }],
    },
  ],
  [
    'of documents',
    { docs: { docs_generated: 4, diagrams_total: 3, diagrams_valid: 3, has_adr: true, has_c4_diagrams: true } },
    { documents: ['yes', { docs: 4, diagrams: 3, diagramsValid: 3, adr: 1, c4: 1 }] },
  ],
  [
    'all diagrams valid, of a number',
    { documents: { docs: 3, diagrams: 3, all_diagrams_valid: true } },
    { documents: ['yes', { docs: 3, diagrams: 3, diagramsValid: 3 }] },
  ],
  [
    'all diagrams valid, one of them C4',
    { documents: { docs: 3, allDiagramsValid: true, hasC4Diagrams: true } },
    { documents: ['yes', { docs: 3, c4: 1, diagrams: 1, diagramsValid: 1 }] },
  ],
  [
    'all diagrams valid, of none',
    { documents: { docs: 3, all_diagrams_valid: true } },
    { documents: ['unknown', { docs: 3 }] },
  ],
  [
    'not all diagrams valid',
    { documents: { docs: 3, all_diagrams_valid: false } },
    { documents: ['no', { docs: 3, diagrams: 1, diagramsValid: 0 }] },
  ],
  ['of a plan', { plan: { completed: 2, remaining: 1 } }, { checklist: ['no', { done: 2, open: 1, total: 3 }] }],
  [
    'of quality',
    { quality: { complexity_score: 3.5, duplication_count: 2, patterns_applied: ['a', 'b'] } },
    { quality: ['unknown', { complexity: 3.5, duplication: 2, patterns: 2 }] },
  ],
  ['in quotes', { tests: { passed: '3', failed: '0' } }, { tests: ['yes', { passed: 3, failed: 0, total: 3 }] }],
  [
    'of a command stay with it',
    { 'command:e2e': { answer: true, passed: 3 } },
    { 'command:e2e': ['yes', { passed: 3 }] },
  ],
  ['told twice, the cautious one holds', { tests: true, tests_pass: { failed: 1 } }, { tests: ['no', { failed: 1 }] }],
]

describe('names of counts', () => {
  it.each(names)('%s', (_name, given, expected) => {
    expect(brief(given)).toEqual(expected)
    expect(readGiven(given).problems).toEqual([])
  })
})

const outputs: [name: string, output: unknown, answer: Answer][] = [
  ['passing', '===== 12 passed in 0.31s =====', 'yes'],
  ['failing', '1..2\nok 1 a\nnot ok 2 b\n', 'no'],
  ['unrecognised', 'hello', 'unknown'],
  ['missing', null, 'unknown'],
  ['empty run', 'no tests ran in 0.01s', 'unknown'],
]

describe('printed test output', () => {
  it.each(outputs)('%s', (_name, output, answer) => {
    expect(readGiven({ tests: { output } }).evidence.tests?.answer).toBe(answer)
  })

  it('is not overruled by a given answer', () => {
    expect(readGiven({ tests: { answer: 'yes', output: 'FAIL a\n' } }).evidence.tests?.answer).toBe('no')
  })

  it('gives its counts', () => {
    const { counts } = readGiven({ tests: { output: '1 failed, 2 passed, 1 skipped in 0.1s' } }).evidence.tests ?? {}
    expect(counts).toEqual({ total: 4, passed: 2, failed: 1, skipped: 1 })
  })
})

const refused: [name: string, given: unknown, problem: RegExp, checks: readonly string[]][] = [
  ['a list', [], /not a list/, []],
  ['null', null, /not nothing/, []],
  ['a string', 'tests', /not a string/, []],
  ['nothing', undefined, /not nothing/, []],
  ['__proto__', JSON.parse('{"__proto__": {"answer": "yes"}}'), /"__proto__" is not allowed/, []],
  ['constructor', { constructor: true }, /"constructor" is not allowed/, []],
  [
    '__proto__ as a count',
    { tests: { counts: JSON.parse('{"__proto__": 1}') } },
    /"__proto__" is not allowed/,
    ['tests'],
  ],
  ['__proto__ in git', { git: JSON.parse('{"__proto__": 1}') }, /"__proto__" is not allowed/, []],
  ['a negative count', { tests: { failed: -1 } }, /failed is -1/, ['tests']],
  ['a count that is none', { tests: { failed: 'some' } }, /failed is "some"/, ['tests']],
  ['a list as an answer', { tests: [] }, /expected yes, no, unknown/, ['tests']],
  ['an unknown check', { coverage: 'no' }, /There is no check called "coverage"/, ['coverage']],
  ['an unknown git state', { git: { state: 'weird' } }, /state is "weird"/, []],
]

describe('invalid input', () => {
  it.each(refused)('%s', (_name, given, problem, checks) => {
    const { evidence, problems } = readGiven(given)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(problem)
    expect(Object.keys(evidence)).toEqual(checks)
  })

  it('never throws, never answers yes for zero tests, and leaves prototypes alone', () => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom('tests', 'counts', 'answer', 'total', '__proto__', 'git', 'x') }),
        (given) => {
          const { evidence } = readGiven(given)
          for (const { answer, counts } of Object.values(evidence)) {
            if (counts?.total === 0) expect(answer).not.toBe('yes')
          }
          expect(Object.getPrototypeOf({})).toBe(Object.prototype)
          expect(({} as Record<string, unknown>).answer).toBeUndefined()
        },
      ),
    )
  })
})

it('adds the tree and the check', () => {
  expect(readGiven({ tests: true }, 'abc').evidence).toEqual({
    tests: { check: 'tests', answer: 'yes', detail: 'Given as yes.', ms: 0, tree: 'abc' },
  })
})
