import { describe, expect, it } from 'vitest'
import { signature } from '../../src/core/signals/error-line.ts'
import { read } from '../../src/core/signals/read.ts'
import { compilePattern, readWithPatterns } from '../../src/core/signals/user-patterns.ts'
import type { AgentError } from '../../src/core/types.ts'
import { transcript } from './transcript.ts'

describe('read', () => {
  it('keeps the end of the message as text', () => {
    expect(read(transcript(`${'x'.repeat(5_000)}end`)).text).toBe(`${'x'.repeat(1_997)}end`)
  })

  it.each([
    ['truncation within a surrogate pair', `${'x'.repeat(10)}🎉${'y'.repeat(1_999)}`, 'y'.repeat(1_999)],
    ['a lone surrogate in the middle', 'a\ud83cb', 'a\ufffdb'],
    ['a lone surrogate at the end', 'a\ud83c', 'a\ufffd'],
    ['complete surrogate pairs', 'a🎉b', 'a🎉b'],
  ])('leaves no lone surrogates: %s', (_name, final, text) => {
    expect(read(transcript(final)).text).toBe(text)
  })

  it('passes on the size and the denials', () => {
    const signals = read(transcript('x', { bytes: 12_345, denials: ['Bash(npm install)'] }))
    expect(signals.length).toBe(12_345)
    expect(signals.denials).toEqual(['Bash(npm install)'])
  })

  it('reads only the last 256 Ki characters', () => {
    const block = 'EXIT_STATUS: COMPLETE\n'
    expect(read(transcript(`${block}${'word\n'.repeat(60_000)}`)).claim).toBeUndefined()
    expect(read(transcript(`${'word\n'.repeat(60_000)}${block}`)).claim).toBe(true)
  })

  it('keeps the problems of the transcript, and at most twenty', () => {
    const problems = Array.from({ length: 30 }, (_, index) => `problem ${index}`)
    expect(read(transcript('EXIT_STATUS: PERHAPS', { problems: ['the stream broke off'] })).problems).toEqual([
      'the stream broke off',
      'exit-status: EXIT_STATUS has the unknown value "PERHAPS"',
    ])
    expect(read(transcript('x', { problems })).problems).toHaveLength(20)
  })

  it('limits the length of field values', () => {
    const fields = Array.from({ length: 40 }, (_, index) => `K${index}: ${'v'.repeat(5_000)}`).join('\n')
    const { said } = read(transcript(`---RALPH_STATUS---\n${fields}\n---END_RALPH_STATUS---`))
    expect(Object.keys(said)).toHaveLength(40)
    expect(Math.max(...Object.values(said).map((value) => String(value).length))).toBe(2_000)
  })

  it('omits absent fields', () => {
    const keys = Object.keys(read(transcript('hello')))
    expect(['claim', 'task', 'phase', 'blocker', 'error'].filter((key) => keys.includes(key))).toEqual([])
  })

  it('does not mutate the transcript', () => {
    const given = Object.freeze(transcript('EXIT_STATUS: COMPLETE', { earlier: Object.freeze(['done']) as string[] }))
    expect(read(given)).toEqual(read(given))
  })

  it('ignores patterns without a matcher', () => {
    const options = { patterns: ['shipped'] }
    expect(read(transcript('shipped'), options).phrases).toEqual([])
    expect(readWithPatterns(transcript('Shipped'), options).phrases).toEqual(['user:shipped'])
  })
})

describe("the user's patterns", () => {
  it.each([
    ['done$', 'all DONE', true],
    ['^ship', 'we ship', false],
    ['a.c', 'xABCx', true],
    ['end', `${'x'.repeat(2_000)}end`, false],
  ])('%s on %j: %s', (pattern, line, found) => {
    expect(compilePattern(pattern)(line)).toBe(found)
  })

  it('runs in linear time whatever the pattern', () => {
    expect(compilePattern('^(a+)+$')(`${'a'.repeat(1_999)}!`)).toBe(false)
  })

  it('reports an invalid pattern', () => {
    expect(() => compilePattern('(')).toThrow('invalid pattern "("')
  })
})

describe('the signature of an error', () => {
  it.each([
    ['numbers', 'expected 3 to be 4', 'expected 17 to be 12.5'],
    ['paths', "cannot open '/home/a/x.ts'", "cannot open '/var/b/y.ts'"],
    ['windows paths', 'cannot open C:\\a\\x.ts', 'cannot open D:\\b\\y.ts'],
    ['relative paths', 'in src/a/b.ts', 'in lib/c.ts'],
    ['times', 'at 2026-01-01T10:00:00Z failed', 'at 2026-02-03 11:12:13.5 failed'],
    ['clock times', 'at 10:00:01 failed', 'at 23:59 failed'],
    ['ids', 'object 0x7f3a at deadbeef12', 'object 0x1 at cafe1234567'],
    ['uuids', 'run 123e4567-e89b-12d3-a456-426614174000', 'run 00000000-0000-4000-8000-000000000000'],
    ['quotes', 'cannot find “x”', 'cannot find `x`'],
    ['case and spaces', ' Cannot  find x ', 'cannot find x'],
    ['everything after 1,000 characters', `${'x'.repeat(1_000)} one`, `${'x'.repeat(1_000)} two`],
  ])('ignores %s', (_name, one, two) => {
    expect(signature('Error', one)).toBe(signature('error', two))
  })

  it.each<[string, [string, string], [string, string]]>([
    ['message', ['Error', 'cannot find x'], ['Error', 'cannot find y']],
    ['type', ['TypeError', 'x'], ['RangeError', 'x']],
    ['border between type and message', ['a', 'b c'], ['a b', 'c']],
  ])('differs with the %s', (_name, one, two) => {
    expect(signature(...one)).not.toBe(signature(...two))
  })

  it('has 16 hex digits', () => {
    for (const message of ['', 'x', 'y'.repeat(100_000), '漢字 🎉 \ud800'])
      expect(signature('t', message)).toMatch(/^[0-9a-f]{16}$/)
  })

  const api: AgentError = { kind: 'api', message: 'overloaded (529)' }
  it.each<[string, string, AgentError[], string | undefined]>([
    [
      'the agent reports one',
      'TypeError: x',
      [{ kind: 'other', message: 'first' }, api],
      signature('api', 'overloaded (529)'),
    ],
    ['the agent reports only one', 'TypeError: x', [api], signature('api', 'overloaded (529)')],
    [
      'a line begins like one',
      'I ran it.\nTypeError: x is not a function\nSo I stop.',
      [],
      signature('TypeError', 'x is not a function'),
    ],
    ['the last one counts', 'Error: one\nError: two', [], signature('Error', 'two')],
    ['in a fence', '```\nerror[E0308]: mismatched types\n```', [], signature('error[E0308]', 'mismatched types')],
    [
      'a failed test',
      'FAILED tests/test_a.py::test_b - assert 1 == 2',
      [],
      signature('FAILED', 'tests/test_a.py::test_b - assert 1 == 2'),
    ],
    [
      'a panic',
      'panic: runtime error: index out of range',
      [],
      signature('panic', 'runtime error: index out of range'),
    ],
    ['none', 'All went well. The Error: prefix is documented.', [], undefined],
    ['a count of zero', 'Errors: 0\nError: none', [], undefined],
    ['a quoted one', '> Error: old', [], undefined],
    ['one in a diff', '```diff\nError: old\n```', [], undefined],
  ])('%s', (_name, final, errors, expected) => {
    expect(read(transcript(final, { errors })).error).toBe(expected)
  })
})
