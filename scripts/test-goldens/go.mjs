const module = { 'go.mod': 'module example.com/sums\n\ngo 1.19\n' }
const test = (name, body) => `package ${name}\n\nimport "testing"\n\n${body}`
const green = {
  'sums_test.go': test(
    'sums',
    `func TestAdds(t *testing.T) {
	for _, name := range []string{"small", "größer 世界"} {
		t.Run(name, func(t *testing.T) {})
	}
}

func TestSkipped(t *testing.T) { t.Skip("not today") }

func TestPlain(t *testing.T) {}
`,
  ),
  'other/other_test.go': test('other', 'func TestOther(t *testing.T) {}\n'),
  'bare/bare.go': 'package bare\n',
}
const red = {
  ...green,
  'other/other_test.go': test(
    'other',
    'func TestRight(t *testing.T) {}\n\nfunc TestWrong(t *testing.T) { t.Error("wrong") }\n',
  ),
}
const json = 'go test -json ./... > report.json'

export default {
  name: 'go',
  needs: ['go'],
  files: module,
  run: 'go test ./...',
  env: { GOFLAGS: '-count=1', GOTOOLCHAIN: 'local' },
  cases: {
    passes: { files: green, expect: { failed: 0, ok: true } },
    verbose: { files: green, run: 'go test -v ./...', expect: { passed: 3, failed: 0, skipped: 1, ok: true } },
    json: {
      files: green,
      run: json,
      text: false,
      reports: { json: 'report.json' },
      expect: { passed: 5, failed: 0, skipped: 1, ok: true },
    },
    fails: { files: red, run: 'go test -v ./...', expect: { passed: 3, failed: 1, skipped: 1, ok: false } },
    'fails-quietly': { files: red, expect: { failed: 1, ok: false } },
    'json-fails': {
      files: red,
      run: json,
      text: false,
      reports: { json: 'report.json' },
      expect: { passed: 5, failed: 1, skipped: 1, ok: false },
    },
    none: { files: { 'bare/bare.go': 'package bare\n' }, expect: { passed: 0, failed: 0, ok: null } },
    'no-match': {
      files: green,
      run: 'go test -run NothingIsCalledSo ./...',
      expect: { passed: 0, failed: 0, ok: null },
    },
    unbuilt: {
      files: { ...green, 'broken/broken_test.go': test('broken', 'func TestBroken(t *testing.T) { notThere() }\n') },
      expect: { failed: 1, suitesFailed: 1, ok: false },
    },
    'json-unbuilt': {
      files: { ...green, 'broken/broken_test.go': test('broken', 'func TestBroken(t *testing.T) { notThere() }\n') },
      run: 'go test -json ./...',
      expect: { passed: 5, failed: 1, suitesFailed: 1, ok: false },
    },
    panics: {
      files: {
        'a_test.go': test('sums', 'func TestOne(t *testing.T) {}\n\nfunc TestTwo(t *testing.T) { panic("no") }\n'),
      },
      run: 'go test -v ./...',
      expect: { passed: 1, failed: 1, ok: false },
    },
    crashed: {
      files: {
        'a_test.go': `package sums

import (
	"os"
	"testing"
)

func TestOne(t *testing.T) {}

func TestMain(m *testing.M) {
	m.Run()
	os.Exit(3)
}
`,
      },
      run: 'go test -v ./...',
      expect: { passed: 1, suitesFailed: 1, ok: false },
    },
    'times-out': {
      files: {
        'a_test.go': `package sums\n\nimport (\n\t"testing"\n\t"time"\n)\n\nfunc TestSlow(t *testing.T) { time.Sleep(time.Minute) }\n`,
      },
      run: 'go test -timeout 1s ./...',
      expect: { ok: false },
    },
    skips: {
      files: { 'a_test.go': test('sums', 'func TestSkipped(t *testing.T) { t.Skip() }\n') },
      run: 'go test -v ./...',
      expect: { passed: 0, failed: 0, skipped: 1, ok: null },
    },
  },
}
