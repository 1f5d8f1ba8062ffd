import { describe, expect, it } from 'vitest'
import { openReader } from '../../src/agents/reader.ts'
import { read } from '../../src/core/signals/read.ts'
import type { Scalar, Transcript } from '../../src/core/types.ts'
import { withInbox } from '../../src/inbox/merge.ts'

type Signal = Readonly<Record<string, Scalar>>
const yes = (reason = ''): Signal => (reason === '' ? { status: 'complete' } : { status: 'complete', reason })
const no = (reason = ''): Signal => (reason === '' ? { status: 'continue' } : { status: 'continue', reason })

function transcript(toolSignals: readonly Signal[], final = ''): Transcript {
  const reader = openReader('text')
  reader.write(Buffer.from(final))
  return { ...reader.end(), toolSignals }
}

describe('one claim that arrives in both ways', () => {
  const rows: [string, Signal[], Signal[], Signal[]][] = [
    ['nowhere', [], [], []],
    ['in the stream alone', [yes()], [], [yes()]],
    ['in the inbox alone', [], [no(), yes()], [no(), yes()]],
    ['in both', [yes('a')], [yes('a')], [yes('a')]],
    ['in both, in another case', [{ status: 'COMPLETE' }], [yes()], [yes()]],
    ['twice in both', [yes(), yes()], [yes(), yes()], [yes(), yes()]],
    ['taken back from the shell afterwards', [yes('a')], [yes('a'), no()], [yes('a'), no()]],
    ['after a no from the shell', [yes('a')], [no(), yes('a')], [no(), yes('a')]],
    ['with a foreign call before it', [no('x'), yes('a')], [yes('a')], [no('x'), yes('a')]],
    ['with a foreign call after it', [yes('a'), no('x')], [yes('a')], [yes('a'), no('x')]],
    ['in unknown order: the no is last', [no('x')], [yes('a')], [yes('a'), no('x')]],
    ['in unknown order, the other way', [yes('x')], [no('a')], [yes('x'), no('a')]],
    ['long, and cut at different lengths', [yes('a'.repeat(2_000))], [yes('a'.repeat(900))], [yes('a'.repeat(900))]],
  ]
  it.each(rows)('%s', (_name, seen, sent, expected) => {
    expect(withInbox(transcript(seen), sent).toolSignals).toEqual(expected)
  })
})

describe('the signals in it', () => {
  const DONE = 'All of it works.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n'
  const rows: [string, Transcript, boolean | undefined, number][] = [
    ['a claim from the shell', withInbox(transcript([]), [yes()]), true, 0],
    ['a claim with work left', withInbox(transcript([]), [{ ...yes(), remaining_work: 'the API' }]), true, 1],
    ['a no from the shell against words', withInbox(transcript([], DONE), [no()]), true, 1],
    ['a no that was taken back', withInbox(transcript([]), [no(), yes()]), true, 0],
    ['a last no', withInbox(transcript([]), [yes(), no()]), false, 1],
    ['blocked', withInbox(transcript([]), [{ status: 'blocked', reason: 'no key' }]), false, 1],
    ['nothing', withInbox(transcript([]), []), undefined, 0],
  ]
  it.each(rows)('%s', (_name, merged, claim, vetoes) => {
    const signals = read(merged)
    expect(signals.claim).toBe(claim)
    expect(signals.vetoes).toHaveLength(vetoes)
  })

  it('names the blocker', () => {
    expect(read(withInbox(transcript([]), [{ status: 'blocked', reason: 'no key' }])).blocker).toBe('no key')
  })
})

