// npm run mutation [-- FOLDER...]: mutation testing of the decision core, run by hand. Stryker is installed into .tools/mutation
// and is not a dependency. Prints the score and the surviving mutants. The whole core takes about an hour on two idle cores.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { FETCH_LIMITS, npm, quietly } from './prepare.mjs'
import { exitLike, run } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const VERSION = '9.6.1'
const FOLDERS = ['src/core/policy', 'src/core/signals', 'src/core/journal']
/** Tables and golden files. Property tests are left out, because they cover every line and each mutant would run all of them. */
const TESTS = ['tests/{policy,signals,scenarios,journal}/**/*.test.ts', 'tests/{scenarios,checklist}.test.ts']

const folder = join(root, '.tools', 'mutation')
const stryker = join(folder, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
if (!existsSync(stryker)) {
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${VERSION}`)
  const installed = await npm(
    [
      'install',
      '--prefix',
      folder,
      '--no-package-lock',
      '--legacy-peer-deps',
      ...quietly,
      ...FETCH_LIMITS,
      ...packages,
    ],
    root,
  )
  if (installed.code !== 0) {
    process.stderr.write(installed.stderr)
    process.exit(1)
  }
}
const folders = argv.length > 2 ? argv.slice(2) : FOLDERS
const vitestConfig = join(folder, 'vitest.config.mjs')
mkdirSync(folder, { recursive: true })
writeFileSync(
  vitestConfig,
  `import { pageParts } from ${JSON.stringify(join(root, 'scripts', 'page-parts.mjs'))}
export default { plugins: [pageParts()], test: { include: ${JSON.stringify(TESTS)}, exclude: ['tests/journal/{kill,lock,durable,faults}.test.ts'], testTimeout: 60000 } }
`,
)
const settings = {
  mutate: folders.map((each) => `${each}/**/*.ts`),
  testRunner: 'vitest',
  plugins: [join(folder, 'node_modules', '@stryker-mutator', 'vitest-runner', 'dist', 'src', 'index.js')],
  vitest: { configFile: vitestConfig, related: false },
  coverageAnalysis: 'perTest',
  // Static mutants need every test again.
  ignoreStatic: true,
  // Messages are pinned by golden files of complete runs, not by these tests.
  mutator: { excludedMutations: ['StringLiteral', 'Regex'] },
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: join(folder, 'mutation.json') },
  tempDirName: join('.tools', 'mutation', 'sandbox'),
  timeoutMS: 60_000,
  concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
  ignorePatterns: ['dist', '.tools'],
}
const configFile = join(folder, 'stryker.config.json')
writeFileSync(configFile, JSON.stringify(settings, null, 2))
exitLike(await run(process.execPath, [stryker, 'run', configFile], { cwd: root }))
