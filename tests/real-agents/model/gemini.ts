import type { ServerResponse } from 'node:http'
import { type Answer, type Api, event, list, openStream, pieces } from './turn.ts'

const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

/** Gemini's streamGenerateContent API. */
export const gemini: Api = {
  name: 'gemini',
  matches: (path) => path.endsWith(':streamGenerateContent'),
  tools: (body) => list(body.tools).flatMap((tool) => list(tool.functionDeclarations).map((one) => String(one.name))),
  model: (_, path) => /models\/([^/:]+):/.exec(path)?.[1] ?? '',
  send,
  error: ({ status, message, type }) => ({
    error: { code: status, message, status: type ?? STATUS[status] ?? 'INTERNAL' },
  }),
}

function send(res: ServerResponse, answer: Answer): void {
  const { input, output, cached } = answer.usage
  const usageMetadata = {
    promptTokenCount: input + cached,
    candidatesTokenCount: output,
    totalTokenCount: input + cached + output,
    cachedContentTokenCount: cached,
  }
  const say = (part: object, finishReason?: string) =>
    event(res, {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...(finishReason ? { finishReason } : {}) }],
      usageMetadata,
      modelVersion: answer.model,
      responseId: answer.id,
    })
  openStream(res)
  if (answer.thinking !== undefined) say({ text: answer.thinking, thought: true })
  for (const text of pieces(answer.text ?? '')) say({ text })
  for (const { id, name, input: args } of answer.tools)
    say({ functionCall: { id, name, args }, thoughtSignature: 'c2ln' })
  if (answer.cut) {
    res.destroy()
    return
  }
  say({ text: '' }, answer.stop === 'length' ? 'MAX_TOKENS' : answer.stop === 'refusal' ? 'SAFETY' : 'STOP')
  res.end()
}
