import type { Part, TestRun } from '../../../packages/test-output/src/types.ts'
import { makeRun } from '../make-run.ts'
import { readNunit, readTrx, readXunit } from './dotnet.ts'
import { readJunit } from './junit.ts'
import { type Element, parseXml } from './parse.ts'

const readers: readonly ((root: Element) => Part | undefined)[] = [readJunit, readNunit, readXunit, readTrx]

/** An XML report of any known kind. A document with errors is read as far as possible, and never counts as passed. */
export function readXml(text: string): TestRun | undefined {
  const { root, problem } = parseXml(text)
  if (root === undefined) return undefined
  for (const reader of readers) {
    const part = reader(root)
    if (part === undefined) continue
    return makeRun([part], problem === undefined ? [] : [`The report is not valid XML: ${problem}`])
  }
  return undefined
}
