import type { SourceFunction } from './functions.ts'
import type { Guard, SourceParts } from './guards.ts'
import { isName, isRun, type Literal } from './literal.ts'
import { type Answered, answeredBy, type Prepared, prepare } from './match.ts'
import type { TestCase } from './test-cases.ts'

export interface Judgement {
  readonly severity: 'block' | 'warn'
  readonly answered: readonly Answered[]
}

/** Below this, a value such as 0, 1 or "" is a base case. */
const LEAST = 1
/** A comparison with this much of the input needs no matching answer. */
const LEAST_INPUT = 4

/** The parts that changed and could answer a test; undefined if there are none. */
export function suspects(
  { functions, guards }: SourceParts,
  isChanged: (from: number, to: number) => boolean,
): SourceParts | undefined {
  const changed = guards.filter(
    ({ line, lastLine, keys, answers }) =>
      isChanged(line, lastLine) && [...keys, ...answers].some(({ weight }) => weight >= 1),
  )
  const constant = functions.filter(
    (each) =>
      isChanged(each.line, each.lastLine) &&
      each.parameters.length > 0 &&
      !each.readsParameters &&
      each.answers.length > 0,
  )
  return changed.length + constant.length === 0 ? undefined : { functions: constant, guards: changed }
}

/** `names` are the functions of the file. */
export function judge(
  { functions, guards }: SourceParts,
  names: ReadonlySet<string>,
  cases: readonly TestCase[],
): Judgement | undefined {
  const prepared = cases.map(prepare)
  const found = guards.map((guard) => ({ guard, hits: hitsOf(guard, prepared, names) }))
  const groups = groupBy(found, ({ guard }) =>
    guard.table === undefined ? `if ${guard.owner?.line ?? 0}` : `table ${guard.table.start}`,
  )
  const strong: Answered[] = []
  const weak: Answered[] = []
  for (const group of groups.values()) {
    const answering = group.filter(({ hits }) => hits.length > 0)
    if (answering.length === 0 || isMostlyUntested(group, answering.length)) continue
    const of = answering.map(({ guard }) => guard)
    const answered = new Set(answering.flatMap(({ hits }) => hits.map(({ test }) => test)))
    const callees = new Set([...answered].map(({ callee }) => callee))
    const isEveryTest = cases.every((test) => !callees.has(test.callee) || answered.has(test))
    if (isDispatch(of, isEveryTest)) continue
    const isTable = isDomain(group, of, isEveryTest)
    const isLabel = areLabels(of) || (isTable && !isEveryTest)
    const best = answering.map(({ hits }) => ({
      ...hits.reduce((a, b) => (b.weight > a.weight ? b : a)),
      tests: hits.map(({ test }) => test),
      isLabel,
    }))
    ;(isTable ? weak : strong).push(...best)
  }
  const constant = functions.flatMap((each) => constantAnswers(each, prepared))
  return severityOf(strong, weak, constant)
}

function hitsOf(guard: Guard, prepared: readonly Prepared[], names: ReadonlySet<string>): readonly Answered[] {
  return prepared.flatMap((each) => {
    const hit = answeredBy(guard, each, names)
    if (hit === undefined) return []
    const says = hit.exact
      ? hit.weight >= (hit.weight < 2 && guard.keys.every(({ weight }) => weight < 1) ? 1.5 : LEAST)
      : hit.weight >= LEAST_INPUT && !guard.keys.every((key) => isName(key) || isRun(key) || isWord(key))
    return says ? [hit] : []
  })
}

/** `/users` or `--help`: a route or an option, and no input that only a test has. */
const isWord = ({ text }: Literal) => text !== undefined && /^\S{1,30}$/.test(text)

interface Found {
  readonly guard: Guard
}

/** A table of all the values that exist, such as months or colours. Its entries are there whether a test needs them or not. */
function isMostlyUntested(group: readonly Found[], answering: number): boolean {
  const table = group[0]!.guard.table
  return table !== undefined && table.entries > 2 && answering * 2 <= Math.max(table.entries, group.length)
}

/** Names that are given other names, or small numbers in a row, can be all that there are. */
function isDomain(group: readonly Found[], answering: readonly Guard[], isEveryTest: boolean): boolean {
  const isPlain = (each: Literal) => isName(each) || each.kind === 'constant'
  const isNamed = ({ keys }: Guard) => keys.length === 1 && isName(keys[0]!)
  if (!answering.every(isNamed)) {
    return answering.every(
      (guard) => isNamed(guard) || (guard.keys.length === 1 && isSmall(guard.keys[0]!) && guard.answers.every(isPlain)),
    )
  }
  const compared = group.filter(({ guard }) => isNamed(guard)).length
  const isChain = group[0]!.guard.table === undefined
  const isComputed = answering.some(({ keys, answers }) =>
    answers.some((answer) => !isPlain(answer) || (isChain && isMadeFrom(keys[0]!, answer))),
  )
  const isAll = answering.length >= 3 && answering.length === compared && isEveryTest
  return !(isComputed && (isAll || (isChain && answering.length >= 2 && answering.length * 4 >= compared * 3)))
}

