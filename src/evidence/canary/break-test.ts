import type { Language } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { is, opens, type Range } from '../tampering/source/tokens-and-blocks.ts'
import type { Unit } from '../tampering/source/unit.ts'
import type { TestCase } from '../tampering/tests/model.ts'
import { endOf, lettersOf, refusedVariants } from './altered-equality.ts'
import { failingAssertions } from './failing-assertions.ts'

/** `everything`: each kind of failure must work. `throw`: only a plain failure, if the other doesn't compile. */
export type Strength = 'everything' | 'throw'

/** A replacement in a text, by its offsets. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Marks of a test that passes because of a failure. */
const EXPECTS_FAILURE = /should_panic|xfail|expectedFailure|expected\s*=|[eE]xpectedException|\.(?:fails|failing)\b/
/** After one of these, the end of the body may not be reached. */
const LEAVES_EARLY = /^(?:return|skip|Skip|SkipNow|Skipf|exit|raise|throw|next|break|continue|yield|panic|goexit)$/i

/** A random whole number below `most`. */
export type Random = (most: number) => number

/**
 * The edit that breaks a test. It then fails only if every kind of failure works: its own assertion with another value, assertions
 * of the kinds it uses, and a plain failure. Undefined if the test is too unusual to be sure that an honest one would fail.
 */
export function breakTest(unit: Unit, test: TestCase, strength: Strength, random: Random): Edit | undefined {
  const { tokens, language, text } = unit
  const { body, span, markers } = test
  if (body === undefined || body[1] <= body[0] || markers.length > 0) return undefined
  const [first, last] = [tokens[body[0]]!, tokens[body[1] - 1]!]
  if (EXPECTS_FAILURE.test(text.slice(tokens[span[0]]!.at, first.at))) return undefined
  const own = text.slice(first.at, endOf(last))
  const context: Context = { language, head: text.slice(tokens[span[0]]!.at, first.at), random, strength, own }
  const isArrow = language === 'javascript' && is(tokens[body[0] - 1], '=>')
  const leavesEarly = tokens
    .slice(body[0], body[1])
    .some(({ kind, text: word }) => kind === 'word' && LEAVES_EARLY.test(word))
  if (isArrow) {
    const broken = failure(context, strength === 'throw' ? [] : refusedVariants(unit, body, random))
    return broken === undefined ? undefined : { from: first.at, to: endOf(last), text: broken }
  }
  const statement = leavesEarly ? undefined : lastStatement(unit, body)
  const variants = statement === undefined || strength === 'throw' ? [] : refusedVariants(unit, statement, random)
  const broken = failure(context, variants)
  if (broken === undefined) return undefined
  if (language === 'python')
    return inPython(unit, body, variants.length > 0 ? statement : undefined, leavesEarly, broken)
  if (variants.length > 0) return { from: tokens[statement![0]]!.at, to: endOf(last), text: broken }
  const returns = language === 'rust' && /->/.test(context.head)
  return leavesEarly || returns
    ? { from: first.at, to: first.at, text: `${broken}\n` }
    : { from: endOf(last), to: endOf(last), text: `;${broken}` }
}

/** Lines of Python must be indented like the others. */
function inPython(
  { tokens, text }: Unit,
  body: Range,
  replaced: Range | undefined,
  atStart: boolean,
  broken: string,
): Edit | undefined {
  const [first, last] = [tokens[body[0]]!, tokens[body[1] - 1]!]
  if (!first.first) return undefined
  const indent = text.slice(text.lastIndexOf('\n', first.at) + 1, first.at)
  if (indent.trim() !== '') return undefined
  const lines = broken.replaceAll('\n', `\n${indent}`)
  if (replaced !== undefined) return { from: tokens[replaced[0]]!.at, to: endOf(last), text: lines }
  if (atStart) return { from: first.at, to: first.at, text: `${lines}\n${indent}` }
  const end = text.indexOf('\n', endOf(last))
  const at = end < 0 ? text.length : end
  return { from: at, to: at, text: `\n${indent}${lines}` }
}

