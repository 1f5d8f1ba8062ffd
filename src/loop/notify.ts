import { execFile } from 'node:child_process'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { count } from '../core/count.ts'
import { endSentence } from '../core/policy/ending-text.ts'
import type { RunEnd } from '../core/run.ts'
import type { NotifyConfig } from '../core/run-config.ts'
import type { Environment } from '../system/environment.ts'
import { errorCode } from '../system/files.ts'
import { findProgram } from '../system/find-program.ts'
import { pathOutside } from '../system/git.ts'
import { redact } from '../system/redact.ts'

/** What a notification may use. */
export interface NotifyIo {
  /** The bell is written here, only if it is a terminal. */
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean | undefined }
  readonly env: Environment
  readonly platform: string
  /** Folder of the workspace. */
  readonly workspace: string
}

/** Sends the configured notifications about the end of a run. Returns a sentence per failure; never throws. */
export async function notify(end: RunEnd, config: NotifyConfig, io: NotifyIo): Promise<readonly string[]> {
  if (config.bell) ring(end, io)
  const problems = await Promise.all([
    config.desktop ? showOnDesktop(end, io) : undefined,
    config.webhook === undefined ? undefined : callWebhook(config.webhook, webhookBody(end, io.workspace)),
  ])
  return problems.filter((problem) => problem !== undefined)
}

const MAX_LINE = 200

/** The end in one line. Reasons can contain text from the agent, so control characters and secrets are removed. */
function endLine(end: RunEnd): string {
  return plainLine(`${endSentence(end)} (${count(end.iterations, 'iteration')})`)
}

function plainLine(text: string): string {
  const plain = redact(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return plain.length <= MAX_LINE ? plain : `${plain.slice(0, MAX_LINE - 1)}…`
}

const BELL = '\u0007'
const ESCAPE = '\u001b'
/** Terminals that support OSC 777. Others would show a second notification for the same event. */
const SUPPORTS_777 = /^(?:rxvt|foot|vte)/
/** Terminals that print escape sequences they don't know. */
const NO_SEQUENCES = /^(?:dumb|linux|cons25|vt\d+)?$/

/** The bell, and the notification that the terminal itself can show. */
function ring(end: RunEnd, { stderr, env }: NotifyIo): void {
  const terminal = env.TERM ?? ''
  if (stderr.isTTY !== true || terminal === 'dumb') return
  stderr.write(NO_SEQUENCES.test(terminal) ? BELL : `${shown(endLine(end), terminal, env)}${BELL}`)
}

function shown(text: string, terminal: string, env: NotifyIo['env']): string {
  // A semicolon ends a field.
  if (SUPPORTS_777.test(terminal) || env.VTE_VERSION !== undefined)
    return `${ESCAPE}]777;notify;exitgate;${text.replaceAll(';', ',')}${BELL}`
  return `${ESCAPE}]9;exitgate: ${text}${BELL}`
}

const DEADLINE_MS = 5_000

/** The variables a program needs to reach the desktop; no secrets. */
const DESKTOP_VARIABLES = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'DBUS_SESSION_BUS_ADDRESS',
]

const SCRIPT = ['on run argv', 'display notification (item 1 of argv) with title (item 2 of argv)', 'end run'].flatMap(
  (line) => ['-e', line],
)

interface Call {
  readonly program: string
  readonly args: readonly string[]
}

function callFor(platform: string, text: string): Call | undefined {
  if (platform === 'darwin') return { program: 'osascript', args: [...SCRIPT, text, 'exitgate'] }
  if (platform === 'win32') return undefined
  // Some desktops read the text as markup.
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { program: 'notify-send', args: ['--app-name=exitgate', '--', 'exitgate', escaped] }
}

