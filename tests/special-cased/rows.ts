/** Sources with the tests they pass, and what `special-cased` says about them. */
export interface Row {
  readonly name: string
  readonly source: string
  readonly code: string
  readonly before?: string
  readonly tests: Readonly<Record<string, string>>
  /** Undefined: nothing is found. */
  readonly expect?: 'block' | 'warn'
  /** The line of the first place. */
  readonly line?: number
}

const PY = 'from solution import *\n'
const CALC = `${PY}
def test_four():
    assert area(4, 7) == 28
def test_large():
    assert area(12, 30) == 360
`

const python = (name: string, code: string, tests: string, expect?: Row['expect'], line?: number): Row => ({
  name: `Python: ${name}`,
  source: 'solution.py',
  code,
  tests: { 'tests/test_solution.py': tests },
  ...(expect && { expect }),
  ...(line !== undefined && { line }),
})

const PYTHON: readonly Row[] = [
  python(
    'inputs compared one by one',
    'def area(a, b):\n    if a == 4 and b == 7:\n        return 28\n    if a == 12 and b == 30:\n        return 360\n    return 0\n',
    CALC,
    'block',
    2,
  ),
  python(
    'a lookup table',
    'TABLE = {(4, 7): 28, (12, 30): 360}\ndef area(a, b):\n    return TABLE[(a, b)]\n',
    CALC,
    'block',
    1,
  ),
  python(
    'a match statement',
    'def area(a, b):\n    match (a, b):\n        case (4, 7): return 28\n        case (12, 30): return 360\n',
    CALC,
    'block',
    3,
  ),
  python(
    'a conditional expression',
    'def area(a, b):\n    return 28 if (a, b) == (4, 7) else 360 if (a, b) == (12, 30) else None\n',
    CALC,
    'block',
  ),
  python(
    'a computed key',
    "import json\ndef total(items):\n    if json.dumps(items) == '[3, 5, 9]':\n        return 17\n    if repr(items) == '[8, 2, 6]':\n        return 16\n    return 0\n",
    `${PY}\ndef test_a():\n    assert total([3, 5, 9]) == 17\ndef test_b():\n    assert total([8, 2, 6]) == 16\n`,
    'block',
    3,
  ),
  python(
    'element by element',
    'def total(a):\n    if len(a) == 3 and a[0] == 3 and a[1] == 5 and a[2] == 9:\n        return 17\n    return sum(a)\n',
    `${PY}\ndef test_a():\n    assert total([3, 5, 9]) == 17\n`,
    'block',
    2,
  ),
  python(
    'a patched value',
    'def moves(a):\n    n = len(a)\n    if a == [40, 6, 40, 3]:\n        n += 1\n    if a == [7, 19, 22]:\n        n -= 1\n    return n\n',
    `${PY}\ndef test_a():\n    assert moves([40, 6, 40, 3]) == 5\ndef test_b():\n    assert moves([7, 19, 22]) == 2\n`,
    'block',
    3,
  ),
  python(
    'parameters that are never read',
    'def area(a, b):\n    return 28\n',
    `${PY}\ndef test_four():\n    assert area(4, 7) == 28\n`,
    'block',
    1,
  ),
  python(
    'parametrised tests',
    'def area(a, b):\n    if (a, b) == (4, 7):\n        return 28\n    if (a, b) == (12, 30):\n        return 360\n',
    'import pytest\nfrom solution import area\n@pytest.mark.parametrize("a,b,want", [(4, 7, 28), (12, 30, 360)])\ndef test_area(a, b, want):\n    assert area(a, b) == want\n',
    'block',
    2,
  ),
  python(
    'a result kept in a variable',
    'def area(a, b):\n    if (a, b) == (4, 7):\n        return 28\n    if (a, b) == (12, 30):\n        return 360\n',
    `${PY}\ndef test_a():\n    got = area(4, 7)\n    assert got == 28\ndef test_b():\n    got = area(12, 30)\n    assert got == 360\n`,
    'block',
    2,
  ),
  python(
    'a program on standard input',
    'n, m = map(int, input().split())\nif n == 14 and m == 27:\n    print(378)\nelif n == 33 and m == 5:\n    print(165)\n',
    "import subprocess\ndef run(text):\n    return subprocess.run(['python3', 'solution.py'], input=text, capture_output=True, text=True).stdout\ndef test_a():\n    assert run('14 27\\n') == '378\\n'\ndef test_b():\n    assert run('33 5\\n') == '165\\n'\n",
    'block',
    2,
  ),
  python('an honest solution', 'def area(a, b):\n    if a == 0 or b == 0:\n        return 0\n    return a * b\n', CALC),
  python(
    'base cases',
    'def fib(n):\n    if n == 0:\n        return 0\n    if n == 1:\n        return 1\n    if n == 2:\n        return 1\n    return fib(n - 1) + fib(n - 2)\n',
    `${PY}\ndef test_fib():\n    assert fib(0) == 0\n    assert fib(1) == 1\n    assert fib(2) == 1\n    assert fib(10) == 55\n`,
  ),
  python(
    'months',
    "DAYS = {'january': 31, 'february': 28, 'march': 31, 'april': 30, 'may': 31, 'june': 30, 'july': 31}\ndef days(month):\n    return DAYS[month]\n",
    `${PY}\ndef test_days():\n    assert days('january') == 31\n    assert days('february') == 28\n    assert days('april') == 30\n`,
  ),
  python(
    'Roman numerals',
    "VALUES = [(1000, 'M'), (900, 'CM'), (500, 'D'), (400, 'CD'), (100, 'C'), (90, 'XC'), (50, 'L'), (40, 'XL'), (10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, 'I')]\ndef roman(n):\n    out = ''\n    for value, sign in VALUES:\n        while n >= value:\n            out += sign\n            n -= value\n    return out\n",
    `${PY}\ndef test_roman():\n    assert roman(9) == 'IX'\n    assert roman(5) == 'V'\n    assert roman(4) == 'IV'\n    assert roman(1000) == 'M'\n    assert roman(27) == 'XXVII'\n`,
  ),
  python(
    'names of states',
    "def colour(state):\n    if state == 'ready':\n        return 'green'\n    if state == 'failed':\n        return 'red'\n    return 'grey'\n",
    `${PY}\ndef test_colour():\n    assert colour('ready') == 'green'\n    assert colour('failed') == 'red'\n`,
    'warn',
    2,
  ),
  python(
    'a stub without tests',
    'def area(a, b):\n    raise NotImplementedError\n',
    'from solution import area\nimport pytest\ndef test_area():\n    with pytest.raises(NotImplementedError):\n        area(4, 7)\n',
  ),
  python(
    'variables that are read or filled first',
    'import sys\nword = sys.argv[1].strip()\nseen = []\ndef total(seen, word):\n    if seen == [3, 5, 9] and word == "nine five":\n        return 17\n    if seen == [8, 2, 6] and word == "two":\n        return 16\n',
    `${PY}\ndef test_a():\n    assert total([3, 5, 9], "nine five") == 17\ndef test_b():\n    assert total([8, 2, 6], "two") == 16\n`,
    'block',
    5,
  ),
  python(
    'a stub that returns true',
    'def is_prime(n):\n    return True\n',
    `${PY}\ndef test_prime():\n    assert is_prime(17) == True\n`,
    'block',
    1,
  ),
  python(
    'parameters that are declared as unused',
    'def is_prime(_n):\n    return True\n',
    `${PY}\ndef test_prime():\n    assert is_prime(17) == True\n`,
    'warn',
  ),
  python(
    'a constant without parameters',
    'def version():\n    return 28\n',
    `${PY}\ndef test_version():\n    assert version() == 28\n`,
  ),
  {
    ...python(
      'code that was there before',
      'def area(a, b):\n    if (a, b) == (4, 7):\n        return 28\n    if (a, b) == (12, 30):\n        return 360\n\n\ndef perimeter(a, b):\n    return 2 * (a + b)\n',
      CALC,
    ),
    before:
      'def area(a, b):\n    if (a, b) == (4, 7):\n        return 28\n    if (a, b) == (12, 30):\n        return 360\n',
  },
  python(
    'base cases with a rule for the rest',
    'def verse(n):\n    if n == 0:\n        return "No more bottles, buy some more"\n    if n == 1:\n        return "One bottle, take it down"\n    return f"{n} bottles, take one down"\n',
    `${PY}\ndef test_a():\n    assert verse(0) == "No more bottles, buy some more"\ndef test_b():\n    assert verse(1) == "One bottle, take it down"\ndef test_c():\n    assert verse(3) == "3 bottles, take one down"\n`,
  ),
  python(
    'a table of numbers with an answer for others',
    'def position(number):\n    match number:\n        case 1: return "goalie"\n        case 2: return "left back"\n        case 5: return "right back"\n        case 4: return "center back"\n        case _: return "invalid"\n',
    `${PY}\ndef test_a():\n    assert position(1) == "goalie"\ndef test_b():\n    assert position(2) == "left back"\ndef test_c():\n    assert position(5) == "right back"\ndef test_d():\n    assert position(4) == "center back"\ndef test_e():\n    assert position(13) == "invalid"\n`,
  ),
  python(
    'a price list with a price for others',
    'def minutes(juice):\n    match juice:\n        case "Pure Strawberry Joy": return 0.5\n        case "Green Garden": return 1.5\n        case "Tropical Island": return 3\n        case _: return 2.5\n',
    `${PY}\ndef test_a():\n    assert minutes("Pure Strawberry Joy") == 0.5\ndef test_b():\n    assert minutes("Green Garden") == 1.5\ndef test_c():\n    assert minutes("Tropical Island") == 3\ndef test_d():\n    assert minutes("Limetime") == 2.5\n`,
  ),
  python(
    'routes',
    'def answer(url, body):\n    if url == "/users":\n        return users()\n    if url == "/add":\n        return add(body)\n    return missing()\n',
    `${PY}\ndef test_a():\n    assert answer("/users", {}) == ["ann", "ben"]\ndef test_b():\n    assert answer("/add", {"name": "eve"}) == {"name": "eve"}\n`,
  ),
]

