const config = {
  'playwright.config.js':
    "module.exports = { reporter: [['list'], ['json', { outputFile: 'report.json' }], ['junit', { outputFile: 'junit.xml' }]], workers: 2 }\n",
}
const green = {
  'sums.spec.js': `const { test, expect } = require('@playwright/test')
test.describe('sums', () => {
  for (const [a, b] of [[1, 1], [2, 3]]) test(\`adds \${a} and \${b}\`, () => expect(a + b).toBe(b + a))
  test('grüßt 世界 ✓', () => {})
  test.skip('divides', () => {})
})
`,
}

export default {
  name: 'playwright',
  packages: ['@playwright/test@1.65.0'],
  files: config,
  run: 'npx playwright test',
  reports: { json: 'report.json', xml: 'junit.xml' },
  cases: {
    passes: { files: green, expect: { passed: 3, failed: 0, skipped: 1, ok: true } },
    fails: {
      files: {
        ...green,
        'other.spec.js': `const { test, expect } = require('@playwright/test')
test('is right', () => expect(1).toBe(1))
test('is wrong', () => expect(1).toBe(2))
`,
      },
      expect: { passed: 4, failed: 1, skipped: 1, ok: false },
    },
    retries: {
      files: {
        'flaky.spec.js': `const { test, expect } = require('@playwright/test')
test('passes the second time', ({}, info) => expect(info.retry).toBe(1))
test('passes at once', () => {})
`,
      },
      run: 'npx playwright test --retries=2',
      expect: { passed: 2, failed: 0, ok: true },
    },
    none: {
      files: { 'readme.md': 'nothing\n' },
      expect: { passed: 0, failed: 0, ok: null },
      expectJson: { ok: false },
    },
    unloaded: {
      files: { ...green, 'broken.spec.js': "require('./not-there')\n" },
      expect: { ok: null },
      expectJson: { ok: false },
    },
    serial: {
      files: {
        'serial.spec.js': `const { test, expect } = require('@playwright/test')
test.describe.serial('one after the other', () => {
  test('is wrong', () => expect(1).toBe(2))
  test('is not reached', () => {})
})
`,
      },
      expect: { passed: 0, failed: 1, skipped: 1, ok: false },
    },
  },
}