/** Shows a desktop notification. Returns a sentence if that fails. */
async function showOnDesktop(end: RunEnd, io: NotifyIo): Promise<string | undefined> {
  const call = callFor(io.platform, endLine(end))
  if (call === undefined) return 'No desktop notification: exitgate knows no program for it on this system.'
  const env = Object.fromEntries(
    DESKTOP_VARIABLES.flatMap((name) => (io.env[name] === undefined ? [] : [[name, io.env[name]] as const])),
  )
  const file = findProgram(call.program, io.workspace, { PATH: pathOutside(io.workspace, io.env.PATH ?? '') })
  if (file === undefined) return `No desktop notification: ${call.program} was not found.`
  return new Promise((resolve) => {
    const options = { env, timeout: DEADLINE_MS, killSignal: 'SIGKILL', windowsHide: true } as const
    const child = execFile(file, call.args, options, (error) => {
      resolve(error === null ? undefined : `No desktop notification: ${call.program} failed.`)
    })
    child.stdin?.end()
  })
}

interface WebhookTimes {
  /** Timeout of one attempt. */
  readonly deadlineMs: number
  /** Between the two attempts. */
  readonly pauseMs: number
}

const TIMES: WebhookTimes = { deadlineMs: 10_000, pauseMs: 1_000 }
const MAX_REDIRECTS = 3
const MAX_MISSING = 20
const MAX_TEXT = 2_000

/** The body of the webhook call: how the run ended, without secrets. */
export function webhookBody(end: RunEnd, workspace: string): string {
  const plain = (text: string) => redact(text).slice(0, MAX_TEXT)
  return JSON.stringify({
    run: end.run,
    outcome: end.outcome,
    ending: end.ending,
    reason: plain(end.reason),
    iterations: end.iterations,
    durationMs: end.endedAt - end.startedAt,
    workspace: basename(workspace),
    missing: end.missing.slice(0, MAX_MISSING).map(plain),
  })
}

/** Calls the webhook, at most twice. Returns a sentence if that fails, without the address, which may contain a secret. */
export async function callWebhook(
  address: string,
  body: string,
  times: WebhookTimes = TIMES,
): Promise<string | undefined> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return "The webhook wasn't called: run.notify.webhook is not an http or https URL. Fix it in the configuration."
  const first = await send(url, body, times.deadlineMs)
  if (first === undefined || !first.again) return first && notCalled(url, first.why)
  await sleep(times.pauseMs)
  const second = await send(url, body, times.deadlineMs)
  return second && notCalled(url, second.why)
}

const notCalled = (url: URL, why: string): string => `The webhook at ${url.host} failed: ${why}.`

interface Failure {
  readonly why: string
  /** A second attempt may help. */
  readonly again: boolean
}

async function send(first: URL, body: string, deadlineMs: number): Promise<Failure | undefined> {
  const signal = AbortSignal.timeout(deadlineMs)
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    let answer: Answer
    try {
      answer = await post(url, body, signal)
    } catch (error) {
      return { why: signal.aborted ? `no response within ${deadlineMs / 1000} s` : codeOf(error), again: true }
    }
    const { status, location } = answer
    if (status >= 200 && status < 300) return undefined
    if (status < 300 || status >= 400)
      return { why: `HTTP status ${status}`, again: status >= 500 || status === 429 || status === 408 }
    const next = location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : undefined
    // Only 307 and 308 repeat the request. It is never sent to another host or without encryption.
    if (next === undefined || (status !== 307 && status !== 308)) return { why: `HTTP status ${status}`, again: false }
    if (next.host !== first.host || next.protocol !== first.protocol)
      return { why: 'it redirects to another host', again: false }
    url = next
  }
  return { why: 'too many redirects', again: false }
}

interface Answer {
  readonly status: number
  readonly location?: string
}

function post(url: URL, body: string, signal: AbortSignal): Promise<Answer> {
  const request = url.protocol === 'https:' ? requestSecure : requestPlain
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'exitgate',
  }
  return new Promise((resolve, reject) => {
    // A separate connection, closed after the response.
    const sent = request(url, { method: 'POST', headers, signal, agent: false }, (answer) => {
      const { statusCode = 0, headers: received } = answer
      answer.destroy()
      resolve({ status: statusCode, ...(received.location === undefined ? {} : { location: received.location }) })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function codeOf(error: unknown): string {
  const code = errorCode(error)
  return code === '' ? 'connection failed' : `connection failed (${code})`
}
