const green = {
  'sums.test.js': `import { describe, expect, it, test } from 'bun:test'
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

export default {
  name: 'bun',
  packages: ['bun@1.4.4'],
  run: 'bun test --reporter=junit --reporter-outfile=junit.xml',
  reports: { xml: 'junit.xml' },
  cases: {
    passes: { files: green, expect: { passed: 4, failed: 0, skipped: 2, ok: true } },
    fails: {
      files: {
        ...green,
        'other.test.js': `import { expect, it } from 'bun:test'
it('is right', () => expect(1).toBe(1))
it('is wrong', () => expect(1).toBe(2))
`,
      },
      expect: { passed: 5, failed: 1, skipped: 2, ok: false },
    },
    none: { files: { 'readme.md': 'nothing\n' }, reports: {}, expect: { ok: null } },
    unloaded: {
      files: { ...green, 'broken.test.js': "import './not-there.js'\n" },
      expectReport: { ok: true },
      expect: { passed: 4, skipped: 2, ok: false },
    },
    crashed: {
      files: {
        'last.test.js':
          "import { it } from 'bun:test'\nit('passes', () => {})\nit('ends it all', () => process.exit(0))\n",
      },
      reports: {},
      expect: { ok: null },
    },
  },
}
