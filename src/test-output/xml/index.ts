import { makeRun } from '../make-run.ts'
import type { Part, TestRun } from '../types.ts'
import { readNunit, readTrx, readXunit } from './dotnet.ts'
import { readJunit } from './junit.ts'
import { type Element, parseXml } from './parse.ts'

const readers: readonly ((root: Element) => Part | undefined)[] = [readJunit, readNunit, readXunit, readTrx]

/** An XML report of any known kind. A document with a mistake is read as far as it goes, and never believed when green. */
export function readXml(text: string): TestRun | undefined {
  const { root, problem } = parseXml(text)
  if (root === undefined) return undefined
  for (const reader of readers) {
    const part = reader(root)
    if (part === undefined) continue
    return makeRun([part], problem === undefined ? [] : [`The report is no proper XML: ${problem}`])
  }
  return undefined
}
