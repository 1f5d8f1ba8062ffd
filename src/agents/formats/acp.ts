import type { AgentError } from '../../core/types.ts'
import { failure } from '../failures.ts'
import type { EventFormat, EventReading } from '../format.ts'
import { isObject, type JsonObject, listIn, numberIn, objectIn, sumOf, textIn } from '../json-value.ts'
import { isExitSignal, type TranscriptBuilder } from '../transcript-builder.ts'

/** The ids of our own requests. The responses have the same ids. */
export const ACP_IDS = {
  initialize: 'exitgate:initialize',
  load: 'exitgate:load',
  session: 'exitgate:session',
  prompt: 'exitgate:prompt',
} as const

/** The output of an agent that speaks the Agent Client Protocol: JSON-RPC messages, one per line. */
export const acp: EventFormat = {
  name: 'acp',
  knows: ({ jsonrpc, method, id, result }) =>
    jsonrpc === '2.0' &&
    ((typeof method === 'string' && /^(?:session|fs|terminal)\//.test(method)) ||
      (typeof id === 'string' && id.startsWith('exitgate:')) ||
      (isObject(result) && ('agentCapabilities' in result || 'stopReason' in result || 'sessionId' in result))),
  open,
}

interface Tool {
  readonly title: string
  readonly input: unknown
}

function open(builder: TranscriptBuilder): EventReading {
  const tools = new Map<string, Tool>()
  /** An agent that resumes a session replays it. None of that is new. */
  let deaf = false
  return {
    read(event) {
      const { id, method } = event
      if (method === 'session/update') {
        const params = objectIn(event.params)
        if (deaf) return
        builder.session ??= textIn(params.sessionId)
        // Sessions of sub-agents are not the agent itself.
        if (params.sessionId === builder.session) readUpdate(builder, tools, objectIn(params.update))
      } else if (method !== undefined) {
        if (method === 'session/request_permission') builder.endFinalText()
      } else if (id === ACP_IDS.load) {
        if (isObject(event.result)) deaf = false
      } else {
        if (id === ACP_IDS.initialize) deaf = true
        if (id === ACP_IDS.session) deaf = false
        readAnswer(builder, event)
      }
    },
  }
}

function readAnswer(builder: TranscriptBuilder, { result, error }: JsonObject): void {
  if (isObject(error)) {
    builder.fail(failureOf(error))
    builder.finished = true
    return
  }
  const answer = objectIn(result)
  builder.session = textIn(answer.sessionId) ?? builder.session
  const reason = textIn(answer.stopReason)
  if (reason === undefined) return
  readUsage(builder, answer)
  const failed = failureOfStop(reason) ?? failureInText(builder.finalText)
  if (failed === undefined) builder.clearTrouble()
  else builder.fail(failed)
  builder.finished = reason !== 'cancelled'
}

function readUpdate(builder: TranscriptBuilder, tools: Map<string, Tool>, update: JsonObject): void {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk': {
      const text = textIn(objectIn(update.content).text)
      if (text !== undefined) builder.addText(text, textIn(update.messageId) ?? 'chunk', '')
      break
    }
    case 'user_message_chunk':
      builder.closeMessage()
      break
    case 'tool_call':
    case 'tool_call_update':
      readTool(builder, tools, update)
      break
    case 'usage_update': {
      const cost = objectIn(update.cost)
      if (cost.currency === 'USD') builder.usd = numberIn(cost.amount) ?? builder.usd
    }
  }
}

/** A tool is often first reported without its input, and sometimes only when it is done. */
function readTool(builder: TranscriptBuilder, tools: Map<string, Tool>, update: JsonObject): void {
  const id = textIn(update.toolCallId) ?? ''
  const before = tools.get(id)
  if (before === undefined) builder.endFinalText()
  const input = isObject(update.rawInput) ? update.rawInput : before?.input
  const tool = { title: before?.title ?? textIn(update.title) ?? '', input }
  if (tools.size > 1000) tools.clear()
  tools.set(id, tool)
  if (!isExitSignal(tool.title) || (update.status !== 'completed' && update.status !== 'failed')) return
  builder.call(id, tool.input)
  builder.answer(id, update.status === 'completed')
}

/** Agents may add their own fields to those of the protocol. */
function readUsage(builder: TranscriptBuilder, answer: JsonObject): void {
  const usage = objectIn(answer.usage)
  const quota = objectIn(objectIn(answer._meta).quota)
  const counted = objectIn(quota.token_count)
  for (const one of listIn(quota.model_usage).map(objectIn)) {
    const { input_tokens, output_tokens } = objectIn(one.token_count)
    builder.count(textIn(one.model), input_tokens, 0, output_tokens)
  }
  builder.tokens =
    numberIn(usage.totalTokens) ??
    sumOf(usage.inputTokens, usage.outputTokens) ??
    sumOf(counted.input_tokens, counted.output_tokens)
}

function failureOfStop(reason: string): AgentError | undefined {
  switch (reason) {
    case 'max_tokens':
      return failure('the answer was cut off at the output token limit')
    case 'max_turn_requests':
      return { kind: 'max-turns', message: 'the agent reached its maximum number of turns' }
    case 'refusal':
      return { kind: 'refusal', message: 'the model refused to answer' }
    default:
      return undefined
  }
}

/** goose ends its turn normally after an error of the model, and prints the error as its answer. */
function failureInText(final: string): AgentError | undefined {
  const message =
    /^Ran into this error: (.+?)\n\nPlease retry if you think this is a transient/s.exec(final)?.[1] ??
    /^(Network error: .+?)\n\nPlease resend your message to try again\.$/s.exec(final)?.[1]
  return message === undefined ? undefined : failure(message)
}

/** -32000 means that the user must log in. Other negative codes belong to the protocol, positive ones are the provider's status. */
function failureOf(error: JsonObject): AgentError {
  const code = numberIn(error.code)
  const data = objectIn(error.data)
  const details =
    textIn(error.data) ?? textIn(data.details) ?? textIn(data.message) ?? listIn(data.errors).map(String).join('; ')
  const words = [textIn(error.message), textIn(details)].filter((text) => text !== undefined).join(': ')
  if (code === -32000) return { ...failure(words), kind: 'auth' }
  return failure(words, code !== undefined && code >= 400 && code < 600 ? code : undefined)
}
