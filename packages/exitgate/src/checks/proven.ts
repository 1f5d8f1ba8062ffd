import { count, listOf } from '../../../core/src/count.ts'
import type { Expects, Requirement } from './expects.ts'
import { titleOf } from './test-names.ts'
import type { JudgedTest, Judgement, TestToProve, WithoutPlan } from './without.ts'

/** What a test does without the change. */
export type Without = 'fails' | 'not-loaded' | 'passes' | 'unknown' | 'not-named'

/** A row of the table of proof. */
export interface ProvenTest {
  /** Empty if the agent named no test for this item. */
  readonly name: string
  readonly file?: string
  /** The item of the plan that it is named for, and its text. */
  readonly item?: number
  readonly about?: string
  readonly without: Without
  /** Why it shows nothing, as a clause. */
  readonly why?: string
}

/** The proof of a claim, for people. */
export interface ProofTable {
  readonly tests: readonly ProvenTest[]
  readonly expects: Expects
  /** Why proof is required, or why not. */
  readonly why: string
  /** Why the agent says there can be no test. */
  readonly agent?: string
  /** Where a service is set that the runs share, and that nothing resets. */
  readonly shared?: string
}

export interface Conclusion {
  /** `no` only if proof is required. */
  readonly answer: 'yes' | 'no' | 'unknown'
  readonly detail: string
  readonly counts: Readonly<Record<'proves' | 'vacuous' | 'couldNotRun' | 'required', number>>
  readonly proof: ProofTable
}

const NAMED = 5
/** More rows than this are counted only: the journal stores them with every iteration. */
const MOST_ROWS = 50

/** What run C showed, against what was required. */
export function conclude(
  judged: readonly JudgedTest[],
  { notReverted }: Pick<WithoutPlan, 'notReverted'>,
  { required, expects, why, shared }: Requirement,
  named: NamedProof = NO_NAMES,
): Conclusion {
  const those = (judgement: Judgement) => judged.filter((each) => each.judgement === judgement)
  const [proves, vacuous, rest] = [those('proves'), those('vacuous'), those('could-not-run')]
  const counts = {
    proves: proves.length,
    vacuous: vacuous.length,
    couldNotRun: rest.length,
    required: required || named.required === true ? 1 : 0,
  }
  const table = tableOf(judged, named)
  const shown = new Set(table.filter(isProof).map(({ item }) => item))
  const openItems = named.required === true ? (named.plan ?? []).filter((each) => !shown.has(each.number)) : []
  const sentences = [
    judged.length === 0
      ? 'No test is new, changed or newly fixed.'
      : `${proves.length} of ${count(judged.length, 'new, changed or fixed test')} ${judged.length === 1 ? 'fails' : 'fail'} without the code changes${proves.length === judged.length ? ', as expected' : ''}.`,
    vacuous.length > 0 && `Passing even without the code changes, so proving nothing: ${list(vacuous)}.`,
    rest.length > 0 && `Could not be judged: ${list(rest, true)}.`,
    loadOnly(proves),
    proves.length > 0 &&
      shared !== undefined &&
      `Shared database (${shared}): a run may see what an earlier one left. Set evidence.reset.`,
    notReverted.length > 0 && `Could not be reverted: ${some(notReverted)}.`,
    named.none !== undefined && proves.length === 0 && `The agent says why there is no test: ${named.none}.`,
    proves.length === 0 && !required && `Not required: ${why}.`,
    openItems.length > 0 &&
      `No named test proves ${openItems.length === 1 ? 'item' : 'items'} ${some(openItems.map((each) => `${each.number} ("${each.text}")`))}.`,
  ]
  const isRefused = openItems.length > 0 || (required && proves.length === 0)
  return {
    answer: isRefused ? 'no' : proves.length > 0 ? 'yes' : 'unknown',
    detail: sentences.filter((sentence) => sentence !== false).join(' '),
    counts,
    proof: {
      tests: table.slice(0, MOST_ROWS),
      expects,
      why,
      ...(named.none !== undefined && { agent: named.none }),
      ...(proves.length > 0 && shared !== undefined && { shared }),
    },
  }
}

/** An item of the plan that was open at the start. */
export interface PlanItem {
  readonly number: number
  readonly text: string
}

/** What the agent's report and the plan say about proof. */
export interface NamedProof {
  /** `PROOF: none: why` */
  readonly none?: string
  /** `PROOF: item 2: "name of the test"` */
  readonly items: ReadonlyMap<number, readonly string[]>
  /** The items that this run is about. */
  readonly plan?: readonly PlanItem[]
  /** Each of them needs a test that proves it. */
  readonly required?: boolean
}

export const NO_NAMES: NamedProof = { items: new Map() }

/** A test that proves the work. */
const isProof = ({ without }: Pick<ProvenTest, 'without'>): boolean => without === 'fails' || without === 'not-loaded'

