import { describe, expect, it } from 'vitest'
import { readAnyOutput } from '../../packages/test-output/src/report.ts'
import { around, compiled, javascript, managed, others, type Printed, python } from './printed-rows.ts'

const groups: readonly (readonly [string, readonly Printed[]])[] = [
  ['javascript', javascript],
  ['python', python],
  ['compiled languages', compiled],
  ['.NET and the JVM', managed],
  ['others', others],
  ['output around a run', around],
]

describe.each(groups)('%s', (_name, rows) => {
  it.each(rows)('%s', async (_row, text, read) => {
    const run = await readAnyOutput(text)
    expect(run && [run.passed, run.failed, run.skipped, run.ok]).toEqual(read)
  })
})
