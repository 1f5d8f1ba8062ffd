import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PressAnswer } from '../reports/runs/row.ts'
import { bodyOf, CodeQuestions, type Ends, press, readPressed, whyRefused } from './control.ts'
import { Diffs } from './diffs.ts'
import { pathOf, type Refusal, rateOf, refusalOf } from './guard.ts'
import { HEADERS, PAGE } from './page.ts'
import { Reports } from './reports.ts'
import { Runs, type WatchPlaces } from './runs.ts'
import { Streams, type Watched } from './stream.ts'

export interface WatchOptions extends WatchPlaces {
  /** 0 for any that is free. */
  readonly port: number
  readonly token: string
  now(): number
}

export interface Watching {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

const ADDRESS = '127.0.0.1'
const MOST_CONNECTIONS = 256
/** A client that has not sent its whole request by then is disconnected. */
const PATIENCE = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 }

/** Serves the live page and its data, on loopback, with a token. */
export async function openWatch(options: WatchOptions): Promise<Watching> {
  const runs = new Runs(options)
  const reports = new Reports(runs, options.now)
  const diffs = new Diffs(runs, reports, options.now)
  const streams = new Streams(runs, reports, diffs)
  const questions = new CodeQuestions()
  const mayPress = rateOf(20, 10_000)
  const mayLook = rateOf(600, 10_000)
  const server = createServer({ ...PATIENCE, keepAliveTimeout: 5000, maxHeaderSize: 8192 }, (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.maxConnections = MOST_CONNECTIONS
  const port = await listening(server, options.port)
  return {
    port,
    url: `http://${ADDRESS}:${port}/#token=${options.token}`,
    close() {
      streams.close()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, port, options.token)
    if (refusal !== undefined) return refuse(response, refusal)
    const path = pathOf(request)
    if (path === '/') return send(response, 'text/html; charset=utf-8', PAGE)
    if (path === '/control') return control(request, response)
    if (!mayLook(options.now())) return refuse(response, TOO_MANY)
    if (path === '/events') return listen(request, response)
    const asked = new URLSearchParams((request.url ?? '').slice(path.length))
    // Without a connected page the runs have not been read yet.
    if (runs.rows().length === 0) runs.look()
    const id = asked.get('journal') ?? ''
    const run = asked.get('run') ?? ''
    const n = asked.has('n') ? Number(asked.get('n')) : undefined
    const found = path === '/diff' ? await diffs.answer(id, run, n) : await reports.iteration(id, run, n ?? 0)
    if (found === undefined) return refuse(response, { status: 404, why: 'there is no such run' })
    send(response, JSON_TYPE, JSON.stringify(found))
  }

  function listen(request: IncomingMessage, response: ServerResponse): void {
    if (streams.full) {
      refuse(response, { status: 503, why: 'too many pages are open; close one' })
      return
    }
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream; charset=utf-8' })
    const last = request.headersDistinct['last-event-id']?.[0]
    const query = (request.url ?? '').slice(pathOf(request).length)
    const watched = watchedIn(new URLSearchParams(query))
    const ends = { theirPort: request.socket.remotePort ?? 0, ourPort: port }
    streams.add(response, last, watched && { ...watched, mayFollow: () => mayFollow(watched.journal, ends) })
  }

  async function mayFollow(journal: string, ends: Ends): Promise<boolean> {
    const dir = runs.dirOf(journal)
    return dir !== undefined && (await whyRefused(dir, 'events', ends)) === undefined
  }

  async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!/^application\/json(?:;|$)/.test(request.headers['content-type'] ?? ''))
      return refuse(response, { status: 415, why: 'the body is application/json' })
    if (!mayPress(options.now())) return refuse(response, TOO_MANY)
    const body = await bodyOf(request)
    if (typeof body !== 'string') return refuse(response, body)
    const pressed = readPressed(body)
    if ('why' in pressed) return refuse(response, pressed)
    if ('question' in pressed) return send(response, JSON_TYPE, JSON.stringify(await questions.answer(pressed)))
    if (runs.rows().length === 0) runs.look()
    const dir = runs.dirOf(pressed.journal)
    const row = runs.row(pressed.journal)
    if (dir === undefined || row === undefined) return refuse(response, { status: 404, why: 'there is no such run' })
    // Its folder is that of a later run, which must not get the request.
    if (row.earlier !== undefined) return send(response, JSON_TYPE, JSON.stringify(OVER))
    const ends = { theirPort: request.socket.remotePort ?? 0, ourPort: port }
    const answered = await questions.begin((typeCode) => press(dir, row.run, pressed.control, ends, typeCode))
    runs.look()
    send(response, JSON_TYPE, JSON.stringify(answered))
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'
const OVER: PressAnswer = { taken: false, text: 'This run is over. A later run has started in its project.' }
const TOO_MANY: Refusal = { status: 429, why: 'too many requests; wait a moment' }

/** The run that the page shows, and what it has of it already, as it says. */
function watchedIn(asked: URLSearchParams): Omit<Watched, 'mayFollow'> | undefined {
  const journal = asked.get('journal')
  if (journal === null) return undefined
  const [run, iterations, seq] = [asked.get('run'), Number(asked.get('iterations')), Number(asked.get('seq'))]
  const diff = asked.get('diff')
  const known = { journal, ...(diff !== null && { diff }) }
  if (run === null || !Number.isSafeInteger(iterations) || !Number.isSafeInteger(seq)) return known
  return iterations < 0 || seq < 1 ? known : { ...known, seen: { run, iterations, seq } }
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, ADDRESS, () => {
      const address: AddressInfo | string | null = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function send(response: ServerResponse, type: string, body: string): void {
  const bytes = Buffer.from(body)
  response.writeHead(200, { ...HEADERS, 'content-type': type, 'content-length': bytes.length })
  response.end(bytes)
}

/** Closes the connection, so that rejected clients take no slot. */
function refuse(response: ServerResponse, { status, why }: Refusal): void {
  const bytes = Buffer.from(`${JSON.stringify({ error: why })}\n`)
  const headers = { ...HEADERS, 'content-type': JSON_TYPE, 'content-length': bytes.length, connection: 'close' }
  response.writeHead(status, headers)
  response.end(bytes)
}
