import type { IncomingMessage } from 'node:http'
import { sameToken } from './token.ts'

/** Why something is not served. */
export interface Refusal {
  readonly status: 400 | 403 | 404 | 405 | 413 | 415 | 429 | 503
  readonly why: string
}

export interface Route {
  readonly method: 'GET' | 'POST'
  /** The page itself holds nothing but its own code; everything else needs the token. */
  readonly open: boolean
}

const ROUTES: Readonly<Record<string, Route>> = {
  '/': { method: 'GET', open: true },
  '/events': { method: 'GET', open: false },
  '/iteration': { method: 'GET', open: false },
  '/diff': { method: 'GET', open: false },
  '/control': { method: 'POST', open: false },
}

/** The path as it came, to the letter: nothing is decoded or tidied, so nothing can be hidden in it. */
export const pathOf = ({ url = '' }: Pick<IncomingMessage, 'url'>): string => url.split('?', 1)[0] ?? ''

/**
 * Whether to reject a request. The host name keeps out DNS rebinding, the origin keeps out other pages, and the token keeps out those who
 * did not see the terminal. The token counts only in a header: no other origin can send it, and it never ends up in a history or log.
 */
export function refusalOf(
  request: Pick<IncomingMessage, 'url' | 'method' | 'headersDistinct'>,
  port: number,
  token: string,
): Refusal | undefined {
  const { headersDistinct: headers } = request
  const hosts = headers.host ?? []
  const names = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (hosts.length !== 1 || !names.includes(hosts[0] ?? '')) return { status: 403, why: 'wrong host name' }
  const origins = headers.origin ?? []
  if (origins.some((origin) => origin !== `http://${hosts[0]}`)) return { status: 403, why: 'another origin asks' }
  const sites = headers['sec-fetch-site'] ?? []
  if (sites.some((site) => site !== 'same-origin' && site !== 'none'))
    return { status: 403, why: 'a page of another site asks' }
  const path = pathOf(request)
  const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined
  if (route === undefined) return { status: 404, why: 'there is no such page' }
  if (request.method !== route.method) return { status: 405, why: `this answers ${route.method} alone` }
  if (route.open) return undefined
  const given = headers.authorization ?? []
  const [, word] = /^Bearer ([\w-]{1,200})$/.exec(given[0] ?? '') ?? []
  if (given.length !== 1 || word === undefined || !sameToken(word, token))
    return { status: 403, why: 'the token is missing or wrong; open the address that exitgate watch printed' }
  return undefined
}

/** So many in so much time; more are refused. */
export function rateOf(most: number, ms: number): (now: number) => boolean {
  let times: number[] = []
  return (now) => {
    times = times.filter((time) => now - time < ms)
    if (times.length >= most) return false
    times.push(now)
    return true
  }
}
