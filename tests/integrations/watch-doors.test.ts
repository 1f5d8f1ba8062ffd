import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { peersByLsof, peersOf } from '../../src/watch/control.ts'
import { decided, started } from '../journal/samples.ts'
import { type Asking, rawly, type Served, serve, stateFolder } from './watch-server.ts'

const NAME = 'parser-0123456789ab'

async function served(): Promise<Served> {
  const { write } = stateFolder()
  return serve(write(NAME, [started(), decided(1)]))
}

const FORCE = JSON.stringify({ journal: NAME, kind: 'force', reason: 'because' })
const JSON_BODY = { 'content-type': 'application/json' }

interface Row {
  readonly name: string
  readonly path?: string
  readonly status: number
  readonly asking: (served: Served) => Asking
}

const DATA = [
  '/events',
  '/iteration?journal=parser-0123456789ab&run=r1&n=1',
  '/diff?journal=parser-0123456789ab&run=r1',
]
const post = (headers: Record<string, string>, body = FORCE): Asking => ({ method: 'POST', headers, body })
const wrong = (token: string): string => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`

const rows: readonly Row[] = [
  ...DATA.flatMap((path): readonly Row[] => [
    { name: `no token for ${path}`, path, status: 403, asking: () => ({}) },
    {
      name: `a wrong token for ${path}`,
      path,
      status: 403,
      asking: ({ token }) => ({ headers: { authorization: `Bearer ${wrong(token)}` } }),
    },
    {
      name: `half a token for ${path}`,
      path,
      status: 403,
      asking: ({ token }) => ({ headers: { authorization: `Bearer ${token.slice(0, 20)}` } }),
    },
    {
      name: `the token in a cookie for ${path}`,
      path,
      status: 403,
      asking: ({ token }) => ({ headers: { cookie: `token=${token}` } }),
    },
    {
      name: `the token by another scheme for ${path}`,
      path,
      status: 403,
      asking: ({ token }) => ({ headers: { authorization: `Basic ${token}` } }),
    },
    {
      name: `another host name for ${path}`,
      path,
      status: 403,
      asking: ({ bearer }) => ({ headers: { ...bearer, host: 'evil.example' } }),
    },
    {
      name: `another origin for ${path}`,
      path,
      status: 403,
      asking: ({ bearer }) => ({ headers: { ...bearer, origin: 'http://evil.example' } }),
    },
    {
      name: `POST to ${path}`,
      path,
      status: 405,
      asking: ({ bearer }) => ({ method: 'POST', headers: bearer, body: '{}' }),
    },
  ]),
  {
    name: 'a name that was made to point here',
    status: 403,
    asking: ({ port }) => ({ headers: { host: `evil.example:${port}` } }),
  },
  {
    name: 'a name that begins like ours',
    status: 403,
    asking: ({ port }) => ({ headers: { host: `127.0.0.1.evil.example:${port}` } }),
  },
  {
    name: 'our name with another port',
    status: 403,
    asking: ({ port }) => ({ headers: { host: `127.0.0.1:${port + 1}` } }),
  },
  { name: 'our name without the port', status: 403, asking: () => ({ headers: { host: '127.0.0.1' } }) },
  {
    name: 'the page for another origin',
    status: 403,
    asking: ({ port }) => ({ headers: { origin: `http://127.0.0.1:${port + 1}` } }),
  },
  { name: 'the page for a file from the disk', status: 403, asking: () => ({ headers: { origin: 'null' } }) },
  {
    name: 'the page for a page of another site',
    status: 403,
    asking: () => ({ headers: { 'sec-fetch-site': 'cross-site' } }),
  },
  {
    name: 'the page for another port of this machine',
    status: 403,
    asking: () => ({ headers: { 'sec-fetch-site': 'same-site' } }),
  },
  { name: 'the page by HEAD', status: 405, asking: () => ({ method: 'HEAD' }) },
  { name: 'the page by OPTIONS', status: 405, asking: () => ({ method: 'OPTIONS' }) },
  { name: 'the page by PUT', status: 405, asking: () => ({ method: 'PUT', body: 'x' }) },
  { name: 'a button by GET', path: '/control', status: 405, asking: ({ bearer }) => ({ headers: bearer }) },
  { name: 'a button without a token', path: '/control', status: 403, asking: () => post(JSON_BODY) },
  {
    name: 'a button with the token in the body',
    path: '/control',
    status: 403,
    asking: ({ token }) => post(JSON_BODY, JSON.stringify({ token, ...JSON.parse(FORCE) })),
  },
  {
    name: 'a button as a form',
    path: '/control',
    status: 415,
    asking: ({ bearer }) => post({ ...bearer, 'content-type': 'text/plain' }),
  },
  {
    name: 'a button of another origin',
    path: '/control',
    status: 403,
    asking: ({ bearer, port }) => post({ ...bearer, ...JSON_BODY, origin: `http://localhost:${port + 1}` }),
  },
  {
    name: 'a button that is no JSON',
    path: '/control',
    status: 400,
    asking: ({ bearer }) => post({ ...bearer, ...JSON_BODY }, '{'),
  },
  {
    name: 'a button that is a list',
    path: '/control',
    status: 400,
    asking: ({ bearer }) => post({ ...bearer, ...JSON_BODY }, '[]'),
  },
  {
    name: 'a button that we do not have',
    path: '/control',
    status: 400,
    asking: ({ bearer }) => post({ ...bearer, ...JSON_BODY }, FORCE.replace('force', 'events')),
  },
  {
    name: 'a button without a reason',
    path: '/control',
    status: 400,
    asking: ({ bearer }) => post({ ...bearer, ...JSON_BODY }, FORCE.replace('because', ' ')),
  },
  {
    name: 'a button for a journal elsewhere',
    path: '/control',
    status: 404,
    asking: ({ bearer }) => post({ ...bearer, ...JSON_BODY }, FORCE.replace(NAME, `../${NAME}`)),
  },
  {
    name: 'a body that is too large',
    path: '/control',
    status: 413,
    asking: ({ bearer }) => post({ ...bearer, ...JSON_BODY }, `{"reason":"${'x'.repeat(20_000)}"}`),
  },
  {
    name: 'a body of unknown length that is too large',
    path: '/control',
    status: 413,
    asking: ({ bearer }) => post({ ...bearer, ...JSON_BODY, 'transfer-encoding': 'chunked' }, 'x'.repeat(40_000)),
  },
  ...[
    '/..%2f..%2fetc%2fpasswd',
    '/%2e%2e/journal.jsonl',
    '/../../etc/passwd',
    '//etc/passwd',
    '/iteration/../events',
    '/Iteration',
    '/iteration%00',
    '/__proto__',
    '/constructor',
    '/favicon.ico',
    '*',
  ].map(
    (path): Row => ({ name: `the path ${path}`, path, status: 404, asking: ({ bearer }) => ({ headers: bearer }) }),
  ),
  ...['..', '../parser-0123456789ab', '..%2f..%2fetc', '', '__proto__', 'other-0123456789ab'].map(
    (name): Row => ({
      name: `an iteration of "${name}"`,
      path: `/iteration?journal=${name}&run=r1&n=1`,
      status: 404,
      asking: ({ bearer }) => ({ headers: bearer }),
    }),
  ),
  {
    name: 'an iteration that is none',
    path: `/iteration?journal=${NAME}&run=r1&n=99`,
    status: 404,
    asking: ({ bearer }) => ({ headers: bearer }),
  },
  {
    name: 'an iteration of another run',
    path: `/iteration?journal=${NAME}&run=r2&n=1`,
    status: 404,
    asking: ({ bearer }) => ({ headers: bearer }),
  },
]

