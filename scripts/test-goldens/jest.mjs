const green = {
  'sums.test.js': `describe('sums', () => {
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
const run = 'npx jest --json --outputFile=report.json --reporters=default --reporters=jest-junit'
const config = { 'package.json': '{ "name": "sample", "jest": { "testEnvironment": "node" } }\n' }

export default {
  name: 'jest',
  packages: ['jest@30.5.2', 'jest-junit@17'],
  run,
  files: config,
  reports: { json: 'report.json', xml: 'junit.xml' },
  cases: {
    // jest-junit reports a todo test like a passed one.
    passes: {
      files: green,
      expect: { passed: 4, failed: 0, skipped: 2, ok: true },
      expectXml: { passed: 5, skipped: 1 },
    },
    verbose: { files: green, run: 'npx jest --verbose', expect: { passed: 4, failed: 0, skipped: 2, ok: true } },
    fails: {
      files: {
        ...green,
        'other.test.js': "it('is right', () => expect(1).toBe(1))\nit('is wrong', () => expect(1).toBe(2))\n",
      },
      expect: { passed: 5, failed: 1, skipped: 2, ok: false },
      expectXml: { passed: 6, skipped: 1 },
    },
    skips: {
      files: { 'a.test.js': "it.skip('one', () => {})\nit.skip('two', () => {})\n" },
      expect: { passed: 0, failed: 0, skipped: 2, ok: null },
    },
    'no-files': { files: { 'readme.md': 'nothing\n' }, reports: {}, expect: { passed: 0, failed: 0, ok: null } },
    'no-files-allowed': {
      files: { 'readme.md': 'nothing\n' },
      run: 'npx jest --passWithNoTests',
      reports: {},
      expect: { passed: 0, failed: 0, ok: null },
    },
    unloaded: {
      files: { ...green, 'broken.test.js': "require('./not-there.js')\n" },
      reports: { json: 'report.json' },
      expect: { passed: 4, failed: 0, skipped: 2, suitesFailed: 1, ok: false },
    },
    retries: {
      files: {
        'flaky.test.js':
          "let tries = 0\njest.retryTimes(2)\nit('passes the second time', () => expect(++tries).toBe(2))\n",
      },
      expect: { passed: 1, failed: 0, ok: true },
    },
    'below-threshold': {
      files: {
        'a.js': 'exports.one = () => 1\nexports.two = () => 2\n',
        'a.test.js': "it('is one', () => expect(require('./a.js').one()).toBe(1))\n",
        'package.json': '{ "name": "sample", "jest": { "coverageThreshold": { "global": { "functions": 100 } } } }\n',
      },
      run: 'npx jest --coverage --coverageReporters=none',
      reports: {},
      expect: { passed: 1, failed: 0, ok: null },
    },
    killed: {
      files: { 'slow.test.js': "it('waits', () => new Promise(() => {}), 600_000)\n" },
      killAfter: 5_000,
      reports: {},
      text: false,
      expect: { ok: null },
    },
  },
}
