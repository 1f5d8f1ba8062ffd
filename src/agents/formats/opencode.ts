import { failure, fromEpoch } from '../failures.ts'
import type { EventFormat, EventReading } from '../format.ts'
import { type JsonObject, numberIn, objectIn, sumOf, textIn } from '../json-value.ts'
import { isExitSignal, isRefusal, type TranscriptBuilder } from '../transcript-builder.ts'

/** Headers that contain the time itself. */
const MOMENTS = ['anthropic-ratelimit-unified-reset', 'x-ratelimit-reset']

/** When the provider will answer again, from its response: the headers, then the body. */
function resetOfAnswer(answer: JsonObject, at: number | undefined): number | undefined {
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

/** A header may also count seconds; a current timestamp has ten digits. */
function isMoment(value: number | undefined): value is number {
  return value !== undefined && value >= 1e9
}

function numberOf(value: unknown): number | undefined {
  const text = textIn(value)?.trim()
  const number = text === undefined || text === '' ? numberIn(value) : Number(text)
  return number === undefined || !Number.isFinite(number) || number < 0 ? undefined : number
}

/** The error in a JSON body; undefined for any other body. */
function errorIn(body: string | undefined): JsonObject {
  if (body === undefined || body.length > 100_000) return {}
  try {
    return objectIn(objectIn(JSON.parse(body)).error)
  } catch {
    return {}
  }
}

/** `opencode run --format json`. It has no closing event: the stream is complete if the last step did not end in a tool call. */
export const opencode: EventFormat = {
  name: 'opencode',
  knows: (event) => typeof event.type === 'string' && typeof event.sessionID === 'string',
  open,
}

function open(builder: TranscriptBuilder): EventReading {
  return {
    read(event) {
      const session = textIn(event.sessionID)
      builder.session ??= session
      // Sessions of sub-agents are not the agent itself.
      if (session !== undefined && session !== builder.session) return
      const part = objectIn(event.part)
      switch (event.type) {
        case 'step_start':
          builder.finished = false
          break
        case 'text': {
          const text = textIn(part.text)
          builder.clearTrouble()
          if (text !== undefined) builder.addText(text, textIn(part.messageID))
          break
        }
        case 'tool_use':
          readTool(builder, part)
          break
        case 'step_finish':
          readStep(builder, part)
          break
        case 'error':
          builder.requests += 1
          readError(builder, event)
          break
      }
    },
  }
}

function readTool(builder: TranscriptBuilder, part: JsonObject): void {
  builder.endFinalText()
  const state = objectIn(part.state)
  const tool = textIn(part.tool) ?? 'tool'
  const id = textIn(part.callID) ?? textIn(part.id) ?? ''
  const error = state.status === 'error' ? (textIn(state.error) ?? '') : undefined
  if (error !== undefined && /permission|rejected|denied|not allowed/i.test(error)) {
    const input = objectIn(state.input)
    builder.deny(tool, { path: input.filePath, ...input }, id)
  }
  if (!isExitSignal(tool) || (state.status !== 'completed' && state.status !== 'error')) return
  builder.call(id, state.input)
  builder.answer(id, error === undefined && !isRefusal(state.output))
}

function readStep(builder: TranscriptBuilder, part: JsonObject): void {
  const tokens = objectIn(part.tokens)
  const cache = objectIn(tokens.cache)
  const parts = sumOf(tokens.input, tokens.output, tokens.reasoning, cache.read, cache.write)
  builder.tokens = builder.shown = sumOf(builder.tokens, numberIn(tokens.total) ?? parts)
  builder.usd = sumOf(builder.usd, part.cost)
  builder.count(undefined, tokens.input, cache.read, sumOf(tokens.output, tokens.reasoning))
  const reason = part.reason
  builder.finished = reason !== 'tool-calls'
  builder.requests += 1
  if (reason === 'length') builder.noteTrouble(failure('the answer was cut off at the output token limit'))
  else if (reason === 'content-filter') builder.noteTrouble(failure('the answer was stopped by a content filter'))
}

function readError(builder: TranscriptBuilder, event: JsonObject): void {
  const error = objectIn(event.error)
  const data = objectIn(error.data)
  const status = numberIn(data.statusCode)
  const name = textIn(error.name)
  const message = textIn(data.message) ?? textIn(error.message) ?? name ?? ''
  // The error's name identifies its kind. Its message can come from any provider.
  const known = failure(name !== undefined && /Auth|OutputLength/.test(name) ? `${name}: ${message}` : message, status)
  // An error of its own server, not of the provider's: a wrong model, or no login.
  if (name === 'UnknownError' && status === undefined && /^unexpected server error/i.test(message)) {
    builder.fail({ ...known, kind: 'other' })
    builder.finished = true
    return
  }
  const resetAt = known.resetAt ?? resetOfAnswer(data, numberIn(event.timestamp))
  const ends = known.kind === 'limit' || known.kind === 'api'
  builder.fail(ends && resetAt !== undefined ? { ...known, resetAt } : known)
  builder.finished = true
}
