import { count } from '../../../packages/core/src/count.ts'
import type { JsonReader, TestCase, TestState } from '../../../packages/test-output/src/types.ts'
import { countIn, fields, isFields, list, text } from './fields.ts'

const STATES: Record<string, TestState> = {
  expected: 'passed',
  flaky: 'passed',
  skipped: 'skipped',
  unexpected: 'failed',
}
const DEPTH = 100

/** Suites contain suites and specs; a spec has one test per project. */
function testsOf(suite: unknown, groups: readonly string[], depth: number): readonly TestCase[] {
  if (depth > DEPTH) return []
  const { title, file, specs, suites } = fields(suite)
  const path = [...groups, ...(text(title) !== undefined && title !== '' ? [title as string] : [])]
  const own = list(specs).flatMap((spec) =>
    list(fields(spec).tests).map((test) => {
      const { projectName, status } = fields(test)
      const place = text(fields(spec).file) ?? text(file)
      const project = text(projectName)
      return {
        name: [...(project ? [`[${project}]`] : []), ...path, text(fields(spec).title) ?? 'test'].join(' > '),
        state: STATES[text(status) ?? ''] ?? ('failed' as const),
        ...(place !== undefined && { file: place }),
        ...(status === 'flaky' && { flaky: true as const }),
      }
    }),
  )
  return [...own, ...list(suites).flatMap((inner) => testsOf(inner, path, depth + 1))]
}

export const playwrightJson: JsonReader = (document) => {
  if (
    !isFields(document) ||
    !Array.isArray(document.suites) ||
    !isFields(document.stats) ||
    !isFields(document.config)
  ) {
    return undefined
  }
  const tests = document.suites.flatMap((suite) => testsOf(suite, [], 0))
  const of = (state: TestState) => tests.filter((test) => test.state === state).length
  const errors = list(document.errors).length
  return {
    framework: 'playwright',
    from: 0,
    to: 0,
    passed: of('passed'),
    failed: Math.max(of('failed'), countIn(document.stats.unexpected)),
    skipped: of('skipped'),
    tests,
    ...(errors > 0 && { suitesFailed: errors, broken: `${count(errors, 'error')} outside of any test (playwright).` }),
  }
}
