import { failure } from '../failures.ts'
import type { EventFormat } from '../format.ts'
import { type JsonObject, numberIn, objectIn, sumOf, textIn } from '../json-value.ts'
import { isExitSignal, isRefusal, type TranscriptBuilder } from '../transcript-builder.ts'

/** `droid exec --output-format stream-json`. */
export const droid: EventFormat = {
  name: 'droid',
  endsWithResult: true,
  knows: (event) => {
    switch (event.type) {
      case 'system':
        return event.subtype === 'init' && 'reasoning_effort' in event
      case 'message':
        return 'text' in event && 'session_id' in event
      case 'tool_call':
        return 'toolName' in event && 'session_id' in event
      case 'tool_result':
        return 'isError' in event && 'session_id' in event
      case 'error':
        return 'source' in event && 'session_id' in event
      case 'completion':
        return 'finalText' in event
      default:
        return false
    }
  },
  open(builder) {
    let model: string | undefined
    return {
      read(event) {
        builder.session ??= textIn(event.session_id)
        if (event.type === 'system') model = textIn(event.model) ?? model
        read(builder, event, model)
      },
    }
  },
}

function read(builder: TranscriptBuilder, event: JsonObject, model: string | undefined): void {
  const id = textIn(event.id) ?? ''
  switch (event.type) {
    case 'message': {
      const text = textIn(event.text)
      if (event.role !== 'assistant') builder.closeMessage()
      else if (text !== undefined) builder.addText(text)
      break
    }
    case 'tool_call':
      builder.endFinalText()
      if (isExitSignal(event.toolName)) builder.call(id, event.parameters)
      break
    case 'tool_result':
      builder.answer(id, event.isError !== true && !isRefusal(event.value))
      break
    case 'error':
      // The agent reports the cause, then the CLI reports that it failed.
      if (event.source !== 'cli' || builder.trouble === undefined)
        builder.noteTrouble(failure(textIn(event.message) ?? ''))
      builder.finished = true
      break
    case 'completion': {
      const usage = objectIn(event.usage)
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage
      builder.tokens = sumOf(input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens)
      builder.count(
        model?.replace(/^custom:/, ''),
        sumOf(input_tokens, cache_creation_input_tokens),
        cache_read_input_tokens,
        output_tokens,
      )
      builder.ms = numberIn(event.durationMs) ?? builder.ms
      builder.clearTrouble()
      builder.finished = true
    }
  }
}
