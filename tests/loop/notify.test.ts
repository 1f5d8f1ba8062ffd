import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { RunEnd } from '../../src/core/run.ts'
import type { NotifyConfig } from '../../src/core/run-config.ts'
import { alertFor, alertJson, type NotifyIo } from '../../src/loop/notify/alert.ts'
import { sendMessage } from '../../src/loop/notify/message.ts'
import { notify as send } from '../../src/loop/notify/send.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-notify-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const end: RunEnd = {
  outcome: 'stuck',
  ending: 'hollow-claims',
  rule: 'hollow-claims',
  reason: 'three claims were refused',
  run: '20260722-100000-1',
  preset: 'default',
  iterations: 7,
  startedAt: 1_000,
  endedAt: 61_000,
  total: { ms: 50_000, tokens: 10, usd: 1 },
  missing: ['tests: 2 of 9 fail'],
  killed: false,
}
const workspace = join(base, 'kettle')
mkdirSync(workspace)

const endAlert = (end: RunEnd) => alertFor({ type: 'ended', end, at: end.endedAt }, end.run)!
const notify = (ended: RunEnd, config: NotifyConfig, io: NotifyIo) => send(endAlert(ended), config, io)

/** A terminal that records what is written to it. */
function screen(isTTY: boolean, env: Record<string, string>, platform = 'linux') {
  const written: string[] = []
  const stderr = { isTTY, write: (text: string) => written.push(text) }
  return { io: { stderr, env, platform, workspace }, written }
}

describe('the bell', () => {
  const words = 'Stuck: claims keep failing the checks. Three claims were refused. (7 iterations)'
  const rows: [name: string, isTTY: boolean, env: Record<string, string>, written: string][] = [
    ['a terminal', true, { TERM: 'xterm-256color' }, `\u001b]9;exitgate: ${words}\u0007\u0007`],
    [
      'a terminal with the other escape sequence',
      true,
      { TERM: 'rxvt-unicode' },
      `\u001b]777;notify;exitgate;${words}\u0007\u0007`,
    ],
    [
      'a desktop terminal',
      true,
      { TERM: 'xterm', VTE_VERSION: '7000' },
      `\u001b]777;notify;exitgate;${words}\u0007\u0007`,
    ],
    ['a console', true, { TERM: 'linux' }, '\u0007'],
    ['a terminal without a name', true, {}, '\u0007'],
    ['a dumb terminal', true, { TERM: 'dumb' }, ''],
    ['a pipe', false, { TERM: 'xterm-256color' }, ''],
  ]
  it.each(rows)('on %s', async (_name, isTTY, env, expected) => {
    const { io, written } = screen(isTTY, env)
    expect(await notify(end, { bell: true, desktop: false }, io)).toEqual([])
    expect(written.join('')).toBe(expected)
  })

  it('is silent if it is turned off', async () => {
    const { io, written } = screen(true, { TERM: 'xterm' })
    await notify(end, { bell: false, desktop: false }, io)
    expect(written).toEqual([])
  })

  it('contains no control characters and no secrets, and is short', async () => {
    const reason = `blocked: \u001b]0;x\u0007\u009d52;c;aGk=\u009c \u202eevil\nline two; three\rsk-ant-api03-${'a'.repeat(40)} ${'long '.repeat(100)}`
    for (const TERM of ['xterm', 'foot']) {
      const { io, written } = screen(true, { TERM })
      await notify({ ...end, reason }, { bell: true, desktop: false }, io)
      const [text = ''] = written
      const inner = text.replace(/^\u001b\](?:9;|777;notify;exitgate;)/, '').replace(/\u0007\u0007$/, '')
      expect(inner).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(inner).not.toContain('sk-ant')
      expect(inner.length).toBeLessThan(260)
      if (TERM === 'foot') expect(inner).not.toContain(';')
    }
  })
})

