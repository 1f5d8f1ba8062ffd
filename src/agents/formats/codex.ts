import { includes, utf8 } from '../../../packages/exitgate/src/agents/bytes.ts'
import { failure } from '../failures.ts'
import { beginning, type EventFormat } from '../format.ts'
import { isObject, type JsonObject, numberIn, objectIn, sumOf, textIn } from '../json-value.ts'
import { isExitSignal, isRefusal, type TranscriptBuilder } from '../transcript-builder.ts'

/** `codex exec --json`. */
export const codex: EventFormat = {
  name: 'codex',
  endsWithResult: true,
  knows: ({ type, ...rest }) =>
    typeof type === 'string' &&
    (/^(?:thread|turn|item)\./.test(type) || (type === 'error' && Object.keys(rest).join() === 'message')),
  open: (builder) => ({
    fastPath: (bytes, from, to) => glance(builder, bytes, from, to),
    read: (event) => read(builder, event),
  }),
}

/** Items that are not actions of the agent: a plan is completed after the last message, and warnings come at any time. */
const QUIET = new Set(['agent_message', 'reasoning', 'todo_list', 'error'])

const isItem = beginning('{"type":"item.')
const command = utf8('command_execution"')
const declined = utf8('declined"')

/** Most of a stream is command output. Only that a command ran matters, unless it was refused. */
function glance(builder: TranscriptBuilder, bytes: Uint8Array, from: number, to: number): boolean {
  if (!isItem(bytes, from, to)) return false
  if (!includes(bytes, from, Math.min(to, from + 120), command)) return false
  if (includes(bytes, Math.max(from, to - 120), to, declined)) return false
  builder.clearTrouble()
  builder.endFinalText()
  return true
}

function read(builder: TranscriptBuilder, event: JsonObject): void {
  switch (event.type) {
    case 'thread.started':
      builder.session = textIn(event.thread_id) ?? builder.session
      break
    case 'turn.started':
      builder.finished = false
      break
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      readItem(builder, objectIn(event.item), event.type === 'item.completed')
      break
    case 'error':
      builder.noteTrouble(failure(textIn(event.message) ?? ''))
      break
    case 'turn.completed': {
      const usage = objectIn(event.usage)
      // The counts cover the whole thread so far. Cached and reasoning tokens are included in the other two.
      builder.tokens = sumOf(usage.input_tokens, usage.output_tokens) ?? builder.tokens
      builder.resetCounts()
      const cached = numberIn(usage.cached_input_tokens) ?? 0
      builder.count(undefined, (numberIn(usage.input_tokens) ?? 0) - cached, cached, usage.output_tokens)
      builder.clearTrouble()
      builder.finished = true
      break
    }
    case 'turn.failed':
      builder.fail(failure(textIn(objectIn(event.error).message) ?? builder.trouble?.message ?? ''))
      builder.finished = true
      break
  }
}

function readItem(builder: TranscriptBuilder, item: JsonObject, completed: boolean): void {
  const type = textIn(item.type) ?? ''
  if (type === 'agent_message' && completed) {
    builder.clearTrouble()
    const text = textIn(item.text)
    if (text !== undefined) builder.addText(text)
  }
  if (QUIET.has(type)) return
  // It works again, so the connection is back.
  builder.clearTrouble()
  builder.endFinalText()
  if (!completed) return
  if (type === 'command_execution' && item.status === 'declined') builder.deny('shell', item, textIn(item.id))
  if (type === 'mcp_tool_call') readToolCall(builder, item)
}

function readToolCall(builder: TranscriptBuilder, item: JsonObject): void {
  const id = textIn(item.id) ?? ''
  const error = isObject(item.error) ? textIn(item.error.message) : textIn(item.error)
  const failed = error !== undefined || item.status === 'failed' || isRefusal(item.result)
  if (error !== undefined && /approval|rejected|declined|denied/i.test(error)) {
    builder.deny(`${textIn(item.server) ?? 'mcp'}.${textIn(item.tool) ?? 'tool'}`, item.arguments, id)
  }
  if (!isExitSignal(item.tool)) return
  builder.call(id, item.arguments)
  builder.answer(id, !failed)
}
