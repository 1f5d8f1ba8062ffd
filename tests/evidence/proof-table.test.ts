import { describe, expect, it } from 'vitest'
import {
  conclude,
  type NamedProof,
  namedInItem,
  proofLines,
  proofRequest,
  proofRows,
  readProofLines,
  withoutProof,
} from '../../packages/exitgate/src/checks/proven.ts'
import type { JudgedTest } from '../../packages/exitgate/src/checks/without.ts'

const test = (name: string, judgement: JudgedTest['judgement'], more: Partial<JudgedTest> = {}): JudgedTest => ({
  test: { file: 'csv.test.js', groups: [], name, kind: 'new' },
  judgement,
  why: 'so',
  ...more,
})
const shown = test('keeps quotes', 'proves', { failed: true })
const judged = [
  shown,
  test('reads', 'proves'),
  test('is there', 'vacuous'),
  test('later', 'could-not-run', { why: 'it is skipped' }),
]
const required = { required: true, expects: 'proof', why: 'the task asks for changed behavior' } as const
const plan = [
  { number: 1, text: 'Quoted fields' },
  { number: 2, text: 'Comments' },
]
const concluded = (all: readonly JudgedTest[], named?: Partial<NamedProof>) =>
  conclude(all, { notReverted: [] }, required, named && { items: new Map(), ...named })

describe('the table of proof', () => {
  it('says what each test does without the change and now', () =>
    expect(proofRows(concluded(judged).proof)).toEqual([
      ['', 'keeps quotes (csv.test.js)', 'fails', 'passes'],
      ['', 'reads (csv.test.js)', "can't be loaded", 'passes'],
      ['', 'is there (csv.test.js)', 'passes', 'passes'],
      ['', 'later (csv.test.js)', 'unknown', 'skipped here'],
    ]))

  it('has a row for each item, also without a test', () =>
    expect(proofRows(concluded([shown], { plan, items: new Map([[1, ['keeps quotes']]]) }).proof)).toEqual([
      ['1. Quoted fields', 'keeps quotes (csv.test.js)', 'fails', 'passes'],
      ['2. Comments', 'no test named', '', ''],
    ]))

  it('names a test that is not there', () =>
    expect(proofLines(concluded([shown], { plan, items: new Map([[2, ['no such test']]]) }).proof)).toEqual([
      'item 1. Quoted fields: no test named',
      'item 2. Comments: no such test: unknown without the change, not found now',
      'keeps quotes (csv.test.js): fails without the change, passes now',
    ]))

  it('lets one test prove two items', () =>
    expect(
      proofRows(concluded([shown], { plan, items: new Map([1, 2].map((n) => [n, ['keeps quotes']])) }).proof),
    ).toEqual([
      ['1. Quoted fields', 'keeps quotes (csv.test.js)', 'fails', 'passes'],
      ['2. Comments', 'keeps quotes (csv.test.js)', 'fails', 'passes'],
    ]))
})

describe('requirements', () => {
  const named = (items: NamedProof['items'], isRequired: boolean) =>
    concluded([shown], { plan, items, required: isRequired })
  it.each([
    ['reported', new Map(), false, 'yes', ''],
    [
      'required, and one is missing',
      new Map([[1, ['keeps quotes']]]),
      true,
      'no',
      'No named test proves item 2 ("Comments").',
    ],
    [
      'required, and both are missing',
      new Map(),
      true,
      'no',
      'No named test proves items 1 ("Quoted fields"), 2 ("Comments").',
    ],
    [
      'required, and each has one',
      new Map([
        [1, ['keeps quotes']],
        [2, ['keeps quotes']],
      ]),
      true,
      'yes',
      '',
    ],
  ] as const)('%s', (_, items, isRequired, answer, detail) => {
    const found = named(items, isRequired)
    expect([found.answer, found.detail]).toEqual([answer, expect.stringContaining(detail)])
  })
})

describe('the lines PROOF', () => {
  it.each([
    ['PROOF: none: only styles.', { none: 'only styles', items: [] }],
    ['**PROOF:** none', { none: 'no reason given', items: [] }],
    ['- PROOF: item 2: "keeps quotes"', { items: [[2, ['keeps quotes']]] }],
    ['PROOF: item 2: "a", "b"\nPROOF: item #2: `c`', { items: [[2, ['a', 'b', 'c']]] }],
    ['PROOF: item 3: keeps quotes', { items: [[3, ['keeps quotes']]] }],
    ['PROOF: item 3: none: it is a rename', { items: [[3, []]] }],
    ['PROOF: none: {why}\nPROOF: item {number}: "{name of the test}"', { items: [] }],
    [proofRequest('PLAN.md'), { items: [] }],
    ['There is no PROOF: none', { items: [] }],
  ])('%s', (text, expected) => {
    const { none, items } = readProofLines(text)
    expect({ ...(none !== undefined && { none }), items: [...items] }).toEqual(expected)
  })

  it.each([
    ['Quoted fields (PROOF: "keeps quotes")', 'Quoted fields', ['keeps quotes']],
    ['Quoted fields - PROOF: "a" and "b"', 'Quoted fields', ['a', 'b']],
    ['Quoted fields PROOF: none', 'Quoted fields', []],
    ['Quoted fields', 'Quoted fields', []],
    ['Waterproof: yes', 'Waterproof: yes', []],
  ])('in an item: %s', (text, item, names) => expect([withoutProof(text), namedInItem(text)]).toEqual([item, names]))
})
