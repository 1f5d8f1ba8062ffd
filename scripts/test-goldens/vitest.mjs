const green = {
  'sums.test.js': `import { describe, expect, it, test } from 'vitest'
describe('sums', () => {
  describe('of whole numbers', () => {
    it.each([[1, 1, 2], [2, 3, 5]])('adds %i and %i', (a, b, sum) => expect(a + b).toBe(sum))
    it('grüßt 世界 ✓', () => expect('世界').toHaveLength(2))
  })
  it.skip('divides', () => {})
  it.todo('roots')
})
test('at the top', () => {})
`,
}
const run =
  'npx vitest run --reporter=default --reporter=json --reporter=junit --outputFile.json=report.json --outputFile.junit=junit.xml'

export default {
  name: 'vitest',
  packages: ['vitest@4.1.12'],
  run,
  reports: { json: 'report.json', xml: 'junit.xml' },
  cases: {
    passes: { files: green, expect: { passed: 4, failed: 0, skipped: 2, ok: true } },
    verbose: {
      files: green,
      run: 'npx vitest run --reporter=verbose',
      expect: { passed: 4, failed: 0, skipped: 2, ok: true },
    },
    fails: {
      files: {
        ...green,
        'other.test.js': `import { expect, it } from 'vitest'
it('is right', () => expect(1).toBe(1))
it('is wrong', () => expect(1).toBe(2))
`,
      },
      expect: { passed: 5, failed: 1, skipped: 2, ok: false },
    },
    skips: {
      files: { 'a.test.js': "import { it } from 'vitest'\nit.skip('one', () => {})\nit.skip('two', () => {})\n" },
      expect: { passed: 0, failed: 0, skipped: 2, ok: null },
    },
    'no-match': { files: green, run: `${run} -t nothing-is-called-so`, expect: { passed: 0, failed: 0, ok: null } },
    'no-files': { files: { 'readme.md': 'nothing\n' }, reports: {}, expect: { passed: 0, failed: 0, ok: null } },
    unloaded: {
      files: { ...green, 'broken.test.js': "import { nothing } from './not-there.js'\nnothing()\n" },
      expect: { passed: 4, failed: 0, skipped: 2, suitesFailed: 1, ok: false },
      expectXml: { failed: 1, suitesFailed: undefined },
    },
    escapes: {
      files: {
        'late.test.js': `import { it } from 'vitest'
it('passes and leaves something behind', () => {
  Promise.reject(new Error('left behind'))
})
`,
      },
      reports: {},
      expect: { passed: 1, failed: 0, ok: false },
    },
    retries: {
      files: {
        'flaky.test.js': `import { expect, it } from 'vitest'
let tries = 0
it('passes the second time', { retry: 2 }, () => expect(++tries).toBe(2))
`,
      },
      expect: { passed: 1, failed: 0, ok: true },
    },
    killed: {
      files: { 'slow.test.js': "import { it } from 'vitest'\nit('waits', () => new Promise(() => {}), 600_000)\n" },
      killAfter: 6_000,
      reports: {},
      expect: { passed: 0, failed: 0, ok: null },
    },
    crashed: {
      files: {
        'last.test.js': `import { expect, it } from 'vitest'
it('passes', () => expect(1).toBe(1))
`,
        'setup.js': "export const teardown = () => { throw new Error('the teardown failed') }\n",
        'vitest.config.js': "export default { test: { globalSetup: './setup.js' } }\n",
      },
      reports: {},
      expect: { passed: 1, failed: 0, ok: null },
    },
    shell: {
      files: green,
      run: 'npx vitest run; sh -c \'kill -SEGV $$\'; echo "Segmentation fault (core dumped)"',
      reports: {},
      expect: { passed: 4, failed: 0, skipped: 2, ok: null },
    },
  },
}
