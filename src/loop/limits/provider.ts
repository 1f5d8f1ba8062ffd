import { localOffset, type Offset, resetTime, sensibleTime } from '../../../packages/core/src/reset-time.ts'
import { failure, failureInWords, ownLines } from '../../agents/failures.ts'
import type { AgentResult } from '../../core/run.ts'
import type { AgentError } from '../../core/types.ts'

/** Why the provider refused the agent. */
export interface Refused {
  /**
   * `limit`: a quota is used up. `overload`: the provider is overloaded or can't be reached.
   * `auth`: the key, the login or the payment, which only the user can fix.
   */
  readonly kind: 'limit' | 'overload' | 'auth'
  /** When the limit ends, if the provider says so. */
  readonly until?: number
  readonly message: string
}

/** A refusal that ends by itself. */
export interface ProviderLimit extends Refused {
  readonly kind: 'limit' | 'overload'
}

/** A missing payment: waiting doesn't help. */
const PAYMENT =
  /credit balance|insufficient[ _](?:credit|fund|balance|quota)|you have no quota|billing[ _](?:error|hard)|payment required|^quota exceeded\. check your plan and billing/i

/** The user's own budget for one start of the agent. */
const OWN_CAP = /maximum budget/i

const UNREACHABLE =
  /overloaded|server[ _]error|high demand|at capacity|unavailable|bad gateway|gateway time-?out|disconnect|connection (?:was )?(?:error|reset|refused|closed|timed? ?out|lost)|(?:cannot|unable to|could not|failed to) (?:connect|reach)|econn|etimedout|enotfound|could not resolve|eai_again|socket hang up|request timed? ?out|network error|fetch failed|terminated/i

/** An HTTP status in a message of the agent's CLI. */
const STATUS =
  /^(\d{3})\b|\b(?:status(?: code)?|error code|api error|http|repeated)\W{1,3}(?:repeated )?(\d{3})\b|\((\d{3})\)|"code"\W{1,4}(\d{3})\b/i

/** Some CLIs print the details of an error below it. */
const LAST_LINES = 10

/** Exit codes of agents that have no key and print no event. */
const NO_KEY: Readonly<Record<string, number>> = { gemini: 41 }

/**
 * Whether the provider ended the iteration, and how. Errors in the agent's event stream always count; text counts only if the agent's
 * CLI printed it and the process failed, or if it is all that was printed.
 */
export function limitOf(
  result: AgentResult,
  now: number,
  offset: Offset = localOffset,
): ProviderLimit | (Refused & { readonly kind: 'auth' }) | undefined {
  const error = decidingError(result)
  if (error === undefined) return undefined
  const message = oneLine(error.message)
  if (error.kind === 'auth' || (error.kind === 'limit' && needsPayment(error))) return { kind: 'auth', message }
  const kind = kindOf(error)
  if (kind === undefined) return undefined
  const stated = error.resetAt === undefined ? undefined : sensibleTime(error.resetAt, now)
  const until = stated ?? resetTime(error.message, now, offset)
  return { kind, message, ...(until === undefined ? {} : { until }) }
}

/** The error that ended the iteration; none if the user ended it. */
export function decidingError(result: AgentResult): AgentError | undefined {
  if (result.ended === 'aborted' || result.ended === 'not-started') return undefined
  const failed = result.code !== 0
  const counted = result.errors.filter(({ inWords, whole }) => inWords !== true || whole === true || failed)
  const last = counted.findLast(({ kind }) => kind !== 'other') ?? counted.at(-1)
  if (last !== undefined) return withStatus(last, result)
  if (!failed || result.ended !== 'exit') return undefined
  return errorInStderr(result.stderr) ?? (result.code === NO_KEY[result.format] ? noKey(result) : undefined)
}

/** Gemini exits with the lower eight bits of the HTTP status, and its message often lacks it. */
function withStatus(error: AgentError, { format, code }: AgentResult): AgentError {
  if (format !== 'gemini' || code === null || (error.status ?? statusIn(error.message)) !== undefined) return error
  const status = 256 + code
  if (status < 400 || error.kind === 'max-turns' || error.kind === 'truncated') return error
  return failure(error.message, status, error.resetAt)
}

function noKey({ stderr, format }: AgentResult): AgentError {
  const lastLine = stderr.trim().split('\n').at(-1) ?? ''
  return { kind: 'auth', message: lastLine === '' ? `${format} has no key` : lastLine }
}

/** An agent that prints plain text reports its failure at the end of standard error. */
function errorInStderr(stderr: string): AgentError | undefined {
  return ownLines(stderr)
    .slice(-LAST_LINES)
    .map(failureInWords)
    .findLast((found) => found !== undefined)
}

export function needsPayment({ status, message }: AgentError): boolean {
  return status === 402 || PAYMENT.test(message)
}

function kindOf({ kind, status, message }: AgentError): ProviderLimit['kind'] | undefined {
  const httpStatus = status ?? statusIn(message)
  if (kind === 'limit') {
    if (OWN_CAP.test(message)) return undefined
    return httpStatus !== undefined && httpStatus >= 500 ? 'overload' : 'limit'
  }
  if (kind !== 'api') return undefined
  if (httpStatus !== undefined) return httpStatus >= 500 || httpStatus === 408 ? 'overload' : undefined
  return UNREACHABLE.test(message) ? 'overload' : undefined
}

function statusIn(message: string): number | undefined {
  const found = STATUS.exec(message)
    ?.slice(1)
    .find((digits) => digits !== undefined)
  const status = found === undefined ? Number.NaN : Number(found)
  return status >= 400 && status < 600 ? status : undefined
}

/** One short line without control characters. */
export function oneLine(message: string): string {
  const plain = message.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return plain.length <= 300 ? plain : `${plain.slice(0, 299)}…`
}
