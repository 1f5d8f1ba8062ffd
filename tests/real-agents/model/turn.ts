import type { ServerResponse } from 'node:http'

/** One answer of the scripted model, whatever API it is asked through. */
export interface Turn {
  readonly text?: string
  readonly thinking?: string
  readonly tools?: readonly ScriptedTool[]
  /** Instead of an answer: a status, and the words in the API's own envelope. */
  readonly error?: ScriptedError
  /** How many requests get this turn; one unless it says so. */
  readonly times?: number
  /** The answer ends at the output limit, or because the model would not go on. */
  readonly stop?: 'length' | 'refusal'
  /** Never answers at all. */
  readonly silent?: boolean
  /** The connection is closed in the middle of the answer. */
  readonly cut?: boolean
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number }
}

export interface ScriptedError {
  readonly status: number
  readonly message: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the API's own envelope. */
  readonly body?: object
}

/** A call in terms of what it does; each agent has its own tool for it. */
export type ScriptedTool =
  | { readonly shell: string }
  | { readonly write: { readonly path: string; readonly content: string } }
  | { readonly mcp: { readonly server: string; readonly tool: string; readonly input: object } }

/** The call as the agent that asks understands it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly namespace?: string
  readonly input: object
}

/** A turn ready to be sent. */
export interface Answer extends Omit<Turn, 'tools' | 'usage'> {
  readonly id: string
  readonly model: string
  readonly tools: readonly ToolCall[]
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number }
}

/** One way to talk to a model: which requests are its own, what they offer, and how an answer is written. */
export interface Api {
  readonly name: string
  readonly matches: (path: string) => boolean
  /** Names of the tools that a request declares. A request without any is beside the conversation: a title, a probe. */
  readonly tools: (body: Body) => readonly string[]
  readonly model: (body: Body, path: string) => string
  readonly send: (res: ServerResponse, answer: Answer) => void
  /** The API's own envelope for an error. */
  readonly error: (error: ScriptedError) => object
}

export type Body = { readonly [key: string]: unknown }

export function event(res: ServerResponse, data: object, name?: string): void {
  res.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
}

export function openStream(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
}

/** Agents must put words together again that come in pieces. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,60}/g) ?? []
}

export function list(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value : []
}
