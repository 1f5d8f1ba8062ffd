import type { Dialect } from '../dialect.ts'
import { answerOf, isDeciding } from '../field-answers.ts'
import { lastValue } from '../fields.ts'

/** Fields in a JSON wrapper around the text. An explicit exit_signal decides, then the status, then the metadata. */
export const jsonFields: Dialect = {
  name: 'json-fields',
  find: ({ transcript }) => {
    const fields = Object.entries(transcript.fields)
      .slice(0, 100)
      .map(([name, value]) => ({
        key: name
          .replace(/^metadata\./i, '')
          .toUpperCase()
          .slice(0, 64),
        value: String(value).slice(0, 2_000),
      }))
    // Without a deciding field it only adds fields and isn't a block.
    const fieldsOnly = !fields.some(({ key }) => isDeciding(key))
    return [
      {
        dialect: 'json-fields',
        at: Number.POSITIVE_INFINITY,
        end: Number.POSITIVE_INFINITY,
        fields,
        complete: true,
        fieldsOnly,
      },
    ]
  },
  claim: (fields) =>
    lastValue(fields, 'EXIT_SIGNAL') === undefined
      ? (answerOf(fields, 'STATUS') ?? answerOf(fields, 'COMPLETION_STATUS'))
      : answerOf(fields, 'EXIT_SIGNAL'),
}
