import type { AgentError } from '../core/types.ts'
import { failure, failureInWords, fromEpoch } from './failures.ts'
import { type JsonObject, listIn, numberIn, textIn } from './json-value.ts'

/** Claude's error codes, for messages whose text alone is not clear. */
const CODES: Readonly<Record<string, AgentError['kind']>> = {
  error_max_turns: 'max-turns',
  error_max_budget_usd: 'limit',
  authentication_failed: 'auth',
  billing_error: 'limit',
  rate_limit: 'limit',
  max_output_tokens: 'truncated',
  refusal: 'refusal',
}

/** The failure, completed with details from an earlier event, such as when a limit ends. */
export function claudeFailure(
  words: string,
  code: string | undefined,
  status: number | undefined,
  before: AgentError | undefined,
): AgentError {
  const error = failure(words, status)
  const kind = (code === undefined ? undefined : CODES[code]) ?? error.kind
  const resetAt = error.resetAt ?? (kind === 'limit' && before?.kind === 'limit' ? before.resetAt : undefined)
  return {
    kind: kind === 'other' ? (before?.kind ?? kind) : kind,
    message: error.message,
    ...(resetAt === undefined ? {} : { resetAt }),
    ...(status === undefined ? {} : { status }),
  }
}

/** A result can be an error although its subtype is `success`. Its text then comes from the CLI, not from the agent. */
export function failureOfResult(event: JsonObject, before: AgentError | undefined): AgentError | undefined {
  const subtype = textIn(event.subtype) ?? ''
  if (event.is_error !== true && !subtype.startsWith('error')) return undefined
  const listed = listIn(event.errors).filter((line) => typeof line === 'string')
  const words = textIn(event.result) ?? (listed.length === 0 ? subtype : listed.join('; '))
  const code = event.stop_reason === 'refusal' ? 'refusal' : subtype
  return claudeFailure(words, code, numberIn(event.api_error_status), before)
}

/** Only a rejection is an error. The same event is also sent when the limit is not reached. */
export function failureOfRateLimit(info: JsonObject): AgentError | undefined {
  if (info.status !== 'rejected' || info.isUsingOverage === true) return undefined
  const resetsAt = numberIn(info.resetsAt)
  const kind = textIn(info.rateLimitType)?.replaceAll('_', ' ') ?? 'usage'
  const error: AgentError = { kind: 'limit', message: `the ${kind} limit is reached` }
  return resetsAt === undefined ? error : { ...error, resetAt: fromEpoch(resetsAt) }
}

export function failureOfRetry(event: JsonObject): AgentError {
  const status = numberIn(event.error_status)
  const words = `${textIn(event.error) ?? 'API error'}${status === undefined ? '' : ` (${status})`}`
  const error = failure(`${words}, retry ${event.attempt} of ${event.max_retries}`, status)
  return error.kind === 'other' ? { ...error, kind: 'api' } : error
}

/** A message can end badly without an error event. */
export function failureOfStop(reason: unknown): AgentError | undefined {
  if (reason === 'max_tokens') return failure('the answer was cut off at the output token limit')
  return reason === 'refusal' ? { kind: 'refusal', message: 'the model refused to answer' } : undefined
}

/** Older releases report a reached limit as a success. The model's own text counts only if the process failed. */
export function limitInWords(text: string | undefined, byHost: boolean): AgentError | undefined {
  const found = failureInWords(text ?? '')
  if (found?.kind !== 'limit') return undefined
  const { inWords: _inWords, ...sure } = found
  return byHost ? sure : found
}
