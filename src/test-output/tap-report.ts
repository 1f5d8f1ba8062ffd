import { type FinalResults, Parser, type Result } from 'tap-parser'
import { type TapPoint, testsInTap, unexplained } from '../../packages/test-output/src/tap-tree.ts'
import type { TestRun, TestState } from '../../packages/test-output/src/types.ts'
import { readPlainText } from './index.ts'
import { makeRun } from './make-run.ts'
import { nodeTest } from './text/node-test.ts'

function stateOf({ ok, skip, todo }: Result): TestState {
  if (skip !== false && skip !== undefined) return 'skipped'
  if (todo !== false && todo !== undefined) return 'skipped'
  return ok ? 'passed' : 'failed'
}

/** Points of a subtest come from a parser of its own, before or after the point that they belong to. */
function collect(parser: Parser, points: TapPoint[]): void {
  let inner: TapPoint[] | undefined
  parser.on('child', (child: Parser) => {
    inner = []
    collect(child, inner)
  })
  parser.on('assert', (result: Result) => {
    points.push({
      name: result.name || `test ${result.id}`,
      state: stateOf(result),
      ...(inner !== undefined && { inner }),
    })
    inner = undefined
  })
}

/** A TAP document, read by the parser that node-tap itself uses. */
export function readTap(text: string): TestRun | undefined {
  // node:test ends with totals of its own, which distinguish suites from tests.
  if (nodeTest.read(text.split('\n')).length > 0) return readPlainText(text)
  const points: TapPoint[] = []
  let results: FinalResults | undefined
  const parser = new Parser((final: FinalResults) => {
    results = final
  })
  collect(parser, points)
  parser.end(text)
  const final = results ?? parser.results
  if (final === undefined || final === null) return undefined
  const { tests, suites } = testsInTap(points)
  const of = (state: TestState) => tests.filter((test) => test.state === state).length
  const broken = final.bailout
    ? 'The tests bailed out (tap).'
    : suites.length > 0
      ? unexplained(suites)
      : !final.ok && of('failed') === 0 && !final.plan.skipAll
        ? 'The TAP document as a whole is not ok.'
        : undefined
  const own = {
    framework: 'tap',
    from: 0,
    to: 0,
    passed: of('passed'),
    failed: of('failed'),
    skipped: of('skipped'),
    tests,
    ...(suites.length > 0 && { suitesFailed: suites.length }),
  }
  return makeRun([{ ...own, ...(broken !== undefined && { broken }) }])
}
