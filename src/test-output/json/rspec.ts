import type { JsonReader, TestCase, TestState } from '../types.ts'
import { count, fields, isCount, isFields, list, text } from './fields.ts'

const STATES: Record<string, TestState> = { passed: 'passed', failed: 'failed', pending: 'skipped' }

/** RSpec's `json` formatter. */
export const rspecJson: JsonReader = (document) => {
  if (!isFields(document) || !Array.isArray(document.examples) || !isFields(document.summary)) return undefined
  const { example_count: total, failure_count: failures, errors_outside_of_examples_count: outside } = document.summary
  if (!isCount(total) || !isCount(failures)) return undefined
  const tests: readonly TestCase[] = list(document.examples).map((one) => {
    const { full_description: name, description, status, file_path: file } = fields(one)
    return {
      name: text(name) ?? text(description) ?? 'example',
      state: STATES[text(status) ?? ''] ?? 'failed',
      ...(text(file) !== undefined && { file: text(file)! }),
    }
  })
  const of = (state: TestState) => tests.filter((test) => test.state === state).length
  return {
    framework: 'rspec',
    from: 0,
    to: 0,
    passed: of('passed'),
    failed: Math.max(of('failed'), failures),
    skipped: of('skipped'),
    tests,
    ...(count(outside) > 0 && {
      suitesFailed: count(outside),
      broken: `${count(outside)} errors occurred outside of examples (rspec).`,
    }),
    ...(total > tests.length && { unproven: `The report counts ${total} examples and shows ${tests.length}.` }),
  }
}
