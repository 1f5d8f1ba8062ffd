import type { Part, TestCase, TestState } from '../types.ts'
import { child, descendants, type Element, numberOf } from './parse.ts'
import { settle } from './settle.ts'

const STATES: Record<string, TestState> = { pass: 'passed', fail: 'failed', skip: 'skipped', notrun: 'skipped' }

/** xUnit.net, version 1 (`assembly`) and 2 (`assemblies`). */
export function readXunit(root: Element): Part | undefined {
  if (root.name !== 'assemblies' && root.name !== 'assembly') return undefined
  const assemblies = root.name === 'assembly' ? [root] : root.children.filter((one) => one.name === 'assembly')
  const tests: readonly TestCase[] = [...descendants(root, 'test')].map((test) => ({
    name: test.attributes.name ?? 'test',
    state: STATES[(test.attributes.result ?? '').toLowerCase()] ?? 'failed',
  }))
  const sum = (attribute: string) => assemblies.reduce((all, one) => all + numberOf(one, attribute), 0)
  const errors = assemblies.reduce(
    (all, one) => all + Math.max(numberOf(one, 'errors'), child(one, 'errors')?.children.length ?? 0),
    0,
  )
  return settle({
    framework: 'xunit',
    tests,
    claimed: { total: sum('total'), failed: sum('failed'), skipped: sum('skipped') + sum('not-run') },
    suitesFailed: errors,
    broken: errors > 0 ? `${errors} errors stood outside of the tests (xUnit).` : undefined,
  })
}
