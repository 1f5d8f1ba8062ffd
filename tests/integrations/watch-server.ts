import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { EventInput } from '../../src/core/journal/events.ts'
import { openJournal } from '../../src/journal/log.ts'
import type { Changes } from '../../src/reports/runs/row.ts'
import { errorCode } from '../../src/system/files.ts'
import { openWatch, type Watching } from '../../src/watch/server.ts'
import { newToken } from '../../src/watch/token.ts'

/** A state folder with journals. */
export function stateFolder() {
  const root = mkdtempSync(join(tmpdir(), 'exitgate-watch-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return {
    root,
    dirOf: (name: string): string => join(root, name),
    write(name: string, happenings: readonly EventInput[], at = 1000): string {
      const dir = join(root, name)
      mkdirSync(dir, { recursive: true })
      const journal = openJournal(dir)
      journal.append(happenings, at)
      journal.close()
      return dir
    },
  }
}

export interface Told {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Served extends Watching {
  readonly token: string
  readonly bearer: { readonly authorization: string }
  ask(path: string, options?: Asking): Promise<Told>
}

export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export async function serve(
  dir: string,
  { all = false, port = 0, token = newToken() }: { all?: boolean; port?: number; token?: string } = {},
): Promise<Served> {
  const watching = await openWatch({ dir, all, port, token, now: () => Date.now() })
  onTestFinished(() => watching.close())
  return {
    ...watching,
    token,
    bearer: { authorization: `Bearer ${token}` },
    ask: (path, asking = {}) => ask(watching.port, path, asking),
  }
}

/** Systems give out higher ports to any program, so a lower one stays free while the server restarts. */
export async function serveOnLowPort(dir: string): Promise<Served> {
  for (let port = 20_000 + (process.pid % 10_000); ; port++) {
    try {
      return await serve(dir, { port })
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE' || port >= 32_767) throw error
    }
  }
}

export function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Sends raw bytes, and returns everything until the server disconnects. */
export function rawly(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}

export interface Event extends Changes {
  readonly id: string
}

export interface Listening {
  /** Every event so far. */
  readonly events: readonly Event[]
  /** Waits for the first event that matches, including past ones. */
  until(like: (event: Event) => boolean): Promise<Event>
  readonly status: number
  close(): void
}

/** A page that listens. */
export function listen(port: number, token: string, last?: string): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const events: Event[] = []
    const waiting = new Set<() => void>()
    const headers = { authorization: `Bearer ${token}`, ...(last === undefined ? {} : { 'last-event-id': last }) }
    const sent = httpRequest({ host: '127.0.0.1', port, path: '/events', headers, agent: false }, (response) => {
      let rest = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        const pieces = (rest + piece).split('\n\n')
        rest = pieces.pop() ?? ''
        for (const each of pieces) {
          const id = /^id: (.*)$/m.exec(each)?.[1]
          const data = /^data: (.*)$/m.exec(each)?.[1]
          if (id !== undefined && data !== undefined) events.push({ id, ...(JSON.parse(data) as Changes) })
        }
        for (const look of [...waiting]) look()
      })
      response.on('error', () => {})
      resolve({
        events,
        status: response.statusCode ?? 0,
        close: () => sent.destroy(),
        until: (like) =>
          new Promise((found) => {
            const look = (): void => {
              const event = events.find(like)
              if (event === undefined) return
              waiting.delete(look)
              found(event)
            }
            waiting.add(look)
            look()
          }),
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
