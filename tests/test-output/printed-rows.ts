/** Printed lines of runners, versions and languages that the tests cannot run: text, and passed, failed, skipped, ok. */
export type Printed = readonly [
  name: string,
  text: string,
  read: readonly [number, number, number, boolean | null] | undefined,
]

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`
const dotnet = (text: string) => `${text}     ${'-'.repeat(0)}- A.Tests.dll (net8.0)`

export const javascript: readonly Printed[] = [
  [
    'vitest 0.1',
    lines('Test Files  1 passed (1)', '     Tests  3 passed (3)', '      Time  1.21s (in thread 3ms, 1.20%)'),
    [3, 0, 0, true],
  ],
  [
    'vitest with todo',
    lines(' Test Files  2 passed (2)', '      Tests  3 passed | 1 skipped | 2 todo (6)'),
    [3, 0, 3, true],
  ],
  [
    'vitest with type errors',
    lines(' Test Files  1 passed (1)', '      Tests  3 passed (3)', 'Type Errors  2 errors'),
    [3, 0, 0, false],
  ],
  [
    'vitest cancelled',
    lines(' RUN  v3.0.0 /a', ' Test Files  1 passed (4)', '      Tests  3 passed (9)'),
    [3, 0, 0, null],
  ],
  [
    'vitest again in watch mode',
    lines(' DEV  v1.0.0 /a', '      Tests  1 failed (1)', ' RERUN  a.ts x1', '      Tests  1 passed (1)'),
    [1, 0, 0, true],
  ],
  [
    'vitest inside vitest',
    lines(
      ' RUN  v3.0.0 /a',
      ' RUN  v3.0.0 /inner',
      '      Tests  1 failed (1)',
      ' Test Files  1 passed (1)',
      '      Tests  4 passed (4)',
    ),
    [4, 0, 0, true],
  ],
  [
    'jest with skipped suites',
    lines('Test Suites: 1 skipped, 3 passed, 3 of 4 total', 'Tests:       2 skipped, 7 passed, 9 total'),
    [7, 0, 2, true],
  ],
  ['jest interrupted', lines('Test Suites: 3 passed, 3 of 5 total', 'Tests:       7 passed, 7 total'), [7, 0, 0, null]],
  [
    'jest with a failed suite',
    lines('Test Suites: 1 failed, 1 passed, 2 total', 'Tests:       7 passed, 7 total'),
    [7, 0, 0, false],
  ],
  ['mocha with minutes', lines('  12 passing (2m)', '  1 pending'), [12, 0, 1, true]],
  [
    'Cypress, two specs',
    lines('    ✓ a (10ms)', '', '  1 passing (1s)', '', '  0 passing (2s)', '  1 failing'),
    [1, 1, 0, false],
  ],
  [
    'node:test in another encoding',
    lines('Γä╣ tests 3', 'Γä╣ suites 0', 'Γä╣ pass 3', 'Γä╣ fail 0', 'Γä╣ cancelled 0', 'Γä╣ skipped 0', 'Γä╣ todo 0'),
    [3, 0, 0, true],
  ],
  [
    'node:test twice',
    lines('ℹ tests 2', 'ℹ pass 2', 'ℹ fail 0', 'ℹ tests 3', 'ℹ pass 2', 'ℹ fail 1'),
    [4, 1, 0, false],
  ],
  [
    'playwright',
    lines(
      'Running 4 tests using 2 workers',
      '  1 failed',
      '    a.spec.ts:3:1 › is wrong ──',
      '  1 did not run',
      '  2 passed (3.1s)',
    ),
    [2, 1, 1, false],
  ],
  [
    'playwright with an error outside',
    lines(
      'Running 1 test using 1 worker',
      '  1 passed (1s)',
      '  1 error was not a part of any test, see above for details',
    ),
    [1, 0, 0, false],
  ],
  [
    'playwright without an end',
    lines('Running 4 tests using 2 workers', '  ✓  1 a.spec.ts:3:1 › a (1s)'),
    [0, 0, 0, null],
  ],
  [
    'bun with an error between tests',
    lines('bun test v1.1.0', '', ' 3 pass', ' 0 fail', ' 1 error', 'Ran 3 tests across 2 files. [1.00ms]'),
    [3, 0, 0, false],
  ],
  [
    'bun in a terminal',
    lines(
      'bun test v1.0.0',
      'a.test.ts:',
      '✓ a > b [0.1ms]',
      ' 1 pass',
      ' 0 fail',
      'Ran 1 tests across 1 files. [1.00ms]',
    ),
    [1, 0, 0, true],
  ],
  [
    'deno with steps',
    lines(
      'running 1 test from ./a.ts',
      'a ...',
      '  b ... ok (1ms)',
      'a ... ok (2ms)',
      '',
      'ok | 1 passed (1 step) | 0 failed | 2 ignored (5ms)',
    ),
    [1, 0, 2, true],
  ],
  [
    'uvu',
    lines('a.js', '• • •   (3 / 3)', '', '  Total:     3', '  Passed:    3', '  Skipped:   1', '  Duration:  2.39ms'),
    [3, 0, 1, true],
  ],
  [
    'uvu, one failed',
    lines(
      'a.js',
      '• ✘   (1 / 2)',
      '',
      '   FAIL  math  "adds"',
      '',
      '  Total:     2',
      '  Passed:    1',
      '  Skipped:   0',
      '  Duration:  2ms',
    ),
    [1, 1, 0, false],
  ],
  ['ava', lines('  ✔ a', '  ─', '', '  1 test passed', '  1 known failure', '  1 test skipped'), [1, 0, 1, true]],
  [
    'jasmine',
    lines('Started', '..*', '', '3 specs, 0 failures, 1 pending spec', 'Finished in 0.01 seconds'),
    [2, 0, 1, true],
  ],
  [
    'karma',
    lines(
      'Chrome Headless 120.0.0 (Linux x86_64): Executed 3 of 5 SUCCESS (0.01 secs / 0.01 secs)',
      'Chrome Headless 120.0.0 (Linux x86_64): Executed 4 of 5 (1 FAILED) (skipped 1) (0.02 secs / 0.01 secs)',
    ),
    [3, 1, 1, false],
  ],
  ['karma, disconnected', lines('Chrome 99: Executed 2 of 5 DISCONNECTED (10.0 secs / 0.1 secs)'), [2, 0, 0, false]],
]

export const python: readonly Printed[] = [
  ['pytest of old', '====== 5 passed in 0.12 seconds ======\n', [5, 0, 0, true]],
  [
    'pytest, long',
    '== 1 failed, 3 passed, 2 skipped, 4 deselected, 1 xfailed, 1 xpassed, 5 warnings, 1 error, 2 rerun in 75.31s (0:01:15) ==\n',
    [4, 2, 2, false],
  ],
  ['pytest with subtests', '=== 2 passed, 3 subtests passed in 0.10s ===\n', [2, 0, 0, true]],
  ['pytest, only deselected', '=== 5 deselected in 0.10s ===\n', [0, 0, 0, null]],
  [
    'pytest, interrupted',
    lines('=== test session starts ===', '!!!!!!!!!! KeyboardInterrupt !!!!!!!!!!', '=== 3 passed in 2.10s ==='),
    [3, 0, 0, null],
  ],
  [
    'pytest below its coverage',
    lines(
      '=== test session starts ===',
      'FAIL Required test coverage of 90% not reached. Total coverage: 50.00%',
      '=== 3 passed in 2.10s ===',
    ),
    [3, 0, 0, null],
  ],
  [
    'pytest inside pytest',
    lines(
      '=== test session starts ===',
      '=== test session starts ===',
      '=== 1 failed in 0.01s ===',
      '=== 3 passed in 2.10s ===',
    ),
    [3, 0, 0, true],
  ],
  [
    'pytest-sugar',
    lines('Results (0.12s):', '       3 passed', '       1 failed', '         - a.py:1 test_a'),
    [3, 1, 0, false],
  ],
  [
    'pytest on workers',
    lines(
      '[gw0] [ 50%] PASSED tests/a.py::test_a ',
      '[gw1] [100%] FAILED tests/a.py::test_b ',
      '=== 1 failed, 1 passed in 1.00s ===',
    ),
    [1, 1, 0, false],
  ],
  [
    'unittest, all kinds',
    lines(
      'Ran 9 tests in 0.010s',
      '',
      'FAILED (failures=1, errors=2, skipped=1, expected failures=1, unexpected successes=1)',
    ),
    [3, 4, 1, false],
  ],
  ['unittest, nothing', lines('Ran 0 tests in 0.000s', '', 'NO TESTS RAN'), [0, 0, 0, null]],
  [
    'unittest without its verdict',
    lines('Ran 3 tests in 0.000s', '', 'Traceback (most recent call last):'),
    [3, 0, 0, null],
  ],
  ['trial', lines('Ran 3 tests in 0.101s', '', 'PASSED (successes=3)'), [3, 0, 0, true]],
  [
    'tox, one failing',
    lines(
      '=== 3 passed in 0.10s ===',
      '  py311: OK (1.2=setup[1.0]+cmd[0.2] seconds)',
      '  py312: FAIL code 1 (1.0 seconds)',
      '  evaluation failed :( (2.30 seconds)',
    ),
    [3, 0, 0, null],
  ],
  [
    'tox, all passing',
    lines('=== 3 passed in 0.10s ===', '  py311: OK (1.2 seconds)', '  congratulations :) (2.30 seconds)'),
    [3, 0, 0, true],
  ],
  [
    'nox, one failing',
    lines(
      '=== 3 passed in 0.10s ===',
      'nox > Ran multiple sessions:',
      'nox > * tests: success',
      'nox > * lint: failed',
    ),
    [3, 0, 0, null],
  ],
  [
    'behave',
    lines(
      '2 features passed, 0 failed, 0 skipped',
      '5 scenarios passed, 0 failed, 1 skipped',
      '9 steps passed, 0 failed, 1 skipped, 0 undefined',
    ),
    [5, 0, 1, true],
  ],
  ['Robot Framework', lines('3 tests, 3 passed, 0 failed', '==', '5 tests, 4 passed, 1 failed'), [4, 1, 0, false]],
]

export const compiled: readonly Printed[] = [
  [
    'cargo, a target that does not compile',
    lines(
      'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
      'error: could not compile `a` (test "b") due to 1 previous error',
    ),
    [3, 0, 0, false],
  ],
  [
    'cargo on Windows',
    lines(
      '     Running unittests src\\lib.rs (target\\debug\\deps\\a-0123456789abcdef.exe)',
      'running 1 test',
      'test a ... ok',
      'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out',
    ),
    [1, 0, 0, true],
  ],
  [
    'cargo, a binary that never ended',
    lines('running 1 test', 'test result: ok. 1 passed; 0 failed; 0 ignored', 'running 2 tests', 'test a ... ok'),
    [1, 0, 0, null],
  ],
  [
    'nextest',
    lines(
      '    Starting 4 tests across 2 binaries',
      '        PASS [   0.004s] a tests::one',
      '  TRY 1 FAIL [   0.010s] a tests::two',
      '  TRY 2 PASS [   0.010s] a tests::two',
      '     Summary [   0.020s] 3 tests run: 3 passed (1 flaky), 1 skipped',
    ),
    [3, 0, 1, true],
  ],
  [
    'nextest, timed out',
    '     Summary [  60.020s] 3 tests run: 1 passed, 1 failed, 1 timed out, 0 skipped\n',
    [1, 2, 0, false],
  ],
  ['nextest, stopped', '     Summary [   0.020s] 2/5 tests run: 2 passed, 0 skipped\n', [2, 0, 0, false]],
  [
    'gtest',
    lines(
      '[==========] Running 3 tests from 1 test suite.',
      '[       OK ] A.one (0 ms)',
      '[==========] 3 tests from 1 test suite ran. (1 ms total)',
      '[  PASSED  ] 2 tests.',
      '[  FAILED  ] 1 test, listed below:',
      '[  FAILED  ] A.two',
      '',
      ' 1 FAILED TEST',
    ),
    [2, 1, 0, false],
  ],
  [
    'gtest, crashed',
    lines('[==========] Running 3 tests from 1 test suite.', '[ RUN      ] A.one', 'Segmentation fault (core dumped)'),
    [0, 0, 0, false],
  ],
  [
    'Catch2, failing',
    lines('test cases: 4 | 2 passed | 1 failed | 1 skipped', 'assertions: 9 | 8 passed | 1 failed'),
    [2, 1, 1, false],
  ],
  [
    'doctest',
    lines(
      '[doctest] test cases:  3 |  3 passed | 0 failed | 0 skipped',
      '[doctest] assertions: 9 | 9 passed | 0 failed |',
      '[doctest] Status: SUCCESS!',
    ),
    [3, 0, 0, true],
  ],
  [
    'ctest',
    lines(
      'Test project /a',
      '    Start 1: a',
      '1/2 Test #1: a ................   Passed    0.01 sec',
      '2/2 Test #2: b ................***Not Run (Disabled)   0.00 sec',
      '',
      '100% tests passed, 0 tests failed out of 1',
    ),
    [1, 0, 0, true],
  ],
  [
    'a log of ctest with a crash',
    lines(
      '1/2 Testing: a',
      'All tests passed (3 assertions in 1 test case)',
      'Test Passed.',
      '2/2 Testing: b',
      'Test Failed.',
    ),
    [1, 0, 0, false],
  ],
  [
    'go, a panic in another package',
    lines('ok  \texample.com/a\t0.1s', 'panic: no', '', 'goroutine 1 [running]:', 'FAIL\texample.com/b\t0.01s', 'FAIL'),
    [1, 0, 0, false],
  ],
  [
    'go, text without a newline before the result',
    lines(
      '=== RUN   TestA',
      'hello--- PASS: TestA (0.00s)',
      '=== RUN   TestB',
      'x: 1 --- FAIL: TestB (0.00s)',
      'FAIL',
      'FAIL\texample.com/a\t0.1s',
    ),
    [1, 1, 0, false],
  ],
  [
    'go with coverage',
    lines(
      'ok  \texample.com/a\t0.1s\tcoverage: 80.0% of statements',
      '\texample.com/b\t\tcoverage: 0.0% of statements',
    ),
    [1, 0, 0, true],
  ],
  ['gotestsum', lines('✓  a (1ms)', '', 'DONE 5 tests, 1 skipped in 0.010s'), [4, 0, 1, true]],
  ['gotestsum with an error', lines('✖  a', '', 'DONE 5 tests, 1 error in 0.010s'), [5, 0, 0, false]],
  [
    'ginkgo',
    lines('Ran 5 of 6 Specs in 0.001 seconds', 'SUCCESS! -- 5 Passed | 0 Failed | 0 Pending | 1 Skipped'),
    [5, 0, 1, true],
  ],
  [
    'swift',
    lines(
      "Test Suite 'A' passed at 2026",
      '\t Executed 3 tests, with 0 failures (0 unexpected) in 0.1 (0.1) seconds',
      "Test Suite 'All tests' passed at 2026",
      '\t Executed 3 tests, with 0 failures (0 unexpected) in 0.1 (0.1) seconds',
    ),
    [3, 0, 0, true],
  ],
  ['swift testing', '✘ Test run with 5 tests failed after 0.001 seconds with 1 issue.\n', [4, 1, 0, false]],
  [
    'forge',
    lines(
      'Ran 2 tests for test/A.t.sol:ATest',
      '[PASS] test_a() (gas: 1)',
      '[FAIL: no] test_b() (gas: 2)',
      'Suite result: FAILED. 1 passed; 1 failed; 0 skipped; finished in 1.00ms',
      '',
      'Ran 1 test suite in 2.00ms (1.00ms CPU time): 1 tests passed, 1 failed, 0 skipped (2 total tests)',
    ),
    [1, 1, 0, false],
  ],
  [
    'forge without its head',
    'Ran 3 test suites in 2.00ms (1.00ms CPU time): 9 tests passed, 0 failed, 1 skipped (10 total tests)\nSuite result: \n',
    [9, 0, 1, true],
  ],
  ['clojure', lines('Ran 5 tests containing 12 assertions.', '0 failures, 0 errors.'), [5, 0, 0, true]],
]

export const managed: readonly Printed[] = [
  [
    'dotnet',
    lines(dotnet('Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms')),
    [3, 0, 1, true],
  ],
  [
    'dotnet, two projects',
    lines(
      dotnet('Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 5 ms'),
      dotnet('Failed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2, Duration: 5 ms'),
    ),
    [4, 1, 0, false],
  ],
  [
    'dotnet in German',
    lines(dotnet('Bestanden!   : Fehler:     0, erfolgreich:     3, übersprungen:     0, gesamt:     3, Dauer: 5 ms')),
    [3, 0, 0, true],
  ],
  [
    'dotnet in French',
    lines(dotnet('Échec!  - échec :     1, réussite :     2, ignorée(s) :     0, total :     3, durée : 5 ms')),
    [2, 1, 0, false],
  ],
  [
    'dotnet in Portuguese',
    lines(dotnet('Aprovado!  – Com falha:     0, Aprovado:     5, Ignorado:     1, Total:     6, Duração: 5 ms')),
    [5, 0, 1, true],
  ],
  [
    'dotnet in Chinese',
    lines(dotnet('已通过! - 失败:     0，通过:     7，已跳过:     0，总计:     7，持续时间: 4 ms')),
    [7, 0, 0, true],
  ],
  [
    'dotnet in Japanese',
    lines(dotnet('成功!   -失敗:     0、合格:     2、スキップ:     0、合計:     2、期間: 4 ms')),
    [2, 0, 0, true],
  ],
  [
    'dotnet, long form',
    lines('Test Run Failed.', 'Total tests: 3', '     Passed: 2', '     Failed: 1', ' Total time: 1.2 Seconds'),
    [2, 1, 0, false],
  ],
  ['dotnet of old', 'Total tests: 5. Passed: 4. Failed: 0. Skipped: 1.\n', [4, 0, 1, true]],
  [
    'dotnet, newer platform',
    lines(
      'Test run summary: Passed! - bin/A.dll (net9.0|x64)',
      '  total: 3',
      '  failed: 0',
      '  succeeded: 3',
      '  skipped: 0',
      '  duration: 1s',
    ),
    [3, 0, 0, true],
  ],
  [
    'dotnet, the host crashed',
    lines(
      dotnet('Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 5 ms'),
      'The active test run was aborted. Reason: Test host process crashed',
    ),
    [3, 0, 0, false],
  ],
  [
    'dotnet, one project does not build',
    lines(
      '/a/B.cs(1,2): error CS1002: ; expected [/a/B.csproj]',
      dotnet('Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 5 ms'),
    ),
    [3, 0, 0, false],
  ],
  [
    'dotnet, an assembly without a result',
    lines(
      'Test run for /a/A.dll (.NETCoreApp,Version=v8.0)',
      dotnet('Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 5 ms'),
      'Test run for /a/B.dll (.NETCoreApp,Version=v8.0)',
    ),
    [3, 0, 0, null],
  ],
  [
    'gradle',
    lines('> Task :test', '', 'ATest > one() PASSED', '', 'ATest > two() SKIPPED', '', 'BUILD SUCCESSFUL in 3s'),
    [1, 0, 1, true],
  ],
  ['gradle without tests', lines('> Task :test NO-SOURCE', '', 'BUILD SUCCESSFUL in 1s'), [0, 0, 0, null]],
  [
    'gradle, failing',
    lines('> Task :test FAILED', '9 tests completed, 2 failed, 1 skipped', '', 'BUILD FAILED in 3s'),
    [6, 2, 1, false],
  ],
  [
    'gradle, the build failed later',
    lines('> Task :test', 'ATest > one() PASSED', '> Task :lint FAILED', 'BUILD FAILED in 3s'),
    [1, 0, 0, false],
  ],
  ['gradle, broken off', lines('> Task :test', 'ATest > one() PASSED'), [1, 0, 0, null]],
  [
    'a logger of gradle',
    lines('> Task :test', 'SUCCESS: Executed 5 tests in 1.2s (1 skipped)', 'BUILD SUCCESSFUL in 3s'),
    [4, 0, 1, true],
  ],
  [
    'surefire, two modules',
    lines(
      '[INFO] Scanning for projects...',
      '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A',
      '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0',
      '[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1',
      '[INFO] BUILD SUCCESS',
    ),
    [4, 0, 1, true],
  ],
  [
    'surefire, failures ignored',
    lines('[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0', '[INFO] BUILD SUCCESS'),
    [1, 1, 0, false],
  ],
  [
    'surefire, then something else fails',
    lines('[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0', '[INFO] BUILD FAILURE'),
    [2, 0, 0, false],
  ],
  [
    'surefire, broken off',
    lines('[INFO] Scanning for projects...', '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0'),
    [2, 0, 0, null],
  ],
  [
    'ant',
    lines('    [junit] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 sec'),
    [2, 0, 0, true],
  ],
  ['JUnit 4 alone', lines('Time: 0.01', '', 'OK (5 tests)'), [5, 0, 0, true]],
  [
    'JUnit 5 alone',
    lines(
      '[         1 containers failed     ]',
      '[         5 tests found           ]',
      '[         4 tests successful      ]',
      '[         1 tests failed          ]',
    ),
    [4, 1, 0, false],
  ],
  ['TestNG', 'Total tests run: 5, Passes: 3, Failures: 1, Skips: 1\n', [3, 1, 1, false]],
  [
    'ScalaTest',
    lines('[info] Tests: succeeded 5, failed 0, canceled 0, ignored 1, pending 0', '[info] All tests passed.'),
    [5, 0, 1, true],
  ],
]

export const others: readonly Printed[] = [
  ['rspec with errors outside', '3 examples, 0 failures, 1 error occurred outside of examples\n', [3, 0, 0, false]],
  [
    'rspec below its coverage',
    lines('3 examples, 0 failures', 'Line coverage (50.00%) is below the expected minimum coverage (90.00%).'),
    [3, 0, 0, null],
  ],
  ['Crystal', '5 examples, 1 failures, 1 errors, 1 pending\n', [2, 2, 1, false]],
  [
    'test-unit',
    '5 tests, 9 assertions, 1 failures, 0 errors, 0 pendings, 1 omissions, 0 notifications\n',
    [3, 1, 1, false],
  ],
  [
    'phpunit 11 with issues',
    lines('OK, but there were issues!', 'Tests: 3, Assertions: 3, PHPUnit Deprecations: 1.'),
    [3, 0, 0, true],
  ],
  ['phpunit with warnings', lines('WARNINGS!', 'Tests: 3, Assertions: 2, Warnings: 1.'), [3, 0, 0, null]],
  [
    'phpunit without an end',
    lines(
      'PHPUnit 11.0.0 by Sebastian Bergmann and contributors.',
      '',
      '..PHP Fatal error:  Allowed memory size exhausted',
    ),
    [0, 0, 0, null],
  ],
  [
    'pest',
    lines(
      '   PASS  Tests\\ATest',
      '  ✓ it adds  0.01s',
      '',
      '  Tests:    1 skipped, 1 passed (1 assertions)',
      '  Duration: 0.10s',
    ),
    [1, 0, 1, true],
  ],
  [
    'ExUnit',
    lines(
      'Finished in 0.1 seconds (0.00s async, 0.1s sync)',
      '2 doctests, 1 property, 5 tests, 0 failures, 1 excluded, 1 skipped',
    ),
    [6, 0, 1, true],
  ],
  ['ExUnit, invalid', lines('Finished in 0.1 seconds', '5 tests, 0 failures, 2 invalid'), [3, 2, 0, false]],
  ['flutter', lines('00:01 +3 ~1 -1: a [E]', '00:02 +4 ~1 -1: Some tests failed.'), [4, 1, 1, false]],
  ['flutter without an end', lines('00:01 +3: a'), [3, 0, 0, null]],
  [
    'prove',
    lines('t/a.t .. ok', 'All tests successful.', 'Files=1, Tests=4,  0 wallclock secs', 'Result: PASS'),
    [4, 0, 0, true],
  ],
  [
    'prove -v',
    lines(
      ...['t/a.t .. ', '1..2', 'ok 1 - a', 'ok 2 - b', 'ok', 't/b.t .. ', 'ok 1 - c', '1..1', 'ok'],
      ...['All tests successful.', 'Files=2, Tests=3,  0 wallclock secs', 'Result: PASS'],
    ),
    [3, 0, 0, true],
  ],
  [
    'prove -v, a failure',
    lines(
      ...['t/a.t .. ', '1..1', 'ok 1 - a', 'ok', 't/b.t .. ', 'ok 1 - c', 'not ok 2 - d', '1..2'],
      ...['Dubious, test returned 1 (wstat 256, 0x100)', 'Failed 1/2 subtests ', '', 'Test Summary Report'],
      ...['t/b.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)', 'Files=2, Tests=3,  1 wallclock secs', 'Result: FAIL'],
    ),
    [2, 1, 0, false],
  ],
  [
    'prove -v, a bare ok instead of a planned point',
    lines('t/a.t .. ', '1..2', 'ok 1 - a', 'ok', 'Files=1, Tests=2,  0 wallclock secs', 'Result: FAIL'),
    [2, 0, 0, false],
  ],
  [
    'testthat',
    lines('[ FAIL 0 | WARN 0 | SKIP 0 | PASS 1 ]', '[ FAIL 1 | WARN 0 | SKIP 0 | PASS 4 ]'),
    [4, 1, 0, false],
  ],
  ['busted', '3 successes / 0 failures / 0 errors / 1 pending : 0.01 seconds\n', [3, 0, 1, true]],
  ['cucumber', lines('5 scenarios (1 undefined, 4 passed)', '9 steps (1 undefined, 8 passed)'), [4, 1, 0, false]],
  ['TAP, two producers', lines('1..1', 'ok 1 - a', '1..2', 'ok 1 - b', 'ok 2 - c'), [3, 0, 0, true]],
  [
    'meson',
    lines(
      '1/3 unit - inih:first        OK              0.01s',
      '2/3 second                   FAIL            0.02s   exit status 1',
      '3/3 third                    SKIP            0.00s',
      '',
      'Ok:                 1   ',
      'Expected Fail:      0   ',
      'Fail:               1   ',
      'Unexpected Pass:    0   ',
      'Skipped:            1   ',
      'Timeout:            0   ',
    ),
    [1, 1, 1, false],
  ],
  ['meson, only counts', lines('Ok:                 17  ', 'Fail:               0   '), [17, 0, 0, true]],
  ['meson with a timeout', lines('Ok:   17', 'Expected Fail:   1', 'Fail:   0', 'Timeout:   2'), [17, 2, 1, false]],
  ['a program that prints a word like meson', lines('Ok:   3', 'done'), undefined],
  ['two TAP streams with plans at their ends', lines('ok 1 a', 'ok 2 b', '1..2', 'ok 1 c', '1..1'), [3, 0, 0, true]],
  ['two TAP streams, the second with a failure', lines('ok 1 a', '1..1', 'not ok 1 b', '1..1'), [1, 1, 0, false]],
  ['a second TAP stream without a plan', lines('ok 1 a', '1..1', 'ok 1 b'), [2, 0, 0, null]],
  [
    'a TAP stream with the plan first, then one with it last',
    lines('1..1', 'ok 1 a', 'ok 1 b', '1..1'),
    [2, 0, 0, true],
  ],
  ['more TAP points than planned', lines('ok 1 a', '1..1', 'ok 2 b'), [2, 0, 0, false]],
  ['TAP of tape', lines('TAP version 13', 'ok 1 a', '', '1..1', '# tests 1', '# pass  1', '', '# ok'), [1, 0, 0, true]],
  [
    'TAP of tape, with several assertions in a test',
    lines(
      ...['TAP version 13', '# parses', 'ok 1 a', 'not ok 2 b', '# empty', '# joins', 'ok 3 a', 'ok 4 a'],
      ...['# SKIP splits', '', '1..4', '# tests 4', '# pass  3', '# fail  1'],
    ),
    [1, 1, 1, false],
  ],
  ['TAP with a comment before its plan', lines('TAP version 13', '# all', '1..2', 'ok 1 a', 'ok 2 b'), [2, 0, 0, true]],
  [
    'TAP with a comment after its first point',
    lines('TAP version 13', 'ok 1 a', '# b', 'ok 2 b', '1..2'),
    [2, 0, 0, true],
  ],
  ['TAP whose closing lines know better', lines('TAP version 13', 'ok 1 a', '1..1', '# fail 2'), [1, 0, 0, false]],
]

const vitestGreen = '      Tests  3 passed (3)'

export const around: readonly Printed[] = [
  ['a signal after the summary', lines(vitestGreen, 'Segmentation fault (core dumped)'), [3, 0, 0, null]],
  [
    'a shell that names the killed',
    lines(vitestGreen, 'bash: line 1: 12345 Killed                  npm test'),
    [3, 0, 0, null],
  ],
  [
    'no memory after the summary',
    lines(vitestGreen, 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'),
    [3, 0, 0, null],
  ],
  [
    'npm',
    lines(vitestGreen, 'npm error Lifecycle script `test` failed with error:', 'npm error code 1'),
    [3, 0, 0, null],
  ],
  ['npm of old', lines(vitestGreen, 'npm ERR! Test failed.  See above for more details.'), [3, 0, 0, null]],
  ['pnpm', lines(vitestGreen, ' ELIFECYCLE  Test failed. See above for more details.'), [3, 0, 0, null]],
  ['yarn', lines(vitestGreen, 'error Command failed with exit code 1.'), [3, 0, 0, null]],
  ['make', lines(vitestGreen, 'make: *** [Makefile:3: test] Error 1'), [3, 0, 0, null]],
  ['a printed exit code', lines(vitestGreen, 'EXIT_CODE=1'), [3, 0, 0, null]],
  ['an exit code of zero', lines(vitestGreen, 'EXIT_CODE=0'), [3, 0, 0, true]],
  [
    'a trace after the summary',
    lines('=== 3 passed in 0.10s ===', 'Traceback (most recent call last):', '  File "a.py"'),
    [3, 0, 0, null],
  ],
  [
    'a word of the failure that is counted anyway',
    lines('      Tests  1 failed | 2 passed (3)', 'npm error code 1'),
    [2, 1, 0, false],
  ],
  [
    'turbo',
    lines(
      'web:test:  RUN  v3.0.0 /web',
      'api:test:  RUN  v3.0.0 /api',
      'web:test:       Tests  3 passed (3)',
      'api:test:       Tests  2 passed (2)',
      'web:test: ',
      'api:test: ',
    ),
    [5, 0, 0, true],
  ],
  [
    'turbo, one failing',
    lines(
      'web:test:  RUN  v3.0.0 /web',
      'api:test:  RUN  v3.0.0 /api',
      'web:test:       Tests  3 passed (3)',
      'api:test:       Tests  1 failed (1)',
      'web:test: ',
      'api:test: ',
      ' ERROR  run failed: command  exited (1)',
    ),
    [3, 1, 0, false],
  ],
  [
    'pnpm in all packages',
    lines(
      'packages/a test:  RUN  v3.0.0 /a',
      'packages/b test:  RUN  v3.0.0 /b',
      'packages/a test:       Tests  3 passed (3)',
      'packages/b test:       Tests  2 passed (2)',
      'packages/a test: Done',
      'packages/b test: Done',
    ),
    [5, 0, 0, true],
  ],
  [
    'concurrently',
    lines(
      '[0]  RUN  v3.0.0 /a',
      '[1] === test session starts ===',
      '[0]       Tests  3 passed (3)',
      '[1] === 2 passed in 0.10s ===',
      '[0] a',
      '[1] b',
    ),
    [5, 0, 0, true],
  ],
  [
    'the log of a workflow',
    lines(
      '2026-01-01T00:00:00.0000000Z  RUN  v3.0.0 /a',
      '2026-01-01T00:00:00.0000000Z       Tests  3 passed (3)',
      '2026-01-01T00:00:01.0000000Z ##[endgroup]',
      '2026-01-01T00:00:02.0000000Z ##[error]Process completed with exit code 1.',
    ),
    [3, 0, 0, null],
  ],
  ['two runners', lines('=== 3 passed in 0.10s ===', vitestGreen), [6, 0, 0, true]],
  ['two runners, one of them empty', lines('=== no tests ran in 0.10s ===', vitestGreen), [3, 0, 0, null]],
  [
    'a runner inside another',
    lines(
      'Test project /a',
      '    Start 1: a',
      'Ran 2 tests in 0.1s',
      '',
      'FAILED (failures=1)',
      '1/1 Test #1: a ...   Passed    0.01 sec',
      '',
      '100% tests passed, 0 tests failed out of 1',
    ),
    [1, 0, 0, true],
  ],
  [
    'two runners that printed at the same time',
    lines(' RUN  v3.0.0 /a', '=== test session starts ===', '=== 1 failed in 0.10s ===', vitestGreen),
    [3, 0, 0, null],
  ],
  ['an answer of a server', lines('GET / 200 OK', 'Connected: OK'), undefined],
  ['prose', lines('All tests should have passed by now, I am sure.'), undefined],
  ["a script of one's own", lines('12 tests passed', 'done'), [12, 0, 0, true]],
  ["a script of one's own, red", lines('12 tests passed, 1 failed'), [12, 1, 0, false]],
]
