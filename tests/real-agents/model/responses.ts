import type { ServerResponse } from 'node:http'
import { openaiError } from './openai-error.ts'
import { type Answer, type Api, event, list, openStream, pieces } from './turn.ts'

/** OpenAI's Responses API, streamed. */
export const responses: Api = {
  name: 'responses',
  matches: (path) => path.endsWith('/responses'),
  // Tools of an MCP server are nested in a namespace.
  tools: (body) =>
    list(body.tools).flatMap((tool) =>
      Array.isArray(tool.tools)
        ? list(tool.tools).map((inner) => String(inner.name))
        : [String(tool.name ?? tool.type)],
    ),
  model: (body) => String(body.model),
  send,
  error: openaiError,
}

function send(res: ServerResponse, answer: Answer): void {
  const id = `resp_${answer.id}`
  const items = [...messages(answer), ...calls(answer)]
  let sequence_number = 0
  const say = (type: string, data: object) => event(res, { type, sequence_number: sequence_number++, ...data }, type)
  openStream(res)
  say('response.created', { response: { id, object: 'response', status: 'in_progress', model: answer.model } })
  items.forEach((item, output_index) => {
    say('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } })
    const words = item.type === 'message' ? (answer.text ?? '') : ''
    for (const delta of pieces(words)) {
      say('response.output_text.delta', { item_id: item.id, output_index, content_index: 0, delta })
    }
    if (!answer.cut) say('response.output_item.done', { output_index, item })
  })
  if (answer.cut) {
    res.destroy()
    return
  }
  const { input, output, cached } = answer.usage
  const reason = answer.stop === 'length' ? 'max_output_tokens' : 'content_filter'
  const whole = answer.stop === undefined
  say(whole ? 'response.completed' : 'response.incomplete', {
    response: {
      id,
      object: 'response',
      model: answer.model,
      status: whole ? 'completed' : 'incomplete',
      incomplete_details: whole ? null : { reason },
      output: items,
      usage: {
        input_tokens: input + cached,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + cached + output,
      },
    },
  })
  res.end()
}

function messages({ id, text }: Answer) {
  if (text === undefined) return []
  const content = [{ type: 'output_text', text, annotations: [] }]
  return [{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }]
}

function calls({ tools }: Answer) {
  return tools.map(({ id, name, namespace, input }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(input),
    status: 'completed',
  }))
}
