import { failure } from '../failures.ts'
import type { EventFormat } from '../format.ts'
import { objectIn, textIn } from '../json-value.ts'
import { claude } from './claude.ts'

/** `qwen --output-format stream-json`: Claude's events without costs. An error of the model is the final text of a successful result. */
export const qwen: EventFormat = {
  name: 'qwen',
  endsWithResult: true,
  knows: (event) => event.type === 'system' && 'qwen_code_version' in event,
  open(builder) {
    const reading = claude.open(builder)
    let model: string | undefined
    return {
      ...reading,
      read(event) {
        reading.read(event)
        if (event.type === 'system') model = textIn(event.model) ?? model
        if (event.type !== 'result') return
        const { input_tokens, cache_read_input_tokens, output_tokens } = objectIn(event.usage)
        const cached = Number(cache_read_input_tokens ?? 0)
        // The input includes its cached part.
        builder.count(model, Number(input_tokens ?? 0) - cached, cached, output_tokens)
        const error = /^\[API Error: (.*)\]$/s.exec(textIn(event.result) ?? '')?.[1]
        if (error !== undefined) builder.fail(failure(error, statusIn(error)))
      },
    }
  },
}

/** The message starts with the HTTP status. */
const statusIn = (message: string): number | undefined => {
  const status = /^(\d{3})\b/.exec(message)?.[1]
  return status === undefined ? undefined : Number(status)
}
