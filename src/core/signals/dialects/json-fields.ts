import type { Dialect } from '../dialect.ts'
import { answerOf, isDeciding } from '../field-answers.ts'
import { lastOf } from '../fields.ts'

/** Fields of a wrapper JSON beside the text. An explicit exit_signal decides; else the status; else the metadata. */
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
    if (fields.length === 0) return []
    // Without a field that decides it is a report: it adds to what is said and is no block.
    const report = !fields.some(({ key }) => isDeciding(key))
    return [
      {
        dialect: 'json-fields',
        at: Number.POSITIVE_INFINITY,
        end: Number.POSITIVE_INFINITY,
        fields,
        complete: true,
        report,
      },
    ]
  },
  claim: (fields) =>
    lastOf(fields, 'EXIT_SIGNAL') === undefined
      ? (answerOf(fields, 'STATUS') ?? answerOf(fields, 'COMPLETION_STATUS'))
      : answerOf(fields, 'EXIT_SIGNAL'),
}
