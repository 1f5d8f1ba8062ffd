import type { Language } from '../../../packages/exitgate/src/frameworks/test-files.ts'

/** Two values that differ, as string literals of the language. */
export interface Values {
  readonly a: string
  readonly b: string
}

/** A call to look for in a test, and the same call with values for which it must fail. `$1` is what the pattern caught. */
type Form = readonly [pattern: RegExp, failing: (values: Values, name: string) => string]

const JAVASCRIPT: readonly Form[] = [
  [/\bassert\.((?:deep)?(?:Strict)?[eE]qual|strictEqual)\(/g, ({ a, b }, name) => `assert.${name}(${a}, ${b})`],
  [/(?<![.\w])(strictEqual|deepStrictEqual|deepEqual)\(/g, ({ a, b }, name) => `${name}(${a}, ${b})`],
  [/\bassert\.(not(?:Deep)?(?:Strict)?Equal)\(/g, ({ a }, name) => `assert.${name}(${a}, ${a})`],
  [/(?<![.\w])(assert(?:\.ok)?)\(/g, (_, name) => `${name}(false)`],
  [/\bassert\.throws\(/g, () => 'assert.throws(() => {})'],
  [/\bassert\.match\(/g, ({ a }) => `assert.match(${a}, /^$/)`],
  [/\)\s*\.(toBe|toEqual|toStrictEqual|toMatch|toContain)\(/g, ({ a, b }, name) => `expect(${a}).${name}(${b})`],
  [/\)\s*\.(toBeTruthy|toBeDefined)\(/g, (_, name) => `expect(undefined).${name}()`],
  [/\)\s*\.(toBeFalsy|toBeNull|toBeUndefined)\(/g, ({ a }, name) => `expect(${a}).${name}()`],
  [/\)\s*\.toHaveLength\(/g, ({ a }) => `expect([${a}]).toHaveLength(2)`],
  [/\)\s*\.toThrow\(/g, () => 'expect(() => {}).toThrow()'],
  [/\)\s*\.to(?:\.be)?\.(equal|eql|eq)\(/g, ({ a, b }, name) => `expect(${a}).to.${name}(${b})`],
  [/\)\s*\.to\.deep\.equal\(/g, ({ a, b }) => `expect(${a}).to.deep.equal(${b})`],
  [/\)\s*\.to\.be\.(true|false|null|undefined)\b/g, ({ a }, name) => `expect(${a}).to.be.${name}`],
]

const PYTHON: readonly Form[] = [
  [/^/g, ({ a, b }) => `assert ${a} == ${b}`],
  [/\bself\.(assert(?:List|Dict|Tuple|Set)?Equals?)\(/g, ({ a, b }) => `self.assertEqual(${a}, ${b})`],
  [/\bself\.assertTrue\(/g, () => 'self.assertTrue(False)'],
  [/\bself\.assertFalse\(/g, () => 'self.assertFalse(True)'],
  [/\bself\.assertIn\(/g, ({ a, b }) => `self.assertIn(${a}, [${b}])`],
  [/\bself\.assertIsNone\(/g, ({ a }) => `self.assertIsNone(${a})`],
]

const RUBY: readonly Form[] = [
  [/\bexpect\s*[({]/g, ({ a, b }) => `expect(${a}).to eq(${b})`],
  [/\bassert_equal\b/g, ({ a, b }) => `assert_equal(${a}, ${b})`],
  [/\bassert(?=[ (])/g, () => 'assert(false)'],
  [/\brefute(?=[ (])/g, () => 'refute(true)'],
  [/\bassert_nil\b/g, ({ a }) => `assert_nil(${a})`],
]

const RUST: readonly Form[] = [
  [/^/g, ({ a, b }) => `assert_eq!(${a}, ${b})`],
  [/\bassert!/g, ({ a }) => `assert!(${a}.is_empty())`],
]

const JVM: readonly Form[] = [
  [
    /(?<![.\w])((?:Assert\.|Assertions\.)?assert(?:Equals|Same))\s*\(/g,
    ({ a, b }, name) => `${name}((Object) ${a}, (Object) ${b})`,
  ],
  [/(?<![.\w])((?:Assert\.|Assertions\.)?assertTrue)\s*\(/g, (_, name) => `${name}(false)`],
  [/(?<![.\w])((?:Assert\.|Assertions\.)?assertNull)\s*\(/g, ({ a }, name) => `${name}(${a})`],
]
const KOTLIN: readonly Form[] = [
  [/(?<![.\w])((?:Assert\.|Assertions\.)?assertEquals)\s*\(/g, ({ a, b }, name) => `${name}(${a}, ${b})`],
  [/(?<![.\w])((?:Assert\.|Assertions\.)?assertTrue)\s*\(/g, (_, name) => `${name}(false)`],
]
const CSHARP: readonly Form[] = [
  [/\bAssert\.(Equal|AreEqual)(?:<\w+>)?\(/g, ({ a, b }, name) => `Assert.${name}(${a}, ${b})`],
  [/\bAssert\.(True|IsTrue)\(/g, (_, name) => `Assert.${name}(false)`],
]
const PHP: readonly Form[] = [
  [
    /(?:\$this->|self::|static::)assert(Same|Equals)\(/g,
    ({ a, b }, name) => `\\PHPUnit\\Framework\\Assert::assert${name}(${a}, ${b})`,
  ],
  [/(?:\$this->|self::|static::)assertTrue\(/g, () => '\\PHPUnit\\Framework\\Assert::assertTrue(false)'],
]

/** Go has no assertions of its own: a test fails by calling its `t`. */
const FORMS: Readonly<Record<Language, readonly Form[]>> = {
  javascript: JAVASCRIPT,
  python: PYTHON,
  ruby: RUBY,
  rust: RUST,
  go: [],
  java: JVM,
  kotlin: KOTLIN,
  csharp: CSHARP,
  php: PHP,
}

const MOST = 6

/** Assertions that must fail, each of a kind that this test uses: product code could have disabled that kind only. */
export function failingAssertions(language: Language, test: string, values: Values): readonly string[] {
  const found = FORMS[language].flatMap(([pattern, failing]) =>
    [...test.matchAll(pattern)].map((match) => failing(values, match[1] ?? '')),
  )
  return [...new Set(found)].slice(0, MOST)
}
