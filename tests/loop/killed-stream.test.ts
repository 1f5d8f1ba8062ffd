import { expect, it } from 'vitest'
import { endWith, type Recording, summaryOf } from './recorded-errors.ts'

const INIT = '{"type":"system","subtype":"init","session_id":"s","model":"m"}\n'
const TOOL =
  '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"npm test"}}]},"session_id":"s"}\n'

it.each<[string, Partial<Recording>, string]>([
  ['with 124 after a tool was called', { code: 124, stdout: INIT + TOOL }, 'aborted/errors crash'],
  ['with 124 before anything else was printed', { code: 124, stdout: INIT }, 'aborted/errors crash'],
  ['with 137, as a shell reports a kill', { code: 137, stdout: INIT }, 'aborted/errors crash'],
  ['with an error of its own after a tool was called', { code: 1, stdout: INIT + TOOL }, 'aborted/errors crash'],
  ['with an error of its own, and nothing was done', { code: 1, stdout: INIT }, 'aborted/fatal setup'],
])('a stream that ends %s in the first iteration', async (_name, recording, ends) => {
  const { end } = await endWith('claude', { ended: 'exit', stderr: '', code: 0, stdout: '', ...recording })
  expect(summaryOf(end)).toBe(ends)
})
