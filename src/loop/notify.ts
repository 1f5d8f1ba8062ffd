import { execFile } from 'node:child_process'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { basename, isAbsolute, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NotifyConfig } from '../core/config.ts'
import type { RunEnd } from '../core/run.ts'
import type { Environment } from '../system/environment.ts'
import { errorCode } from '../system/files.ts'
import { findProgram } from '../system/find-program.ts'
import { redact } from '../system/redact.ts'

/** The world as a notification sees it. */
export interface NotifyIo {
  /** Where a person would look: nothing is written to it unless it is a terminal. */
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean | undefined }
  readonly env: Environment
  readonly platform: string
  /** Folder of the workspace. */
  readonly workspace: string
}

/** Tells people that the run has ended, in the ways they chose. Gives back what did not work, one sentence each; it never throws. */
export async function notify(end: RunEnd, config: NotifyConfig, io: NotifyIo): Promise<readonly string[]> {
  if (config.bell) ring(end, io)
  const told = await Promise.all([
    config.desktop ? showOnDesktop(end, io) : undefined,
    config.webhook === undefined ? undefined : callWebhook(config.webhook, webhookBody(end, io.workspace)),
  ])
  return told.filter((problem) => problem !== undefined)
}

const LONGEST_LINE = 200

/**
 * The end in one line. Reasons can hold the agent's words: nothing in it may be taken for an order by a terminal, turn the reading
 * direction, or be a secret.
 */
function endWords({ outcome, ending, reason, iterations }: RunEnd): string {
  const counted = `${iterations} iteration${iterations === 1 ? '' : 's'}`
  return plainLine(`${outcome} (${ending}) after ${counted}: ${reason}`)
}

