import type { TextReader } from '../../../packages/test-output/src/types.ts'
import { ava } from './ava.ts'
import { bun } from './bun.ts'
import { cargo } from './cargo.ts'
import { catch2 } from './catch2.ts'
import { clojure } from './clojure.ts'
import { busted, cucumber, jasmine, robot, scalatest, testthat } from './closing-line.ts'
import { ctest } from './ctest.ts'
import { deno } from './deno.ts'
import { dotnet } from './dotnet.ts'
import { exunit } from './exunit.ts'
import { flutter } from './flutter.ts'
import { forge } from './forge.ts'
import { ginkgo } from './ginkgo.ts'
import { go } from './go.ts'
import { gotestsum } from './gotestsum.ts'
import { gradle } from './gradle.ts'
import { gtest } from './gtest.ts'
import { jest } from './jest.ts'
import { junitConsole } from './junit-console.ts'
import { karma } from './karma.ts'
import { maven } from './maven.ts'
import { meson } from './meson.ts'
import { minitest } from './minitest.ts'
import { mocha } from './mocha.ts'
import { nextest } from './nextest.ts'
import { nodeTest } from './node-test.ts'
import { pest } from './pest.ts'
import { phpunit } from './phpunit.ts'
import { playwright } from './playwright.ts'
import { prove } from './prove.ts'
import { pytest } from './pytest.ts'
import { rspec } from './rspec.ts'
import { swift } from './swift.ts'
import { sympy } from './sympy.ts'
import { tap } from './tap.ts'
import { unittest } from './unittest.ts'
import { uvu } from './uvu.ts'
import { vitest } from './vitest.ts'

/** Independent of each other. If two recognise the same line, the earlier one wins. */
export const textReaders: readonly TextReader[] = [
  vitest,
  jest,
  mocha,
  nodeTest,
  playwright,
  bun,
  deno,
  ava,
  uvu,
  jasmine,
  karma,
  pytest,
  unittest,
  sympy,
  robot,
  gotestsum,
  go,
  ginkgo,
  cargo,
  nextest,
  dotnet,
  gradle,
  maven,
  junitConsole,
  scalatest,
  rspec,
  minitest,
  phpunit,
  pest,
  exunit,
  ctest,
  meson,
  catch2,
  gtest,
  forge,
  flutter,
  swift,
  clojure,
  testthat,
  busted,
  prove,
  cucumber,
  tap,
]
