import { describe, expect, it } from 'vitest'
import { openReader } from '../../src/agents/reader.ts'
import { phraseGroup } from '../../src/core/policy/measures.ts'
import { read } from '../../src/core/signals/read.ts'
import type { Scalar } from '../../src/core/types.ts'
import { ralphBlock } from './row.ts'

/** The signals in one output. */
interface Heard {
  readonly format?: string
  readonly claim?: boolean
  readonly final?: string
  readonly session?: string
  readonly said?: Readonly<Record<string, Scalar>>
  readonly denials?: readonly string[]
  /** How many phrases of these kinds it contains. */
  readonly phrases?: Readonly<Record<string, number>>
  readonly errors?: number
  readonly tokens?: number
}
type Row = readonly [id: string, name: string, printed: unknown, heard: Heard, note?: string]

const flat = (more: object) => ({ status: 'IN_PROGRESS', ...more })
const denial = (command: string) => ({ tool_name: 'Bash', tool_input: { command } })
const init = { type: 'system', subtype: 'init', session_id: 's-1' }
const cli = {
  result: 'The parser is written.',
  sessionId: 's-7',
  metadata: {
    files_changed: 5,
    has_errors: true,
    completion_status: 'complete',
    progress_indicators: ['a', 'b', 'c'],
    usage: { input_tokens: 5, output_tokens: 2 },
  },
}
const yaml = (signal: boolean) => `RALPH_STATUS:\n  STATUS: COMPLETE\n  EXIT_SIGNAL: ${signal}\n`

