/** Small reports: text, and passed, failed, skipped, ok. */
export type Reported = readonly [
  name: string,
  text: string,
  read: readonly [number, number, number, boolean | null] | undefined,
]

const suite = (head: string, ...cases: readonly string[]) => `<testsuite ${head}>${cases.join('')}</testsuite>`
const green = '<testcase classname="A" name="one"/>'
const red = '<testcase classname="A" name="two"><failure message="no"/></testcase>'
const skipped = '<testcase classname="A" name="three"><skipped/></testcase>'

export const junit: readonly Reported[] = [
  ['a suite', suite('tests="3"', green, red, skipped), [1, 1, 1, false]],
  ['cases directly below', `<testsuites>${green}${skipped}</testsuites>`, [1, 0, 1, true]],
  [
    'suites in suites',
    `<testsuites tests="2">${suite('tests="2"', suite('tests="1"', green), green)}</testsuites>`,
    [2, 0, 0, true],
  ],
  ['heads that count only their own', suite('tests="1"', green, suite('tests="1"', green)), [2, 0, 0, true]],
  ['a head that knows of more tests', suite('tests="5"', green), [1, 0, 0, null]],
  ['subtests of pytest', suite('name="pytest" tests="6"', green), [1, 0, 0, true]],
  [
    'subtests of pytest that fail or are skipped',
    suite(
      'name="pytest" tests="7" failures="2" skipped="2"',
      green,
      '<testcase classname="A" name="two"><failure message="a"/><failure message="b"/></testcase>',
      skipped,
    ),
    [1, 1, 1, false],
  ],
  [
    'a test of pytest that ran, with subtests that were skipped',
    suite(
      'name="pytest" tests="6" skipped="3"',
      '<testcase classname="A" name="two"><skipped/><skipped/><skipped/></testcase>',
    ),
    [1, 0, 0, true],
  ],
  ['a failure that pytest does not name', suite('name="pytest" tests="2" failures="1"', green), [1, 1, 0, false]],
  ['a head that knows of a failure', suite('tests="1" failures="1"', green), [0, 1, 0, false]],
  ['a head that knows of an error', suite('tests="2" errors="1"', green, green), [1, 1, 0, false]],
  ['an error of the suite itself', suite('tests="1"', '<error message="set-up"/>', green), [1, 0, 0, false]],
  ['only a head', suite('tests="5" failures="0" skipped="1"'), [4, 0, 1, null]],
  ['only skipped', suite('tests="1"', skipped), [0, 0, 1, null]],
  ['nothing', suite('tests="0"'), [0, 0, 0, null]],
  ['passed when tried again', suite('tests="1"', '<testcase name="a"><flakyFailure/></testcase>'), [1, 0, 0, true]],
  [
    'failed when tried again',
    suite('tests="1"', '<testcase name="a"><failure/><rerunFailure/></testcase>'),
    [0, 1, 0, false],
  ],
  [
    'a state in words',
    suite('', '<testcase name="a" status="failed"/>', '<testcase name="b" result="skipped"/>', green),
    [1, 1, 1, false],
  ],
  ['broken off', `<testsuites><testsuite tests="2">${green}<testcase name="b">`, [2, 0, 0, null]],
  ['broken off after a failure', `<testsuites><testsuite>${green}${red}`, [1, 1, 0, false]],
  ['two roots', `${suite('', green)}${suite('', red)}`, [1, 0, 0, null]],
  [
    'an entity that is not known',
    `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${suite('', '<testcase name="&x;"/>')}`,
    [1, 0, 0, null],
  ],
  ['in the wrong encoding', `\uFEFF<?xml version="1.0" encoding="UTF-16"?>${suite('', green)}`, [1, 0, 0, true]],
  [
    'with a name space',
    `<t:testsuites xmlns:t="urn:t">${suite('', green).replaceAll('<test', '<t:test').replaceAll('</test', '</t:test')}</t:testsuites>`,
    [1, 0, 0, true],
  ],
  ['not of this kind', '<html><body>All tests passed</body></html>', undefined],
]

