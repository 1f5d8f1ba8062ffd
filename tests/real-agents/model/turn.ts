import type { ServerResponse } from 'node:http'

/** One answer of the scripted model, for any API. */
export interface Turn {
  readonly text?: string
  readonly thinking?: string
  readonly tools?: readonly ScriptedTool[]
  /** An error status and message instead of an answer. */
  readonly error?: ScriptedError
  /** For every request without this text: the ones of a sub-agent that doesn't know the prompt. */
  readonly without?: string
  /** How many requests get this turn; 1 by default. */
  readonly times?: number
  /** Why the answer stops early: the output limit, or a refusal. */
  readonly stop?: 'length' | 'refusal'
  /** Never answers. */
  readonly silent?: boolean
  /** Closes the connection in the middle of the answer. */
  readonly cut?: boolean
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number }
}

export interface ScriptedError {
  readonly status: number
  readonly message: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the API's own error format. */
  readonly body?: object
  /** A page instead of JSON, as proxies send it. */
  readonly text?: string
}

/** What a tool call does; each agent has its own tool for it. */
export type ScriptedTool =
  | { readonly shell: string }
  | { readonly write: { readonly path: string; readonly content: string } }
  | { readonly call: { readonly name: string; readonly namespace?: string; readonly input: object } }
  | { readonly mcp: { readonly server: string; readonly tool: string; readonly input: object } }

/** The call in the form that this agent understands. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly namespace?: string
  readonly input: object
}

/** A turn, ready to send. */
export interface Answer extends Omit<Turn, 'tools' | 'usage'> {
  readonly id: string
  readonly model: string
  readonly tools: readonly ToolCall[]
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number }
}

/** One model API: which requests belong to it, which tools they offer, and how to write an answer. */
export interface Api {
  readonly name: string
  readonly matches: (path: string) => boolean
  /** The names of the tools in a request. A request without tools is not part of the conversation: a title, a probe. */
  readonly tools: (body: Body) => readonly string[]
  readonly model: (body: Body, path: string) => string
  readonly send: (res: ServerResponse, answer: Answer) => void
  /** The API's own error format. */
  readonly error: (error: ScriptedError) => object
}

export type Body = { readonly [key: string]: unknown }

export function event(res: ServerResponse, data: object, name?: string): void {
  res.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
}

export function openStream(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
}

/** Splits text into chunks, because agents must be able to join them. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,60}/g) ?? []
}

export function list(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value : []
}
