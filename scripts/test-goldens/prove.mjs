const test = (body) => `use strict;\nuse Test::More;\n${body}done_testing;\n`

export default {
  name: 'prove',
  needs: ['prove', 'perl'],
  run: 'prove t',
  cases: {
    passes: {
      files: { 't/sums.t': test('is(1 + 1, 2, "adds");\nok(1, "greets");\n') },
      expect: { passed: 2, failed: 0, ok: true },
    },
    fails: {
      files: { 't/sums.t': test('is(1 + 1, 2, "adds");\nis(1, 2, "wrong");\n') },
      expect: { passed: 1, failed: 1, ok: false },
    },
    unloaded: { files: { 't/sums.t': test('ok(1);\n'), 't/broken.t': 'use NotThere;\n' }, expect: { ok: false } },
    none: { files: { 't/readme.md': 'nothing\n' }, expect: { passed: 0, failed: 0, ok: null } },
  },
}
