import { describe, expect, it } from 'vitest'
import { testProgress } from '../../packages/exitgate/src/frameworks/progress.ts'

const rows: [runner: string, printed: string, passed: number, failed: number, skipped: number][] = [
  ['node', '✔ adds (1.2ms)\n▶ slug\n  ✔ lower case (0.3ms)\n  ✖ dashes (1ms)\n﹣ later (0.1ms) # SKIP\n', 2, 1, 1],
  ['node, failures listed again', '✖ dashes (1ms)\nℹ tests 1\n\n✖ failing tests:\n\n✖ dashes (1ms)\n', 0, 1, 0],
  ['TAP', 'TAP version 13\nok 1 - adds\nnot ok 2 - subtracts\nok 3 - later # SKIP\n1..3\n', 1, 1, 1],
  ['vitest', ' ✓ a.test.ts (5 tests) 12ms\n ❯ b.test.ts (4 tests | 1 failed | 1 skipped) 9ms\n', 7, 1, 1],
  ['cargo', 'running 3 tests\ntest a::b ... ok\ntest a::c ... FAILED\ntest a::d ... ignored\n', 1, 1, 1],
  ['cargo, failures listed again', 'test a ... FAILED\n\nfailures:\n\ntest a ... FAILED\n', 0, 1, 0],
  [
    'go -v',
    '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestB/x (0.00s)\n--- SKIP: TestC (0.00s)\n',
    1,
    1,
    1,
  ],
  [
    'go -json',
    '{"Action":"run","Test":"TestA"}\n{"Action":"pass","Package":"p","Test":"TestA"}\n{"Action":"pass","Package":"p"}\n',
    1,
    0,
    0,
  ],
  ['pytest', 'test_a.py ..F.s                   [ 62%]\ntest_b.py ...                     [100%]\n', 6, 1, 1],
  ['pytest -v', 'a.py::test_a PASSED   [ 50%]\na.py::test_b FAILED   [100%]\n', 1, 1, 0],
  ['rspec', '..F*\n\nFailures:\n\n  1) it fails\n', 2, 1, 1],
  ['phpunit', '..E.                                  4 / 4 (100%)\n', 3, 1, 0],
  ['colours', '\u001b[32m✔\u001b[39m adds\n', 1, 0, 0],
]

describe('results while a command runs', () => {
  it.each(rows)('%s', (_runner, printed, passed, failed, skipped) => {
    expect(testProgress()(printed)).toEqual({ passed, failed, skipped })
    const read = testProgress()
    let last: ReturnType<typeof read>
    for (const letter of printed) last = read(letter)
    expect(last).toEqual({ passed, failed, skipped })
  })

  it.each(['', 'no results\n', 'compiling...\n', 'ok then\n', '.env\n'])('nothing in %j', (printed) =>
    expect(testProgress()(printed)).toBeUndefined(),
  )
})
