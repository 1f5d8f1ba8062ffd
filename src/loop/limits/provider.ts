import { failureInWords } from '../../agents/failures.ts'
import type { AgentResult } from '../../core/run.ts'
import type { AgentError } from '../../core/types.ts'
import { localOffset, type Offset, resetTime, sensibleTime } from './reset-time.ts'

/** Why the provider did not let the agent work. */
export interface Refused {
  /**
   * `limit`: so much was allowed and is used up. `overload`: the provider cannot serve anyone at the moment, or is not reached.
   * `auth`: what only a person can mend, the key, the login, the payment.
   */
  readonly kind: 'limit' | 'overload' | 'auth'
  /** When it says so itself. */
  readonly until?: number
  readonly message: string
}

/** What is over some day. */
export interface ProviderLimit extends Refused {
  readonly kind: 'limit' | 'overload'
}

/** Money of the provider's or the user's own making: no waiting brings it back. */
const PAYMENT =
  /credit balance|insufficient[ _](?:credit|fund|balance|quota)|billing[ _](?:error|hard)|payment required|^quota exceeded\. check your plan and billing/i

/** The user's own cap for one start of the agent, which the agent kept to. */
const OWN_CAP = /maximum budget/i

const AWAY =
  /overloaded|server[ _]error|high demand|at capacity|unavailable|bad gateway|gateway time-?out|disconnect|connection (?:error|reset|refused|closed|timed? ?out|lost)|unable to connect|econn|etimedout|enotfound|eai_again|socket hang up|request timed? ?out|network error|fetch failed|terminated/i

/** A status as hosts write it into their sentences. */
const STATUS =
  /^(\d{3})\b|\b(?:status(?: code)?|error code|api error|http|repeated)\W{1,3}(?:repeated )?(\d{3})\b|\((\d{3})\)|"code"\W{1,4}(\d{3})\b/i

const LAST_LINES = 3

/** Exit codes by which an agent says that it has no key, before it has printed a single event. */
const NO_KEY: Readonly<Record<string, number>> = { gemini: 41 }

/**
 * Whether the provider, not the agent, ended the iteration, and how. What the stream itself reports is believed; words only where the
 * host wrote them and the process failed.
 */
export function limitOf(
  result: AgentResult,
  now: number,
  offset: Offset = localOffset,
): ProviderLimit | (Refused & { readonly kind: 'auth' }) | undefined {
  const error = deciding(result)
  if (error === undefined) return undefined
  const message = oneLine(error.message)
  if (error.kind === 'auth' || (error.kind === 'limit' && needsPayment(error))) return { kind: 'auth', message }
  const kind = kindOf(error)
  if (kind === undefined) return undefined
  const stated = error.resetAt === undefined ? undefined : sensibleTime(error.resetAt, now)
  const until = stated ?? resetTime(error.message, now, offset)
  return { kind, message, ...(until === undefined ? {} : { until }) }
}

/** The error that the iteration ended with; none when it was a person who ended it. */
function deciding(result: AgentResult): AgentError | undefined {
  if (result.ended === 'aborted' || result.ended === 'not-started') return undefined
  const failed = result.code !== 0
  const counted = result.errors.filter(({ inWords }) => inWords !== true || failed)
  const last = counted.findLast(({ kind }) => kind !== 'other') ?? counted.at(-1)
  if (last !== undefined || !failed || result.ended !== 'exit') return last
  return onStderr(result.stderr) ?? (result.code === NO_KEY[result.format] ? noKey(result) : undefined)
}

function noKey({ stderr, format }: AgentResult): AgentError {
  const said = stderr.trim().split('\n').at(-1) ?? ''
  return { kind: 'auth', message: said === '' ? `${format} has no key` : said }
}

/** A host that prints plain text names its own failure at the end of the standard error. */
function onStderr(stderr: string): AgentError | undefined {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  return lines
    .slice(-LAST_LINES)
    .map(failureInWords)
    .findLast((found) => found !== undefined)
}

function needsPayment({ status, message }: AgentError): boolean {
  return status === 402 || PAYMENT.test(message)
}

function kindOf({ kind, status, message }: AgentError): ProviderLimit['kind'] | undefined {
  const answered = status ?? statusIn(message)
  if (kind === 'limit') {
    if (OWN_CAP.test(message)) return undefined
    return answered !== undefined && answered >= 500 ? 'overload' : 'limit'
  }
  if (kind !== 'api') return undefined
  if (answered !== undefined) return answered >= 500 || answered === 408 ? 'overload' : undefined
  return AWAY.test(message) ? 'overload' : undefined
}

function statusIn(message: string): number | undefined {
  const found = STATUS.exec(message)
    ?.slice(1)
    .find((digits) => digits !== undefined)
  const status = found === undefined ? Number.NaN : Number(found)
  return status >= 400 && status < 600 ? status : undefined
}

/** As much as a person needs, without anything that a terminal would take for an order. */
function oneLine(message: string): string {
  const plain = message.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return plain.length <= 300 ? plain : `${plain.slice(0, 299)}…`
}
