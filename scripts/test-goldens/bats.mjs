const green = {
  'sums.bats': `@test "adds two numbers" {
  [ "$((1 + 1))" -eq 2 ]
}

@test "grüßt 世界" {
  true
}

@test "divides" {
  skip "not today"
}
`,
}

export default {
  name: 'bats',
  needs: ['bats'],
  run: 'bats --formatter tap --report-formatter junit --output . .',
  reports: { xml: 'report.xml' },
  cases: {
    passes: { files: green, expect: { passed: 2, failed: 0, skipped: 1, ok: true } },
    pretty: {
      files: green,
      run: 'TERM=xterm bats --pretty .',
      reports: {},
      expect: { passed: 2, failed: 0, skipped: 1, ok: true },
    },
    fails: {
      files: { ...green, 'other.bats': '@test "is wrong" {\n  false\n}\n' },
      expect: { passed: 2, failed: 1, skipped: 1, ok: false },
    },
    'pretty-fails': {
      files: { ...green, 'other.bats': '@test "is wrong" {\n  false\n}\n' },
      run: 'TERM=xterm bats --pretty .',
      reports: {},
      expect: { passed: 2, failed: 1, skipped: 1, ok: false },
    },
    none: { files: { 'a.bats': '' }, reports: {}, expect: { passed: 0, failed: 0, ok: null } },
    unloaded: {
      files: { 'a.bats': 'load not_there\n\n@test "one" {\n  true\n}\n' },
      reports: {},
      expect: { ok: false },
    },
  },
}
