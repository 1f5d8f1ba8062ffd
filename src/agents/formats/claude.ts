import { claudeCounts, claudeTokens } from '../../../packages/exitgate/src/agents/claude-usage.ts'
import { MessageUsage, type TokenCounts } from '../../../packages/exitgate/src/agents/message-usage.ts'
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
import { beginning, type EventFormat, type EventReading } from '../format.ts'
import { isObject, type JsonObject, listIn, numberIn, objectIn, scalarsOf, sumOf, textIn } from '../json-value.ts'
import { isExitSignal, type TranscriptBuilder } from '../transcript-builder.ts'

const LOG_TYPES = new Set(['queue-operation', 'summary', 'file-history-snapshot', 'last-prompt', 'progress'])

/** `claude --output-format stream-json`, the array or object of `--output-format json`, and Claude Code's session log. */
export const claude: EventFormat = {
  name: 'claude',
  endsWithResult: true,
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

function open(builder: TranscriptBuilder): EventReading {
  const reading = new ClaudeReading(builder)
  const glance = new ClaudeFastPath(builder, {
    assistant: (event) => reading.assistant(event, true),
    pass: () => reading.pass(),
    count: (message, model, counts) => reading.count(message, model, counts),
  })
  return {
    fastPath: (bytes, from, to) => glance.take(bytes, from, to),
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
  readonly #builder: TranscriptBuilder
  readonly #usage = new MessageUsage()
  #reported: number | undefined
  #stop: string | undefined
  /** The last message is from the CLI, not from the agent. */
  #byHost = false

  constructor(builder: TranscriptBuilder) {
    this.#builder = builder
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

  /** The tokens of a message are skipped if they were counted before. */
  assistant(event: JsonObject, counted = false): void {
    const message = objectIn(event.message)
    const id = textIn(message.id)
    if (!counted) this.count(id, textIn(message.model), claudeCounts(message.usage))
    if (isSubAgent(event)) return
    this.pass()
    this.#stop = textIn(message.stop_reason)
    this.#builder.session = textIn(event.session_id) ?? textIn(event.sessionId) ?? this.#builder.session
    const isHost = message.model === '<synthetic>'
    this.#byHost = isHost
    if (!isHost) this.#builder.clearTrouble()
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    for (const block of listIn(blocks).map(objectIn)) this.#block(block, id)
    this.#stumble(isHost ? this.#failureOfHost(event) : failureOfStop(this.#stop))
  }

  /** Another message of the agent came, so an earlier result was not the end. */
  pass(): void {
    this.#builder.finished = false
    this.#byHost = false
    this.#stop = undefined
  }

  /** The usage of a message counts until a result reports all of it. */
  count(message: string | undefined, model: string | undefined, counts: TokenCounts | undefined): void {
    if (counts === undefined) return
    const { input, cachedInput, output } = this.#usage.add(message, counts)
    this.#builder.shown = this.#usage.tokens
    if (this.#reported !== undefined) return
    this.#builder.tokens = this.#usage.tokens
    if (input + cachedInput + output > 0) this.#builder.count(model, input, cachedInput, output)
  }

  end(): void {
    // A session log has no result; there a message itself shows that it is the last one.
    this.#builder.finished ||= this.#stop !== undefined && this.#stop !== 'tool_use'
  }

  #system(event: JsonObject): void {
    const subtype = textIn(event.subtype) ?? ''
    if (subtype === 'init') {
      this.#builder.session = textIn(event.session_id) ?? this.#builder.session
      this.#builder.finished = false
    } else if (subtype === 'api_retry') {
      this.#builder.noteTrouble(failureOfRetry(event))
    } else if (subtype.startsWith('model_refusal')) {
      const why = textIn(event.api_refusal_explanation) ?? 'the model refused to answer'
      this.#builder.noteTrouble({ kind: 'refusal', message: why })
    }
  }

  /** The CLI answers in the agent's place if the model can't be reached. */
  #failureOfHost(event: JsonObject): AgentError | undefined {
    const code = textIn(event.error)
    if (code === undefined && event.isApiErrorMessage !== true) return undefined
    return claudeFailure(this.#builder.finalText, code, undefined, this.#builder.trouble)
  }

  #block(block: JsonObject, message: string | undefined): void {
    const text = block.type === 'text' ? textIn(block.text) : undefined
    if (text !== undefined) this.#builder.addText(text, message)
    if (block.type !== 'tool_use') return
    this.#builder.endFinalText()
    if (isExitSignal(block.name)) this.#builder.call(textIn(block.id) ?? '', block.input)
  }

  #results(event: JsonObject): void {
    if (isSubAgent(event)) return
    for (const block of listIn(objectIn(event.message).content).map(objectIn)) {
      if (block.type !== 'tool_result') continue
      const id = textIn(block.tool_use_id) ?? ''
      this.#builder.answer(id, block.is_error !== true)
      // The result lists all denials, but an agent that is ended early has none.
      const denied = block.is_error === true ? DENIED.exec(textIn(block.content) ?? '') : null
      if (denied !== null) this.#builder.deny(denied[1] ?? (denied[2] ? 'Write' : 'Bash'), { path: denied[2] }, id)
    }
  }

  #result(event: JsonObject): void {
    const builder = this.#builder
    builder.finished = true
    this.#reported = claudeTokens(event.modelUsage, this.#reported, event.usage)
    if (this.#reported !== undefined) builder.resetCounts()
    builder.tokens = this.#reported ?? builder.tokens
    builder.session = textIn(event.session_id) ?? textIn(event.sessionId) ?? builder.session
    builder.usd = numberIn(event.total_cost_usd) ?? builder.usd
    if ((builder.usd ?? 0) > 0) this.#countModels(objectIn(event.modelUsage))
    builder.ms = sumOf(builder.ms, event.duration_ms)
    for (const denial of listIn(event.permission_denials).map(objectIn)) {
      builder.deny(textIn(denial.tool_name) ?? 'tool', denial.tool_input, textIn(denial.tool_use_id))
    }
    const text = textIn(event.result)
    if (text !== undefined) this.#agree(text)
    if (isObject(event.structured_output)) this.#answerInFields(event.structured_output)
    const failed =
      failureOfResult(event, builder.trouble) ?? failureOfStop(event.stop_reason) ?? limitInWords(text, this.#byHost)
    if (failed === undefined) builder.clearProviderErrors()
    else builder.fail(failed)
  }

  /** Only next to a cost: without one, the tokens would be priced a second way. */
  #countModels(models: JsonObject): void {
    if (Object.keys(models).length > 0) this.#builder.resetCounts()
    for (const [name, counts] of Object.entries(models).map(([name, each]) => [name, objectIn(each)] as const))
      this.#builder.count(
        name,
        sumOf(counts.inputTokens, counts.cacheCreationInputTokens),
        counts.cacheReadInputTokens,
        counts.outputTokens,
      )
  }

  /** With a schema, the answer is an object instead of a text. */
  #answerInFields(answer: JsonObject): void {
    this.#builder.fields = scalarsOf(answer)
    if (this.#builder.finalText === '') this.#builder.addText(JSON.stringify(answer))
  }

  /** The result repeats the last block of the last message. If it differs, it is what the CLI shows as the answer. */
  #agree(text: string): void {
    const said = this.#builder.finalText.trim()
    const result = text.trim()
    if (said === result || said.endsWith(result)) return
    if (said !== '' && !result.endsWith(said))
      this.#builder.report('the result differs from the last message; using the result')
    this.#builder.addText(text)
  }

  #stumble(error: AgentError | undefined): void {
    if (error !== undefined) this.#builder.noteTrouble(error)
  }
}

/** What the CLI answers in place of a tool that needs a permission. */
const DENIED =
  /^(?:This command requires approval|Claude requested permissions to (?:use (\S+)|\w+ to (.+)), but you haven['’]t granted it yet)/

function isSubAgent(event: JsonObject): boolean {
  return typeof event.parent_tool_use_id === 'string' || event.isSidechain === true
}
