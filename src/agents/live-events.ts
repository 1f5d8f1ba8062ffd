import { isObject, type JsonObject, listIn, objectIn, textIn } from './json-value.ts'

/** What the live view shows of an event. */
export type Shown =
  /** A whole message, a piece of one that continues, or one that may repeat the last one. */
  | { readonly say: string; readonly how?: 'goes on' | 'repeats' }
  | { readonly tool: string; readonly about: unknown }
  | { readonly trouble: string }

type Show = (event: JsonObject) => readonly Shown[]

const say = (text: unknown, how?: 'goes on' | 'repeats'): readonly Shown[] => {
  const words = textIn(text)
  return words === undefined ? [] : [{ say: words, ...(how !== undefined && { how }) }]
}
const trouble = (text: unknown): readonly Shown[] => {
  const words = textIn(text)
  return words === undefined ? [] : [{ trouble: words }]
}
const tool = (name: unknown, about: unknown): readonly Shown[] => [{ tool: textIn(name) ?? 'tool', about }]

function claude(event: JsonObject): readonly Shown[] {
  if (event.type === 'result') return event.is_error === true ? trouble(event.result) : answer(event)
  if (event.type === 'system' && event.subtype === 'api_retry') return trouble(event.error)
  if (event.type !== 'assistant') return []
  const { content } = objectIn(event.message)
  if (typeof content === 'string') return say(content)
  return listIn(content)
    .map(objectIn)
    .flatMap((block) => {
      if (block.type === 'text') return say(block.text)
      return block.type === 'tool_use' ? tool(block.name, block.input) : []
    })
}

/** The result repeats the last message. With a schema, it is an object that appears nowhere else. */
function answer(event: JsonObject): readonly Shown[] {
  const object = isObject(event.structured_output) ? JSON.stringify(event.structured_output) : undefined
  return say(textIn(event.result) ?? object, 'repeats')
}

function codex(event: JsonObject): readonly Shown[] {
  if (event.type === 'error') return trouble(event.message)
  if (event.type === 'turn.failed') return trouble(objectIn(event.error).message)
  const item = objectIn(event.item)
  if (event.type === 'item.completed' && item.type === 'agent_message') return say(item.text)
  if (event.type === 'item.completed' && item.type === 'file_change') {
    return listIn(item.changes).flatMap((change) => tool('edit', change))
  }
  if (event.type !== 'item.started') return []
  if (item.type === 'command_execution') return tool('shell', item)
  if (item.type === 'mcp_tool_call') return tool(item.tool, item.arguments)
  return item.type === 'web_search' ? tool('search', item) : []
}

function gemini(event: JsonObject): readonly Shown[] {
  if (event.type === 'message' && event.role === 'assistant')
    return say(event.content, event.delta === true ? 'goes on' : undefined)
  if (event.type === 'tool_use') return tool(event.tool_name, event.parameters)
  if (event.type === 'error') return trouble(event.message)
  if (event.type === undefined) return [...say(event.response), ...trouble(objectIn(event.error).message)]
  return event.type === 'result' ? trouble(objectIn(event.error).message) : []
}

function opencode(event: JsonObject): readonly Shown[] {
  const part = objectIn(event.part)
  if (event.type === 'text') return say(part.text)
  if (event.type === 'tool_use') return tool(part.tool, objectIn(part.state).input)
  if (event.type !== 'error') return []
  const error = objectIn(event.error)
  return trouble(objectIn(error.data).message ?? error.name)
}

function pi(event: JsonObject): readonly Shown[] {
  if (event.type === 'tool_execution_start') return tool(event.toolName, event.args)
  if (event.type === 'message_end') return piMessage(objectIn(event.message))
  // The closing event repeats the whole conversation.
  return event.type === 'agent_end' ? piMessage(objectIn(listIn(event.messages).at(-1)), 'repeats') : []
}

function piMessage(message: JsonObject, how?: 'repeats'): readonly Shown[] {
  if (message.role !== 'assistant') return []
  const words = listIn(message.content).flatMap((part) => say(objectIn(part).text, how))
  return how === undefined ? [...words, ...trouble(message.errorMessage)] : words
}

function acp(event: JsonObject): readonly Shown[] {
  const { update } = objectIn(event.params)
  const { sessionUpdate, content, title, rawInput } = objectIn(update)
  if (sessionUpdate === 'agent_message_chunk') return say(objectIn(content).text, 'goes on')
  if (sessionUpdate === 'tool_call') return tool(title, rawInput)
  return trouble(objectIn(event.error).message)
}

function copilot(event: JsonObject): readonly Shown[] {
  const data = objectIn(event.data)
  if (event.type === 'assistant.message') return say(data.content)
  if (event.type === 'tool.execution_start') return tool(data.toolName, data.arguments)
  return event.type === 'session.error' ? trouble(data.message) : []
}

function droid(event: JsonObject): readonly Shown[] {
  if (event.type === 'message') return event.role === 'assistant' ? say(event.text) : []
  if (event.type === 'tool_call') return tool(event.toolName, event.parameters)
  return event.type === 'error' ? trouble(event.message) : []
}

const TEXT_KEYS = ['result', 'summary', 'response', 'message', 'output', 'text']

/** A wrapper object, or plain fields of an unknown format. */
function plain(event: JsonObject): readonly Shown[] {
  const error = isObject(event.error) ? event.error.message : event.error
  return [...say(TEXT_KEYS.map((key) => textIn(event[key])).find((words) => words !== undefined)), ...trouble(error)]
}

const FORMATS: Readonly<Record<string, Show>> = {
  claude,
  codex,
  gemini,
  opencode,
  pi,
  acp,
  copilot,
  droid,
  qwen: claude,
}

/** How to show the events of a format. */
export function showing(format: string): Show {
  const show = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  return show ?? ((event) => (event.type === 'assistant' || event.type === 'result' ? claude(event) : plain(event)))
}
