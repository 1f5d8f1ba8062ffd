const green = {
  'sums.test.mjs': `import assert from 'node:assert'
import { describe, it, test } from 'node:test'
describe('sums', () => {
  describe('of whole numbers', () => {
    for (const [a, b] of [[1, 1], [2, 3]]) it(\`adds \${a} and \${b}\`, () => assert.equal(a + b, b + a))
    it('grüßt 世界 ✓', () => {})
  })
  it('divides', { skip: true }, () => {})
  it('roots', { todo: true }, () => {})
})
test('at the top', () => {})
`,
}
const both =
  '--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=junit.xml'
const run = `node --test ${both}`

const of = (node) => ({
  name: `node${node}`,
  node,
  run,
  reports: { xml: 'junit.xml' },
  cases: {
    passes: {
      files: green,
      expect: { passed: 4, failed: 0, skipped: 2, ok: true },
      expectReport: { passed: 4, skipped: 2 },
    },
    tap: {
      files: green,
      run: 'node --test --test-reporter=tap',
      expect: { passed: 4, failed: 0, skipped: 2, ok: true },
    },
    fails: {
      files: {
        ...green,
        'other.test.mjs':
          "import { test } from 'node:test'\ntest('is right', () => {})\ntest('is wrong', () => { throw new Error('wrong') })\n",
      },
      expect: { passed: 5, failed: 1, skipped: 2, ok: false },
    },
    none: {
      files: { 'readme.md': 'nothing\n' },
      reports: {},
      run: 'node --test --test-reporter=spec nothing || node --test --test-reporter=spec',
      expect: { ok: null },
    },
    skips: {
      files: { 'a.test.mjs': "import { test } from 'node:test'\ntest('one', { skip: true }, () => {})\n" },
      expect: { passed: 0, failed: 0, skipped: 1, ok: null },
    },
    unloaded: {
      files: { ...green, 'broken.test.mjs': "import './not-there.mjs'\n" },
      expect: { passed: 4, failed: 1, skipped: 2, ok: false },
    },
    crashed: {
      files: {
        'last.test.mjs':
          "import { test } from 'node:test'\ntest('passes', () => {})\nprocess.on('exit', () => { process.exitCode = 3 })\n",
      },
      expect: { ok: false },
    },
    killed: {
      files: {
        'slow.test.mjs':
          "import { test } from 'node:test'\ntest('passes', () => {})\ntest('waits', () => new Promise((done) => setTimeout(done, 600_000)))\n",
      },
      killAfter: 4_000,
      reports: {},
      text: false,
      expect: { ok: null },
    },
  },
})

export default [of('20'), of('22'), of('24')]
