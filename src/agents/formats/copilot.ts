import { failure } from '../failures.ts'
import { beginning, type EventFormat } from '../format.ts'
import { isObject, type JsonObject, listIn, numberIn, objectIn, textIn } from '../json-value.ts'
import { isExitSignal, isRefusal, type TranscriptBuilder } from '../transcript-builder.ts'

/** `copilot --output-format json`: one event per line. It reports no tokens, only requests of the subscription. */
export const copilot: EventFormat = {
  name: 'copilot',
  endsWithResult: true,
  knows: ({ type, data, sessionId, exitCode }) =>
    typeof type === 'string' &&
    (type === 'result'
      ? typeof sessionId === 'string' && typeof exitCode === 'number'
      : /^(?:session|assistant|tool|user|model|hook)\./.test(type) && isObject(data)),
  open: (builder) => {
    /** Interrupted, and no turn has begun since. */
    let isAborted = false
    return {
      fastPath: (bytes, from, to) => REPEATS.some((begins) => begins(bytes, from, to)),
      lost: (head) => REPEATS.some((begins) => begins(head, 0, head.length)),
      read: (event) => {
        if (event.type === 'abort') isAborted = true
        if (event.type === 'assistant.turn_start') isAborted = false
        read(builder, event, isAborted)
      },
    }
  },
}

/** Pieces of messages and tool output. The complete message follows. */
const REPEATS = [
  ...['assistant.message_delta', 'assistant.tool_call_delta', 'tool.execution_partial_result'],
  'session.background_tasks_changed',
].map((type) => beginning(`{"type":"${type}"`))

function read(builder: TranscriptBuilder, event: JsonObject, isAborted: boolean): void {
  const data = objectIn(event.data)
  const id = textIn(data.toolCallId) ?? ''
  switch (event.type) {
    case 'assistant.turn_start':
      builder.finished = false
      break
    case 'assistant.message':
      // Messages of sub-agents are not the agent itself.
      if (data.parentToolCallId === undefined) readMessage(builder, data)
      break
    case 'tool.execution_start':
      builder.endFinalText()
      if (isExitSignal(data.toolName)) builder.call(id, data.arguments)
      break
    case 'tool.execution_complete':
      builder.answer(id, data.success === true && !isRefusal(objectIn(data.result).content))
      break
    case 'session.error':
      builder.fail(failure(textIn(data.message) ?? '', numberIn(data.statusCode)))
      break
    case 'result':
      builder.session = textIn(event.sessionId) ?? builder.session
      builder.ms = numberIn(objectIn(event.usage).sessionDurationMs) ?? builder.ms
      // An interrupted session may print its result too, even with exit code 0.
      builder.finished = (event.exitCode === 0 && !isAborted) || builder.hasFailed
  }
}

function readMessage(builder: TranscriptBuilder, data: JsonObject): void {
  const text = textIn(data.content)
  if (text !== undefined) builder.addText(text)
  if (listIn(data.toolRequests).length > 0) builder.endFinalText()
}
