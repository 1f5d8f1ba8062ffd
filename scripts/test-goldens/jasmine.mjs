const config = { 'spec/support/jasmine.json': '{ "spec_dir": "spec", "spec_files": ["**/*[sS]pec.js"] }\n' }

export default {
  name: 'jasmine',
  packages: ['jasmine@5'],
  files: config,
  run: 'npx jasmine --random=false',
  cases: {
    passes: {
      files: {
        'spec/sums.spec.js':
          "describe('sums', () => { it('adds', () => expect(2).toBe(2)); xit('divides', () => {}) })\n",
      },
      expect: { passed: 1, failed: 0, skipped: 1, ok: true },
    },
    fails: {
      files: {
        'spec/sums.spec.js':
          "describe('sums', () => { it('adds', () => expect(2).toBe(2)); it('wrong', () => expect(1).toBe(2)) })\n",
      },
      expect: { passed: 1, failed: 1, ok: false },
    },
    focused: {
      files: {
        'spec/sums.spec.js':
          "describe('sums', () => { fit('adds', () => expect(2).toBe(2)); it('wrong', () => expect(1).toBe(2)) })\n",
      },
      expect: { passed: 1, failed: 0, ok: null },
    },
  },
}
