const start = "import test from 'ava'\n"
const config = { 'package.json': '{ "name": "sample", "type": "module" }\n' }

export default {
  name: 'ava',
  packages: ['ava@6.4.1'],
  files: config,
  run: 'npx ava',
  cases: {
    passes: {
      files: {
        'test.js': `${start}test('adds', (t) => t.is(1 + 1, 2))\ntest('grüßt 世界', (t) => t.pass())\ntest.skip('divides', (t) => t.pass())\ntest.todo('roots')\n`,
      },
      expect: { passed: 2, failed: 0, skipped: 2, ok: true },
    },
    tap: {
      files: { 'test.js': `${start}test('adds', (t) => t.is(1 + 1, 2))\ntest.skip('divides', (t) => t.pass())\n` },
      run: 'npx ava --tap',
      expect: { passed: 1, failed: 0, skipped: 1, ok: true },
    },
    fails: {
      files: { 'test.js': `${start}test('right', (t) => t.pass())\ntest('wrong', (t) => t.is(1, 2))\n` },
      expect: { passed: 1, failed: 1, ok: false },
    },
    escapes: {
      files: {
        'test.js': `${start}test('passes', (t) => t.pass())\ntest('leaves', (t) => { Promise.reject(new Error('left')); t.pass() })\n`,
      },
      expect: { ok: false },
    },
    none: { files: { 'readme.md': 'nothing\n' }, expect: { ok: false } },
  },
}
