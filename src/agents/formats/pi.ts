import { failure } from '../failures.ts'
import { beginning, type EventFormat, type EventReading } from '../format.ts'
import { type JsonObject, listIn, numberIn, objectIn, sumOf, textIn } from '../json-value.ts'
import { isExitSignal, type TranscriptBuilder } from '../transcript-builder.ts'

const TYPES =
  /^(?:agent_(?:start|end)|turn_(?:start|end)|message_(?:start|update|end)|tool_execution_(?:start|update|end)|auto_retry_(?:start|end)|queue_update)$/

/** `pi --mode json`. The process always exits with 0, so the stop reason of the last message counts. */
export const pi: EventFormat = {
  name: 'pi',
  knows: (event) =>
    typeof event.type === 'string' &&
    (TYPES.test(event.type) || (event.type === 'session' && 'id' in event && 'version' in event)),
  open,
}

/** Each of these repeats another event. */
const repeats = ['message_update', 'message_start', 'tool_execution_update', 'turn_end'].map((type) =>
  beginning(`{"type":"${type}"`),
)
const isAgentEnd = beginning('{"type":"agent_end"')

function open(builder: TranscriptBuilder): EventReading {
  let messages = 0
  /** The input of the running tool, because the event of its end doesn't repeat it. */
  let running: { readonly id: unknown; readonly args: unknown } | undefined
  const agentEnd = () => {
    builder.finished = true
  }
  return {
    fastPath(bytes, from, to) {
      if (repeats.some((begins) => begins(bytes, from, to))) return true
      // The closing event repeats the whole conversation. It is read only if the messages themselves were missing.
      if (messages === 0 || !isAgentEnd(bytes, from, to)) return false
      agentEnd()
      return true
    },
    lost(head) {
      const isEnd = isAgentEnd(head, 0, head.length)
      if (isEnd) agentEnd()
      return isEnd || repeats.some((begins) => begins(head, 0, head.length))
    },
    read(event) {
      switch (event.type) {
        case 'session':
          builder.session = textIn(event.id) ?? builder.session
          break
        case 'agent_start':
        case 'auto_retry_start':
          builder.finished = false
          break
        case 'message_end':
          messages++
          readMessage(builder, objectIn(event.message))
          break
        case 'tool_execution_start':
          builder.endFinalText()
          running = { id: event.toolCallId, args: event.args }
          if (isExitSignal(event.toolName)) builder.call(textIn(event.toolCallId) ?? '', event.args)
          break
        case 'tool_execution_end':
          readToolEnd(builder, event, running?.id === event.toolCallId ? running?.args : undefined)
          break
        case 'agent_end':
          if (messages === 0) for (const message of listIn(event.messages)) readMessage(builder, objectIn(message))
          agentEnd()
          break
      }
    },
  }
}

function readMessage(builder: TranscriptBuilder, message: JsonObject): void {
  if (message.role !== 'assistant') return
  const usage = objectIn(message.usage)
  builder.requests += 1
  builder.tokens = builder.shown = sumOf(builder.tokens, usage.totalTokens)
  builder.usd = sumOf(builder.usd, objectIn(usage.cost).total)
  builder.count(textIn(message.model), usage.input, usage.cacheRead, usage.output)
  builder.closeMessage()
  for (const part of listIn(message.content).map(objectIn)) {
    const text = part.type === 'text' ? textIn(part.text) : undefined
    if (text !== undefined) builder.addText(text, textIn(message.responseId) ?? 'message')
    if (part.type === 'toolCall') builder.endFinalText()
  }
  readStop(builder, message)
}

function readStop(builder: TranscriptBuilder, message: JsonObject): void {
  const said = textIn(message.errorMessage) ?? ''
  const reason = message.stopReason
  if (reason === 'length') builder.noteTrouble(failure('the answer was cut off at the output token limit'))
  else if (reason === 'error') builder.noteTrouble(failure(said, statusIn(said)))
  else if (reason === 'aborted')
    builder.noteTrouble({ kind: 'other', message: said === '' ? 'the agent was aborted' : said })
  else builder.clearTrouble()
}

/** The message starts with the HTTP status. */
function statusIn(message: string): number | undefined {
  return numberIn(Number(/^(\d{3})\b/.exec(message)?.[1] ?? Number.NaN))
}

function readToolEnd(builder: TranscriptBuilder, event: JsonObject, args: unknown): void {
  const id = textIn(event.toolCallId) ?? ''
  builder.answer(id, event.isError !== true)
  const words = listIn(objectIn(event.result).content).map((part) => textIn(objectIn(part).text) ?? '')
  if (event.isError === true && /\b(?:blocked|denied|not allowed)\b/i.test(words.join('\n').slice(0, 500))) {
    builder.deny(textIn(event.toolName) ?? 'tool', args, id)
  }
}
