import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import { ACP_IDS } from '../../agents/formats/acp.ts'
import { isObject, type JsonObject, objectIn, parseObject, textIn } from '../../agents/json-value.ts'
import { LineSplitter } from '../../agents/lines.ts'
import type { AgentProcess } from '../../core/run.ts'
import type { Permissions } from '../../core/run-config.ts'
import { answerPermission, toolOf } from './acp-permission.ts'
import type { AgentCall, AgentHooks, AgentRun } from './call.ts'
import { runAgent } from './run-agent.ts'

/** The task for an agent that speaks the Agent Client Protocol (ACP). */
export interface AcpTask {
  readonly prompt: string
  /** The session to continue, if the agent supports that. */
  readonly session?: string
  /** The answer to its permission requests. */
  readonly permissions: Permissions
  /** MCP servers, in the form ACP expects. */
  readonly servers: readonly {
    readonly name: string
    readonly command: string
    readonly args: readonly string[]
    readonly env: readonly { readonly name: string; readonly value: string }[]
  }[]
}

const PROTOCOL = 1
const MAX_LINE = 16 * 1024 * 1024
/** An agent that doesn't read our responses gets no more of them. */
const MAX_UNREAD = 8 * 1024 * 1024
const NO_SUCH_METHOD = -32601
/** Tool calls at the same time that are remembered. */
const MAX_TOOLS = 100
/** Some servers ignore the end of their input. Others exit long before. */
const EXITS_WITHIN_MS = 2_000

/**
 * Runs an ACP agent once. It is a server that would never exit, so the end of its turn counts as its end. Its input is closed, and it
 * is killed if it doesn't exit then.
 */
export async function runAcp(
  call: AgentCall,
  task: AcpTask,
  hooks: AgentHooks,
  signal: AbortSignal,
): Promise<AgentRun> {
  const conversation = new Conversation(task, call.cwd)
  const ending = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const endIn = (ms: number) => timers.push(setTimeout(() => ending.abort('the turn is over'), ms))
  const onAbort = () => {
    if (signal.reason === 'now') ending.abort('now')
    else {
      conversation.cancel()
      endIn(call.graceMs)
    }
  }
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) ending.abort(signal.reason)
  conversation.over.then(() => endIn(Math.min(call.graceMs, EXITS_WITHIN_MS)))
  try {
    const run = await runAgent({ ...call, format: 'acp' }, hooks, ending.signal, (child) => conversation.begin(child))
    const transcript = { ...run.transcript, denials: [...run.transcript.denials, ...conversation.denials] }
    return { process: processOf(run), transcript }
  } finally {
    signal.removeEventListener('abort', onAbort)
    for (const timer of timers) clearTimeout(timer)
  }

  function processOf({ process, transcript: { finished } }: AgentRun): AgentProcess {
    if (signal.aborted) return { ...process, ended: 'aborted', problem: 'it was interrupted', finished: false }
    return conversation.isOver ? atEndOfTurn(process, finished) : process
  }
}

/** How the server exits after its turn says nothing about the turn. */
function atEndOfTurn({ signal, problem, ...result }: AgentProcess, finished: boolean): AgentProcess {
  if (result.ended !== 'exit' && result.ended !== 'aborted') {
    return { ...result, ...(signal !== undefined && { signal }), ...(problem !== undefined && { problem }) }
  }
  return { ...result, code: 0, ended: 'exit', finished }
}

/** Our side of one iteration with an ACP agent: a session, one prompt, and answers to permission requests. */
class Conversation {
  /** Tools it asked for and did not get, as the agent names them. */
  readonly denials: string[] = []
  /** The agent has answered the prompt, or cannot be talked to: there is nothing more to wait for. */
  readonly over: Promise<void>
  isOver = false
  readonly #task: AcpTask
  readonly #cwd: string
  /** Tool calls by id, as far as the agent has described them. */
  readonly #tools = new Map<string, JsonObject>()
  #end = (): void => {}
  #stdin: Writable | undefined
  #session: string | undefined
  #cancelled = false