export const dotnet: readonly Reported[] = [
  [
    'NUnit 3',
    '<test-run total="3" passed="1" failed="1" skipped="1"><test-suite><test-case fullname="A.a" result="Passed"/><test-case fullname="A.b" result="Failed"/><test-case fullname="A.c" result="Skipped" label="Ignored"/></test-suite></test-run>',
    [1, 1, 1, false],
  ],
  [
    'NUnit 3, warning and inconclusive',
    '<test-run total="2"><test-case result="Warning"/><test-case result="Inconclusive"/></test-run>',
    [1, 0, 1, true],
  ],
  [
    'NUnit 3, a fixture that failed',
    '<test-run total="1"><test-suite result="Failed" label="SetUp"><test-case result="Passed"/></test-suite></test-run>',
    [1, 0, 0, false],
  ],
  [
    'nunit, a suite as the root',
    '<test-suite type="Assembly" total="2" passed="1" failed="1"><test-case fullname="A.a" result="Passed"/><test-case fullname="A.b" result="Failed"/></test-suite>',
    [1, 1, 0, false],
  ],
  [
    'NUnit 2',
    '<test-results total="2" failures="1"><test-suite><results><test-case name="a" executed="True" success="True"/><test-case name="b" executed="True" success="False"><failure/></test-case></results></test-suite></test-results>',
    [1, 1, 0, false],
  ],
  [
    'xUnit 2',
    '<assemblies><assembly total="2" passed="1" skipped="1" failed="0" errors="0"><collection><test name="a" result="Pass"/><test name="b" result="Skip"/></collection></assembly></assemblies>',
    [1, 0, 1, true],
  ],
  [
    'xUnit, an error outside',
    '<assemblies><assembly total="1" errors="1"><errors><error/></errors><collection><test name="a" result="Pass"/></collection></assembly></assemblies>',
    [1, 0, 0, false],
  ],
  [
    'xUnit, more than it shows',
    '<assemblies><assembly total="3" passed="1" failed="1" skipped="1"><collection><test name="a" result="Pass"/></collection></assembly></assemblies>',
    [1, 1, 1, false],
  ],
  [
    'TRX',
    '<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/><UnitTestResult testName="b" outcome="NotExecuted"/></Results><ResultSummary outcome="Completed"><Counters total="2" passed="1" failed="0"/></ResultSummary></TestRun>',
    [1, 0, 1, true],
  ],
  [
    'TRX with rows',
    '<TestRun><Results><UnitTestResult testName="a" outcome="Failed"><InnerResults><UnitTestResult testName="a (1)" outcome="Passed"/><UnitTestResult testName="a (2)" outcome="Failed"/></InnerResults></UnitTestResult></Results></TestRun>',
    [1, 1, 0, false],
  ],
  [
    'TRX, aborted',
    '<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Aborted"/></TestRun>',
    [1, 0, 0, false],
  ],
  [
    'TRX, an error of the run',
    '<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Completed"><RunInfos><RunInfo outcome="Error"/></RunInfos></ResultSummary></TestRun>',
    [1, 0, 0, false],
  ],
]

const jest = (changes: Record<string, unknown>, ...states: readonly string[]) =>
  JSON.stringify({
    numTotalTests: states.length,
    success: true,
    testResults: [
      {
        name: '/a.test.js',
        status: 'passed',
        assertionResults: states.map((status, at) => ({ title: `${at}`, status })),
      },
    ],
    ...changes,
  })
const events = (...all: readonly object[]) => all.map((event) => JSON.stringify(event)).join('\n')
const go = (action: string, name: string, test?: string) => ({
  Action: action,
  Package: name,
  ...(test !== undefined && { Test: test }),
})