function plainLine(text: string): string {
  const plain = redact(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return plain.length <= LONGEST_LINE ? plain : `${plain.slice(0, LONGEST_LINE - 1)}…`
}

const BELL = '\u0007'
const ESCAPE = '\u001b'
/** Terminals that know the second form; to others it would be the second notification of the same. */
const KNOWS_777 = /^(?:rxvt|foot|vte)/
/** These would print what they do not know. */
const KNOWS_NEITHER = /^(?:dumb|linux|cons25|vt\d+)?$/

/** The bell, and the notification that the terminal itself can show: only where a person looks. */
function ring(end: RunEnd, { stderr, env }: NotifyIo): void {
  const terminal = env.TERM ?? ''
  if (stderr.isTTY !== true || terminal === 'dumb') return
  stderr.write(KNOWS_NEITHER.test(terminal) ? BELL : `${shown(endWords(end), terminal, env)}${BELL}`)
}

function shown(words: string, terminal: string, env: NotifyIo['env']): string {
  // A semicolon ends a field.
  if (KNOWS_777.test(terminal) || env.VTE_VERSION !== undefined)
    return `${ESCAPE}]777;notify;exitgate;${words.replaceAll(';', ',')}${BELL}`
  return `${ESCAPE}]9;exitgate: ${words}${BELL}`
}

const DEADLINE_MS = 5_000

/** What a program needs to reach the desktop, and no key of anybody's. */
const PASSED = [
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

function callFor(platform: string, words: string): Call | undefined {
  if (platform === 'darwin') return { program: 'osascript', args: [...SCRIPT, words, 'exitgate'] }
  if (platform === 'win32') return undefined
  // Some desktops read the text as markup.
  const text = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { program: 'notify-send', args: ['--app-name=exitgate', '--', 'exitgate', text] }
}

/** Shows the end on the desktop. A sentence when it could not be shown. */
async function showOnDesktop(end: RunEnd, io: NotifyIo): Promise<string | undefined> {
  const call = callFor(io.platform, endWords(end))
  if (call === undefined) return 'No desktop notification was shown: this system has no program for it that we know.'
  const env = Object.fromEntries(
    PASSED.flatMap((name) => (io.env[name] === undefined ? [] : [[name, io.env[name]] as const])),
  )
  const file = findProgram(call.program, io.workspace, { PATH: pathOutside(io) })
  if (file === undefined) return `No desktop notification was shown: ${call.program} was not found.`
  return new Promise((resolve) => {
    const options = { env, timeout: DEADLINE_MS, killSignal: 'SIGKILL', windowsHide: true } as const
    const child = execFile(file, call.args, options, (error) => {
      resolve(error === null ? undefined : `No desktop notification was shown: ${call.program} failed.`)
    })
    child.stdin?.end()
  })
}

/** A program of that name inside the workspace is the agent's. */
function pathOutside({ env, workspace }: NotifyIo): string {
  const outside = (folder: string) => isAbsolute(folder) && relative(workspace, folder).startsWith('..')
  return (env.PATH ?? '').split(':').filter(outside).join(':')
}

interface WebhookTimes {
  /** For one try, from the first byte to the answer. */
  readonly deadlineMs: number
  /** Between the first try and the second. */
  readonly pauseMs: number
}

const TIMES: WebhookTimes = { deadlineMs: 10_000, pauseMs: 1_000 }
const MOST_REDIRECTS = 3
const MOST_MISSING = 20
const LONGEST = 2_000

/** What the address gets: how the run ended, and nothing that opens a door. */
export function webhookBody(end: RunEnd, workspace: string): string {
  const plain = (text: string) => redact(text).slice(0, LONGEST)
  return JSON.stringify({
    run: end.run,
    outcome: end.outcome,
    ending: end.ending,
    reason: plain(end.reason),
    iterations: end.iterations,
    durationMs: end.endedAt - end.startedAt,
    workspace: basename(workspace),
    missing: end.missing.slice(0, MOST_MISSING).map(plain),
  })
}

/** Sends the end to an address, twice at most. A sentence when it did not arrive; the address itself may be a secret and is not told. */
export async function callWebhook(
  address: string,
  body: string,
  times: WebhookTimes = TIMES,
): Promise<string | undefined> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return 'The webhook was not called: run.notify.webhook is not an http or https address; mend it in the configuration.'
  const first = await send(url, body, times.deadlineMs)
  if (first === undefined || !first.again) return first && notCalled(url, first.why)
  await sleep(times.pauseMs)
  const second = await send(url, body, times.deadlineMs)
  return second && notCalled(url, second.why)
}

const notCalled = (url: URL, why: string): string => `The webhook at ${url.host} was not called: ${why}.`

interface Failure {
  readonly why: string
  /** Whether a second try may help. */
  readonly again: boolean
}

async function send(first: URL, body: string, deadlineMs: number): Promise<Failure | undefined> {
  const signal = AbortSignal.timeout(deadlineMs)
  let url = first
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    let answer: Answer
    try {
      answer = await post(url, body, signal)
    } catch (error) {
      return { why: signal.aborted ? `no answer within ${deadlineMs / 1000} s` : codeOf(error), again: true }
    }
    const { status, location } = answer
    if (status >= 200 && status < 300) return undefined
    if (status < 300 || status >= 400)
      return { why: `it answered with ${status}`, again: status >= 500 || status === 429 || status === 408 }
    const next = location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : undefined
    // Only these two ask for the same request again; what was meant for one host is not told to another, nor in the clear.
    if (next === undefined || (status !== 307 && status !== 308))
      return { why: `it answered with ${status}`, again: false }
    if (next.host !== first.host || next.protocol !== first.protocol)
      return { why: 'it wants to send us to another address', again: false }
    url = next
  }
  return { why: 'it sends us in circles', again: false }
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
    // A connection of its own, which ends with the answer.
    const sent = request(url, { method: 'POST', headers, signal, agent: false }, (answer) => {
      const { statusCode = 0, headers: said } = answer
      answer.destroy()
      resolve({ status: statusCode, ...(said.location === undefined ? {} : { location: said.location }) })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function codeOf(error: unknown): string {
  const code = errorCode(error)
  return code === '' ? 'it could not be reached' : `it could not be reached (${code})`
}
