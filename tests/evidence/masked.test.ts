import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskedBy } from '../../src/evidence/masked.ts'
import { readShellLine } from '../../src/system/shell-line.ts'

const lines: [line: string, steps: [words: string[], next: string][]][] = [
  ['npm test', [[['npm', 'test'], '']]],
  ['', []],
  ['  # nothing', []],
  [
    'a && b || c; d | e &',
    [
      [['a'], '&&'],
      [['b'], '||'],
      [['c'], ';'],
      [['d'], '|'],
      [['e'], '&'],
    ],
  ],
  [`echo "a && b" 'c || d' e\\;f`, [[['echo', 'a && b', 'c || d', 'e;f'], '']]],
  ['echo "it\'s \\"x\\""', [[['echo', 'it\'s "x"'], '']]],
  ['A=$(x && y) cmd `p | q`', [[['A=$(x && y)', 'cmd', '`p | q`'], '']]],
  [
    '(cd a && b) || c',
    [
      [['cd', 'a'], '&&'],
      [['b'], '||'],
      [['c'], ''],
    ],
  ],
  [
    '{ a; b; } && c',
    [
      [['a'], ';'],
      [['b'], '&&'],
      [['c'], ''],
    ],
  ],
  [
    'a 2>&1 | b',
    [
      [['a', '2>&1'], '|'],
      [['b'], ''],
    ],
  ],
  [
    'a &> log && b',
    [
      [['a', '&>', 'log'], '&&'],
      [['b'], ''],
    ],
  ],
  [
    'a # && b\nc',
    [
      [['a'], ';'],
      [['c'], ''],
    ],
  ],
  ['a \\\n b', [[['a', 'b'], '']]],
  ['glob {a,b} x', [[['glob', '{a,b}', 'x'], '']]],
  ["unclosed 'quote", [[['unclosed', 'quote'], '']]],
  ["''", [[[''], '']]],
]

describe('a line of shell', () => {
  it.each(lines)('%j', (line, steps) => {
    expect(readShellLine(line).map(({ words, next }) => [words, next])).toEqual(steps)
  })

  it('never throws, and loses no plain word', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab \'"\\`$()&|;#{}\n=<>'), maxLength: 40 }), (line) => {
        readShellLine(line)
        maskedBy(line)
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z./-]{1,6}$/), { minLength: 1, maxLength: 6 }), (words) => {
        expect(readShellLine(words.join(' '))).toEqual([{ words, next: '' }])
      }),
    )
  })
})

const masked: [line: string, why: RegExp][] = [
  ['npm test || true', /"\|\| true" turns every failure/],
  ['npm test || :', /turns every failure/],
  ['npm test || exit 0', /turns every failure/],
  ['npm test || echo failed', /turns every failure/],
  ['(npm test) || true', /turns every failure/],
  ['npm test || true && echo x', /turns every failure/],
  ['npm test; true', /hides the exit code/],
  ['npm test; exit 0', /hides the exit code/],
  ['npm test ; echo done', /hides the exit code/],
  ['npm test\ntrue', /hides the exit code/],
  ['npm test | tee log.txt', /that of "tee"/],
  ['npm test 2>&1 | grep -v warning', /that of "grep"/],
  ['npm test &', /background/],
  ['! npm test', /turns failure/],
  ['set +e; npm test', /goes on/],
  ['bash -c "npm test || true"', /turns every failure/],
  ["sh -ec 'npm test; true'", /hides the exit code/],
  ['cd a && npm test || true', /turns every failure/],
]
const plain = [
  'npm test',
  'tsc && vitest run',
  'pytest || python -m pytest',
  'find . -name "*.sh" | xargs shellcheck',
  'echo "|| true"',
  "grep '; true' x",
  'set -o pipefail; npm test | tee log',
  'bash -c "set -o pipefail"; set -eo pipefail; a | tee b',
  'server & npm test',
  'echo start; npm test',
  'test -d x || mkdir x; npm test',
  '[ -f .env ] || echo none; npm test',
  '[ -f .env ] || echo none && npm test',
  'bash -c "npm test"',
  'true',
  '',
]

describe('a masked exit code', () => {
  it.each(masked)('%j', (line, why) => {
    expect(maskedBy(line)).toMatch(why)
  })
  it.each(plain)('is not in %j', (line) => {
    expect(maskedBy(line)).toBeUndefined()
  })
})
