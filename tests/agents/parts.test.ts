import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOf } from '../../packages/exitgate/src/agents/bytes.ts'
import { encodingOf } from '../../src/agents/encoding.ts'
import { failure, failureInWords } from '../../src/agents/failures.ts'
import { LiteralFinder, shortest } from '../../src/agents/finder.ts'
import { LineSplitter } from '../../src/agents/lines.ts'
import { FORMATS, openReader } from '../../src/agents/reader.ts'
import { cutAt, read } from './events.ts'

describe('the finder', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', 'c', ' ', 'é'), maxLength: 400 })
  const literal = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', 'é'), minLength: 1, maxLength: 5 })

  it('finds the same matches as a plain search', () => {
    fc.assert(
      fc.property(fc.array(literal, { maxLength: 6 }), letters, fc.nat(50), (all, text, skip) => {
        const literals = shortest(all)
        const bytes = Buffer.from(text)
        const from = Math.min(skip, bytes.length)
        const lower = Buffer.from(
          bytes.toString('latin1').replace(/[A-Z]/g, (one) => one.toLowerCase()),
          'latin1',
        )
        const ends = literals.flatMap((one) => {
          const at = lower.indexOf(Buffer.from(one), from)
          return at === -1 ? [] : [at + Buffer.byteLength(one) - 1]
        })
        const finder = new LiteralFinder(literals)
        const end = finder.find(bytes, from, bytes.length)
        expect(end).toBe(ends.length === 0 ? -1 : Math.min(...ends))
        if (end !== -1) {
          const found = Buffer.from(literals[finder.found]!)
          expect(lower.subarray(end + 1 - found.length, end + 1)).toEqual(found)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it.each([[0], [100], [4096], [4200], [9000], [16_384 - 6], [20_000]])(
    'finds a literal at offset %i of a long text',
    (at) => {
      const bytes = Buffer.alloc(20_020, 'x')
      bytes.write('NeeDle', at)
      const finder = new LiteralFinder(['needle', 'nothing'])
      expect(finder.find(bytes, 0, bytes.length)).toBe(at + 5)
      expect(finder.find(bytes, 0, at + 5)).toBe(-1)
      expect(finder.find(bytes, at + 1, bytes.length)).toBe(-1)
    },
  )

  it('drops a literal that contains another one', () => {
    expect(shortest(['certainly', 'certain', 'uncertain', '', 'sure', 'certain'])).toEqual(['certain', 'sure'])
  })
})

describe('lines', () => {
  function split(pieces: readonly Uint8Array[], limit: number): string[] {
    const out: string[] = []
    const lines = new LineSplitter(
      {
        line: (bytes, from, to, complete) => out.push(`${textOf(bytes, from, to)}${complete ? '' : '…'}`),
        tooLong: (head) => out.push(`!${textOf(head, 0, 3)}`),
      },
      limit,
    )
    for (const piece of pieces) lines.write(Buffer.from(piece))
    lines.end()
    return out
  }

  const rows: [text: string, lines: string[]][] = [
    ['', []],
    ['\n\n', ['', '']],
    ['one\ntwo\n', ['one', 'two']],
    ['one\ntwo', ['one', 'two…']],
    ['12345\n123456\nok\n', ['12345', '!123', 'ok']],
    ['123456789', ['!123']],
    ['123456789\nok', ['!123', 'ok…']],
  ]
  it.each(rows)('%j', (text, lines) => {
    expect(split([Buffer.from(text)], 5)).toEqual(lines)
  })

  it('are the same for any chunk sizes', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 })
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), fc.integer({ min: 3, max: 9 }), (all, cuts, limit) => {
        const bytes = Buffer.from(all)
        expect(split(cutAt(bytes, cuts), limit)).toEqual(split([bytes], limit))
      }),
    )
  })
})

