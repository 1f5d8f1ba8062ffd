import type { ServerResponse } from 'node:http'
import type { Api, Body } from './turn.ts'

/** Answers requests outside the conversation: titles, summaries, counts, routing, lists of models. It uses up no turn. */
export function sideAnswer(res: ServerResponse, api: Api | undefined, path: string, body: Body): void {
  if (api !== undefined) {
    const usage = { input: 0, output: 0, cached: 0 }
    api.send(res, { id: 'side', model: api.model(body, path), text: sideText(body), tools: [], usage })
    return
  }
  const [status, data] = plainAnswer(path, body)
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(JSON.stringify(data))
}

function plainAnswer(path: string, body: Body): readonly [status: number, data: object] {
  if (path === '/') return [200, {}]
  if (path.endsWith('/count_tokens')) return [200, { input_tokens: 100 }]
  if (path.endsWith(':countTokens')) return [200, { totalTokens: 100 }]
  if (path.endsWith('/models')) return [200, { object: 'list', data: [], models: [], has_more: false }]
  if (path.endsWith(':generateContent')) {
    const content = { role: 'model', parts: [{ text: sideText(body) }] }
    return [200, { candidates: [{ index: 0, content, finishReason: 'STOP' }] }]
  }
  return [404, { error: { message: `nothing is scripted at ${path}` } }]
}

/** A title, or the smallest value that fits the schema in the request. */
function sideText(body: Body): string {
  const config = (body.generationConfig ?? {}) as Body
  const schema = config.responseJsonSchema ?? config.responseSchema
  return schema === undefined ? 'A scripted title' : JSON.stringify(least(schema as Body))
}

function least(schema: Body): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0]
  switch (String(schema.type ?? 'object').toLowerCase()) {
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Body>)
      return Object.fromEntries(properties.map(([name, inner]) => [name, least(inner)]))
    }
    case 'array':
      return []
    case 'boolean':
      return false
    case 'number':
    case 'integer':
      return schema.minimum ?? 1
    default:
      return 'scripted'
  }
}
