import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { liveText, type Piece } from '../../src/agents/live-text.ts'
import { FORMATS, openReader } from '../../src/agents/reader.ts'
import { clean } from '../../src/core/signals/lines.ts'
import { cutAt } from './events.ts'

function shown(format: string, chunks: readonly Uint8Array[]): string {
  const take = liveText(format)
  return textOf(chunks.flatMap((chunk) => take(Buffer.from(chunk))))
}
const textOf = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('')
const lines = (...events: readonly (object | string)[]) =>
  events.map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`).join('')

const bash = { type: 'tool_use', name: 'Bash', input: { command: 'npm test\necho more' } }
const rows: [format: string, name: string, printed: string, text: string][] = [
  [
    'claude',
    'text and tools',
    lines(
      { type: 'system', subtype: 'init', session_id: 's' },
      { type: 'assistant', message: { content: [{ type: 'text', text: 'I look.\n' }, bash] } },
      { type: 'user', message: { content: [{ type: 'tool_result', content: 'long output' }] } },
      { type: 'assistant', message: { content: 'Done.' } },
      { type: 'result', subtype: 'success', result: 'Done.' },
    ),
    'I look.\n> Bash npm test\nDone.\n',
  ],
  [
    'claude',
    'trouble',
    lines(
      { type: 'system', subtype: 'api_retry', error: 'overloaded' },
      { type: 'result', subtype: 'success', is_error: true, result: 'API Error: 529\nmore' },
    ),
    '! overloaded\n! API Error: 529\n',
  ],
  [
    'codex',
    'text and tools',
    lines(
      { type: 'item.completed', item: { type: 'agent_message', text: 'I look.' } },
      { type: 'item.started', item: { type: 'command_execution', command: 'npm test' } },
      { type: 'item.completed', item: { type: 'command_execution', command: 'npm test', aggregated_output: 'x' } },
      { type: 'item.started', item: { type: 'mcp_tool_call', server: 'gate', tool: 'exit_signal', arguments: {} } },
      { type: 'item.completed', item: { type: 'file_change', changes: [{ path: 'a.ts', kind: 'update' }] } },
      { type: 'turn.failed', error: { message: 'no more' } },
    ),
    'I look.\n> shell npm test\n> exit_signal\n> edit a.ts\n! no more\n',
  ],
  [
    'gemini',
    'text in pieces',
    lines(
      { type: 'message', role: 'user', content: 'the prompt' },
      { type: 'message', role: 'assistant', content: 'I ', delta: true },
      { type: 'message', role: 'assistant', content: 'look.', delta: true },
      { type: 'tool_use', tool_name: 'write_file', parameters: { file_path: 'a.txt' } },
      { type: 'result', status: 'error', error: { message: 'quota' } },
    ),
    'I look.\n> write_file a.txt\n! quota\n',
  ],
  [
    'opencode',
    'text and tools',
    lines(
      { type: 'text', sessionID: 's', part: { text: 'I look.' } },
      { type: 'tool_use', sessionID: 's', part: { tool: 'bash', state: { input: { command: 'ls' } } } },
      { type: 'error', sessionID: 's', error: { name: 'APIError', data: { message: 'too much' } } },
    ),
    'I look.\n> bash ls\n! too much\n',
  ],
  [
    'pi',
    'text and tools',
    lines(
      { type: 'tool_execution_start', toolName: 'bash', args: { command: 'ls' } },
      { type: 'message_end', message: { role: 'user', content: [{ type: 'text', text: 'the prompt' }] } },
      { type: 'message_end', message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] } },
      { type: 'message_end', message: { role: 'assistant', content: [], errorMessage: '401 no' } },
    ),
    '> bash ls\nDone.\n! 401 no\n',
  ],
  ['json', 'a wrapper', lines({ status: 'complete', result: 'All done.', sessionId: 's' }), 'All done.\n'],
  ['json', 'an array of events', `${JSON.stringify([{ type: 'assistant', message: { content: 'Hi.' } }])}\n`, 'Hi.\n'],
  ['gemini', 'a document over many lines', '{\n  "response": "Hi.",\n  "stats": {}\n}\nafter\n', 'Hi.\n'],
  [
    'claude',
    'noise',
    'npm warn old\n{"type":"assistant","message":{"content":"Hi."}}\n{broken\n',
    'npm warn old\nHi.\n{broken\n',
  ],
  ['text', 'words as they come', 'half a li', 'half a li'],
  [
    'text',
    'escape sequences',
    '\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b[2Jgone\x9b2J\rover\x08\n',
    'red gone2J\nover\n',
  ],
  ['auto', 'words as they come', 'half a li', 'half a li'],
  ['auto', 'words, then events', 'hello\n{"type":"turn.started"}\n{"type":"error","message":"no"}\n', 'hello\n! no\n'],
  ['auto', 'an object that is no event', 'here:\n{"a": 1}\nend', 'here:\n{"a": 1}\nend'],
  ['auto', 'a brace that is none', 'f() {\n{ not json\n}\n', 'f() {\n{ not json\n}\n'],
]

describe('live text', () => {
  it.each(rows)('%s: %s', (format, _name, printed, text) => {
    expect(shown(format, [Buffer.from(printed)])).toBe(text)
  })

  it.each(rows)('%s: %s, split at any byte', (format, _name, printed, text) => {
    const bytes = Buffer.from(printed)
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (cuts) => {
        expect(shown(format, cutAt(bytes, cuts))).toBe(text)
      }),
    )
  })

  it.each(rows.filter(([format]) => !['text', 'auto', 'json'].includes(format) && format !== 'gemini'))(
    'auto, %s: %s',
    (_format, _name, printed, text) => {
      expect(shown('auto', [Buffer.from(printed)])).toBe(text)
    },
  )
})

describe('recordings', () => {
  const folder = join(import.meta.dirname, '../golden/agents')
  // UTF-16 is detected only after a kilobyte, and live text doesn't wait for that.
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl') && !file.includes('utf16'))

  it.each(files)("%s shows the end of the agent's final message", (file) => {
    const bytes = readFileSync(join(folder, file))
    const format = file.slice(0, file.indexOf('-'))
    const reader = openReader(format)
    reader.write(bytes)
    const { final } = reader.end()
    const text = shown(format, [bytes, Buffer.from('\n')])
    const last = clean(final).trim().split('\n').at(-1) ?? ''
    expect(text).toContain(last)
  })
})

describe('any output', () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.json().map((text) => Buffer.from(`${text}\n`)),
    fc.constantFrom(...rows.map(([, , printed]) => Buffer.from(printed))),
    fc.constantFrom('\x1b', '\x1b[', '[31m', '\x1b]0;', '\u009b1m', '{', '\n', '\0').map((text) => Buffer.from(text)),
  )
  it.each(FORMATS)('%s: the text is short and has no control characters', (format) => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 20 }), (chunks) => {
        const take = liveText(format)
        for (const each of chunks) {
          const text = textOf(take(Buffer.from(each)))
          expect(text.length).toBeLessThanOrEqual(32_001)
          expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/)
        }
      }),
    )
  })

  it.each(FORMATS)('%s: shows only the end of a very large chunk', (format) => {
    const event = { type: 'assistant', message: { content: 'words '.repeat(100) } }
    const printed = format === 'text' ? 'words '.repeat(100_000) : lines(...Array<object>(1000).fill(event))
    const text = textOf(liveText(format)(Buffer.from(`${printed}\nLAST\n`)))
    expect(text.length).toBeLessThanOrEqual(32_001)
    expect(text).toMatch(/LAST\n$/)
  })
})