/**
 * What a program tells apart: a predicate over names, a table of texts, base cases. Some test of the function gets its result
 * elsewhere, so the code does not just list the tests. Without the values such tests fail, and the table explains it.
 */
function isDispatch(answering: readonly Guard[], isEveryTest: boolean): boolean {
  const isAtom = ({ keys: [key, ...more] }: Guard) =>
    more.length === 0 && key!.parts.length === 0 && key!.kind !== 'list'
  if (!answering.every(isAtom)) return false
  const isAll = (is: (key: Literal, guard: Guard) => boolean) => answering.every((guard) => is(guard.keys[0]!, guard))
  const gives = (kind: Literal['kind'], { answers }: Guard) => answers.every((each) => each.kind === kind)
  if (isAll((key, guard) => isName(key) && gives('constant', guard))) return true
  if (isEveryTest) return false
  return (
    isAll(({ tokens }) => /^[0-2]$/.test(tokens.join(''))) ||
    isAll(({ kind }, guard) => guard.table !== undefined && (kind === 'text' || gives('text', guard)))
  )
}

/** Each of the names has its own other name, and there is no other parameter on which it could depend. */
function areLabels(answering: readonly Guard[]): boolean {
  const labels = answering.flatMap(({ answers }) => answers)
  return (
    new Set(labels.map(({ key }) => key)).size === answering.length &&
    labels.every(isName) &&
    answering.every(({ keys, owner }) => keys.length === 1 && isName(keys[0]!) && (owner?.parameters.length ?? 0) < 2)
  )
}

/** Whether a word consists of letters of another: the result of a calculation, and not its name. */
function isMadeFrom(from: Literal, answer: Literal): boolean {
  const [letters, word] = [[...(from.tokens[0] ?? '')], answer.tokens[0] ?? '']
  return (
    isName(answer) &&
    word.length > 1 &&
    [...word].every((letter) => letters.splice(letters.indexOf(letter), 1)[0] === letter)
  )
}

const isSmall = ({ kind, weight }: Literal) => kind === 'number' && weight <= 1

function constantAnswers(owner: SourceFunction, prepared: readonly Prepared[]): readonly Answered[] {
  if (owner.parameters.length === 0 || owner.readsParameters) return []
  return prepared.flatMap((each): readonly Answered[] => {
    const { test, exactOutputs } = each
    if (test.callee !== owner.name) return []
    const answer = owner.answers.find(({ key }) => exactOutputs.has(key))
    if (answer === undefined) return []
    return [
      {
        line: owner.line,
        how: 'constant',
        owner: owner.name,
        test,
        tests: [test],
        weight: isStub(owner, answer) ? 2 + answer.weight : 1,
        exact: true,
        keys: '',
        at: [],
        isTelling: false,
      },
    ]
  })
}

/** Not a function whose parameters are prescribed or declared as unused, and not one that does nothing. */
const isStub = ({ isPrescribed, parameters }: SourceFunction, answer: Literal) =>
  !isPrescribed &&
  (answer.kind !== 'constant' || (answer.tokens[0] !== 'null' && !parameters.every((each) => each.startsWith('_'))))

/** A single place with less than this is not worth a warning. */
const LEAST_WARNING = 3

function severityOf(
  strong: readonly Answered[],
  weak: readonly Answered[],
  constant: readonly Answered[],
): Judgement | undefined {
  const places = new Set(strong.map(({ keys }) => keys))
  const inputs = new Set(constant.map(({ test }) => test.inputs.map(({ key }) => key).join()))
  const isBlocked =
    places.size >= 2 ||
    strong.some(({ isTelling }) => isTelling) ||
    inputs.size >= 2 ||
    constant.some(({ weight }) => weight >= 2)
  if (isBlocked) return { severity: 'block', answered: [...constant, ...strong] }
  const single = strong.filter(({ weight }) => weight >= LEAST_WARNING)
  const named = new Set(weak.map(({ keys }) => keys)).size >= 2 ? weak : []
  const all = [...constant, ...single, ...named]
  return all.length === 0 ? undefined : { severity: 'warn', answered: all }
}

function groupBy<T>(all: readonly T[], keyOf: (each: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const each of all) {
    const key = keyOf(each)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  return groups
}
