import type { Scalar } from '../../core/types.ts'
import { failure } from '../failures.ts'
import type { EventFormat, EventReading } from '../format.ts'
import { cut, isObject, isScalar, type JsonObject, listIn, numberIn, objectIn, sumOf, textIn } from '../json-value.ts'
import type { TranscriptBuilder } from '../transcript-builder.ts'
import { claude } from './claude.ts'
import { gemini } from './gemini.ts'

const WRAPPER_KEYS = [
  'status',
  'exit_signal',
  'result',
  'summary',
  'work_type',
  'files_modified',
  'completion_status',
  'sessionId',
  'session_id',
  'metadata',
  'is_error',
]
const TEXT_KEYS = ['result', 'summary', 'response', 'message', 'output', 'text']

/** One object that contains the agent's answer in fields, as Ralph loops print it, or Claude's events in an array. */
export const json: EventFormat = {
  name: 'json',
  knows: (event) => isWrapper(event) || INNER.some((format) => format.knows(event)),
  open,
}

/** `--output-format json` prints such an object too; the reader of that agent handles it. */
const INNER = [claude, gemini]

function isWrapper(event: JsonObject): boolean {
  return WRAPPER_KEYS.some((key) => key in event)
}

function open(builder: TranscriptBuilder): EventReading {
  const inner = INNER.map((format) => ({ format, reading: format.open(builder) }))
  let wrapped = false
  return {
    read(event) {
      const known = inner.find(({ format }) => format.knows(event))
      if (known !== undefined) {
        known.reading.read(event)
      } else if (isWrapper(event) || !wrapped) {
        wrapped = true
        readWrapper(builder, event)
      }
    },
    end() {
      const { tokens, finished } = builder
      for (const { reading } of inner) reading.end?.()
      builder.tokens ??= tokens
      builder.finished ||= finished || wrapped
    },
  }
}

function readWrapper(builder: TranscriptBuilder, event: JsonObject): void {
  const metadata = objectIn(event.metadata)
  // Fields of the wrapper itself win over the same fields in its metadata.
  builder.fields = { ...flat(metadata, ''), ...flat({ ...event, metadata: undefined, result: undefined }, '') }
  builder.session =
    textIn(event.sessionId) ?? textIn(event.session_id) ?? textIn(metadata.session_id) ?? builder.session
  const text = TEXT_KEYS.map((key) => textIn(event[key])).find((words) => words !== undefined)
  if (text !== undefined) builder.addText(text)
  for (const denial of listIn(event.permission_denials).map(objectIn)) {
    builder.deny(textIn(denial.tool_name) ?? 'tool', denial.tool_input, textIn(denial.tool_use_id))
  }
  readUsage(builder, event, metadata)
  const error = isObject(event.error) ? textIn(event.error.message) : textIn(event.error)
  if (error !== undefined || event.is_error === true) builder.fail(failure(error ?? text ?? ''))
}

function readUsage(builder: TranscriptBuilder, event: JsonObject, metadata: JsonObject): void {
  const usage = { ...objectIn(metadata.usage), ...objectIn(event.usage) }
  builder.tokens =
    numberIn(usage.total_tokens) ??
    sumOf(usage.input_tokens, usage.output_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
  builder.usd = numberIn(event.total_cost_usd) ?? numberIn(event.cost_usd) ?? numberIn(metadata.cost_usd)
  builder.ms = numberIn(event.duration_ms) ?? numberIn(metadata.duration_ms)
}

/** Plain values by name; those of inner objects with a dotted name. */
function flat(value: JsonObject, prefix: string, depth = 0): Record<string, Scalar> {
  const entries = Object.entries(value).flatMap(([key, inner]): [string, Scalar][] => {
    if (isScalar(inner)) return [[`${prefix}${key}`, cut(inner)]]
    return isObject(inner) && depth < 3 ? Object.entries(flat(inner, `${prefix}${key}.`, depth + 1)) : []
  })
  return Object.fromEntries(entries.slice(0, 200))
}
