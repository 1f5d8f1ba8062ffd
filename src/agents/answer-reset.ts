import { fromEpoch } from './failures.ts'
import { type JsonObject, numberIn, objectIn, textIn } from './json-value.ts'

/** Headers that name the moment itself. */
const MOMENTS = ['anthropic-ratelimit-unified-reset', 'x-ratelimit-reset']

/** When the provider will answer again, from its own answer as the host passes it on: the headers, then the body. */
export function resetOfAnswer(answer: JsonObject, at: number | undefined): number | undefined {
  const headers = objectIn(answer.responseHeaders)
  const error = errorIn(textIn(answer.responseBody))
  const moment = numberOf(error.resets_at) ?? MOMENTS.map((name) => numberOf(headers[name])).find(isMoment)
  if (isMoment(moment)) return fromEpoch(moment)
  const named = Date.parse(textIn(headers['retry-after']) ?? '')
  const inSeconds = numberOf(headers['retry-after']) ?? numberOf(error.resets_in_seconds)
  const wait = numberOf(headers['retry-after-ms']) ?? (inSeconds === undefined ? undefined : inSeconds * 1000)
  if (wait !== undefined) return at === undefined ? undefined : at + wait
  return Number.isNaN(named) ? undefined : named
}

/** A header may also count seconds; a moment of our days has ten digits. */
function isMoment(value: number | undefined): value is number {
  return value !== undefined && value >= 1e9
}

function numberOf(value: unknown): number | undefined {
  const text = textIn(value)?.trim()
  const number = text === undefined || text === '' ? numberIn(value) : Number(text)
  return number === undefined || !Number.isFinite(number) || number < 0 ? undefined : number
}

/** The error in a body of JSON; nothing of a body that is something else. */
function errorIn(body: string | undefined): JsonObject {
  if (body === undefined || body.length > 100_000) return {}
  try {
    return objectIn(objectIn(JSON.parse(body)).error)
  } catch {
    return {}
  }
}
