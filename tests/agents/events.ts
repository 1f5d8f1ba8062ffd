import fc from 'fast-check'
import { openReader } from '../../src/agents/reader.ts'
import type { Transcript } from '../../src/core/types.ts'

export function read(bytes: Uint8Array | string, format = 'auto'): Transcript {
  return readPieces([typeof bytes === 'string' ? Buffer.from(bytes) : bytes], format)
}

/** Passes every chunk in the same buffer, as reading a file does. This exposes a reader that stores a chunk without copying it. */
export function readPieces(pieces: readonly Uint8Array[], format: string): Transcript {
  const reader = openReader(format)
  const room = new Uint8Array(Math.max(1, ...pieces.map(({ length }) => length)))
  for (const piece of pieces) {
    room.fill(0x21)
    room.set(piece)
    reader.write(room.subarray(0, piece.length))
  }
  room.fill(0x21)
  return reader.end()
}

export function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((one, two) => one - two)
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length))
}

const words = fc.constantFrom(
  'All tasks are completed.',
  'Valve 4 leaks.\nI think it might hold.',
  'EXIT_STATUS: COMPLETE\nREMAINING_WORK: none',
  'says "done", {"type":"tool_use"} and \\ "parent_tool_use_id":"x"',
  'schließt ✓ 😀',
  'plain',
)
const id = fc.constantFrom('msg_1', 'msg_2', 'msg_3', undefined)
const toolName = fc.constantFrom('Bash', 'mcp__gate__exit_signal', 'Task')
const parent = fc.constantFrom(null, null, null, undefined, 'toolu_t')
const block = fc.oneof(
  words.map((text) => ({ type: 'text', text })),
  fc.record({
    type: fc.constant('tool_use'),
    id: fc.constantFrom('toolu_1', 'toolu_2'),
    name: toolName,
    input: fc.record({
      status: fc.constantFrom('complete', 'blocked'),
      type: fc.constantFrom('text', 'tool_use'),
      text: words,
      parent_tool_use_id: fc.constantFrom('toolu_t', undefined),
    }),
  }),
  words.map((thinking) => ({ type: 'thinking', thinking })),
)
/** Every event of a message repeats its usage. */
function usageOf(message: string | undefined) {
  const input_tokens = 10 * (message?.length ?? 2) + (message?.charCodeAt(4) ?? 0)
  return {
    input_tokens,
    cache_read_input_tokens: 7,
    cache_creation: { ephemeral_5m_input_tokens: 5 },
    output_tokens: 1,
  }
}

/** Claude's events in any order, including orders it would never send. */
export const claudeEvent = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('assistant'),
      message: fc
        .record({
          id,
          role: fc.constant('assistant'),
          model: fc.constantFrom('big-model', 'big-model', 'big-model', '<synthetic>'),
          content: fc.array(block, { minLength: 1, maxLength: 2 }),
          stop_reason: fc.constantFrom(null, null, null, 'end_turn', 'max_tokens'),
        })
        .map((message) => ({ ...message, usage: usageOf(message.id) })),
      parent_tool_use_id: parent,
      session_id: fc.constantFrom('s', undefined),
      uuid: fc.constant('u'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('user'),
      message: fc.record({
        content: fc.array(
          fc.record({
            type: fc.constant('tool_result'),
            tool_use_id: fc.constantFrom('toolu_1', 'toolu_2'),
            content: words,
            is_error: fc.boolean(),
          }),
          { maxLength: 2 },
        ),
      }),
      parent_tool_use_id: parent,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('result'),
      subtype: fc.constantFrom('success', 'error_max_turns'),
      is_error: fc.boolean(),
      result: fc.oneof(words, fc.constant('')),
      usage: fc.constant(usageOf('result')),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { type: 'system', subtype: 'init', session_id: 's' },
      { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 3, error_status: 500, error: 'server_error' },
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1893456000 } },
      { type: 'stream_event', event: { delta: { text: 'All tasks are completed' } } },
    ),
  },
)
