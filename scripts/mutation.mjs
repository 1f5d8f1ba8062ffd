// npm run mutation [-- PATH...]: mutation testing of the decision core, run by hand. PATH is a folder or file below src/core/policy,
// src/core/signals or src/core/journal. Stryker is installed into .tools/mutation and is not a dependency. Prints the score and the
// surviving mutants, and writes .tools/mutation/mutation.json.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import picomatch from 'picomatch'
import { FETCH_LIMITS, npm, quietly } from './prepare.mjs'
import { exitLike, run } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const VERSION = '9.6.1'
/**
 * The folders, and the tests that describe them: tables and golden files without processes. Property tests and tests of damaged files
 * are left out, because they cover every line and each surviving mutant runs all of them.
 */
const TESTS = {
  'src/core/policy': [
    'tests/scenarios.test.ts',
    'tests/policy/*.test.ts',
    'tests/reports/{event-text,live-text,page-text,live-frames}.test.ts',
    'tests/{compat/rows,integrations/ci-reports,loop/limits-wait,api/gate}.test.ts',
    'tests/learning/{calibration-file,numbers,automatic}.test.ts',
  ],
  'src/core/signals': [
    'tests/signals/*.test.ts',
    'tests/{scenarios/ralph-reading,compat/prompts,integrations/merged-signals}.test.ts',
  ],
  'src/core/journal': [
    'tests/scenarios.test.ts',
    'tests/journal/{event-inputs,golden,read,reduce,reduce-kept,reduce-loop,replay,reset,snapshot}.test.ts',
  ],
}

const folder = join(root, '.tools', 'mutation')
const stryker = join(folder, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
if (!existsSync(stryker)) {
  const installed = await npm(
    [
      'install',
      '--prefix',
      folder,
      '--no-package-lock',
      '--legacy-peer-deps',
      ...quietly,
      ...FETCH_LIMITS,
      `@stryker-mutator/core@${VERSION}`,
    ],
    root,
  )
  if (installed.code !== 0) {
    process.stderr.write(installed.stderr)
    process.exit(1)
  }
}
const given = argv.slice(2)
const mutated = given.length > 0 ? given : Object.keys(TESTS)
const patterns = Object.entries(TESTS).flatMap(([name, tests]) =>
  mutated.some((path) => path.startsWith(name)) ? tests : [],
)
mkdirSync(folder, { recursive: true })
const settings = {
  mutate: mutated.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
  testRunner: 'tables',
  plugins: [join(root, 'scripts', 'mutation-runner.mjs')],
  tables: readdirSync(join(root, 'tests'), { recursive: true })
    .map((name) => `tests/${name}`)
    .filter(picomatch(patterns))
    .sort(),
  warnings: { unknownOptions: false },
  coverageAnalysis: 'perTest',
  // Static mutants need every test again.
  ignoreStatic: true,
  // Messages are pinned by golden files of complete runs, not by these tests.
  mutator: { excludedMutations: ['StringLiteral', 'Regex'] },
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: join(folder, 'mutation.json') },
  tempDirName: join('.tools', 'mutation', 'sandbox'),
  timeoutMS: 30_000,
  // Nothing checks types here.
  disableTypeChecks: false,
  concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
  ignorePatterns: ['dist', '.tools'],
}
const configFile = join(folder, 'stryker.config.json')
writeFileSync(configFile, JSON.stringify(settings, null, 2))
exitLike(await run(process.execPath, [stryker, 'run', configFile], { cwd: root }))
