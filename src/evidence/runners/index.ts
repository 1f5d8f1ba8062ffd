import { otherRunners } from '../../../packages/exitgate/src/frameworks/other-commands.ts'
import type { Detected } from '../types.ts'
import { bun, deno, jest, mocha, node, playwright, vitest } from './javascript.ts'
import { bats, ctest, dart, dotnet, go, gradle, maven, phpunit, pytest, rspec, unittest } from './other-languages.ts'
import type { Injection, Runner, RunnerContext } from './types.ts'

const runners: readonly Runner[] = [
  vitest,
  jest,
  mocha,
  node,
  playwright,
  bun,
  deno,
  pytest,
  unittest,
  go,
  maven,
  gradle,
  dotnet,
  rspec,
  phpunit,
  ...otherRunners,
  bats,
  ctest,
  dart,
]

/** How to get a machine-readable report from this command; undefined if only its printed summary can be read. */
export function injectReporter(detected: Detected, context: RunnerContext): Injection | undefined {
  if (detected.runner === undefined) return undefined
  return runners.find(({ names }) => names.includes(detected.runner!))?.inject(detected, context)
}
