import { describe, expect, it } from 'vitest'
import { readAnyOutput } from '../../packages/test-output/src/report.ts'

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`
type Row = readonly [name: string, text: string, tests: Readonly<Record<string, string>>]

/** A test has the same name in every state: otherwise an honest fix looks like a deleted test. */
describe('the name of a test does not depend on its result', () => {
  const rows: readonly Row[] = [
    [
      'ava, passed',
      lines('  ✔ adds (1.2s)', '  - [skip] later', '  ─', '', '  1 test passed', '  1 test skipped'),
      { adds: 'passed', later: 'skipped' },
    ],
    [
      'ava, failed: the message follows the title',
      lines(
        ...['  ✘ [fail]: adds Expected 3, ', '   got 4', '  ✔ adds more', '  ✘ [fail]: adds twice Boom', '  ─', ''],
        ...[
          '  adds',
          '',
          '  test.js:3',
          '',
          '  Difference (- actual, + expected):',
          '',
          '  - 1',
          '  + 2',
          '',
          '  ─',
          '',
        ],
        ...['  adds twice', '', '  Error thrown in test:', '', '  ─', '', '  2 tests failed'],
      ),
      { adds: 'failed', 'adds more': 'passed', 'adds twice': 'failed' },
    ],
    [
      'ava, failed in one of several files',
      lines('  ✘ [fail]: a › adds Boom', '  ✔ b › adds', '  ─', '', '  a › adds', '', '  ─', '', '  1 test failed'),
      { 'a › adds': 'failed', 'b › adds': 'passed' },
    ],
    [
      'node-tap, passed',
      lines(
        ...['TAP version 14', '1..1', '# Subtest: test/a.js', '    # Subtest: adds', '        ok 1 - should be equal'],
        ...['        1..1', '    ok 1 - adds # time=3.141ms', '    ok 2 - later # SKIP', '    1..2'],
        ...['ok 1 - test/a.js # time=93.2ms', '# time=120ms'],
      ),
      { 'test/a.js > adds': 'passed', 'test/a.js > later': 'skipped' },
    ],
    [
      'node-tap, failed',
      lines(
        ...[
          'TAP version 14',
          '1..1',
          '# Subtest: test/a.js',
          '    # Subtest: adds',
          '        not ok 1 - should be equal',
        ],
        ...['          ---', '          diff: |', '                ok 7 - printed', '          ...', '        1..1'],
        ...['    not ok 1 - adds # time=9ms', '    ok 2 - later # SKIP', '    1..2', 'not ok 1 - test/a.js # time=1s'],
      ),
      { 'test/a.js > adds': 'failed', 'test/a.js > later': 'skipped' },
    ],
    [
      'node-tap with several jobs: the subtests follow in braces',
      lines(
        ...[
          'TAP version 14',
          'ok 1 - test/a.js # time=93ms {',
          '    # Subtest: adds',
          '        ok 1 - x',
          '        1..1',
        ],
        ...['    ok 1 - adds # time=1ms', '    1..1', '}', 'not ok 2 - test/b.js # time=5ms', '  ---', '  exitCode: 1'],
        ...[
          '  ...',
          '{',
          '    not ok 1 - divides {',
          '        not ok 1 - y',
          '        1..1',
          '    }',
          '    1..1',
          '}',
          '1..2',
        ],
      ),
      { 'test/a.js > adds': 'passed', 'test/b.js > divides': 'failed' },
    ],
    [
      'mocha joins the groups with spaces',
      JSON.stringify({
        stats: { tests: 3, passes: 2, failures: 1 },
        passes: [
          { title: 'adds', fullTitle: 'sums of numbers adds' },
          { title: 'alone', fullTitle: 'alone' },
        ],
        failures: [{ title: '"before each" hook for "adds"', fullTitle: 'sums "before each" hook for "adds"' }],
      }),
      { 'sums of numbers > adds': 'passed', alone: 'passed', 'sums > "before each" hook for "adds"': 'failed' },
    ],
    [
      'a group with assertions of its own',
      lines(
        ...['TAP version 14', '# Subtest: a', '    ok 1 - own', '    # Subtest: b', '        ok 1 - x', '        1..1'],
        ...['    ok 2 - b', '    1..2', 'ok 1 - a', '1..1'],
      ),
      { 'a > b': 'passed', a: 'passed' },
    ],
    [
      'indented lines that keep no plan are no subtest',
      lines('TAP version 14', '    ok 1 - printed', '    ok 2 - printed', '    1..3', 'ok 1 - a', '1..1'),
      { a: 'passed' },
    ],
    [
      'uvu names only what failed',
      lines(
        '   FAIL  math  "adds"',
        '   FAIL  "divides"',
        '  Total:     3',
        '  Passed:    1',
        '  Skipped:   0',
        '  Duration:  2ms',
      ),
      { 'math > adds': 'failed', divides: 'failed' },
    ],
    ['bats', lines('1..2', 'ok 1 adds in 12ms', 'not ok 2 divides in 1sec'), { adds: 'passed', divides: 'failed' }],
  ]
  it.each(rows)('%s', async (_name, text, tests) => {
    const run = await readAnyOutput(text)
    expect(Object.fromEntries((run?.tests ?? []).map(({ name, state }) => [name, state]))).toEqual(tests)
  })

  it('a subtest that fails although its tests passed is reported, but not counted as a test', async () => {
    const text = lines(
      ...['TAP version 14', '# Subtest: a.js', '    # Subtest: b', '        ok 1 - x', '        1..1', '    ok 1 - b'],
      ...['    1..1', 'not ok 1 - a.js # timeout!', '1..1'],
    )
    const run = await readAnyOutput(text)
    expect([run?.ok, run?.suitesFailed, run?.tests?.map(({ name }) => name)]).toEqual([false, 1, ['a.js > b']])
    expect(run?.problems).toEqual(['"a.js" failed, but no test in it did (tap).'])
  })
})

/** Not the same as a test that needs a service on this machine. */
describe('a test that failed without a network', () => {
  const junit = (message: string, text = '') =>
    `<testsuite tests="1" failures="1"><testcase name="a"><failure message="${message}">${text}</failure></testcase></testsuite>`
  const jest = (message: string) =>
    JSON.stringify({
      ...{ numTotalTests: 1, numFailedTests: 1, success: false },
      testResults: [
        {
          name: '/a',
          status: 'failed',
          assertionResults: [{ title: 'a', status: 'failed', failureMessages: [message] }],
        },
      ],
    })
  const mocha = (err: object) =>
    JSON.stringify({ stats: { passes: 0, failures: 1, tests: 1 }, failures: [{ fullTitle: 'a', err }], passes: [] })
  const go = (output: string) =>
    lines(
      ...['run', 'output', 'fail'].map((Action) => JSON.stringify({ Action, Package: 'p', Test: 'a', Output: output })),
      JSON.stringify({ Action: 'fail', Package: 'p' }),
    )
  const rows: readonly (readonly [name: string, text: string, network: true | undefined])[] = [
    ['node, by its code', junit('getaddrinfo ENOTFOUND example.com'), true],
    ['fetch, by its cause', junit('fetch failed', 'cause: Error: getaddrinfo EAI_AGAIN example.com'), true],
    ['Python', junit('socket.gaierror: [Errno -3] Temporary failure in name resolution'), true],
    ['vitest and jest', jest('TypeError: fetch failed\n[cause]: getaddrinfo ENOTFOUND a.example'), true],
    ['mocha', mocha({ message: 'failed', code: 'ENETUNREACH' }), true],
    ['Go', go('dial tcp: lookup example.com: no such host\n'), true],
    ['a service on this machine', junit('connect ECONNREFUSED 127.0.0.1:5432'), undefined],
    ['an ordinary failure', jest('expected 3 to be 4'), undefined],
    ['an ordinary failure in Go', go('got 3, want 4\n'), undefined],
  ]
  it.each(rows)('%s', async (_name, text, network) => {
    const run = await readAnyOutput(text)
    expect([run?.failed, run?.tests?.[0]?.network]).toEqual([1, network])
  })
})

/** ctest counts a program as one test. If its own tests were not counted, one of them could be ignored unseen. */
describe('tests inside a program that ctest runs', () => {
  const report = (printed: string) =>
    `<testsuite name="(empty)" tests="1" failures="0"><testcase name="misc" classname="misc"><system-out>${printed}</system-out></testcase></testsuite>`
  const unity =
    'tests/misc.c:31:loops:PASS\ntests/misc.c:52:adds:IGNORE: later\ntests/misc.c:60:fails:FAIL: Expected 1\n'
  const rows: readonly Row[] = [
    [
      'Unity',
      report(unity),
      { misc: 'passed', 'misc > loops': 'passed', 'misc > adds': 'skipped', 'misc > fails': 'failed' },
    ],
    ['no tests of its own', report('all is well: PASS\n'), { misc: 'passed' }],
    ['output that was cut', report(`${unity}\nThe rest of the test output was removed since`), { misc: 'passed' }],
  ]
  it.each(rows)('%s', async (_name, text, tests) => {
    const run = await readAnyOutput(text)
    expect(Object.fromEntries((run?.tests ?? []).map(({ name, state }) => [name, state]))).toEqual(tests)
  })
})