  constructor(task: AcpTask, cwd: string) {
    this.#task = task
    this.#cwd = cwd
    this.over = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  begin({ stdin, stdout }: ChildProcess): void {
    if (stdin === null || stdout === null) return
    this.#stdin = stdin
    const lines = new LineSplitter(
      {
        line: (bytes, from, to, complete) => {
          const message = complete ? parseObject(bytes, from, to) : undefined
          if (message !== undefined) this.#hear(message)
        },
        tooLong: () => {},
      },
      MAX_LINE,
    )
    stdout.on('data', (chunk: Buffer) => lines.write(chunk))
    this.#ask(ACP_IDS.initialize, 'initialize', {
      protocolVersion: PROTOCOL,
      // The agent reads, writes and runs everything itself.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'exitgate', version: '1' },
    })
  }

  /** Asks the agent to stop. Its answer to the prompt shows whether it did. */
  cancel(): void {
    this.#cancelled = true
    if (this.#session === undefined) this.#finish()
    else this.#send({ method: 'session/cancel', params: { sessionId: this.#session } })
  }

  #hear(message: JsonObject): void {
    const { id, method } = message
    if (typeof method === 'string') {
      if (method === 'session/update') this.#describe(objectIn(objectIn(message.params).update))
      if (id !== undefined && !this.isOver) this.#answer(id, method, objectIn(message.params))
    } else if (id === ACP_IDS.initialize) {
      if (isObject(message.result)) this.#openSession(objectIn(message.result.agentCapabilities))
      else this.#finish()
    } else if (id === ACP_IDS.load) {
      if (isObject(message.result)) this.#prompt(this.#task.session)
      else this.#newSession()
    } else if (id === ACP_IDS.session) this.#prompt(textIn(objectIn(message.result).sessionId))
    else if (id === ACP_IDS.prompt) this.#finish()
  }

  #openSession(capabilities: JsonObject): void {
    const { session: sessionId } = this.#task
    if (sessionId === undefined || capabilities.loadSession !== true) this.#newSession()
    else this.#ask(ACP_IDS.load, 'session/load', { sessionId, cwd: this.#cwd, mcpServers: this.#task.servers })
  }

  #newSession(): void {
    this.#ask(ACP_IDS.session, 'session/new', { cwd: this.#cwd, mcpServers: this.#task.servers })
  }

  /** Sends the prompt once, even if the agent opens several sessions. */
  #prompt(sessionId: string | undefined): void {
    if (sessionId === undefined || this.#cancelled) this.#finish()
    if (sessionId === undefined || this.#cancelled || this.#session !== undefined) return
    this.#session = sessionId
    const prompt = [{ type: 'text', text: this.#task.prompt }]
    this.#ask(ACP_IDS.prompt, 'session/prompt', { sessionId, prompt })
  }

  #answer(id: unknown, method: string, params: JsonObject): void {
    if (method !== 'session/request_permission') {
      this.#send({ id, error: { code: NO_SUCH_METHOD, message: `exitgate has no ${method.slice(0, 100)}` } })
      return
    }
    if (this.#cancelled) {
      this.#send({ id, result: { outcome: { outcome: 'cancelled' } } })
      return
    }
    const tool = this.#describe(objectIn(params.toolCall))
    const { allowed, outcome } = answerPermission(tool, params.options, this.#task.permissions, this.#cwd)
    if (!allowed && this.denials.length < 1000) this.denials.push(toolOf(tool))
    this.#send({ id, result: { outcome } })
  }

  /** What is known about a tool call. An update leaves out what has not changed. */
  #describe(update: JsonObject): JsonObject {
    const id = textIn(update.toolCallId)
    if (id === undefined) return update
    const tool = { ...this.#tools.get(id), ...update }
    const ended = tool.status === 'completed' || tool.status === 'failed'
    if (ended) this.#tools.delete(id)
    else if (this.#tools.size < MAX_TOOLS || this.#tools.has(id)) this.#tools.set(id, tool)
    return tool
  }

  /** Closes the agent's input, so that it exits. */
  #finish(): void {
    this.isOver = true
    this.#stdin?.end()
    this.#end()
  }

  #ask(id: string, method: string, params: object): void {
    this.#send({ id, method, params })
  }

  #send(message: object): void {
    const stdin = this.#stdin
    if (stdin === undefined || this.isOver || stdin.writableLength > MAX_UNREAD) return
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
}
