import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FORMATS, openReader } from '../../src/agents/reader.ts'
import { claudeEvent, cutAt, read, readPieces } from './events.ts'

const folder = join(import.meta.dirname, '../golden/agents')
const files = readdirSync(folder)
  .filter((file) => !file.endsWith('.json'))
  .map((file) => readFileSync(join(folder, file)))

const format = fc.constantFrom(...FORMATS)
const cuts = fc.array(fc.nat(), { maxLength: 40 })

describe('the transcript does not depend on chunk boundaries', () => {
  it('for the golden cases', () => {
    fc.assert(
      fc.property(fc.constantFrom(...files), format, cuts, (bytes, name, at) => {
        expect(readPieces(cutAt(bytes, at), name)).toEqual(read(bytes, name))
      }),
      { numRuns: 400 },
    )
  })

  it('byte by byte', () => {
    for (const bytes of files.filter(({ length }) => length < 3000)) {
      const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
      expect(readPieces(single, 'auto')).toEqual(read(bytes))
    }
  })

  it('for noise with JSON in it', () => {
    const part = fc.constantFrom(
      '{',
      '[',
      ']',
      '}',
      '\n',
      '"',
      '\\',
      ' ',
      '{"type":"result","subtype":"x"}',
      'All done',
      '\r\n',
      '[]',
      '{"status":"COMPLETE"}',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), format, cuts, (parts, name, at) => {
        const bytes = Buffer.from(parts.join(''))
        expect(readPieces(cutAt(bytes, at), name)).toEqual(read(bytes, name))
      }),
      { numRuns: 600 },
    )
  })
})

describe('strings', () => {
  it('give the same transcript as their bytes, even when split inside a character', () => {
    const texts = files.map(String).filter((text) => !text.includes('\ufffd'))
    fc.assert(
      fc.property(fc.constantFrom(...texts, 'All done 😀😀\n'), format, cuts, (text, name, at) => {
        const reader = openReader(name)
        const ends = [...new Set(at.map((cut) => cut % (text.length + 1)))].sort((one, two) => one - two)
        for (const [index, end] of [...ends, text.length].entries()) reader.write(text.slice(ends[index - 1] ?? 0, end))
        expect(reader.end()).toEqual(read(Buffer.from(text), name))
      }),
      { numRuns: 400 },
    )
  })

  it('that end in half a character lose only that character', () => {
    const reader = openReader('text')
    reader.write('done \ud83d')
    expect(reader.end().final).toBe('done \ufffd')
  })
})

describe('never throws', () => {
  it('for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), format, (bytes, name) => {
        const transcript = read(bytes, name)
        expect(transcript.bytes).toBe(bytes.length)
        expect(transcript.final.length).toBeLessThanOrEqual(256 * 1024)
      }),
      { numRuns: 500 },
    )
  })

  it('for lines of any JSON', () => {
    const type = fc.constantFrom(
      'system',
      'assistant',
      'user',
      'result',
      'item.completed',
      'turn.failed',
      'message',
      'tool_use',
      'text',
      'error',
      'message_end',
      'agent_end',
      'session',
    )
    const event = fc
      .tuple(
        type,
        fc.dictionary(
          fc.constantFrom(
            'message',
            'item',
            'part',
            'error',
            'content',
            'usage',
            'stats',
            'result',
            'metadata',
            'sessionID',
            'role',
            'permission_denials',
            '__proto__',
          ),
          fc.jsonValue(),
        ),
      )
      .map(([name, rest]) => JSON.stringify({ type: name, ...rest }))
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), format, (lines, name) => {
        const transcript = read(lines.join('\n'), name)
        expect(() => JSON.stringify(transcript)).not.toThrow()
      }),
      { numRuns: 600 },
    )
  })
})

describe('Claude', () => {
  const events = fc.array(claudeEvent, { maxLength: 25 })
  // A space after the brace disables the fast path, so every event is parsed.
  const loose = (event: unknown) => JSON.stringify(event, null, 1).replace(/\n\s*/g, ' ')
  const styles = {
    tight: (event: object) => JSON.stringify(event),
    spaced: (event: object) =>
      loose(event)
        .replace(/([{[]) /g, '$1')
        .replace(/ ([}\]])/g, '$1'),
    turned: ({ type, ...rest }: { type: string }) =>
      JSON.stringify({ type, ...Object.fromEntries(Object.entries(rest).reverse()) }),
  }

  it('gives the same transcript with and without the fast path', () => {
    fc.assert(
      fc.property(events, fc.constantFrom(...Object.values(styles)), (all, style) => {
        const glanced = read(all.map((event) => style(event)).join('\n'), 'claude')
        const parsed = read(all.map(loose).join('\n'), 'claude')
        expect({ ...glanced, bytes: 0 }).toEqual({ ...parsed, bytes: 0 })
      }),
      { numRuns: 1500 },
    )
  })

  it('keeps texts separate if a skipped message came between them', () => {
    const event = (id: string, block: object) => ({
      type: 'assistant',
      message: { id, role: 'assistant', content: [block], stop_reason: null, usage: { input_tokens: 9 } },
      parent_tool_use_id: null,
      session_id: 's',
    })
    const said = (id: string, text: string) => event(id, { type: 'text', text })
    const all = [
      said('1', 'All tasks are completed.'),
      said('2', 'x'),
      said('1', 'y'),
      event('1', { type: 'thinking' }),
    ]
    const lines = read(all.map((each) => JSON.stringify(each)).join('\n'), 'claude')
    expect(lines).toMatchObject({ final: 'y', earlier: ['All tasks are completed.'] })
  })

  it('gives the same transcript from lines and from an array', () => {
    fc.assert(
      fc.property(events, fc.boolean(), (all, printed) => {
        const lines = read(all.map((event) => JSON.stringify(event)).join('\n'), 'claude')
        const array = read(JSON.stringify(all, null, printed ? 2 : 0), 'claude')
        expect({ ...array, bytes: 0 }).toEqual({ ...lines, bytes: 0 })
      }),
      { numRuns: 500 },
    )
  })

  it('never treats text of tools or sub-agents as final', () => {
    fc.assert(
      fc.property(events, (all) => {
        const own = all.flatMap((event) => {
          if (event.type === 'result' && 'result' in event) return [event.result]
          if (!('message' in event) || event.type !== 'assistant' || typeof event.parent_tool_use_id === 'string')
            return []
          return event.message.content.flatMap((block) =>
            'text' in block && typeof block.text === 'string' ? [block.text] : [],
          )
        })
        const { final } = read(all.map((event) => JSON.stringify(event)).join('\n'), 'claude')
        const said = new Set(own.flatMap((text) => text.split('\n')))
        expect(final.split('\n').filter((line) => line !== '' && !said.has(line))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
