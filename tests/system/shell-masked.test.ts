import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shellCommands } from '../../src/system/shell/commands.ts'
import { maskedReason } from '../../src/system/shell/hidden-failure.ts'

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
  [
    'A=$(x && y) cmd `p | q`',
    [
      [['cmd', '`p | q`'], ''],
      [['x'], '&&'],
      [['y'], ''],
      [['p'], '|'],
      [['q'], ''],
    ],
  ],
  [
    '(cd a && b) || c',
    [
      [['cd', 'a'], '&&'],
      [['b'], ')'],
      [['c'], ''],
    ],
  ],
  [
    '{ a; b; } && c',
    [
      [['a'], ';'],
      [['b'], ')'],
      [['c'], ''],
    ],
  ],
  [
    'a 2>&1 | b',
    [
      [['a'], '|'],
      [['b'], ''],
    ],
  ],
  [
    'a &> log && b',
    [
      [['a'], '&&'],
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
  [
    'bash -c "a && b" ; c',
    [
      [['bash', '-c', 'a && b'], ';'],
      [['a'], '&&'],
      [['b'], ''],
      [['c'], ''],
    ],
  ],
  ['node_modules\\.bin\\jest --ci', [[['node_modules/.bin/jest', '--ci'], '']]],
  [
    'if a; then b; fi',
    [
      [['a'], ')'],
      [['b'], ')'],
    ],
  ],
]

describe('parsing a line of shell', () => {
  it.each(lines)('%j', (line, steps) => {
    expect(shellCommands(line).map(({ words, next }) => [words, next])).toEqual(steps)
  })

  it('never throws, and keeps every plain word', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab \'"\\`$()&|;#{}\n=<>'), maxLength: 40 }), (line) => {
        shellCommands(line)
        maskedReason(line)
      }),
    )
    // No word of the shell, such as `in` or `eval`, has only these letters.
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[qxyz./-]{1,6}$/), { minLength: 1, maxLength: 6 }), (words) => {
        expect(shellCommands(words.join(' '))).toMatchObject([{ words, next: '' }])
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
  ['set +e; npm test; echo done', /continues after failures/],
  ['bash -c "npm test || true"', /turns every failure/],
  ["sh -c 'npm test; true'", /hides the exit code/],
  ['(vitest run || true)', /turns every failure/],
  ['vitest run || { true; }', /turns every failure/],
  ['if ! vitest run; then echo x; fi', /turns failure/],
  ['if vitest run; then echo ok; fi', /"if" only tests its exit code/],
  ['vitest run; date', /hides the exit code/],
  ['vitest run; export DONE=1', /hides the exit code/],
  ['vitest run | { cat; true; }', /hides the exit code|is that of/],
  ['trap "exit 0" EXIT; vitest run', /a trap/],
  ['echo "$(vitest run)"', /only its output/],
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
  // As bash does it: the last command decides, and -e ends the inner shell.
  'set +e; npm test',
  "sh -ec 'npm test; true'",
  'rc=0; npm test || rc=$?; echo done; exit $rc',
  'npm test | tee log; exit ${PIPESTATUS[0]}',
  'if [ -f package.json ]; then npm test; fi',
  'if ! npm test; then echo failed; exit 1; fi',
  'true',
  '',
]

describe('a masked exit code', () => {
  it.each(masked)('%j', (line, why) => {
    expect(maskedReason(line)).toMatch(why)
  })
  it.each(plain)('is not found in %j', (line) => {
    expect(maskedReason(line)).toBeUndefined()
  })
})