const rows: readonly Row[] = [
  ['ralph-B1', 'an object', flat({}), { format: 'json', claim: false }],
  ['ralph-B2', 'plain text', 'Nothing special.', { format: 'text' }],
  ['ralph-B3', 'an object in the middle of text', 'before\n{"exit_signal": true}\nafter', { format: 'text' }],
  ['ralph-B4', 'nothing', '', { format: 'text', final: '' }],
  [
    'ralph-B5 ralph-B6 ralph-B15',
    'flat, complete',
    { status: 'COMPLETE', exit_signal: true },
    { claim: true, said: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
  ],
  ['ralph-B7', 'flat, in progress', flat({ exit_signal: false }), { claim: false, said: { EXIT_SIGNAL: false } }],
  [
    'ralph-B8',
    'flat, tests only',
    flat({ work_type: 'TEST_ONLY' }),
    { claim: false, said: { WORK_TYPE: 'TEST_ONLY' } },
  ],
  ['ralph-B9', 'flat, files', flat({ files_modified: 7 }), { claim: false, said: { FILES_MODIFIED: 7 } }],
  [
    'ralph-B10',
    'flat, errors',
    flat({ error_count: 6 }),
    { claim: false, said: { ERROR_COUNT: 6 } },
    'the original calls more than five "stuck" and no rule of it reads that',
  ],
  ['ralph-B11', 'flat, a summary', flat({ summary: 'Wrote it.' }), { claim: false, said: { SUMMARY: 'Wrote it.' } }],
  ['ralph-B12', 'flat, only a status', flat({}), { claim: false }],
  ['ralph-B13', 'a comma is missing', '{"status": "COMPLETE" "exit_signal": true}', { format: 'text' }],
  ['ralph-B14', 'metadata', flat({ metadata: { loop_number: 5 } }), { claim: false, said: { LOOP_NUMBER: 5 } }],
  [
    'ralph-B16',
    'broken, then words',
    '{ invalid json }\nThe project is complete, and done.',
    { format: 'text', phrases: { 'ralph-done': 3 } },
  ],
  [
    'ralph-B17',
    'flat, with a confidence',
    { status: 'COMPLETE', exit_signal: true, confidence: 95 },
    { claim: true, said: { CONFIDENCE: 95 } },
  ],
  ['ralph-B18', 'a block in text', `Finished.\n${ralphBlock(true)}`, { format: 'text', claim: true }],
  ['ralph-B19', 'words alone', 'I finished, it is complete and ready for review.', { phrases: { 'ralph-done': 3 } }],
  [
    'ralph-B20',
    'words of testing',
    'Running tests...\nnpm test\n12 passed',
    { phrases: { 'ralph-test': 2, 'ralph-work': 0 } },
  ],
  [
    'ralph-B21 ralph-B22 ralph-B23 ralph-B24 ralph-B30',
    'the object of the CLI',
    cli,
    { format: 'json', final: 'The parser is written.', session: 's-7', claim: true, said: { FILES_CHANGED: 5 } },
  ],
  [
    'ralph-B25 ralph-B27 ralph-B28',
    'its errors, indicators and usage',
    cli,
    { claim: true, said: { HAS_ERRORS: true }, tokens: 7 },
  ],
  ['ralph-B26 ralph-B29', 'its completion status', cli, { claim: true, said: { COMPLETION_STATUS: 'complete' } }],
  [
    'ralph-B31 ralph-B32 ralph-B37',
    'a list of messages',
    [init, { type: 'result', result: 'The end.', is_error: false }],
    { format: 'claude', final: 'The end.' },
    'a list is the form of one agent, and is called by its name',
  ],
  [
    'ralph-B33 ralph-B38',
    'the session stands in the first message',
    [init, { type: 'result', result: 'x' }],
    { session: 's-1' },
  ],
  ['ralph-B34', 'an empty list', [], {}],
  ['ralph-B35', 'no result', [init], { session: 's-1' }],
  [
    'ralph-B36',
    'the result is an error',
    [{ type: 'result', result: 'It broke.', is_error: true, session_id: 's-3' }],
    { errors: 1, session: 's-3' },
  ],
  [
    'ralph-B39',
    'the session stands in the result',
    [{ type: 'result', result: 'x', session_id: 's-3' }],
    { session: 's-3' },
  ],
  [
    'ralph-B40 ralph-B42 ralph-B44',
    'one refusal',
    { type: 'result', result: 'x', permission_denials: [denial('npm install express')] },
    { denials: ['Bash(npm install express)'] },
  ],
  [
    'ralph-B41',
    'three denied calls',
    { result: 'x', permission_denials: ['a', 'b', 'c'].map(denial) },
    { denials: ['Bash(a)', 'Bash(b)', 'Bash(c)'] },
  ],
  ['ralph-B43', 'none', { result: 'x', permission_denials: [] }, { denials: [] }],
  [
    'ralph-B45',
    'refusals in a list',
    [{ type: 'result', result: 'x', permission_denials: [denial('a')] }],
    { denials: ['Bash(a)'] },
  ],
  ['ralph-B46', 'a question', 'Should I implement approach A or B?', { phrases: { 'ralph-question': 1 } }],
  ['ralph-B47', 'no question', 'Implementing module. Tests passed. All done.', { phrases: { 'ralph-question': 0 } }],
  [
    'ralph-B48',
    'the order of the words matters',
    'I should implement the conservative approach.',
    { phrases: { 'ralph-question': 0 } },
  ],
  ['ralph-B49', 'nothing asks nothing', '', { phrases: { 'ralph-question': 0 } }],
  [
    'ralph-B50',
    'three questions in a line',
    'Should I? Which option do you prefer? Do you want A?',
    { phrases: { 'ralph-question': 3 } },
  ],
  ['ralph-B51', 'a request', 'Please confirm the approach before proceeding.', { phrases: { 'ralph-question': 1 } }],
  ['ralph-B52', 'waiting', 'Awaiting your input on the design decision.', { phrases: { 'ralph-question': 1 } }],
  [
    'ralph-B53',
    'a result of words alone',
    { result: 'Implementation complete\nSetup is done\nAll tasks finished' },
    {},
  ],
  ['ralph-B54', 'many of them', { result: 'Done. Complete. All done. The project is complete.' }, {}],
  ['ralph-B55', 'words alone in text', 'All tasks are done. The implementation is complete.', {}],
  ['ralph-B56', 'fewer', 'The feature is done.', {}],
  ['ralph-B57', 'the YAML form', yaml(true), { claim: true }],
  ['ralph-B58', 'the YAML form says no', yaml(false), { claim: false }],
  ['ralph-B59', 'the YAML form in a result', { result: yaml(true) }, { claim: true }],
  ['ralph-B60', 'the YAML form in a result says no', { result: yaml(false) }, { claim: false }],
  [
    'ralph-B61',
    'a mention of the block, then a line of its own',
    'I will print RALPH_STATUS: at the end.\nEXIT_SIGNAL: true\n',
    { claim: true },
    'the original wants the header; most real signals stand without it, so the line counts',
  ],
  [
    'ralph-B62',
    'both mentioned in a sentence',
    { result: 'I will print RALPH_STATUS: and then EXIT_SIGNAL: true when done.' },
    {},
  ],
  ['ralph-B63', 'the header is indented', '  RALPH_STATUS:\n    EXIT_SIGNAL: true\n', { claim: true }],
]

describe('signals as ralph reads them', () => {
  const named = rows.map((row) => ({ id: row[0], name: row[1], row }))
  it.each(named)('$id: $name', ({ row: [, , printed, heard] }) => {
    const reader = openReader('auto')
    reader.write(Buffer.from(typeof printed === 'string' ? printed : JSON.stringify(printed)))
    const transcript = reader.end()
    const signals = read(transcript)
    const found: Record<keyof Heard, unknown> = {
      format: transcript.format,
      claim: signals.claim,
      final: transcript.final,
      session: transcript.session,
      said: Object.fromEntries(Object.keys(heard.said ?? {}).map((key) => [key, signals.said[key]])),
      denials: signals.denials,
      phrases: Object.fromEntries(
        Object.keys(heard.phrases ?? {}).map((group) => [group, signals.phrases.filter(phraseGroup(group)).length]),
      ),
      errors: transcript.errors.length,
      tokens: transcript.usage.tokens,
    }
    const asked = ['claim', ...Object.keys(heard)] as (keyof Heard)[]
    expect(Object.fromEntries(asked.map((key) => [key, found[key]]))).toEqual({ claim: undefined, ...heard })
  })
})