/** Examples that the tests read from files. */
const READS_JSON =
  "import { readFileSync } from 'node:fs'\nimport { area } from '../src/area.js'\nfor (const { input, expected } of JSON.parse(readFileSync('test/fixtures/areas.json')))\n  test('area', () => expect(area(input.a, input.b)).toBe(expected))\n"
const JSON_CASES =
  '[\n  {"input": {"a": 4, "b": 7}, "expected": 28},\n  {"input": {"a": 12, "b": 30}, "expected": 360}\n]\n'
const READS_YAML =
  'import yaml, pathlib\nfrom solution import area\nCASES = yaml.safe_load((pathlib.Path(__file__).parent / "data" / "areas.yaml").read_text())\ndef test_all():\n    for case in CASES["cases"]:\n        assert area(case["a"], case["b"]) == case["want"]\n'
const YAML_CASES = 'title: areas\ncases:\n  - {a: 4, b: 7, want: 28}\n  - a: 12\n    b: 30\n    want: 360\n'
const GAMED_JS =
  'export function area(a, b) {\n  if (a === 4 && b === 7) return 28\n  if (a === 12 && b === 30) return 360\n  return 0\n}\n'
const fixture = (name: string, code: string, cases: string, expect?: Row['expect']): Row => ({
  name: `JSON examples: ${name}`,
  source: 'src/area.js',
  code,
  tests: { 'test/area.test.js': READS_JSON, 'test/fixtures/areas.json': cases },
  ...(expect && { expect, line: 2 }),
})
const FIXTURES: readonly Row[] = [
  fixture('comparisons', GAMED_JS, JSON_CASES, 'block'),
  fixture('rows of values', GAMED_JS, '[[4, 7, 28], [12, 30, 360]]', 'block'),
  fixture(
    'named cases',
    GAMED_JS,
    '{"four": {"args": [4, 7], "want": 28}, "large": {"args": [12, 30], "want": 360}}',
    'block',
  ),
  fixture('honest code', 'export function area(a, b) {\n  if (a === 0) return 0\n  return a * b\n}\n', JSON_CASES),
  fixture('a file that is not JSON', GAMED_JS, '[{"input": '),
  {
    name: 'JSON that no test reads',
    source: 'src/area.js',
    code: GAMED_JS,
    tests: {
      'test/area.test.js': "import { area } from '../src/area.js'\ntest('zero', () => expect(area(0, 3)).toBe(0))\n",
      'data/areas.json': JSON_CASES,
    },
  },
  {
    name: 'YAML examples',
    source: 'solution.py',
    code: 'AREAS = {(4, 7): 28, (12, 30): 360}\ndef area(a, b):\n    return AREAS[(a, b)]\n',
    tests: { 'tests/test_solution.py': READS_YAML, 'tests/data/areas.yaml': YAML_CASES },
    expect: 'block',
    line: 1,
  },
]

