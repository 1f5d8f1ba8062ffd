/** How an assertion has become weaker in a test that no grammar reads. */
export interface PlainLoss {
  readonly line: number
  readonly before: string
  readonly after: string
  readonly why: string
}

/** Words of assertions in many languages, by what they can notice: 3 another value, 2 another kind of value, 1 only something false. */
const WORDS: readonly (readonly [strength: number, word: RegExp])[] = [
  // Perl
  [3, /(?<![\w$@%>.])(?:is|is_deeply|cmp_ok|is_string|eq_or_diff|cmp_deeply)\b(?=\s*[(\w$@%\\[{'"&])/],
  [2, /(?<![\w$@%>.])(?:like|unlike|isnt|isa_ok|can_ok|throws_ok|dies_ok)\b/],
  [1, /(?<![\w$@%>.])(?:ok|pass)\b(?=\s*[(\w$@%!'"&])/],
  // busted and luassert
  [3, /\bassert(?:[._]\w+)*[._](?:equals?|same|has_error|error|errors|matches|match|near|returned_arguments)\b/],
  [2, /\bassert(?:[._]\w+)*[._](?:not_\w+|is_\w+|are_\w+|has_\w+|string|number|table|boolean|unique)\b/],
  // bats, and tests of a shell
  [3, /\b(?:assert|refute)_(?:output|line|equal|regex|stderr)\b|\bassert_(?:success|failure)[ \t]+["'$\w]/],
  [3, /\[\[?[ \t][^\]\n]*[ \t](?:={1,2}|=~|-eq)[ \t][^\]\n]*\]/],
  [1, /\bassert_(?:success|failure)\b|\[\[?[ \t]/],
  // Unity, GoogleTest, Catch and their kind
  [
    3,
    /\b(?:TEST_ASSERT|EXPECT|ASSERT|CHECK|REQUIRE|XCTAssert)_?\w*(?:EQ|EQUAL|Equal|STREQ|STRING|MEMORY|NEAR|WITHIN)\w*\b/,
  ],
  [2, /\b(?:TEST_ASSERT|EXPECT|ASSERT|CHECK|REQUIRE|XCTAssert)_\w*(?:NE|NOT|NULL|GREATER|LESS|THROW|MATCH)\w*\b/],
  [1, /\b(?:TEST_ASSERT\w*|EXPECT_\w+|ASSERT_\w+|CHECK\w*|REQUIRE\w*|XCTAssert\w*)\b/],
  // All others
  [
    3,
    /\b(?:assert|expect|should|check|require|verify)\w*\b[^\n]*(?:==|\b(?:eq|eql|equal|equals|toEqual|be_eq|shouldBe|isEqualTo)\b)/,
  ],
  [1, /\b(?:assert|expect|should|verify)\w*\b/],
]

/** Nothing but constants: no code of the project can make it fail. */
const CONSTANT =
  /^[\s\w.:]*?[\s(]\(?\s*(?:1|true|!0|!!1|0 ?== ?0|1 ?== ?1|["'][^"']*["'])\s*(?:,\s*(?:["'][^"']*["']|true|1))*\s*\)?;?\s*$/

/** These check what the last command did. */
const OF_A_COMMAND = /\b(?:assert|refute)_(?:output|line|regex|stderr|success|failure)\b/

/** The strengths of a text's assertions, the strongest first. */
function strengthsIn(text: string): readonly number[] {
  const found = text.split(/(?<=;)|\n/).flatMap((statement) => {
    const code = statement.trim().replace(/^it\s*\([^\n]*?\bfunction\s*\(\)\s*|\s*end\)?$/g, '')
    const words = code.replace(/(["'])(?:(?!\1)[^\\]|\\.)*\1/g, '$1$1')
    const row = WORDS.find(([, word]) => word.test(words))
    if (row === undefined || /^(?:--|#|\/\/)/.test(code)) return []
    const isConstant = CONSTANT.test(code) && !OF_A_COMMAND.test(code)
    return [isConstant || /\bpass\b/.test(words) ? 0 : row[0]]
  })
  return found.sort((one, other) => other - one)
}

const indentOf = (line: string) => line.length - line.trimStart().length

/** The line that gives a test its name: a string or an identifier with which the reported name ends. */
function headOf(lines: readonly string[], name: string): number {
  const ends = (word: string) => word.length > 1 && (name === word || name.endsWith(` ${word}`))
  let [head, longest] = [-1, 0]
  for (const [at, line] of lines.entries()) {
    const strings = [...line.matchAll(/(["'])((?:(?!\1)[^\\]|\\.)*)\1/g)].map(([, , text]) => text!)
    const names = line.match(/\b[A-Za-z_]\w{3,}\b/g) ?? []
    for (const word of [...strings, ...(/\(/.test(line) ? names : [])])
      if (ends(word) && word.length > longest) [head, longest] = [at, word.length]
  }
  return head
}

/** The text of a test: its block, or in a flat file of TAP the statement that has its name. */
function textOf(
  path: string,
  text: string,
  name: string,
): { readonly line: number; readonly text: string } | undefined {
  const lines = text.split('\n')
  const head = headOf(lines, name)
  if (head < 0) return undefined
  if (path.endsWith('.t') && !/\bsubtest\b/.test(lines[head]!)) {
    const isEnd = (line: string) => /[;{}]\s*(?:#.*)?$/.test(line)
    const from = lines.findLastIndex((line, at) => at < head && (isEnd(line) || line.trim() === '')) + 1
    const to = lines.findIndex((line, at) => at >= head && isEnd(line))
    return { line: from + 1, text: lines.slice(from, to < 0 ? head + 1 : to + 1).join('\n') }
  }
  const indent = indentOf(lines[head]!)
  const rest = lines.slice(head + 1)
  const isNext = (line: string) => line.trim() !== '' && indentOf(line) <= indent && !/^\s*(?:end\b|[)}\]{])/.test(line)
  const end = rest.findIndex(isNext)
  return { line: head + 1, text: [lines[head]!, ...(end < 0 ? rest : rest.slice(0, end))].join('\n') }
}

const joined = (text: string) => text.replace(/\s*\n\s*/g, ' ')

/** How a test, or a whole file by its path, checks less than before; undefined if it does not, or if either version can't be found by its name. */
export function plainLoss(path: string, name: string, before: string, after: string): PlainLoss | undefined {
  const whole = name === path ? (text: string) => ({ line: 1, text }) : undefined
  const find = whole ?? ((text: string) => textOf(path, text, name))
  const [was, now] = [find(before), find(after)]
  if (was === undefined || now === undefined || was.text === now.text) return undefined
  const [old, left] = [strengthsIn(joinStatements(path, was.text)), strengthsIn(joinStatements(path, now.text))]
  if (old.every((strength, at) => (left[at] ?? -1) >= strength)) return undefined
  const why = left.length < old.length ? 'It has fewer assertions than before.' : 'An assertion is weaker than before.'
  return { line: now.line, before: joined(was.text), after: joined(now.text), why }
}

/** A test whose text differs: both versions, and the values that only one of them has. */
export interface PlainChange {
  readonly line: number
  readonly before: string
  readonly after: string
  readonly entered: readonly string[]
  readonly left: readonly string[]
}

const VALUES = /(["'])((?:(?!\1)[^\\\n]|\\.)*)\1|(?<![\w$@.])\d+(?:\.\d+)?\b/g
const valuesIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(VALUES)].map(([all, , quoted]) => quoted?.replace(/\\(.)/g, '$1') ?? all))

/** Undefined if the test is the same, or if either version can't be found by its name. */
export function plainChange(path: string, name: string, before: string, after: string): PlainChange | undefined {
  const [was, now] = [textOf(path, before, name), textOf(path, after, name)]
  if (was === undefined || now === undefined || was.text.trim() === now.text.trim()) return undefined
  const [old, fresh] = [valuesIn(was.text), valuesIn(now.text)]
  const without = (some: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...some].filter((each) => !other.has(each))
  const texts = { line: now.line, before: joined(was.text), after: joined(now.text) }
  return { ...texts, entered: without(fresh, old), left: without(old, fresh) }
}

/** A statement of a TAP file may cover several lines. */
const joinStatements = (path: string, text: string) => (path.endsWith('.t') ? joined(text) : text)

const ASSERTION =
  /\b(?:assert\w*|expect\w*|should\w*|is|is_deeply|isnt|ok|like|unlike|cmp_ok|require(?=\s*\.)|check|verify|EXPECT_\w+|ASSERT_\w+|TEST_ASSERT\w*|fail)\b\s*[.(!]|\[\[? |^\s*(?:is|ok|like|is_deeply|cmp_ok)\b/gm

/** How many assertions a whole file has. */
export const assertionsIn = (text: string): number => text.match(ASSERTION)?.length ?? 0
