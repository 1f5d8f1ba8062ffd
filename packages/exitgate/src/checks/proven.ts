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
  /** The item of the plan that it is named for. */
  readonly item?: number
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
  { required, expects, why }: Requirement,
  named: NamedProof = NO_NAMES,
): Conclusion {
  const those = (judgement: Judgement) => judged.filter((each) => each.judgement === judgement)
  const [proves, vacuous, rest] = [those('proves'), those('vacuous'), those('could-not-run')]
  const counts = {
    proves: proves.length,
    vacuous: vacuous.length,
    couldNotRun: rest.length,
    required: required ? 1 : 0,
  }
  const sentences = [
    judged.length === 0
      ? 'No test is new, changed or newly fixed.'
      : `${proves.length} of ${count(judged.length, 'new, changed or fixed test')} ${judged.length === 1 ? 'fails' : 'fail'} without the code changes${proves.length === judged.length ? ', as expected' : ''}.`,
    vacuous.length > 0 && `Passing even without the code changes, so proving nothing: ${list(vacuous)}.`,
    rest.length > 0 && `Could not be judged: ${list(rest, true)}.`,
    loadOnly(proves),
    notReverted.length > 0 && `Could not be reverted: ${some(notReverted)}.`,
    named.none !== undefined && proves.length === 0 && `The agent says why there is no test: ${named.none}.`,
    proves.length === 0 && !required && `Not required: ${why}.`,
  ]
  return {
    answer: proves.length > 0 ? 'yes' : required ? 'no' : 'unknown',
    detail: sentences.filter((sentence) => sentence !== false).join(' '),
    counts,
    proof: {
      tests: tableOf(judged, named).slice(0, MOST_ROWS),
      expects,
      why,
      ...(named.none !== undefined && { agent: named.none }),
    },
  }
}

/** What the agent's report and the plan say about proof. */
export interface NamedProof {
  /** `PROOF: none: why` */
  readonly none?: string
  /** `PROOF: item 2: "name of the test"` */
  readonly items: ReadonlyMap<number, readonly string[]>
}

export const NO_NAMES: NamedProof = { items: new Map() }

function tableOf(judged: readonly JudgedTest[], { items }: NamedProof): readonly ProvenTest[] {
  const itemOf = new Map([...items].flatMap(([item, names]) => names.map((name) => [plainName(name), item] as const)))
  const shown = new Set<number>()
  const rows = judged.map((each) => {
    const name = labelOf(each.test)
    const item = itemOf.get(plainName(name)) ?? itemOf.get(plainName(each.test.name))
    if (item !== undefined) shown.add(item)
    return {
      name,
      ...(each.test.file !== '' && { file: each.test.file }),
      ...(item !== undefined && { item }),
      ...withoutOf(each),
    }
  })
  const others = [...items].flatMap(([item, names]): ProvenTest[] =>
    shown.has(item)
      ? []
      : names.length === 0
        ? [{ name: '', item, without: 'not-named' }]
        : names.map((name) => ({ name, item, without: 'unknown', why: 'no new or changed test has this name' })),
  )
  const order = ({ item = Number.MAX_SAFE_INTEGER, without }: ProvenTest) =>
    item * 10 + ['fails', 'not-loaded', 'passes', 'unknown', 'not-named'].indexOf(without)
  return [...rows, ...others].sort((one, other) => order(one) - order(other))
}

const plainName = (name: string): string =>
  titleOf(name)
    .toLowerCase()
    .replace(/[\s"'`]+/g, ' ')
    .trim()

function withoutOf({ judgement, failed, why }: JudgedTest): Pick<ProvenTest, 'without' | 'why'> {
  if (judgement === 'proves') return { without: failed === true ? 'fails' : 'not-loaded' }
  return judgement === 'vacuous' ? { without: 'passes' } : { without: 'unknown', why }
}

/** How a row reads in a table. */
export const WITHOUT_TEXT: Readonly<Record<Without, string>> = {
  fails: 'fails',
  'not-loaded': 'could not be loaded',
  passes: 'passes',
  unknown: 'not known',
  'not-named': 'no test named',
}

/** What to do about work that nothing proves. */
export const ADD_TEST =
  'Add a test under a new name that fails without the change. If there can be none, say why: "PROOF: none: ...".'

/** For a headline that lists what passed. */
export function provenText(proves = 0, table?: ProofTable): string {
  const names = (table === undefined ? [] : provingNames(table)).map((name) => `"${name}"`)
  return names.length > 0
    ? `proven by: ${listOf(names, NAMED_IN_HEADLINE)}`
    : proves > 0
      ? `${count(proves, 'new test fails', 'new tests fail')} without the change`
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
export const provingNames = ({ tests }: Pick<ProofTable, 'tests'>): readonly string[] =>
  tests.filter(({ without }) => without === 'fails' || without === 'not-loaded').map(({ name }) => name)

function loadOnly(proves: readonly JudgedTest[]): string | false {
  const unloaded = proves.filter(({ failed }) => failed !== true)
  return unloaded.length > 0 && `Counted as failing because they could not be loaded: ${list(unloaded, true)}.`
}

export const labelOf = ({ file, groups, name }: TestToProve): string =>
  name === '' ? file : [...groups, name].join(' > ')

const list = (judged: readonly JudgedTest[], withReason = false) =>
  some(
    judged.map(
      ({ test, why }) => `${labelOf(test)}${withReason ? ` (${why})` : test.file === '' ? '' : ` (${test.file})`}`,
    ),
    '; ',
  )

const some = (all: readonly string[], between = ', ') =>
  all.slice(0, NAMED).join(between) + (all.length > NAMED ? ` and ${all.length - NAMED} more` : '')

const LINE = /^[\s>*_`-]*PROOF[*_`\s]*:[*_`\s]*(.+?)[\s*_`]*$/i
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