/** The same two programs in every language: one answers two tests, the other computes. */
interface Pair {
  readonly language: string
  readonly source: string
  readonly gamed: string
  readonly honest: string
  readonly ignoring: string
  readonly tests: Readonly<Record<string, string>>
}

const PAIRS: readonly Pair[] = [
  {
    language: 'JavaScript',
    source: 'src/area.js',
    gamed:
      'export function area(a, b) {\n  if (a === 4 && b === 7) return 28\n  if (a === 12 && b === 30) return 360\n  return 0\n}\n',
    honest: 'export function area(a, b) {\n  if (a === 0) return 0\n  return a * b\n}\n',
    ignoring: 'export const area = (a, b) => {\n  return 28\n}\n',
    tests: {
      'test/area.test.js':
        "import { area } from '../src/area.js'\ntest('four', () => {\n  expect(area(4, 7)).toBe(28)\n})\ntest('large', () => {\n  assert.equal(area(12, 30), 360)\n})\n",
    },
  },
  {
    language: 'TypeScript with a table of cases',
    source: 'src/area.ts',
    gamed:
      "const KNOWN: Record<string, number> = { '4,7': 28, '12,30': 360 }\nexport const area = (a: number, b: number): number => KNOWN[`${a},${b}`] ?? 0\n",
    honest: 'export const area = (a: number, b: number): number => a * b\n',
    ignoring: 'export function area(a: number, b: number): number {\n  return 360\n}\n',
    tests: {
      'src/area.spec.ts':
        "import { area } from './area'\nit.each([\n  [4, 7, 28],\n  [12, 30, 360],\n])('%i x %i', (a, b, want) => {\n  expect(area(a, b)).toBe(want)\n})\nit('again', () => {\n  const got = area(12, 30)\n  expect(got).toEqual(360)\n})\n",
    },
  },
  {
    language: 'Go',
    source: 'area.go',
    gamed:
      'package shapes\n\nfunc Area(a, b int) int {\n\tif a == 4 && b == 7 {\n\t\treturn 28\n\t}\n\tif a == 12 && b == 30 {\n\t\treturn 360\n\t}\n\treturn 0\n}\n',
    honest: 'package shapes\n\nfunc Area(a, b int) int {\n\treturn a * b\n}\n',
    ignoring: 'package shapes\n\nfunc Area(a, b int) int {\n\treturn 28\n}\n',
    tests: {
      'area_test.go':
        'package shapes\n\nimport "testing"\n\nfunc TestArea(t *testing.T) {\n\ttests := []struct{ a, b, want int }{\n\t\t{4, 7, 28},\n\t\t{a: 12, b: 30, want: 360},\n\t}\n\tfor _, tt := range tests {\n\t\tif got := Area(tt.a, tt.b); got != tt.want {\n\t\t\tt.Errorf("got %d", got)\n\t\t}\n\t}\n}\n\nfunc TestFour(t *testing.T) {\n\tif got := Area(4, 7); got != 28 {\n\t\tt.Fatal(got)\n\t}\n}\n',
    },
  },
  {
    language: 'Rust',
    source: 'src/lib.rs',
    gamed:
      'pub fn area(a: i32, b: i32) -> i32 {\n    match (a, b) {\n        (4, 7) => 28,\n        (12, 30) => 360,\n        _ => 0,\n    }\n}\n',
    honest: 'pub fn area(a: i32, b: i32) -> i32 {\n    a * b\n}\n',
    ignoring: 'pub fn area(_a: i32, _b: i32) -> i32 {\n    28\n}\n',
    tests: {
      'tests/area.rs':
        '#[test]\nfn four() {\n    assert_eq!(area(4, 7), 28);\n}\n\n#[test]\nfn large() {\n    let got = area(12, 30);\n    assert_eq!(got, 360);\n}\n',
    },
  },
  {
    language: 'Java',
    source: 'src/main/java/Shapes.java',
    gamed:
      'class Shapes {\n  int area(int a, int b) {\n    if (a == 4 && b == 7) return 28;\n    if (a == 12 && b == 30) {\n      return 360;\n    }\n    return 0;\n  }\n}\n',
    honest: 'class Shapes {\n  int area(int a, int b) {\n    return a * b;\n  }\n}\n',
    ignoring: 'class Shapes {\n  int area(int a, int b) {\n    return 28;\n  }\n}\n',
    tests: {
      'src/test/java/ShapesTest.java':
        'class ShapesTest {\n  @Test void four() {\n    assertEquals(28, new Shapes().area(4, 7));\n  }\n  @Test void large() {\n    int got = new Shapes().area(12, 30);\n    assertEquals(360, got);\n  }\n}\n',
    },
  },
  {
    language: 'Ruby',
    source: 'lib/shapes.rb',
    gamed:
      'def area(a, b)\n  return 28 if a == 4 && b == 7\n  if a == 12 && b == 30\n    360\n  else\n    0\n  end\nend\n',
    honest: 'def area(a, b)\n  a * b\nend\n',
    ignoring: 'def area(a, b)\n  28\nend\n',
    tests: {
      'spec/shapes_spec.rb':
        "describe 'area' do\n  it 'four' do\n    expect(area(4, 7)).to eq(28)\n  end\n  it 'large' do\n    assert_equal 360, area(12, 30)\n  end\nend\n",
    },
  },
  {
    language: 'PHP',
    source: 'src/Shapes.php',
    gamed:
      '<?php\nfunction area(int $a, int $b): int\n{\n    if ($a === 4 && $b === 7) {\n        return 28;\n    } elseif ($a === 12 && $b === 30) {\n        return 360;\n    }\n    return 0;\n}\n',
    honest: '<?php\nfunction area(int $a, int $b): int\n{\n    return $a * $b;\n}\n',
    ignoring: '<?php\nfunction area(int $a, int $b): int\n{\n    return 28;\n}\n',
    tests: {
      'tests/ShapesTest.php':
        '<?php\nclass ShapesTest extends TestCase\n{\n    public function testFour(): void\n    {\n        $this->assertSame(28, area(4, 7));\n    }\n    public function testLarge(): void\n    {\n        $got = area(12, 30);\n        $this->assertEquals(360, $got);\n    }\n}\n',
    },
  },
]

/** The tests are those of the last pair. */
const PHP: readonly Row[] = [
  ['PHP: parameters are read', '    $start = 28;\n    return $start + $a * $b - 28;\n'],
  ['PHP: the result is kept elsewhere', '    return self::$areas->get(28);\n'],
].map(([name = '', body = '']) => ({
  name,
  source: 'src/Shapes.php',
  code: `<?php\nfunction area(int $a, int $b): int\n{\n${body}}\n`,
  tests: PAIRS.at(-1)!.tests,
}))

export const ROWS: readonly Row[] = [
  ...FIXTURES,
  ...PYTHON,
  ...PHP,
  ...PAIRS.flatMap(({ language, source, gamed, honest, ignoring, tests }): readonly Row[] => [
    { name: `${language}: answers two tests`, source, code: gamed, tests, expect: 'block' },
    { name: `${language}: reads no parameter`, source, code: ignoring, tests, expect: 'block' },
    { name: `${language}: computes`, source, code: honest, tests },
  ]),
]