/** A row for each judged test, for each other name, and for each item without a name. */
function tableOf(judged: readonly JudgedTest[], { items, plan = [] }: NamedProof): readonly ProvenTest[] {
  const aboutOf = new Map(plan.map(({ number, text }) => [number, text]))
  const itemRow = (item: number) => ({ item, ...(aboutOf.has(item) && { about: aboutOf.get(item)! }) })
  const numbers = new Set([...plan.map(({ number }) => number), ...items.keys()])
  const named = [...numbers].flatMap((item) => (items.get(item) ?? []).map((name) => ({ item, name })))
  const used = new Set<string>()
  const rows = judged.flatMap((each): ProvenTest[] => {
    const { test } = each
    const row = { name: labelOf(test), ...(test.file !== '' && { file: test.file }), ...withoutOf(each) }
    const own = named.filter(({ name }) => [row.name, test.name].some((label) => plainName(label) === plainName(name)))
    for (const { item, name } of own) used.add(`${item} ${name}`)
    return own.length === 0 ? [row] : own.map(({ item }) => ({ ...row, ...itemRow(item) }))
  })
  const unknown = named
    .filter(({ item, name }) => !used.has(`${item} ${name}`))
    .map(({ item, name }): ProvenTest => ({ name, ...itemRow(item), without: 'unknown', why: NO_SUCH_TEST }))
  const unnamed = [...numbers]
    .filter((item) => (items.get(item) ?? []).length === 0)
    .map((item): ProvenTest => ({ name: '', ...itemRow(item), without: 'not-named' }))
  const order = ({ item = Number.MAX_SAFE_INTEGER / 10, without }: ProvenTest) => item * 10 + ORDER.indexOf(without)
  return [...rows, ...unknown, ...unnamed].sort((one, other) => order(one) - order(other))
}

const NO_SUCH_TEST = 'no new or changed test has this name'
const ORDER: readonly Without[] = ['fails', 'not-loaded', 'passes', 'unknown', 'not-named']