export const json: readonly Reported[] = [
  ['jest', jest({}, 'passed', 'failed', 'pending', 'todo'), [1, 1, 2, false]],
  ['jest, not a success', jest({ success: false }, 'passed'), [1, 0, 0, false]],
  ['jest, a file that was not run', jest({ numRuntimeErrorTestSuites: 1 }, 'passed'), [1, 0, 0, false]],
  ['jest, interrupted', jest({ wasInterrupted: true }, 'passed'), [1, 0, 0, null]],
  ['jest, tests that are not shown', jest({ numTotalTests: 4 }, 'passed'), [1, 0, 0, null]],
  ['jest, a failure that is not shown', jest({ numFailedTests: 1 }, 'passed'), [1, 1, 0, false]],
  ['jest behind other lines', `> a@1.0.0 test\n> jest --json\n\n${jest({}, 'passed')}\n`, [1, 0, 0, true]],
  ['jest next to a failed run', `=== 1 failed in 0.10s ===\n${jest({}, 'passed')}\n`, [1, 1, 0, false]],
  [
    'mocha',
    JSON.stringify({
      stats: { tests: 3, passes: 1, failures: 1, pending: 1 },
      passes: [{ fullTitle: 'a' }],
      failures: [{ fullTitle: 'b' }],
      pending: [{ fullTitle: 'c' }],
    }),
    [1, 1, 1, false],
  ],
  [
    'mocha, a hook that failed',
    JSON.stringify({ stats: { tests: 1, passes: 1, failures: 1, pending: 0 } }),
    [1, 1, 0, false],
  ],
  [
    'playwright',
    JSON.stringify({
      config: {},
      suites: [
        {
          title: 'a',
          specs: [{ title: 'b', tests: [{ status: 'expected' }, { status: 'flaky' }, { status: 'skipped' }] }],
        },
      ],
      errors: [],
      stats: {},
    }),
    [2, 0, 1, true],
  ],
  [
    'playwright, an error outside',
    JSON.stringify({
      config: {},
      suites: [{ title: 'a', specs: [{ title: 'b', tests: [{ status: 'expected' }] }] }],
      errors: [{}],
      stats: {},
    }),
    [1, 0, 0, false],
  ],
  [
    'rspec, an error outside',
    JSON.stringify({
      examples: [{ full_description: 'a', status: 'passed' }],
      summary: { example_count: 1, failure_count: 0, errors_outside_of_examples_count: 1 },
    }),
    [1, 0, 0, false],
  ],
  [
    'CTRF',
    JSON.stringify({
      results: {
        tool: { name: 'x' },
        summary: { tests: 3, passed: 1, failed: 1 },
        tests: [
          { name: 'a', status: 'passed' },
          { name: 'b', status: 'failed' },
          { name: 'c', status: 'skipped' },
        ],
      },
    }),
    [1, 1, 1, false],
  ],
  [
    'CTRF, a state that proves nothing',
    JSON.stringify({
      results: {
        tool: { name: 'x' },
        summary: { tests: 2 },
        tests: [
          { name: 'a', status: 'passed' },
          { name: 'b', status: 'other' },
        ],
      },
    }),
    [1, 0, 0, null],
  ],
  [
    'pytest-json-report',
    JSON.stringify({
      exitcode: 1,
      summary: { passed: 1, failed: 1, total: 2 },
      tests: [
        { nodeid: 'a.py::a', outcome: 'passed' },
        { nodeid: 'a.py::b', outcome: 'failed' },
      ],
    }),
    [1, 1, 0, false],
  ],
  ['go', events(go('run', 'a', 'T'), go('pass', 'a', 'T'), go('pass', 'a')), [1, 0, 0, true]],
  ['go without an end', events(go('run', 'a', 'T'), go('pass', 'a', 'T')), [1, 0, 0, null]],
  [
    'go, crashed in a test',
    events(go('run', 'a', 'T'), go('pass', 'a', 'T'), go('run', 'a', 'U'), go('fail', 'a')),
    [1, 1, 0, false],
  ],
  [
    'go, a build that failed',
    events({ Action: 'build-fail', ImportPath: 'b' }, go('fail', 'b'), go('pass', 'a', 'T'), go('pass', 'a')),
    [1, 1, 0, false],
  ],
  [
    'go, failing and then passing',
    events(go('fail', 'a', 'T'), go('fail', 'a'), go('pass', 'a', 'T'), go('pass', 'a')),
    [0, 1, 0, false],
  ],
  [
    'go, a failing package between the events of another one',
    events(
      go('run', 'a', 'T'),
      go('run', 'b', 'U'),
      go('fail', 'b', 'U'),
      go('fail', 'b'),
      go('pass', 'a', 'T'),
      go('pass', 'a'),
    ),
    [1, 1, 0, false],
  ],
  [
    'go, a package without an end between the events of another one',
    events(go('run', 'a', 'T'), go('run', 'b', 'U'), go('pass', 'b', 'U'), go('pass', 'a', 'T'), go('pass', 'a')),
    [2, 0, 0, null],
  ],
  [
    'go, and a failed runner next to it',
    `${events(go('pass', 'a', 'T'), go('pass', 'a'))}\n=== 1 failed in 0.10s ===\n`,
    [1, 1, 0, false],
  ],
  [
    'dart',
    events(
      { type: 'testStart', test: { id: 1, name: 'a', suiteID: 0 } },
      { type: 'testDone', testID: 1, result: 'success', hidden: false },
      { type: 'done', success: true },
    ),
    [1, 0, 0, true],
  ],
  [
    'dart, a file that does not load',
    events(
      { type: 'testStart', test: { id: 1, name: 'loading a.dart', suiteID: 0 } },
      { type: 'testDone', testID: 1, result: 'error', hidden: false },
      { type: 'done', success: false },
    ),
    [0, 1, 0, false],
  ],
  [
    'dart without an end',
    events({ type: 'testStart', test: { id: 1, name: 'a' } }, { type: 'testDone', testID: 1, result: 'success' }),
    [1, 0, 0, null],
  ],
  [
    'libtest',
    events(
      { type: 'suite', event: 'started', test_count: 2 },
      { type: 'test', event: 'ok', name: 'a' },
      { type: 'test', event: 'ignored', name: 'b' },
      { type: 'suite', event: 'ok', passed: 1, failed: 0, ignored: 1 },
    ),
    [1, 0, 1, true],
  ],
  [
    'libtest without an end',
    events({ type: 'suite', event: 'started', test_count: 2 }, { type: 'test', event: 'ok', name: 'a' }),
    [0, 0, 0, null],
  ],
  [
    'node:test',
    events(
      { type: 'test:start', data: { name: 'a', nesting: 0 } },
      { type: 'test:pass', data: { name: 'a', nesting: 0, details: {} } },
      { type: 'test:fail', data: { name: 'b', nesting: 0, details: {} } },
      { type: 'test:summary', data: { success: false } },
    ),
    [1, 1, 0, false],
  ],
  [
    'node:test without an end',
    events({ type: 'test:pass', data: { name: 'a', nesting: 0, details: {} } }),
    [1, 0, 0, null],
  ],
  ['not of this kind', '{"name": "passed", "version": "1.0.0"}', undefined],
  ['cut in the middle', jest({}, 'passed').slice(0, 60), undefined],
]

export const tap: readonly Reported[] = [
  ['a document', 'TAP version 14\n1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP why\n', [1, 1, 1, false]],
  ['subtests', 'TAP version 14\n# Subtest: a\n    ok 1 - x\n    ok 2 - y\n    1..2\nok 1 - a\n1..1\n', [1, 0, 0, true]],
  [
    'a subtest that failed',
    'TAP version 14\n# Subtest: a\n    not ok 1 - x\n    1..1\nnot ok 1 - a\n1..1\n',
    [0, 1, 0, false],
  ],
  ['a plan that is not fulfilled', 'TAP version 13\n1..3\nok 1\n', [1, 0, 0, false]],
  ['more than planned', 'TAP version 13\n1..1\nok 1\nok 2\n', [2, 0, 0, false]],
  ['bailed out', 'TAP version 13\n1..2\nok 1\nBail out! no database\n', [1, 0, 0, false]],
  ['still to be written', 'TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b # TODO\n', [1, 0, 1, true]],
  ['all skipped', '1..0 # SKIP no database\n', [0, 0, 0, null]],
]
