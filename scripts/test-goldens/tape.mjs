const start = "const test = require('tape')\n"

export default {
  name: 'tape',
  packages: ['tape@5.10.2'],
  run: 'node test.js',
  cases: {
    passes: {
      files: {
        'test.js': `${start}test('sums', (t) => { t.equal(1 + 1, 2); t.equal(2 + 3, 5, 'grüßt 世界'); t.end() })\ntest.skip('divides', () => {})\n`,
      },
      expect: { passed: 2, failed: 0, ok: true },
    },
    fails: {
      files: { 'test.js': `${start}test('sums', (t) => { t.equal(1, 2); t.equal(1, 1); t.end() })\n` },
      expect: { passed: 1, failed: 1, ok: false },
    },
    crashed: {
      files: { 'test.js': `${start}test('sums', (t) => { t.plan(2); t.pass() ; throw new Error('no') })\n` },
      expect: { ok: null },
    },
  },
}