const plainName = (name: string): string =>
  titleOf(name)
    .toLowerCase()
    .replace(/[\s"'`]+/g, ' ')
    .trim()

function withoutOf({ judgement, failed, why }: JudgedTest): Pick<ProvenTest, 'without' | 'why'> {
  if (judgement === 'proves') return { without: failed === true ? 'fails' : 'not-loaded' }
  return judgement === 'vacuous' ? { without: 'passes' } : { without: 'unknown', why }
}

const WITHOUT_TEXT: Readonly<Record<Without, string>> = {
  fails: 'fails',
  'not-loaded': "can't be loaded",
  passes: 'passes',
  unknown: 'unknown',
  'not-named': '',
}

/** The heads of the table of proof. */
export const PROOF_HEADS = ['Item', 'Test', 'Without the change', 'Now'] as const
const NO_TEST = 'no test named'
/** For a test that C could not judge, what it does on the new code. */
const NOW: Readonly<Record<string, string>> = {
  'it is skipped': 'skipped here',
  'it fails with the changes too': 'fails here',
  'no report contains it': 'not run here',
  [NO_SUCH_TEST]: 'not found',
}

/** The rows of the table as texts. Without a plan there is no item. */
export const proofRows = ({ tests }: Pick<ProofTable, 'tests'>): readonly (readonly string[])[] =>
  tests.map(({ name, file, item, about, without, why = '' }) => {
    const isNamed = without !== 'not-named'
    return [
      item === undefined ? '' : `${item}${about === undefined ? '' : `. ${about}`}`,
      isNamed ? `${name}${file === undefined || name === file ? '' : ` (${file})`}` : NO_TEST,
      WITHOUT_TEXT[without],
      isNamed ? (NOW[why] ?? 'passes') : '',
    ]
  })

/** The same as lines for a terminal: `item 2. Quoted fields: quotes (csv.test.js): fails without the change, passes now`. */
export const proofLines = (table: Pick<ProofTable, 'tests'>): readonly string[] =>
  proofRows(table).map(([item = '', test = '', without = '', now = '']) => {
    const result = without === '' ? '' : `: ${without} without the change, ${now} now`
    return `${item === '' ? '' : `item ${item}: `}${test}${result}`.replace(/ here now$/, ' here')
  })

/** What to do about work that nothing proves. */
export const ADD_TEST =
  'Add a test under a new name that fails without the change. If there can be none, say why: "PROOF: none: ...".'

/** For the agent's prompt. It contains only placeholders. */
export function proofRequest(plan: string | undefined): string {
  const name =
    plan === undefined
      ? 'Name the test that proves the work in your final message: PROOF: "{name of the test}"'
      : `For each item that you finish, name the test that proves it, in your final message or at the end of the item's line in ${plan}: PROOF: item {number}: "{name of the test}"`
  return `## Proof

exitgate runs the tests without your change. At least one of them has to fail then.

- For changed behavior, add a test under a new name. A changed expectation of an existing test proves nothing.
- ${name}
- If no test can show the work, say why: PROOF: none: {why}`
}

/** For a headline that lists what passed. */
export function provenText(proves = 0, table?: ProofTable): string {
  const names = (table === undefined ? [] : provingNames(table)).map((name) => `"${name}"`)
  return names.length > 0
    ? `proven by: ${listOf(names, NAMED_IN_HEADLINE)}${table?.shared === undefined ? '' : ' (shared database)'}`
    : proves > 0
      ? `${count(proves, 'test fails', 'tests fail')} without the change`
      : 'the work is proven'
}

/** What the checks know about a proof that is missing. */
interface Missing {
  readonly detail: string
  readonly proof?: ProofTable
  readonly accepted?: readonly { readonly by: string; readonly reason: string }[]
  readonly findings?: readonly { readonly id: string }[]
}

/** The headline of work that passes every check, but that nothing proves. */
export function passedSentence(verified: string, missing: Missing | undefined): string {
  const { proof, accepted: [accepted] = [] } = missing ?? {}
  const why =
    accepted !== undefined
      ? `Accepted by ${accepted.by} without a proof: ${accepted.reason.replace(/\.$/, '')}.`
      : proof !== undefined && `No proof was required: ${proof.why}.`
  const rest = [verified.replace(/^Verified: /, 'Passed, not proven: '), why, agentSaid(proof)]
  return rest.filter(Boolean).join(' ')
}

/** Why a run ended in which proof was required and is missing. */
export function unprovenText(missing: Missing | undefined, isSecond: boolean): string {
  const { detail = '', findings: [finding] = [] } = missing ?? {}
  const rest = [
    `the tests pass, but nothing shows that the task was done${isSecond ? ', also after one more try' : ''}.`,
    detail,
    finding &&
      `If it was done: exitgate accept ${finding.id} --reason "..."${isSecond ? ', then exitgate run --resume' : ''}`,
  ]
  return rest.filter(Boolean).join(' ')
}

const agentSaid = (proof: ProofTable | undefined) =>
  proof?.agent !== undefined && `The agent says why there is no test: ${proof.agent}.`

const NAMED_IN_HEADLINE = 3

/** The names of the tests that prove the work, for a headline. */
export const provingNames = ({ tests }: Pick<ProofTable, 'tests'>): readonly string[] => [
  ...new Set(tests.filter(isProof).map(({ name }) => name)),
]

function loadOnly(proves: readonly JudgedTest[]): string | false {
  const unloaded = proves.filter(({ failed }) => failed !== true)
  return unloaded.length > 0 && `Counted as failing because they could not be loaded: ${list(unloaded, true)}.`
}

export const labelOf = ({ file, groups, name }: TestToProve): string =>
  name === '' ? file || 'the tests as a whole' : [...groups, name].join(' > ')

const list = (judged: readonly JudgedTest[], withReason = false) =>
  some(
    judged.map(
      ({ test, why }) => `${labelOf(test)}${withReason ? ` (${why})` : test.file === '' ? '' : ` (${test.file})`}`,
    ),
    '; ',
  )

const some = (all: readonly string[], between = ', ') =>
  all.slice(0, NAMED).join(between) + (all.length > NAMED ? ` and ${all.length - NAMED} more` : '')

const LINE = /^[\s>*_`-]*PROOF[*_`\s]*:[*_\s]*(.+?)[\s*_]*$/i
const ITEM = /^item\s+#?(\d+)\s*:\s*(.*)$/i
const NONE = /^none\b\s*[:,.–—-]*\s*(.*)$/i
const LONGEST = 300

/** Reads the lines `PROOF: ...` of the agent's final message. They name tests for a table and prove nothing. */
export function readProofLines(text: string): NamedProof {
  const items = new Map<number, readonly string[]>()
  let none: string | undefined
  for (const line of text.split('\n')) {
    const said = LINE.exec(line)?.[1]
    if (said === undefined) continue
    const [, number, rest = ''] = ITEM.exec(said) ?? []
    const why = NONE.exec(number === undefined ? said : rest)?.[1]
    if (said.includes('{')) continue
    if (number !== undefined) {
      const names = why === undefined ? quotedIn(rest) : []
      items.set(Number(number), [...(items.get(Number(number)) ?? []), ...names])
    } else if (why !== undefined) none = why.replace(/\.$/, '').slice(0, LONGEST) || 'no reason given'
  }
  return { ...(none !== undefined && { none }), items }
}

/** The quoted names of a text, or the whole text. */
export function quotedIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/"([^"]+)"|`([^`]+)`|“([^”]+)”/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  const plain = text.trim().replace(/[.,;]$/, '')
  return (quoted.length > 0 ? quoted : plain === '' ? [] : [plain]).map((name) => name.slice(0, LONGEST))
}

const IN_ITEM = /(?:^|\s+)[([–—-]*\s*PROOF\s*:\s*(.*?)[)\]]?\s*$/i

/** An item without the name of its test, so that naming it doesn't reword the item. */
export const withoutProof = (item: string): string => item.replace(IN_ITEM, '')

/** The tests that an item of the plan names itself: `- [x] Quoted fields (PROOF: "keeps quotes")`. */
export function namedInItem(item: string): readonly string[] {
  const said = IN_ITEM.exec(item)?.[1]
  return said === undefined || NONE.test(said) || said.includes('{') ? [] : quotedIn(said)
}
