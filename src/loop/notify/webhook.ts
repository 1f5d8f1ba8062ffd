import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunEnd } from '../../core/run.ts'
import { errorCode } from '../../system/files.ts'
import { redact } from '../../system/redact.ts'

export interface WebhookTimes {
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
