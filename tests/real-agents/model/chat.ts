import type { ServerResponse } from 'node:http'
import { openaiError } from './openai-error.ts'
import { type Answer, type Api, event, list, openStream, pieces } from './turn.ts'

/** OpenAI's Chat Completions API, streamed. Most other providers use it too. */
export const chat: Api = {
  name: 'chat',
  matches: (path) => path.endsWith('/chat/completions'),
  tools: (body) => list(body.tools).map((tool) => String((tool.function as { name?: unknown } | undefined)?.name)),
  model: (body) => String(body.model),
  send,
  error: openaiError,
}

function send(res: ServerResponse, answer: Answer): void {
  const head = {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion.chunk',
    created: 1_750_000_000,
    model: answer.model,
  }
  const say = (delta: object, finish_reason: string | null = null) =>
    event(res, { ...head, choices: [{ index: 0, delta, finish_reason }] })
  openStream(res)
  say({ role: 'assistant', content: '' })
  for (const content of pieces(answer.text ?? '')) say({ content })
  answer.tools.forEach(({ id, name, input }, index) => {
    say({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }] })
  })
  if (answer.cut) {
    res.destroy()
    return
  }
  const ended = answer.tools.length > 0 ? 'tool_calls' : 'stop'
  say({}, answer.stop === 'refusal' ? 'content_filter' : (answer.stop ?? ended))
  const { input, output, cached } = answer.usage
  event(res, {
    ...head,
    choices: [],
    usage: {
      prompt_tokens: input + cached,
      completion_tokens: output,
      total_tokens: input + cached + output,
      prompt_tokens_details: { cached_tokens: cached },
    },
  })
  res.end('data: [DONE]\n\n')
}