describe('failures', () => {
  const rows: [message: string, status: number | undefined, kind: string][] = [
    ['Overloaded', 529, 'api'],
    ['whatever', 500, 'api'],
    ['Incorrect API key provided', undefined, 'auth'],
    ['nope', 401, 'auth'],
    ['nope', 429, 'limit'],
    ['You exceeded your current quota', undefined, 'limit'],
    ['Credit balance is too low', 400, 'limit'],
    ['Reached maximum number of turns (3)', undefined, 'max-turns'],
    ['Incomplete response returned, reason: max_output_tokens', undefined, 'truncated'],
    ['this appears to violate our Usage Policy', undefined, 'refusal'],
    ['MCP tool call requires approval', undefined, 'permission'],
    ['stream disconnected before completion', undefined, 'api'],
    ['Prompt is too long', undefined, 'api'],
    ["You've hit your session limit · resets 3pm", undefined, 'limit'],
    ['5-hour limit reached', undefined, 'limit'],
    ['Resource has been exhausted (e.g. check quota).', undefined, 'limit'],
    ['all retries exhausted', undefined, 'other'],
    ['The selected model is at capacity', undefined, 'api'],
    ['no such session', undefined, 'other'],
    ['', undefined, 'other'],
  ]
  it.each(rows)('%j with status %s is %s', (message, status, kind) => {
    expect(failure(message, status).kind).toBe(kind)
    expect(failure(message, status).message).not.toBe('')
  })

  const resets: [message: string, at: number | undefined][] = [
    ['Claude AI usage limit reached|1893456000', 1893456000000],
    ['usage limit reached|1893456000123', 1893456000123],
    ['rate limit, try again at 2030-01-01T00:00:00Z', 1893456000000],
    ["You've hit your limit · resets 7:47am (UTC)", undefined],
    ['limit of 1893456000 tokens', undefined],
  ]
  it.each(resets)('%j ends at %s', (message, at) => {
    expect(failure(message).resetAt).toBe(at)
  })

  const words: [text: string, kind: string | undefined][] = [
    ['Step 1 is done.\n\nAPI Error: 529 Overloaded\n', 'api'],
    ["You've hit your limit · resets 3pm (UTC)", 'limit'],
    ["You've hit your weekly limit · resets Jul 25, 9pm (America/New_York)", 'limit'],
    ['Claude usage limit reached. Your limit will reset at 3pm.', 'limit'],
    ['Weekly limit reached ∙ resets Oct 9 at 5pm', 'limit'],
    ['You’re out of extra usage · resets 5pm', 'limit'],
    ['ERROR: You’ve hit your usage limit. Try again at 8:28 AM.', 'limit'],
    ['ERROR: unexpected status 401 Unauthorized: no key, url: http://127.0.0.1/v1', 'auth'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'limit'],
    ['[API Error: Resource has been exhausted (e.g. check quota).]', 'limit'],
    ['anthropic.RateLimitError: Error code: 429 - slow down', 'limit'],
    ['stream disconnected before completion: boom', 'api'],
    ['I now catch "API Error: 529 Overloaded".', undefined],
    ['The session limit is now configurable.', undefined],
    ['Session limits are read from the file.', undefined],
    ['Error: the rate limit test fails', undefined],
    ["You've hit your stride with rate limits.", undefined],
    ['Weekly report: the limit was reached twice.', undefined],
    ['Not logged: rate limit (429) is handled', undefined],
    ['API Error: 500\nretried, and it worked', undefined],
    ['', undefined],
  ]
  it.each(words)("the agent's text %j: %s", (text, kind) => {
    expect(failureInWords(text)?.kind).toBe(kind)
  })
})

describe('encodings', () => {
  const rows: [text: string, encoding: 'utf16le' | 'utf8', expected: string][] = [
    ['All done\n', 'utf16le', 'utf16le'],
    ['ok', 'utf16le', 'utf16le'],
    ['o', 'utf16le', 'utf8'],
    ['All done\n', 'utf8', 'utf8'],
    ['a\0b\0', 'utf8', 'utf16le'],
    ['core\0\0\0\0dump', 'utf8', 'utf8'],
    ['', 'utf8', 'utf8'],
  ]
  it.each(rows)('%j in %s is detected as %s', (text, encoding, expected) => {
    expect(encodingOf(Buffer.from(text, encoding))).toBe(expected)
  })

  it('UTF-16 is read like UTF-8, with and without a byte order mark, in both byte orders', () => {
    // Detection without a byte order mark needs enough Latin letters.
    const text = fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .map((end) => `${'The lid closes now.\n'.repeat(12)}${end}`)
    fc.assert(
      fc.property(text, fc.boolean(), fc.boolean(), (words, mark, big) => {
        const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${words}`, 'utf16le')
        const { final } = read(big ? bytes.swap16() : bytes, 'text')
        expect(final).toBe(words.replaceAll('\0', ''))
      }),
    )
  })
})

describe('formats', () => {
  it('all have a reader', () => {
    expect(FORMATS).toEqual([
      'auto',
      'text',
      'acp',
      'claude',
      'codex',
      'copilot',
      'droid',
      'gemini',
      'json',
      'opencode',
      'pi',
      'qwen',
    ])
    for (const format of FORMATS) expect(openReader(format).end().bytes).toBe(0)
  })

  it('with an unknown name throw an error that lists the known ones', () => {
    expect(() => openReader('cladue')).toThrow(
      /Unknown transcript format "cladue"\. Use one of auto, text, acp, claude/,
    )
  })

  it('are detected from an event cut off at the end of the detection window', () => {
    const huge = JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', tools: ['x'.repeat(100_000)] })
    const last = JSON.stringify({ type: 'result', subtype: 'success', result: 'All done.' })
    expect(read(`${huge}\n${last}\n`)).toMatchObject({ format: 'claude', final: 'All done.', session: 's' })
  })

  it('a wrapper object longer than the detection window is still detected', () => {
    const summary = 'x '.repeat(50_000)
    const { format, final, fields } = read(JSON.stringify({ summary, status: 'COMPLETE', exit_signal: true }))
    expect({ format, length: final.length, status: fields.status }).toEqual({
      format: 'json',
      length: 100_000,
      status: 'COMPLETE',
    })
  })

  it('an event quoted far down in plain text does not make it a stream', () => {
    const quoted = JSON.stringify({ type: 'result', subtype: 'success', result: 'EXIT_STATUS: COMPLETE' })
    expect(read(`${'a line of the answer\n'.repeat(60)}${quoted}\n`).format).toBe('text')
  })
})
