import type { Dialect } from '../dialect.ts'
import { answerOf } from '../field-answers.ts'

const KEYS: Readonly<Record<string, string>> = {
  status: 'TOOL.STATUS',
  signal: 'TOOL.STATUS',
  reason: 'TOOL.REASON',
  remaining_work: 'TOOL.REMAINING_WORK',
  confidence: 'TOOL.CONFIDENCE',
}

/** Calls of the `exit_signal` tool, in order. They come before the final message. */
export const tool: Dialect = {
  name: 'tool',
  find: ({ transcript }) =>
    transcript.toolSignals.slice(-50).map((call) => ({
      dialect: 'tool',
      at: -1,
      end: -1,
      fields: Object.entries(call).flatMap(([name, value]) => {
        const key = Object.hasOwn(KEYS, name.toLowerCase()) ? KEYS[name.toLowerCase()] : undefined
        return key === undefined ? [] : [{ key, value: String(value).slice(0, 2_000) }]
      }),
      complete: true,
    })),
  claim: (fields) => answerOf(fields, 'TOOL.STATUS'),
}