/** One call of the tool in each agent's stream, with the result the CLI reports. */
const input = { status: 'complete', reason: 'done' }
const claude = (name: string, isError: boolean) => [
  { type: 'system', subtype: 'init', session_id: 's' },
  {
    type: 'assistant',
    message: { id: 'm1', role: 'assistant', content: [{ type: 'tool_use', id: 't1', name, input }] },
    session_id: 's',
  },
  {
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x', ...(isError ? { is_error: true } : {}) }],
    },
    session_id: 's',
  },
  { type: 'result', subtype: 'success', is_error: false, result: 'Bye.', session_id: 's' },
]
const codex = (item: object) => [
  { type: 'thread.started', thread_id: 't' },
  { type: 'turn.started' },
  {
    type: 'item.completed',
    item: { id: 'i1', type: 'mcp_tool_call', server: 'gate', tool: 'exit_signal', arguments: input, ...item },
  },
  { type: 'item.completed', item: { id: 'i2', type: 'agent_message', text: 'Bye.' } },
  { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
]
const gemini = (result: object) => [
  { type: 'init', session_id: 's', model: 'm' },
  { type: 'tool_use', tool_name: 'mcp_gate_exit_signal', tool_id: 't1', parameters: input },
  { type: 'tool_result', tool_id: 't1', ...result },
  { type: 'message', role: 'assistant', content: 'Bye.', delta: true },
  { type: 'result', status: 'success', stats: {} },
]
const opencode = (state: object) => [
  { type: 'step_start', sessionID: 's', part: {} },
  { type: 'tool_use', sessionID: 's', part: { tool: 'gate_exit_signal', callID: 'c', state: { input, ...state } } },
  { type: 'text', sessionID: 's', part: { text: 'Bye.', messageID: 'm' } },
  { type: 'step_finish', sessionID: 's', part: { reason: 'stop', tokens: {} } },
]
const pi = (isError: boolean) => [
  { type: 'session', id: 's', version: 3 },
  { type: 'agent_start' },
  { type: 'tool_execution_start', toolCallId: 't', toolName: 'exit_signal', args: input },
  { type: 'tool_execution_end', toolCallId: 't', toolName: 'exit_signal', result: { content: [] }, isError },
  {
    type: 'message_end',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Bye.' }], stopReason: 'stop', usage: {} },
  },
  { type: 'agent_end', messages: [] },
]

describe('a call in the stream', () => {
  const refused = 'exit_signal: the signal was not recorded: the inbox is gone'
  const rows: [string, string, object[], boolean][] = [
    ['of claude', 'claude', claude('mcp__gate__exit_signal', false), true],
    ['of claude, in the plugin', 'claude', claude('mcp__plugin_exitgate_exitgate__exit_signal', false), true],
    ['of claude, with an error', 'claude', claude('mcp__gate__exit_signal', true), false],
    ['of claude, without a result', 'claude', claude('mcp__gate__exit_signal', false).toSpliced(2, 1), false],
    ['of another tool', 'claude', claude('mcp__gate__my_exit_signal_status', false), false],
    ['of codex', 'codex', codex({ status: 'completed', result: { content: [] }, error: null }), true],
    ['of codex, failed', 'codex', codex({ status: 'failed', error: { message: 'user rejected' } }), false],
    ['of codex, an error in the result', 'codex', codex({ status: 'completed', result: { is_error: true } }), false],
    ['of codex, the same in MCP words', 'codex', codex({ status: 'completed', result: { isError: true } }), false],
    ['of gemini', 'gemini', gemini({ status: 'success', output: 'Recorded.' }), true],
    ['of gemini, with an error', 'gemini', gemini({ status: 'error', error: { message: 'denied' } }), false],
    ['of gemini, a success that is none', 'gemini', gemini({ status: 'success', output: refused }), false],
    ['of opencode', 'opencode', opencode({ status: 'completed', output: 'Recorded.' }), true],
    ['of opencode, with an error', 'opencode', opencode({ status: 'error', error: 'rejected' }), false],
    ['of opencode, a success that is none', 'opencode', opencode({ status: 'completed', output: refused }), false],
    ['of pi', 'pi', pi(false), true],
    ['of pi, with an error', 'pi', pi(true), false],
  ]
  it.each(rows)('%s counts: %s', (_name, format, events, counts) => {
    const reader = openReader(format)
    reader.write(Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join('')))
    const seen = reader.end()
    expect(seen.toolSignals).toEqual(counts ? [input] : [])
    // In both ways it is one claim, and a rejected call adds nothing to an empty inbox.
    expect(withInbox(seen, counts ? [input] : []).toolSignals).toHaveLength(counts ? 1 : 0)
  })
})
