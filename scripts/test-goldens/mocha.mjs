const green = {
  'test/sums.js': `const assert = require('node:assert')
describe('sums', () => {
  describe('of whole numbers', () => {
    for (const [a, b] of [[1, 1], [2, 3]]) it(\`adds \${a} and \${b}\`, () => assert.equal(a + b, b + a))
    it('grüßt 世界 ✓', () => {})
  })
  it.skip('divides', () => {})
  it('is pending')
})
it('at the top', () => {})
`,
}

export default {
  name: 'mocha',
  packages: ['mocha@12.0.3'],
  run: 'npx mocha',
  cases: {
    passes: { files: green, expect: { passed: 4, failed: 0, skipped: 2, ok: true } },
    dot: { files: green, run: 'npx mocha --reporter dot', expect: { passed: 4, failed: 0, skipped: 2, ok: true } },
    json: {
      files: green,
      run: 'npx mocha --reporter json --reporter-option output=report.json',
      text: false,
      reports: { json: 'report.json' },
      expect: { passed: 4, failed: 0, skipped: 2, ok: true },
    },
    'json-fails': {
      files: {
        ...green,
        'test/other.js': "it('is wrong', () => { throw new Error('wrong') })\n",
      },
      run: 'npx mocha --reporter json',
      expect: { passed: 4, failed: 1, skipped: 2, ok: false },
    },
    fails: {
      files: {
        ...green,
        'test/other.js': "it('is right', () => {})\nit('is wrong', () => { throw new Error('wrong') })\n",
      },
      expect: { passed: 5, failed: 1, skipped: 2, ok: false },
    },
    hook: {
      files: {
        'test/a.js': "describe('a', () => { before(() => { throw new Error('no database') }); it('one', () => {}) })\n",
      },
      expect: { passed: 0, failed: 1, ok: false },
    },
    none: { files: { 'test/a.js': "describe('a', () => {})\n" }, expect: { passed: 0, failed: 0, ok: null } },
    unloaded: { files: { ...green, 'test/broken.js': "require('./not-there')\n" }, expect: { ok: null } },
    retries: {
      files: {
        'test/flaky.js':
          "let tries = 0\nit('passes the second time', function () { this.retries(2); if (++tries < 2) throw new Error('not yet') })\n",
      },
      run: 'npx mocha --reporter json --reporter-option output=report.json',
      text: false,
      reports: { json: 'report.json' },
      expect: { passed: 1, failed: 0, ok: true },
    },
    crashed: {
      files: {
        'test/last.js':
          "it('passes', () => {})\nprocess.on('exit', () => { throw new Error('thrown at the very end') })\n",
      },
      run: 'npx mocha --exit',
      expect: { passed: 1, failed: 0, ok: null },
    },
  },
}
