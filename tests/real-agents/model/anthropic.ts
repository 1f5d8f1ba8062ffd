import type { ServerResponse } from 'node:http'
import { type Answer, type Api, event, list, openStream, pieces } from './turn.ts'

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

/** Anthropic's Messages API, streamed. */
export const anthropic: Api = {
  name: 'anthropic',
  matches: (path) => path.endsWith('/messages'),
  tools: (body) => list(body.tools).map((tool) => String(tool.name)),
  model: (body) => String(body.model),
  send,
  error: ({ status, message, type }) => ({
    type: 'error',
    error: { type: type ?? TYPES[status] ?? 'api_error', message },
    request_id: 'req_scripted',
  }),
}

function send(res: ServerResponse, answer: Answer): void {
  const usage = {
    input_tokens: answer.usage.input,
    output_tokens: 1,
    cache_read_input_tokens: answer.usage.cached,
    cache_creation_input_tokens: 0,
  }
  const say = (type: string, data: object) => event(res, { type, ...data }, type)
  openStream(res)
  say('message_start', {
    message: {
      id: answer.id,
      type: 'message',
      role: 'assistant',
      model: answer.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  })
  blocks(answer).forEach(({ block, deltas }, index) => {
    say('content_block_start', { index, content_block: block })
    for (const delta of deltas) say('content_block_delta', { index, delta })
    if (!answer.cut) say('content_block_stop', { index })
  })
  if (answer.cut) {
    res.destroy()
    return
  }
  const ended = answer.tools.length > 0 ? 'tool_use' : 'end_turn'
  const stop_reason = answer.stop === 'length' ? 'max_tokens' : (answer.stop ?? ended)
  say('message_delta', {
    delta: { stop_reason, stop_sequence: null },
    usage: { ...usage, output_tokens: answer.usage.output },
  })
  say('message_stop', {})
  res.end()
}

function blocks(answer: Answer): readonly { block: object; deltas: readonly object[] }[] {
  const thinking = answer.thinking === undefined ? [] : [answer.thinking]
  const text = answer.text === undefined ? [] : [answer.text]
  return [
    ...thinking.map((words) => ({
      block: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        { type: 'thinking_delta', thinking: words },
        { type: 'signature_delta', signature: 'c2ln' },
      ],
    })),
    ...text.map((words) => ({
      block: { type: 'text', text: '' },
      deltas: pieces(words).map((piece) => ({ type: 'text_delta', text: piece })),
    })),
    ...answer.tools.map(({ id, name, input }) => ({
      block: { type: 'tool_use', id, name, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
    })),
  ]
}
