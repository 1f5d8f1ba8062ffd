import type { AgentError } from '../../core/types.ts'
import {
  claudeFailure,
  failureOfRateLimit,
  failureOfResult,
  failureOfRetry,
  failureOfStop,
  limitInWords,
} from '../claude-failure.ts'
import { ClaudeFastPath } from '../claude-fast-path.ts'
import { ClaudeUsage, tokensIn } from '../claude-usage.ts'
import { beginning, type EventFormat, type EventReading } from '../format.ts'
import { isObject, type JsonObject, listIn, numberIn, objectIn, scalarsOf, sumOf, textIn } from '../json-value.ts'
import { type Draft, isExitSignal } from '../transcript-builder.ts'

const LOG_TYPES = new Set(['queue-operation', 'summary', 'file-history-snapshot', 'last-prompt', 'progress'])

/** `claude --output-format stream-json`, the array or object of `--output-format json`, and Claude Code's session log. */
export const claude: EventFormat = {
  name: 'claude',
  knows: (event) => {
    switch (event.type) {
      case 'system':
        return 'subtype' in event
      case 'assistant':
        return event.message === undefined || isObject(event.message)
      case 'user':
        return isObject(event.message)
      case 'result':
        return 'subtype' in event || 'is_error' in event || ('result' in event && 'session_id' in event)
      case 'stream_event':
        return isObject(event.event)
      case 'rate_limit_event':
        return true
      default:
        return (
          LOG_TYPES.has(String(event.type)) && ('sessionId' in event || 'leafUuid' in event || 'messageId' in event)
        )
    }
  },
  open,
}

const isToolOutput = beginning('{"type":"user"')

function open(draft: Draft): EventReading {
  const reading = new ClaudeReading(draft)
  const glance = new ClaudeFastPath(draft, {
    assistant: (event) => reading.assistant(event, true),
    pass: (message, tokens) => reading.pass(message, tokens),
  })
  return {
    glance: (bytes, from, to) => glance.take(bytes, from, to),
    read(event) {
      glance.settle()
      reading.read(event)
    },
    lost(head) {
      glance.settle()
      return isToolOutput(head, 0, head.length)
    },
    end() {
      glance.settle()
      reading.end()
    },
  }
}

class ClaudeReading {
  readonly #draft: Draft
  readonly #usage = new ClaudeUsage()
  #stop: string | undefined
  #closed = false
  /** The last message is the host's own, written in the agent's place. */
  #byHost = false

  constructor(draft: Draft) {
    this.#draft = draft
  }

  read(event: JsonObject): void {
    switch (event.type) {
      case 'system':
        this.#system(event)
        break
      case 'rate_limit_event':
        this.#stumble(failureOfRateLimit(objectIn(event.rate_limit_info)))
        break
      case 'assistant':
        this.assistant(event)
        break
      case 'user':
        this.#results(event)
        break
      case 'result':
        this.#result(event)
        break
    }
  }

  /** What a message costs is passed over when it was counted before. */
  assistant(event: JsonObject, counted = false): void {
    if (isSubAgent(event)) return
    const message = objectIn(event.message)
    const id = textIn(message.id)
    this.pass(id, counted ? undefined : tokensIn(message.usage))
    this.#stop = textIn(message.stop_reason)
    this.#draft.session = textIn(event.session_id) ?? textIn(event.sessionId) ?? this.#draft.session
    const isHost = message.model === '<synthetic>'
    this.#byHost = isHost
    if (!isHost) this.#draft.recover()
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    for (const block of listIn(blocks).map(objectIn)) this.#block(block, id)
    this.#stumble(isHost ? this.#failureOfHost(event) : failureOfStop(this.#stop))
  }

  /** A message of the agent's came, so a result before it was not the end. */
  pass(message: string | undefined, tokens: number | undefined): void {
    this.#closed = false
    this.#byHost = false
    this.#stop = undefined
    this.#usage.message(message, tokens)
  }

  end(): void {
    this.#draft.tokens = this.#usage.tokens ?? this.#draft.tokens
    // A session log has no result; there a message says by itself that it was the last one.
    this.#draft.finished = this.#closed || (this.#stop !== undefined && this.#stop !== 'tool_use')
  }

  #system(event: JsonObject): void {
    const subtype = textIn(event.subtype) ?? ''
    if (subtype === 'init') {
      this.#draft.session = textIn(event.session_id) ?? this.#draft.session
      this.#closed = false
    } else if (subtype === 'api_retry') {
      this.#draft.stumble(failureOfRetry(event))
    } else if (subtype.startsWith('model_refusal')) {
      const why = textIn(event.api_refusal_explanation) ?? 'the model refused to answer'
      this.#draft.stumble({ kind: 'refusal', message: why })
    }
  }

  /** The host answers in the agent's place when the model cannot be reached. */
  #failureOfHost(event: JsonObject): AgentError | undefined {
    const code = textIn(event.error)
    if (code === undefined && event.isApiErrorMessage !== true) return undefined
    return claudeFailure(this.#draft.words, code, undefined, this.#draft.trouble)
  }

  #block(block: JsonObject, message: string | undefined): void {
    const text = block.type === 'text' ? textIn(block.text) : undefined
    if (text !== undefined) this.#draft.say(text, message)
    if (block.type !== 'tool_use') return
    this.#draft.unsay()
    if (isExitSignal(block.name)) this.#draft.call(textIn(block.id) ?? '', block.input)
  }

  #results(event: JsonObject): void {
    if (isSubAgent(event) || !this.#draft.awaitsResults) return
    for (const block of listIn(objectIn(event.message).content).map(objectIn)) {
      if (block.type === 'tool_result') this.#draft.answer(textIn(block.tool_use_id) ?? '', block.is_error !== true)
    }
  }

  #result(event: JsonObject): void {
    const draft = this.#draft
    this.#closed = true
    this.#usage.result(event)
    draft.session = textIn(event.session_id) ?? textIn(event.sessionId) ?? draft.session
    draft.usd = numberIn(event.total_cost_usd) ?? draft.usd
    draft.ms = sumOf(draft.ms, event.duration_ms)
    for (const denial of listIn(event.permission_denials).map(objectIn)) {
      draft.deny(textIn(denial.tool_name) ?? 'tool', denial.tool_input, textIn(denial.tool_use_id))
    }
    const text = textIn(event.result)
    if (text !== undefined) this.#agree(text)
    if (isObject(event.structured_output)) this.#answerInFields(event.structured_output)
    const failed =
      failureOfResult(event, draft.trouble) ?? failureOfStop(event.stop_reason) ?? limitInWords(text, this.#byHost)
    if (failed === undefined) draft.getOver()
    else draft.fail(failed)
  }

  /** With a schema, the answer is an object and not a text. */
  #answerInFields(answer: JsonObject): void {
    this.#draft.fields = scalarsOf(answer)
    if (this.#draft.words === '') this.#draft.say(JSON.stringify(answer))
  }

  /** The result repeats the last block of the last message; when it says something else, it is what the host shows as the answer. */
  #agree(text: string): void {
    const said = this.#draft.words.trim()
    const result = text.trim()
    if (said === result || said.endsWith(result)) return
    if (said !== '' && !result.endsWith(said))
      this.#draft.report('the result differs from the last message; the result is taken')
    this.#draft.say(text)
  }

  #stumble(error: AgentError | undefined): void {
    if (error !== undefined) this.#draft.stumble(error)
  }
}

function isSubAgent(event: JsonObject): boolean {
  return typeof event.parent_tool_use_id === 'string' || event.isSidechain === true
}