/** The last statement of a body, if it begins on its own line or after a semicolon, and is not a block. */
function lastStatement({ tokens }: Unit, [from, to]: Range): Range | undefined {
  const column = tokens[from]!.column
  let start = from
  const end = is(tokens[to - 1], ';') ? to - 1 : to
  for (let i = from; i < end; i++) {
    const token = tokens[i]!
    const isNext = token.first && token.column === column && !/^[.?:&|+]/.test(token.text)
    if (i > from && (isNext || is(tokens[i - 1], ';'))) start = i
    if (opens(token) && token.pair > i) i = token.pair
  }
  const { kind, text } = tokens[start]!
  const isBlock = kind === 'punct' || /^(?:if|for|while|with|try|do|end|else|switch|match|case|begin)$/.test(text)
  return isBlock ? undefined : [start, end]
}

interface Context {
  readonly language: Language
  /** The test's text before its body. */
  readonly head: string
  readonly own: string
  readonly random: Random
  readonly strength: Strength
}

/** Code that makes a test fail, but only if each of the given statements fails and a plain failure works. */
function failure(context: Context, variants: readonly string[]): string | undefined {
  const { language, own, random, strength, head } = context
  const quote = (word: string) =>
    language === 'rust' || language === 'go' || ONLY_DOUBLE.has(language) ? `"${word}"` : `'${word}'`
  // Of different length, so that they are never equal by chance.
  const values = { a: quote(lettersOf(random)), b: quote(`${lettersOf(random)}z`) }
  const mustFail = strength === 'throw' ? [] : [...variants, ...failingAssertions(language, own, values)]
  return FAILURES[language]({ mustFail, message: quote(lettersOf(random)), variable: lettersOf(random), head })
}

const ONLY_DOUBLE = new Set<Language>(['java', 'kotlin', 'csharp'])

interface Parts {
  readonly mustFail: readonly string[]
  readonly message: string
  readonly variable: string
  readonly head: string
}

/** A block with one `try` for each statement. */
const braces =
  (declare: string, caught: string, plain: (message: string) => string, sigil = '') =>
  ({ mustFail, message, variable }: Parts): string => {
    const name = sigil + variable
    const tries = mustFail.map((each) => `try { ${each}; } ${caught} { ${name}++; }`)
    return `{ ${declare}${name} = 0; ${tries.join(' ')} if (${name} == ${mustFail.length}) { ${plain(message)}; } }`
  }

const FAILURES: Readonly<Record<Language, (parts: Parts) => string | undefined>> = {
  javascript: braces('let ', 'catch', (message) => `throw new Error(${message})`),
  java: braces('int ', 'catch (Throwable ignored)', (message) => `throw new AssertionError(${message})`),
  csharp: braces('int ', 'catch (System.Exception)', (message) => `throw new System.Exception(${message})`),
  php: braces('', 'catch (\\Throwable $ignored)', (message) => `throw new \\RuntimeException(${message})`, '$'),
  kotlin: ({ mustFail, message, variable }) =>
    [
      `var ${variable} = 0;`,
      ...mustFail.map((each) => `try { ${each} } catch (ignored: Throwable) { ${variable}++ };`),
      `if (${variable} == ${mustFail.length}) { throw AssertionError(${message}) }`,
    ].join(' '),
  python: ({ mustFail, message, variable }) =>
    [
      `${variable} = 0`,
      ...mustFail.flatMap((each) => ['try:', `    ${each}`, 'except BaseException:', `    ${variable} += 1`]),
      `if ${variable} == ${mustFail.length}:`,
      `    raise AssertionError(${message})`,
    ].join('\n'),
  ruby: ({ mustFail, message, variable }) =>
    [
      `${variable} = 0`,
      ...mustFail.map((each) => `begin; ${each}; rescue Exception; ${variable} += 1; end`),
      `raise(${message}) if ${variable} == ${mustFail.length}`,
    ].join('; '),
  rust: ({ mustFail, message, variable }) =>
    [
      `{ let mut ${variable} = 0;`,
      ...mustFail.map(
        (each) =>
          `if ::std::panic::catch_unwind(::std::panic::AssertUnwindSafe(|| { ${each}; })).is_err() { ${variable} += 1; }`,
      ),
      `if ${variable} == ${mustFail.length} { ::std::panic!(${message}); } }`,
    ].join(' '),
  // A panic would end the other tests of the package too.
  go: ({ message, head }) => {
    const name = /\(\s*(\w+)\s+\*testing\.T\s*\)\s*\{\s*$/.exec(head)?.[1]
    return name === undefined || name === '_' ? undefined : ` ${name}.Error(${message})`
  },
}
