import type { Key } from './conditions.ts'
import type { SourceFunction } from './functions.ts'
import type { Guard } from './guards.ts'
import { anyOrder, isName, isRun, type Literal, textLiteral } from './literal.ts'
import { allOf, type TestCase } from './test-cases.ts'

/** A place in the source that answers a test instead of computing the answer. */
export interface Answered {
  readonly line: number
  /** `input`: it compares with the test's input. `constant`: it reads none of its parameters. */
  readonly how: 'input' | 'constant'
  readonly owner: string | undefined
  readonly test: TestCase
  /** All tests that it answers. */
  readonly tests: readonly TestCase[]
  readonly weight: number
  /** It gives exactly the value that the test expects. */
  readonly exact: boolean
  /** The values that it compares with. */
  readonly keys: string
  /** Where they are written. */
  readonly at: readonly (readonly [from: number, to: number])[]
  /** They say so much that one such place is enough. */
  readonly isTelling: boolean
  /** It only gives a name another name: what a label is, cannot be computed. */
  readonly isLabel?: boolean
}

/** One guard that says this much is enough. */
const ALONE = 3.5

/** A test case with its values prepared for searching. */
export interface Prepared {
  readonly test: TestCase
  readonly inputs: string
  readonly exactInputs: ReadonlySet<string>
  readonly unordered: ReadonlySet<string>
  readonly lengths: ReadonlySet<string>
  readonly outputs: string
  readonly exactOutputs: ReadonlySet<string>
}

export function prepare(test: TestCase): Prepared {
  const whole = allOf(test.inputs)
  const lines = (literals: readonly Literal[]) =>
    test.runsProgram ? literals.flatMap(linesOf).map(({ key }) => key) : []
  const isList = ({ tokens }: Literal) => tokens.length > 1
  return {
    test,
    inputs: whole.key,
    exactInputs: new Set([whole.key, ...test.inputs.map(({ key }) => key), ...lines(test.inputs)]),
    unordered: new Set([whole, ...test.inputs].filter(isList).map(anyOrder)),
    lengths: new Set(test.inputs.flatMap(sizes)),
    outputs: test.outputs.map(({ key }) => key).join(''),
    exactOutputs: new Set([
      ...test.outputs.flatMap((each) => [
        each.key,
        ...(each.parts.length <= 3 ? each.parts.map(({ key }) => key) : []),
      ]),
      ...lines(test.outputs),
    ]),
  }
}

/** Whether the tokens of one value occur in another, one after the other. */
const contains = (whole: string, part: Literal): boolean => whole.includes(part.key)

/** The lines of a text, each a value of its own. */
const linesOf = ({ text = '', line }: Literal): readonly Literal[] =>
  text.includes('\n')
    ? text
        .split('\n')
        .slice(0, 500)
        .filter((each) => each.trim() !== '')
        .map((each) => textLiteral(each, line))
    : []

const sizes = ({ kind, parts, tokens }: Literal): readonly string[] =>
  kind === 'list' ? [String(parts.length), ...parts.flatMap(sizes)] : kind === 'text' ? [String(tokens.length)] : []

interface Explained {
  readonly weight: number
  /** It is one of the arguments, or several values together. */
  readonly isAnchor: boolean
  readonly isArgument: boolean
}

/** What a guard's value says about a test if it occurs in the test's input; undefined if it doesn't. */
function explained(key: Key, prepared: Prepared, owner: SourceFunction | undefined): Explained | undefined {
  const { test, inputs, exactInputs, unordered, lengths } = prepared
  const isCompound = key.tokens.length > 1 && !isName(key)
  const at =
    owner?.name === test.callee && key.subject !== undefined ? (owner?.parameters.indexOf(key.subject) ?? -1) : -1
  const given = at < 0 ? undefined : test.positions[at]
  if (given !== undefined && given.key !== key.key && !isCompound) return undefined
  if (exactInputs.has(key.key)) return { weight: key.weight, isAnchor: true, isArgument: true }
  if (isCompound && !isRun(key) && unordered.has(anyOrder(key)))
    return { weight: key.weight, isAnchor: true, isArgument: true }
  if (contains(inputs, key))
    return { weight: isCompound ? key.weight : key.weight / 2, isAnchor: isCompound, isArgument: false }
  return key.kind === 'number' && lengths.has(key.tokens[0]!)
    ? { weight: 0, isAnchor: false, isArgument: false }
    : undefined
}

const placesOf = ({ at, parts }: Literal): Answered['at'] => (at === undefined ? parts.flatMap(placesOf) : [at])

export function answeredBy(guard: Guard, prepared: Prepared, names: ReadonlySet<string>): Answered | undefined {
  const { test, exactOutputs, outputs } = prepared
  const keys = [...new Map(guard.keys.map((key) => [key.key + (key.subject ?? ''), key])).values()]
  const all = keys.map((key) => explained(key, prepared, guard.owner))
  const known = all.filter((each) => each !== undefined)
  const isWhole = known.filter(({ isArgument }) => isArgument).length >= test.inputs.length
  if (known.length < all.length && !(isWhole && test.inputs.length > 1)) return undefined
  const count = (pattern: RegExp) => keys.filter(({ subject = '' }) => pattern.test(subject)).length
  const elements = count(/\[\s*-?\d+\s*\]$|\.(?:get|charAt|at|nth)\(\d+\)/)
  // With two elements, the length as well says which list is meant.
  const isSpelledOut = elements >= 3 || (elements === 2 && count(/^len\(|\.(?:length|size|len|count)\b/) > 0)
  if (!known.some(({ isAnchor }) => isAnchor) && !(known.length > 1 && (isWhole || test.runsProgram)) && !isSpelledOut)
    return undefined
  const weight = known.reduce((sum, each) => sum + each.weight, 0) + (known.length - 1) / 2
  const isRow = test.callee === undefined
  const answers = guard.answers.flatMap((each) => [each, ...(each.parts.length <= 3 ? each.parts : [])])
  const found = answers.filter(
    (answer) =>
      (exactOutputs.has(answer.key) ||
        ((test.runsProgram || answer.tokens.length > 1) && !isRow && contains(outputs, answer))) &&
      !(isRow && keys.some(({ key }) => key === answer.key)),
  )
  const exact = found.length > 0
  const said = Math.max(0, ...found.map((each) => each.weight))
  const isCompound = !keys.every(isName) && (keys.length > 1 || keys[0]!.tokens.length > 1)
  const isOwn = names.has(test.callee ?? '') || test.calls.some((each) => names.has(each))
  // A case of another file counts only if there is no doubt.
  if (!isOwn && !(exact && isWhole && isCompound && weight >= 3 && !isRow)) return undefined
  // One number for another. Where both have a meaning, they are usually named.
  const isOddPair =
    isWhole &&
    weight >= 2 &&
    keys[0]!.kind === 'number' &&
    found.some((each) => each.kind === 'number' && each.weight >= 3)
  const total = weight + (exact ? Math.min(said, 4) / 2 : 0)
  return {
    line: guard.line,
    how: 'input',
    owner: guard.owner?.name,
    test,
    tests: [test],
    weight: total,
    exact,
    keys: [...new Set(keys.map(({ key }) => key))].sort().join(),
    at: keys.flatMap(placesOf),
    isTelling: exact && (isCompound ? total >= ALONE : isOddPair),
  }
}
