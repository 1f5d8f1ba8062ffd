import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTestOutput } from '../../packages/test-output/src/index.ts'
import { anyCharacter } from '../any-character.ts'
import { green, heads, red } from './summaries.ts'

type Read = [passed: number, failed: number, ok: boolean | null] | undefined
const words: [output: string, read: Read][] = [
  ['PASS src/a.test.ts\nPASS src/b.test.ts\n', [2, 0, true]],
  ['PASS a\nFAIL b\nFAIL c\n', [1, 2, false]],
  ['All OK, 0 errors\n', [1, 0, true]],
  ['hello world\n', undefined],
  ['', undefined],
  ['const ERROR_CODE = 1\n10 tests PASSED\n', [10, 0, true]],
  ['1..2\nok 1 a\nnot ok 2 b\n', [1, 1, false]],
  ['===== 12 passed in 0.31s =====\n', [12, 0, true]],
  ['12 passed in 0.31s', [12, 0, true]],
  ['PASS a\nPASS b\n', [2, 0, true]],
  ['PASS\n', [1, 0, true]],
  ['FAIL\n', [0, 1, false]],
  ['nothing\n', undefined],
  ['3 tests passed', [3, 0, true]],
  ['5 passed, 0 failed', [5, 0, true]],
  ['5 passed, 2 failed', [5, 2, false]],
  ['passed: 5, failed: 0', [5, 0, true]],
  ['passed: 5\nfailed: 1', [5, 1, false]],
  ['looking for a token\n', undefined],
  ['bookkeeping\n', undefined],
  ['not ok\n', [0, 1, false]],
  ['see src/error.ts and fail-fast.md\n', undefined],
  ['no errors\nOK\n', [1, 0, true]],
  ['done, all tests PASS', [1, 0, true]],
  ['tests passed without errors: ok', [1, 0, true]],
  ['Error: Cannot find module x\n', [0, 1, false]],
  ['2 passing (4ms)\n1 failing\n', [2, 1, false]],
  ['0 passing (1ms)\n', [0, 0, null]],
  ['No tests found, exiting with code 0\nok\n', [0, 0, null]],
  ['thread panicked at src/lib.rs\n3 passed\n', [3, 1, false]],
  ['compiled OK\ninstall success\n', undefined],
]

describe('words', () => {
  it.each(words)('%j', (output, read) => {
    const run = readTestOutput(output)
    expect(run && [run.passed, run.failed, run.ok]).toEqual(read)
  })
})

const disguises: [name: string, output: string][] = [
  ['colours', '\u001B[32m3 passed\u001B[39m in 0.10s'],
  ['windows line ends', '=== 3 passed in 0.10s ===\r\n'],
  ['a byte order mark', '\uFEFF3 passed in 0.10s'],
  ['UTF-16 read as UTF-8', [...'3 passed in 0.10s\n'].join('\u0000')],
  ['a link', '\u001B]8;;https://example.com\u0007\u001B]8;;\u00073 passed in 0.10s'],
]

describe('disguises', () => {
  it.each(disguises)('%s', (_name, output) =>
    expect(readTestOutput(output)).toMatchObject({ framework: 'pytest', passed: 3, ok: true }),
  )
})

describe('laws', () => {
  const line = fc.constantFrom(
    'PASS a',
    'FAIL b',
    'ok 1 - a',
    'not ok 2 - b',
    '1..2',
    '1..0',
    '# tests 0',
    '# pass 0',
    '# fail 0',
    ' Test Files  no tests',
    '      Tests  2 skipped (2)',
    '      Tests  1 failed | 3 passed (4)',
    'Tests:       0 total',
    'Test Suites: 1 failed, 1 total',
    '=== 1 error in 0.1s ===',
    'no tests ran in 0.01s',
    '0 passing',
    '3 passed',
    '1 failed',
    'OK',
  )
  it('never ok with zero passed tests or with a failed one', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const run = readTestOutput(lines.join('\n'))
        if (run?.ok === true) {
          expect(run.passed).toBeGreaterThan(0)
          expect(run.failed).toBe(0)
          expect(lines).not.toContain('      Tests  1 failed | 3 passed (4)')
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('never ok if any summary has failures', () => {
    const piece = fc.oneof(fc.constantFrom(...green), fc.constantFrom(...red), fc.constantFrom(...heads))
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 7 }), (pieces) => {
        const run = readTestOutput(pieces.join('\n'))
        if (pieces.some((one) => red.includes(one))) expect(run?.ok ?? null).not.toBe(true)
      }),
      { numRuns: 3_000 },
    )
  })

  it.each(green)('passing alone: %j', (text) => expect(readTestOutput(text)?.ok).toBe(true))
  it.each(red)('failing alone: %j', (text) => expect(readTestOutput(text)?.ok).toBe(false))

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        expect(() => readTestOutput(text)).not.toThrow()
      }),
    )
  })
})
