import type { TestCase } from '../types.ts'
import { stateOf } from '../words.ts'

/** An element. Only the structure of a report is read, and the text of a failure. */
export interface Element {
  /** Without a namespace prefix. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** The beginning of what a failed test says, or of what a program with tests of its own printed. */
  readonly text?: string
}

/** All elements of a name below one, at any depth. */
export const descendants = (element: Element, name: string): readonly Element[] =>
  element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...descendants(child, name)])

export const child = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((one) => one.name === name)

/** The sum of some attributes that are numbers. */
export const numberOf = (element: Element | undefined, ...attributes: readonly string[]): number =>
  attributes.reduce((sum, attribute) => {
    const value = Number(element?.attributes[attribute])
    return Number.isFinite(value) && value > 0 ? sum + Math.floor(value) : sum
  }, 0)

/** `tests/misc.c:31:loops_over_arrays:PASS` */
const UNITY = /^\S+\.(?:c|cc|cpp|cxx):\d+:(\w+):(PASS|FAIL|IGNORE)\b/gm

export const hasUnityTests = (text: string): boolean => text.search(UNITY) >= 0

/** The tests of a program written with Unity: ctest counts the whole program as one test, and it passes if some are ignored. */
export function unityTests(program: string, text: string): readonly TestCase[] {
  // ctest cuts the output of a program that passed.
  if (text.includes('The rest of the test output was removed')) return []
  return [...text.matchAll(UNITY)].map(([, name, sign]) => ({
    name: `${program} > ${name}`,
    state: stateOf(sign!, { ignore: 'skipped' })!,
  }))
}
