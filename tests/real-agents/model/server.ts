import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'
import { sideAnswer } from './side-answer.ts'
import { callFor } from './tools.ts'
import type { Api, Body, Turn } from './turn.ts'

const APIS: readonly Api[] = [anthropic, responses, chat, gemini]

/** A request in the conversation, unchanged. */
export interface ModelRequest {
  readonly api: string
  readonly body: Body
  readonly raw: string
}

/** A scripted model on loopback that works with every agent. */
export interface ScriptedModel {
  readonly url: string
  readonly requests: readonly ModelRequest[]
  /** Resolves once the conversation has this many requests. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/** Answers each request with the next turn, and repeats the last one. Requests without tools only count if they contain a text. */
export async function startModel(turns: readonly Turn[], containing?: string): Promise<ScriptedModel> {
  const requests: ModelRequest[] = []
  const waiting: { readonly count: number; readonly go: () => void }[] = []
  const besides = turns.filter(({ without }) => without !== undefined)
  const script = turns
    .filter((turn) => !besides.includes(turn))
    .flatMap((turn) => Array.from({ length: turn.times ?? 1 }, () => turn))
  const server = createServer((req, res) => {
    readAll(req)
      .then((raw) => respond(req, res, raw))
      .catch(() => res.destroy())
  })
  // Agents that prefer a WebSocket fall back to plain requests.
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n'))

  function respond(req: IncomingMessage, res: ServerResponse, raw: string): void {
    const path = new URL(req.url ?? '/', 'http://loopback').pathname
    const body = parsed(raw)
    const api = APIS.find((one) => one.matches(path))
    const isAsked = containing !== undefined && raw.includes(containing)
    if (api === undefined || (api.tools(body).every((name) => name === 'session_title') && !isAsked)) {
      sideAnswer(res, api, path, body)
      return
    }
    const beside = besides.find(({ without = '' }) => !raw.includes(without))
    if (beside !== undefined) {
      say(res, api, beside, body, path, 0)
      return
    }
    const turn = script[Math.min(requests.length, script.length - 1)]
    requests.push({ api: api.name, body, raw })
    for (const { count, go } of waiting) if (requests.length >= count) go()
    if (turn !== undefined) say(res, api, turn, body, path, requests.length)
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    received: (count) =>
      new Promise((go) => {
        if (requests.length >= count) go()
        else waiting.push({ count, go })
      }),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

function say(res: ServerResponse, api: Api, turn: Turn, body: Body, path: string, number: number): void {
  if (turn.silent === true) return
  if (turn.error !== undefined) {
    const { status, headers, body: own, text } = turn.error
    res.writeHead(status, { 'content-type': text === undefined ? 'application/json' : 'text/html', ...headers })
    res.end(text ?? JSON.stringify(own ?? api.error(turn.error)))
    return
  }
  const offered = api.tools(body)
  api.send(res, {
    ...turn,
    id: `scripted${number}`,
    model: api.model(body, path),
    tools: (turn.tools ?? []).map((tool, index) => callFor(tool, offered, `call_${number}_${index}`)),
    usage: { input: 100, output: 20, cached: 0, ...turn.usage },
  })
}

async function readAll(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(raw: string): Body {
  try {
    return JSON.parse(raw) as Body
  } catch {
    return {}
  }
}