describe('the desktop', () => {
  const programs = join(base, 'bin')
  const seen = join(base, 'seen')
  mkdirSync(programs)
  function program(folder: string, name: string, script: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  afterEach(() => rmSync(seen, { force: true }))
  /** Every argument on its own line, in brackets, and the environment. */
  const record = `for each in "$@"; do printf '<%s>\\n' "$each"; done > '${seen}'; env >> '${seen}'`
  const PATH = `${programs}:/usr/bin:/bin`

  it('gets arguments, never a shell command', async () => {
    program(programs, 'notify-send', record)
    const { io } = screen(false, { PATH, ANTHROPIC_API_KEY: 'do-not-tell', DISPLAY: ':9' })
    const reason = '$(touch pwned) `id` <b>bold</b> & --urgency=critical'
    expect(await notify({ ...end, reason }, { bell: false, desktop: true }, io)).toEqual([])
    const lines = readFileSync(seen, 'utf8').split('\n')
    expect(lines.slice(0, 4)).toEqual([
      '<--app-name=exitgate>',
      '<-->',
      '<exitgate>',
      '<Stuck: claims keep failing the checks. $(touch pwned) `id` &lt;b&gt;bold&lt;/b&gt; &amp; --urgency=critical. (7 iterations)>',
    ])
    expect(lines).toContain('DISPLAY=:9')
    expect(lines.join('\n')).not.toContain('do-not-tell')
  })

  it('on macOS gets the text as arguments of a fixed script', async () => {
    program(programs, 'osascript', record)
    const { io } = screen(false, { PATH }, 'darwin')
    const reason = '" & (do shell script "id") & "'
    expect(await notify({ ...end, reason }, { bell: false, desktop: true }, io)).toEqual([])
    const lines = readFileSync(seen, 'utf8').split('\n')
    expect(lines.slice(0, 8)).toEqual([
      '<-e>',
      '<on run argv>',
      '<-e>',
      '<display notification (item 1 of argv) with title (item 2 of argv)>',
      '<-e>',
      '<end run>',
      `<Stuck: claims keep failing the checks. ${reason}. (7 iterations)>`,
      '<exitgate>',
    ])
  })

  it('never runs a program from the workspace', async () => {
    const own = join(workspace, 'bin')
    mkdirSync(own)
    program(own, 'notify-send', record)
    const { io } = screen(false, { PATH: `${own}:bin:.` })
    expect(await notify(end, { bell: false, desktop: true }, io)).toEqual([
      'No desktop notification: notify-send was not found.',
    ])
    expect(existsSync(seen)).toBe(false)
  })

  it('that fails is only a warning', async () => {
    program(programs, 'notify-send', 'exit 1')
    const { io } = screen(false, { PATH })
    expect(await notify(end, { bell: false, desktop: true }, io)).toEqual([
      'No desktop notification: notify-send failed.',
    ])
    const windows = screen(false, { PATH }, 'win32')
    expect(await notify(end, { bell: false, desktop: true }, windows.io)).toEqual([
      'No desktop notification: exitgate knows no program for it on this system.',
    ])
  })
})

interface Got {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server that answers the n-th request with the n-th answer, then repeats the last. */
async function serve(...answers: ((response: ServerResponse) => void)[]): Promise<{ port: number; got: Got[] }> {
  const got: Got[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      got.push({ method, url, headers, body })
      answers[Math.min(got.length, answers.length) - 1]?.(response)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, got }
}
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(code, headers).end('answer')
  }
const silence = () => {}
const cut = (response: ServerResponse) => {
  response.destroy()
}
const quick = { deadlineMs: 10_000, pauseMs: 1 }
const callWebhook = (address: string, body: string, times: typeof quick) =>
  sendMessage({ address, body, setting: 'run.notify.webhook', name: 'The webhook' }, times)

describe('the webhook', () => {
  it('gets the result as JSON, without secrets', async () => {
    const { port, got } = await serve(status(200))
    const { io } = screen(false, {})
    const secret = `sk-ant-api03-${'a'.repeat(40)}`
    const ended = { ...end, reason: `the key ${secret} was refused`, missing: [`password: ${secret}`] }
    const webhook = `http://user:pass@127.0.0.1:${port}/hook?x=1`
    expect(await notify(ended, { bell: false, desktop: false, webhook }, io)).toEqual([])
    expect(got).toHaveLength(1)
    expect(got[0]).toMatchObject({ method: 'POST', url: '/hook?x=1' })
    expect(got[0]?.headers['content-type']).toBe('application/json')
    expect(got[0]?.headers.authorization).toBe(`Basic ${Buffer.from('user:pass').toString('base64')}`)
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({
      event: 'end',
      text: 'Stuck: claims keep failing the checks. The key [redacted] was refused. (7 iterations)',
      run: '20260722-100000-1',
      outcome: 'stuck',
      ending: 'hollow-claims',
      reason: 'the key [redacted] was refused',
      iterations: 7,
      durationMs: 60_000,
      workspace: 'kettle',
      missing: ['password: [redacted]'],
    })
  })

  it('has a short body, however much is missing', () => {
    const body = alertJson(endAlert({ ...end, missing: Array(1000).fill('x'.repeat(10_000)) }), workspace)
    expect(body.length).toBeLessThan(50_000)
  })

  const rows: [
    name: string,
    answers: ((response: ServerResponse) => void)[],
    requests: number,
    why: string | undefined,
  ][] = [
    ['succeeds', [status(204)], 1, undefined],
    ['fails once', [status(500), status(200)], 2, undefined],
    ['is rate-limited once', [status(429), status(200)], 2, undefined],
    ['hangs up once', [cut, status(200)], 2, undefined],
    ['fails', [status(503)], 2, 'HTTP status 503'],
    ['hangs up', [cut], 2, 'connection failed (ECONNRESET)'],
    ['is not found', [status(404)], 1, 'HTTP status 404'],
    ['redirects on the same host', [status(307, { location: '/there' }), status(200)], 2, undefined],
    ['redirects permanently', [status(308, { location: '/there' }), status(200)], 2, undefined],
    ['redirects with another method', [status(302, { location: '/there' }), status(200)], 1, 'HTTP status 302'],
    ['redirects without a location', [status(307), status(200)], 1, 'HTTP status 307'],
    ['redirects in a loop', [status(307, { location: '/' })], 4, 'too many redirects'],
    [
      'redirects to another protocol',
      [status(307, { location: 'ftp://127.0.0.1/' })],
      1,
      'it redirects to another host',
    ],
  ]
  it.each(rows)('that %s', async (_name, answers, requests, why) => {
    const { port, got } = await serve(...answers)
    const problem = await callWebhook(`http://127.0.0.1:${port}/secret-path`, '{}', quick)
    expect(problem).toBe(why === undefined ? undefined : `The webhook at 127.0.0.1:${port} failed: ${why}.`)
    expect(got).toHaveLength(requests)
    for (const each of got) expect(each).toMatchObject({ method: 'POST', body: '{}' })
  })

  it('that redirects to another host is not followed', async () => {
    const other = await serve(status(200))
    const { port } = await serve(status(307, { location: `http://127.0.0.1:${other.port}/` }))
    expect(await callWebhook(`http://127.0.0.1:${port}/`, '{}', quick)).toBe(
      `The webhook at 127.0.0.1:${port} failed: it redirects to another host.`,
    )
    expect(other.got).toEqual([])
  })

  it('that never answers times out, after at most two attempts', async () => {
    const { port, got } = await serve(silence)
    expect(await callWebhook(`http://127.0.0.1:${port}/`, '{}', { deadlineMs: 200, pauseMs: 1 })).toBe(
      `The webhook at 127.0.0.1:${port} failed: no response within 0.2 s.`,
    )
    expect(got.length).toBeLessThanOrEqual(2)
  })

  it('that refuses the connection', async () => {
    const { port } = await serve(status(200))
    const [server] = servers.splice(0)
    await new Promise((resolve) => server?.close(resolve))
    expect(await callWebhook(`http://127.0.0.1:${port}/secret`, '{}', quick)).toBe(
      `The webhook at 127.0.0.1:${port} failed: connection failed (ECONNREFUSED).`,
    )
  })

  it.each(['ftp://example.com/', 'file:///etc/passwd', 'not an address', 'javascript:1', ''])(
    'with the invalid URL %j is not called',
    async (address) => {
      expect(await callWebhook(address, '{}', quick)).toBe(
        "The webhook wasn't called: run.notify.webhook is not an http or https URL. Fix it in the configuration.",
      )
    },
  )
})

describe('every way', () => {
  const plain = { bell: false, desktop: false }
  const at = Date.UTC(2026, 6, 22, 10)
  const waits = { type: 'waiting', why: "the provider's rate limit is reached", cause: 'limit', at } as const
  const why = 'The circuit breaker is open: no <progress> & no plan'
  const alert = alertFor({ type: 'asking', why, until: at + 5 * 60_000, at }, 'r1')!
  const text =
    'The circuit breaker is open: no <progress> & no plan. Choose in the terminal within 5 minutes, or the run ends.'

  it('Slack gets the text, escaped', async () => {
    const { port, got } = await serve(status(200))
    const { io } = screen(false, { SLACK: `http://127.0.0.1:${port}/services/T0/B0/secret` })
    expect(await send(alert, { ...plain, slack: '$SLACK' }, io)).toEqual([])
    expect(got[0]).toMatchObject({ method: 'POST', url: '/services/T0/B0/secret' })
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({
      text: `${text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')} (kettle)`,
    })
  })

  it('ntfy gets the text, and a priority if it needs you', async () => {
    const { port, got } = await serve(status(200))
    const { io } = screen(false, {})
    const ntfy = `http://127.0.0.1:${port}/my-topic`
    expect(await send(alert, { ...plain, ntfy }, io)).toEqual([])
    expect(await send(endAlert(end), { ...plain, ntfy }, io)).toEqual([])
    expect(got.map(({ url, body, headers }) => [url, body, headers.title, headers.priority])).toEqual([
      ['/my-topic', `${text} (kettle)`, 'exitgate', 'high'],
      [
        '/my-topic',
        'Stuck: claims keep failing the checks. Three claims were refused. (7 iterations) (kettle)',
        'exitgate',
        undefined,
      ],
    ])
  })

  it('Telegram gets a message of the bot, and its token is in no sentence', async () => {
    const { port, got } = await serve(status(200), status(401))
    const telegram = `http://127.0.0.1:${port}`
    const { io } = screen(false, { BOT: '123:secret' })
    const config = { ...plain, telegramToken: '$BOT', telegramChat: '-100' }
    expect(await send(alert, config, { ...io, telegram })).toEqual([])
    expect(got[0]).toMatchObject({ method: 'POST', url: '/bot123:secret/sendMessage' })
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({ chat_id: '-100', text: `${text} (kettle)` })
    expect(await send(alert, config, { ...io, telegram })).toEqual([
      `Telegram at 127.0.0.1:${port} failed: HTTP status 401.`,
    ])
    expect(await send(alert, { ...plain, telegramToken: '123:secret' }, io)).toEqual([
      "Telegram wasn't called: set run.notify.telegramChat to the id of the chat.",
    ])
  })

  it('a command gets the text, the event and JSON, in your home folder', async () => {
    const home = join(base, 'home')
    const own = join(workspace, 'tools')
    for (const folder of [home, own]) mkdirSync(folder, { recursive: true })
    writeFileSync(join(own, 'curl'), '#!/bin/sh\necho replaced > "$HOME/replaced"\n', { mode: 0o755 })
    const { io } = screen(false, { HOME: home, PATH: `${own}:/usr/bin:/bin` })
    const command = 'pwd > where; echo "$EXITGATE_EVENT: $EXITGATE_ALERT" > said; cat > json; curl --version; true'
    expect(await send(alert, { ...plain, command }, io)).toEqual([])
    const read = (name: string) => readFileSync(join(home, name), 'utf8').trim()
    expect([read('where'), read('said')]).toEqual([home, `breaker: ${text}`])
    expect(JSON.parse(read('json'))).toEqual({ event: 'breaker', run: 'r1', text, workspace: 'kettle' })
    expect(existsSync(join(home, 'replaced'))).toBe(false)
    expect(await send(alert, { ...plain, command: 'echo http://secret; exit 3' }, io)).toEqual([
      'The command in run.notify.command failed: exit code 3.',
    ])
  })

  it('a variable that is not set is a warning', async () => {
    const { io } = screen(false, {})
    expect(await send(alert, { ...plain, webhook: '$NOT_SET' }, io)).toEqual([
      'run.notify.webhook is $NOT_SET, but this environment variable is not set.',
    ])
  })

  const limit = alertFor({ ...waits, until: at + 90 * 60_000 }, 'r1')
  const cooldown = alertFor({ ...waits, cause: 'breaker', until: at + 90 * 60_000 }, 'r1')
  const rows: [name: string, alert: typeof limit, on: NotifyConfig['on'], sent: boolean][] = [
    ['everything by default', limit, undefined, true],
    ['a limit', limit, ['waiting'], true],
    ['a limit, and you chose only the end', limit, ['end'], false],
    ['an open breaker', alert, ['breaker'], true],
    ['an open breaker needs you', alert, ['needs-you'], true],
    ['an open breaker that cools down', cooldown, ['breaker'], true],
    ['a cooldown needs nothing from you', cooldown, ['needs-you', 'waiting', 'end'], false],
    ['the end', endAlert(end), ['end'], true],
    ['the end, and you chose only the breaker', endAlert(end), ['breaker'], false],
    ['the end with an open breaker', endAlert({ ...end, ending: 'breaker' }), ['breaker'], true],
    ['the end that needs you', endAlert({ ...end, ending: 'needs-human' }), ['needs-you'], true],
    ['nothing', endAlert(end), [], false],
  ]
  it.each(rows)('sends what you chose: %s', async (_name, each, on, sent) => {
    const { io, written } = screen(true, { TERM: 'linux' })
    if (each !== undefined) await send(each, { bell: true, desktop: false, ...(on && { on }) }, io)
    expect(written).toEqual(sent ? ['\u0007'] : [])
  })

  it('says until when it waits, in local time', () => {
    const until = new Date(2026, 6, 22, 14, 5).getTime()
    expect(alertFor({ ...waits, at: until - 60_000, until }, 'r1')?.text).toBe(
      "Waiting until 2026-07-22 14:05: the provider's rate limit is reached.",
    )
  })

  it.each([
    ['a short wait', { ...waits, until: at + 59_000 }],
    ['a pause', { type: 'waiting', why: 'paused by the user', at } as const],
    ['iterations per hour', { type: 'waiting', why: 'the limit is 3 iterations per hour', until: at * 2, at } as const],
  ])('is silent about %s', (_name, event) => {
    expect(alertFor(event, 'r1')).toBeUndefined()
  })
})