describe('is not served', () => {
  it.each(rows)('$name', async ({ path = '/', status, asking }) => {
    const watch = await served()
    const told = await watch.ask(path, asking(watch))
    expect(told.status).toBe(status)
    expect(told.body).not.toContain('a reason')
    expect(told.headers['access-control-allow-origin']).toBeUndefined()
    expect(told.headers['cache-control']).toBe('no-store')
    expect(told.headers['content-security-policy']).toMatch(/^default-src 'none';/)
  })

  it('two names at once', async () => {
    const watch = await served()
    const told = await rawly(
      watch.port,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${watch.port}\r\nHost: evil.example\r\n\r\n`,
    )
    expect(told).toMatch(/^HTTP\/1\.1 4\d\d /)
  })

  it('a request with an absolute address', async () => {
    const watch = await served()
    const told = await rawly(
      watch.port,
      `GET http://127.0.0.1:${watch.port}/ HTTP/1.1\r\nHost: 127.0.0.1:${watch.port}\r\n\r\n`,
    )
    expect(told).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('many button presses in a short time', async () => {
    const watch = await served()
    const asking = post({ ...watch.bearer, ...JSON_BODY }, '{}')
    const told = []
    for (let n = 0; n < 25; n++) told.push((await watch.ask('/control', asking)).status)
    expect(new Set(told)).toEqual(new Set([400, 429]))
    expect(told.filter((status) => status === 400)).toHaveLength(20)
  })
})

describe('is served', () => {
  it('the page to every user of this machine, without any data of a run', async () => {
    const { write } = stateFolder()
    const watch = await serve(write(NAME, [started({ task: 'secret-task' }), decided(1)]))
    const told = await watch.ask('/')
    expect(told.status).toBe(200)
    expect(told.body).not.toMatch(/secret-task|a reason|parser/)
    expect(told.body).not.toContain(watch.token)
    expect(told.headers['referrer-policy']).toBe('no-referrer')
    expect(told.headers['content-security-policy']).not.toMatch(/unsafe|\*|https?:/)
  })

  it.each(['127.0.0.1', 'localhost'])('an iteration to a client with the token, under the name %s', async (name) => {
    const watch = await served()
    const host = `${name}:${watch.port}`
    const headers = { ...watch.bearer, host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
    const told = await watch.ask(`/iteration?journal=${NAME}&run=r1&n=1`, { headers })
    expect(told.status).toBe(200)
    expect(JSON.parse(told.body)).toMatchObject({ n: 1, reason: 'Not done: a reason.', evidence: [{ check: 'tests' }] })
  })

  it('with the token only after the hash, which no browser sends', async () => {
    const watch = await served()
    expect(watch.url).toBe(`http://127.0.0.1:${watch.port}/#token=${watch.token}`)
    expect(Buffer.from(watch.token, 'base64url')).toHaveLength(32)
  })
})

describe('a connection', () => {
  it('that never ends its request is disconnected, and others are served meanwhile', async () => {
    const watch = await served()
    const slow = Array.from({ length: 40 }, () => rawly(watch.port, 'GET / HTTP/1.1\r\nX-Slow: '))
    expect((await watch.ask('/')).status).toBe(200)
    for (const told of await Promise.all(slow)) expect(told).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('with endless headers is disconnected', async () => {
    const watch = await served()
    const told = await rawly(watch.port, `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(told).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('can be traced to the process at its other end', async ({ skip }) => {
    skip(process.platform === 'win32', 'this system does not tell')
    const watch = await served()
    const socket = connect(watch.port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    expect(peersOf(socket.localPort ?? 0, watch.port)).toContain(process.pid)
    expect(peersOf(1, watch.port)).toBeUndefined()
    socket.destroy()
  })

  it('can be traced with lsof too', async ({ skip }) => {
    skip(spawnSync('lsof', ['-v']).error !== undefined, 'lsof is not installed')
    const watch = await served()
    const socket = connect(watch.port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    expect(peersByLsof(socket.localPort ?? 0, watch.port)).toContain(process.pid)
    socket.destroy()
  })
})
