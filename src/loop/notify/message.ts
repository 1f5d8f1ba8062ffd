import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../../system/files.ts'

interface MessageTimes {
  /** Timeout of one attempt. */
  readonly deadlineMs: number
  /** Between the two attempts. */
  readonly pauseMs: number
}

const TIMES: MessageTimes = { deadlineMs: 10_000, pauseMs: 1_000 }
const MAX_REDIRECTS = 3

/** One notification over HTTP. */
export interface Message {
  /** The address may contain a secret, so it is in no sentence. */
  readonly address: string
  /** The setting with the address. */
  readonly setting: string
  /** What is called, as the subject of a sentence. */
  readonly name: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a message, at most twice. Returns a sentence if that fails. */
export async function sendMessage(message: Message, times: MessageTimes = TIMES): Promise<string | undefined> {
  const { address, setting, name } = message
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return `${name} wasn't called: ${setting} is not an http or https URL. Fix it in the configuration.`
  const failed = (why: string): string => `${name} at ${url.host} failed: ${why}.`
  const first = await send(url, message, times.deadlineMs)
  if (first === undefined || !first.again) return first && failed(first.why)
  await sleep(times.pauseMs)
  const second = await send(url, message, times.deadlineMs)
  return second && failed(second.why)
}

interface Failure {
  readonly why: string
  /** A second attempt may help. */
  readonly again: boolean
}

async function send(first: URL, message: Message, deadlineMs: number): Promise<Failure | undefined> {
  const signal = AbortSignal.timeout(deadlineMs)
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    let answer: Answer
    try {
      answer = await post(url, message, signal)
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

function post(url: URL, { body, headers: more }: Message, signal: AbortSignal): Promise<Answer> {
  const request = url.protocol === 'https:' ? requestSecure : requestPlain
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'exitgate',
    ...more,
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
