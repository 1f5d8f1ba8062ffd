import { failure } from '../failures.ts'
import { beginning, type EventFormat, type EventReading } from '../format.ts'
import { type JsonObject, listIn, numberIn, objectIn, sumOf, textIn } from '../json-value.ts'
import { type Draft, isExitSignal } from '../transcript-builder.ts'

const TYPES =
  /^(?:agent_(?:start|end)|turn_(?:start|end)|message_(?:start|update|end)|tool_execution_(?:start|update|end)|auto_retry_(?:start|end)|queue_update)$/

/** `pi --mode json`. The process exits 0 whatever happened, so the last message's stop reason is what counts. */
export const pi: EventFormat = {
  name: 'pi',
  knows: (event) =>
    typeof event.type === 'string' &&
    (TYPES.test(event.type) || (event.type === 'session' && 'id' in event && 'version' in event)),
  open,
}

/** Each of these repeats what another event says once. */
const repeats = ['message_update', 'message_start', 'tool_execution_update', 'turn_end'].map((type) =>
  beginning(`{"type":"${type}"`),
)
const isAgentEnd = beginning('{"type":"agent_end"')

function open(draft: Draft): EventReading {
  let messages = 0
  /** What the tool that runs was called with: its end does not repeat it. */
  let running: { readonly id: unknown; readonly args: unknown } | undefined
  const agentEnd = () => {
    draft.finished = true
  }
  return {
    glance(bytes, from, to) {
      if (repeats.some((begins) => begins(bytes, from, to))) return true
      // The closing event repeats the whole conversation: it is read only when the messages themselves were not there.
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
          draft.session = textIn(event.id) ?? draft.session
          break
        case 'agent_start':
        case 'auto_retry_start':
          draft.finished = false
          break
        case 'message_end':
          messages++
          readMessage(draft, objectIn(event.message))
          break
        case 'tool_execution_start':
          draft.unsay()
          running = { id: event.toolCallId, args: event.args }
          if (isExitSignal(event.toolName)) draft.call(textIn(event.toolCallId) ?? '', event.args)
          break
        case 'tool_execution_end':
          readToolEnd(draft, event, running?.id === event.toolCallId ? running?.args : undefined)
          break
        case 'agent_end':
          if (messages === 0) for (const message of listIn(event.messages)) readMessage(draft, objectIn(message))
          agentEnd()
          break
      }
    },
  }
}

function readMessage(draft: Draft, message: JsonObject): void {
  if (message.role !== 'assistant') return
  const usage = objectIn(message.usage)
  draft.tokens = sumOf(draft.tokens, usage.totalTokens)
  draft.usd = sumOf(draft.usd, objectIn(usage.cost).total)
  draft.count(textIn(message.model), usage.input, usage.cacheRead, usage.output)
  draft.closeMessage()
  for (const part of listIn(message.content).map(objectIn)) {
    const text = part.type === 'text' ? textIn(part.text) : undefined
    if (text !== undefined) draft.say(text, textIn(message.responseId) ?? 'message')
    if (part.type === 'toolCall') draft.unsay()
  }
  readStop(draft, message)
}

function readStop(draft: Draft, message: JsonObject): void {
  const said = textIn(message.errorMessage) ?? ''
  const reason = message.stopReason
  if (reason === 'length') draft.stumble(failure('the answer was cut off at the output token limit'))
  else if (reason === 'error') draft.stumble(failure(said, statusIn(said)))
  else if (reason === 'aborted') draft.stumble({ kind: 'other', message: said === '' ? 'the agent was aborted' : said })
  else draft.recover()
}

/** The message begins with the status the server gave. */
function statusIn(message: string): number | undefined {
  return numberIn(Number(/^(\d{3})\b/.exec(message)?.[1] ?? Number.NaN))
}

function readToolEnd(draft: Draft, event: JsonObject, args: unknown): void {
  const id = textIn(event.toolCallId) ?? ''
  draft.answer(id, event.isError !== true)
  const words = listIn(objectIn(event.result).content).map((part) => textIn(objectIn(part).text) ?? '')
  if (event.isError === true && /\b(?:blocked|denied|not allowed)\b/i.test(words.join('\n').slice(0, 500))) {
    draft.deny(textIn(event.toolName) ?? 'tool', args, id)
  }
}
