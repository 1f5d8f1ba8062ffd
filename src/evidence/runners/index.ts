import type { Detected } from '../types.ts'
import { bats } from './bats.ts'
import { bun } from './bun.ts'
import { ctest } from './ctest.ts'
import { dart } from './dart.ts'
import { deno } from './deno.ts'
import { dotnet } from './dotnet.ts'
import { go } from './go.ts'
import { gradle } from './gradle.ts'
import { jest } from './jest.ts'
import { maven } from './maven.ts'
import { mocha } from './mocha.ts'
import { node } from './node.ts'
import { phpunit } from './phpunit.ts'
import { playwright } from './playwright.ts'
import { pytest } from './pytest.ts'
import { rspec } from './rspec.ts'
import type { Injection, Runner, Surroundings } from './types.ts'
import { unittest } from './unittest.ts'
import { vitest } from './vitest.ts'

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
  bats,
  ctest,
  dart,
]

/** How to get a report for machines out of this command; undefined where only its printed summary can be read. */
export function injectReporter(detected: Detected, surroundings: Surroundings): Injection | undefined {
  if (detected.runner === undefined) return undefined
  return runners.find(({ names }) => names.includes(detected.runner!))?.inject(detected, surroundings)
}
