// A test runner for Stryker. It loads the test files once per process and then calls only the tests that reach a mutant, so most mutants
// take milliseconds. Vitest would load every module again for each mutant, which takes seconds.
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cwd, env } from 'node:process'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { createServer } from 'vite'
import { pageParts } from './page-parts.mjs'

/** What `vitest` exports to the tests: it only remembers them. */
function collector() {
  const found = []
  const finished = []
  let file = ''
  let path = []
  const each =
    (register) =>
    (rows) =>
    (title, ...rest) => {
      const fn = rest.find((part) => typeof part === 'function')
      for (const row of rows) {
        const values = Array.isArray(row) ? row : [row]
        register(titleOf(title, row, values), () => fn(...values))
      }
    }
  const describe = (title, body) => {
    path = [...path, title]
    body()
    path = path.slice(0, -1)
  }
  const it = (title, ...rest) => {
    const run = rest.find((part) => typeof part === 'function')
    found.push({ id: `${file}#${found.length}`, name: [...path, title].join(' '), fileName: file, run })
  }
  const exported = {
    describe: Object.assign(describe, { each: each(describe) }),
    it: Object.assign(it, { each: each(it) }),
    // Stryker ends the process, and what the tests wrote is in a folder that dispose() removes.
    afterAll() {},
    onTestFinished: (callback) => finished.push(callback),
  }
  return { found, finished, exported, enter: (name) => (file = name) }
}

const titleOf = (title, row, values) =>
  format(
    title.replace(/\$(\w+)/g, (whole, key) => row?.[key] ?? whole),
    ...values.slice(0, title.split(/%[sdijo]/).length - 1),
  )

/** The `expect` of vitest, without its worker. */
async function loadExpect() {
  const require = createRequire(createRequire(import.meta.url).resolve('vitest/package.json'))
  const { chai, JestExtend, JestChaiExpect, JestAsymmetricMatchers, ...others } = await import(
    pathToFileURL(require.resolve('@vitest/expect'))
  )
  for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)
  const expect = (value, message) => chai.expect(value, message)
  Object.assign(expect, chai.expect, globalThis[others.ASYMMETRIC_MATCHERS_OBJECT])
  others.setState({ assertionCalls: 0 }, expect)
  globalThis[others.GLOBAL_EXPECT] = expect
  return expect
}

/** The tests import this module instead of vitest. */
const instead = {
  name: 'instead-of-vitest',
  enforce: 'pre',
  resolveId: (id) => (id === 'vitest' ? '\0vitest' : null),
  load: (id) =>
    id === '\0vitest' ? 'export const { describe, it, expect, afterAll, onTestFinished } = globalThis.tables' : null,
}

class Tables {
  static inject = ['options']

  constructor({ tables }) {
    this.files = tables
    globalThis.__stryker__ ??= {}
    this.stryker = globalThis.__stryker__
  }

  capabilities() {
    // Mutants are active only while tests run, so nothing has to be loaded again. Otherwise Stryker starts a new process for each one
    // that is also reached while modules load.
    return { reloadEnvironment: true }
  }

  async init() {
    this.temporary = mkdtempSync(join(tmpdir(), 'xg-'))
    Object.assign(env, { TMPDIR: this.temporary, EXITGATE_SANDBOX: 'off' })
    this.server = await createServer({
      root: cwd(),
      configFile: false,
      plugins: [instead, pageParts()],
      appType: 'custom',
      logLevel: 'error',
      ssr: { noExternal: ['vitest'] },
      optimizeDeps: { noDiscovery: true, include: [] },
      server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    })
    const { found, finished, exported, enter } = collector()
    globalThis.tables = { ...exported, expect: await loadExpect() }
    for (const file of this.files) {
      enter(file)
      await this.server.ssrLoadModule(join(cwd(), file))
    }
    Object.assign(this, { tests: found, finished })
  }

  async dryRun() {
    const tests = []
    for (const test of this.tests) {
      this.stryker.currentTestId = test.id
      const from = performance.now()
      const failureMessage = await this.failureOf(test)
      const { id, name, fileName } = test
      test.ms = performance.now() - from
      const found = { id, name, fileName, timeSpentMs: test.ms }
      tests.push(failureMessage === undefined ? { ...found, status: 0 } : { ...found, status: 1, failureMessage })
    }
    this.stryker.currentTestId = undefined
    // The first failure decides, so the cheapest tests run first.
    this.tests.sort((a, b) => a.ms - b.ms)
    return { status: 'complete', tests, mutantCoverage: this.stryker.mutantCoverage }
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    const wanted = testFilter === undefined ? this.tests : this.tests.filter(({ id }) => testFilter.includes(id))
    Object.assign(this.stryker, { activeMutant: activeMutant.id, hitCount: 0, hitLimit })
    try {
      for (const [i, test] of wanted.entries()) {
        const failureMessage = await this.failureOf(test)
        if (this.stryker.hitCount > hitLimit) return { status: 'timeout', reason: 'an endless loop' }
        if (failureMessage !== undefined)
          return { status: 'killed', killedBy: [test.id], failureMessage, nrOfTests: i + 1 }
      }
      return { status: 'survived', nrOfTests: wanted.length }
    } finally {
      this.stryker.activeMutant = undefined
    }
  }

  async failureOf({ run }) {
    try {
      await run({ skip() {} })
      return undefined
    } catch (error) {
      return String(error?.message ?? error)
    } finally {
      for (const callback of this.finished.splice(0)) await callback()
    }
  }

  async dispose() {
    await this.server?.close()
    rmSync(this.temporary, { recursive: true, force: true })
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'tables', injectableClass: Tables }]
