import { includes, utf8 } from '../../../packages/exitgate/src/agents/bytes.ts'
import { failure } from '../failures.ts'
import { beginning, type EventFormat, type EventReading } from '../format.ts'
import { isObject, type JsonObject, numberIn, objectIn, sumOf, textIn } from '../json-value.ts'
import { isExitSignal, isRefusal, type TranscriptBuilder } from '../transcript-builder.ts'

/** `gemini --output-format stream-json`, and the one object of `--output-format json`. */
export const gemini: EventFormat = {
  name: 'gemini',
  endsWithResult: true,
  knows: (event) => {
    switch (event.type) {
      case 'init':
        return 'session_id' in event
      case 'message':
        return typeof event.role === 'string'
      case 'tool_use':
        return 'tool_name' in event
      case 'tool_result':
        return 'tool_id' in event
      case 'result':
        return 'status' in event && !('subtype' in event)
      case undefined:
        return isDocument(event)
      default:
        return false
    }
  },
  open,
}

function isDocument(event: JsonObject): boolean {
  return isObject(event.stats) && ('response' in event || 'error' in event)
}

const isToolResult = beginning('{"type":"tool_result"')
const failed = utf8('"status":"error"')

function open(builder: TranscriptBuilder): EventReading {
  const tools = new Map<string, { readonly name: string; readonly input: unknown }>()
  return {
    fastPath: (bytes, from, to) =>
      isToolResult(bytes, from, to) &&
      !builder.awaitsResults &&
      !includes(bytes, from, Math.min(to, from + 400), failed),
    read(event) {
      switch (event.type) {
        case 'init':
          builder.session = textIn(event.session_id) ?? builder.session
          builder.finished = false
          break
        case 'message':
          readMessage(builder, event)
          break
        case 'tool_use': {
          const id = textIn(event.tool_id) ?? ''
          builder.clearTrouble()
          builder.endFinalText()
          if (tools.size > 1000) tools.clear()
          tools.set(id, { name: textIn(event.tool_name) ?? 'tool', input: event.parameters })
          if (isExitSignal(event.tool_name)) builder.call(id, event.parameters)
          break
        }
        case 'tool_result': {
          const id = textIn(event.tool_id) ?? ''
          builder.answer(id, event.status === 'success' && !isRefusal(event.output))
          const tool = tools.get(id)
          if (event.status === 'error' && tool !== undefined && wasRefused(event)) {
            builder.deny(tool.name, tool.input, id)
          }
          break
        }
        case 'error':
          // A warning comes from the CLI, for instance from a hook that sent the agent back to work. A new message follows.
          builder.closeMessage()
          if (event.severity !== 'warning') builder.noteTrouble(failure(textIn(event.message) ?? ''))
          break
        case 'result':
          readResult(builder, event)
          break
        case undefined:
          if (isDocument(event)) readDocument(builder, event)
      }
    },
  }
}

/** Text comes in pieces; a piece that is not a delta is a separate message. */
function readMessage(builder: TranscriptBuilder, event: JsonObject): void {
  const text = textIn(event.content)
  if (event.role !== 'assistant') builder.closeMessage()
  else if (text !== undefined) {
    builder.clearTrouble()
    builder.addText(text, event.delta === true ? 'delta' : undefined, '')
  }
}

function wasRefused(event: JsonObject): boolean {
  const error = objectIn(event.error)
  const words = `${textIn(error.type) ?? ''} ${textIn(error.message) ?? ''} ${textIn(event.output) ?? ''}`
  return /denied|policy_violation|not allowed|require[sd]? (?:user )?(?:approval|confirmation)/i.test(words)
}

function readResult(builder: TranscriptBuilder, event: JsonObject): void {
  const stats = objectIn(event.stats)
  builder.tokens = numberIn(stats.total_tokens) ?? builder.tokens
  builder.ms = numberIn(stats.duration_ms) ?? builder.ms
  builder.resetCounts()
  for (const [model, value] of Object.entries(objectIn(stats.models))) {
    const { input, cached, output_tokens } = objectIn(value)
    builder.count(model, input, cached, output_tokens)
  }
  const error = objectIn(event.error)
  const said = textIn(error.message) ?? builder.trouble?.message ?? ''
  if (event.status === 'error') builder.fail(failure(said, numberIn(error.code)))
  else builder.clearTrouble()
  builder.finished = true
}

function readDocument(builder: TranscriptBuilder, event: JsonObject): void {
  builder.session = textIn(event.session_id) ?? builder.session
  const response = textIn(event.response)
  if (response !== undefined) builder.addText(response)
  const models = Object.values(objectIn(objectIn(event.stats).models))
  builder.tokens = sumOf(...models.map((model) => objectIn(objectIn(model).tokens).total))
  if (isObject(event.error)) {
    builder.fail(failure(textIn(event.error.message) ?? '', numberIn(event.error.code)))
  }
  builder.finished = true
}
