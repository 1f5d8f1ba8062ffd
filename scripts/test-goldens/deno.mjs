const green = {
  'sums_test.js': `Deno.test('sums', async (t) => {
  await t.step('adds', () => {})
  await t.step('grüßt 世界 ✓', () => {})
})
Deno.test.ignore('divides', () => {})
Deno.test('at the top', () => {})
`,
}

export default {
  name: 'deno',
  packages: ['deno@2.9.6'],
  run: 'deno test --no-lock --junit-path=junit.xml',
  reports: { xml: 'junit.xml' },
  cases: {
    passes: { files: green, expect: { passed: 2, failed: 0, skipped: 1, ok: true }, expectReport: { passed: 4 } },
    fails: {
      files: { ...green, 'other_test.js': "Deno.test('is wrong', () => { throw new Error('wrong') })\n" },
      expect: { passed: 2, failed: 1, skipped: 1, ok: false },
      expectReport: { passed: 4 },
    },
    none: { files: { 'readme.md': 'nothing\n' }, reports: {}, expect: { ok: null } },
    unloaded: {
      files: { ...green, 'broken_test.js': "import './not-there.js'\n" },
      reports: {},
      expect: { ok: false },
    },
    untyped: {
      files: { ...green, 'typed_test.ts': "const one: number = 'one'\nDeno.test('typed', () => console.log(one))\n" },
      reports: {},
      expect: { ok: false },
    },
  },
}
