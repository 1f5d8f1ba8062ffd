// Small projects with one open task: `add` subtracts. Each has a test that fails until the work is done, and a question that shows
// whether it was done.

const PROMPT = 'Make `add` return the sum of its two arguments. The tests show what is expected.'

const node = {
  language: 'node',
  needs: ['node'],
  files: {
    'package.json': '{ "name": "sums", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
    'src/add.js': 'export const add = (a, b) => a - b\n',
    'test/add.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { add } from '../src/add.js'

test('two numbers', () => assert.equal(add(2, 3), 5))
test('a negative number', () => assert.equal(add(2, -3), -1))
`,
  },
  source: 'src/add.js',
  solved: { 'src/add.js': 'export const add = (a, b) => a + b\n' },
  test: 'node --test',
  probe: `node -e "import('./src/add.js').then((m) => console.log('sum', m.add(20, 22)))"`,
}

const commonjs = {
  ...node,
  files: {
    'package.json': '{ "name": "sums", "private": true, "scripts": { "test": "node --test" } }\n',
    'src/add.js': 'exports.add = (a, b) => a - b\n',
    'test/add.test.js': `const assert = require('node:assert')
const { test } = require('node:test')
const { add } = require('../src/add.js')

test('two numbers', () => assert.strictEqual(add(2, 3), 5))
test('a negative number', () => assert.strictEqual(add(2, -3), -1))
`,
  },
  solved: { 'src/add.js': 'exports.add = (a, b) => a + b\n' },
  probe: `node -e "console.log('sum', require('./src/add.js').add(20, 22))"`,
}

/** Its tests use a package, as most projects do: an assertion library and a program in node_modules. */
const withPackage = {
  ...commonjs,
  files: {
    '.gitignore': 'node_modules/\ndist/\n.env\n',
    'package.json':
      '{ "name": "sums", "private": true, "scripts": { "test": "tiny-runner" }, "devDependencies": { "tiny-check": "1.0.0", "tiny-runner": "1.0.0" } }\n',
    'src/add.js': commonjs.files['src/add.js'],
    'test/add.test.js': `const { test } = require('node:test')
const { same } = require('tiny-check')
const { add } = require('../src/add.js')

test('two numbers', () => same(add(2, 3), 5))
test('a negative number', () => same(add(2, -3), -1))
`,
  },
  /** Ignored by git, as installed packages are. */
  installed: {
    'node_modules/tiny-check/package.json': '{ "name": "tiny-check", "version": "1.0.0", "main": "index.js" }\n',
    'node_modules/tiny-check/index.js':
      "const assert = require('node:assert')\nexports.same = (a, b) => assert.strictEqual(a, b)\n",
    'node_modules/tiny-runner/package.json':
      '{ "name": "tiny-runner", "version": "1.0.0", "bin": { "tiny-runner": "cli.js" } }\n',
    'node_modules/tiny-runner/cli.js': {
      text: "#!/usr/bin/env node\nconst { status } = require('node:child_process').spawnSync(process.execPath, ['--test', ...process.argv.slice(2)], { stdio: 'inherit' })\nprocess.exit(status)\n",
      mode: 0o755,
    },
    'node_modules/.bin/tiny-runner': { link: '../tiny-runner/cli.js' },
  },
  test: 'npm test --silent',
}

const pytest = {
  language: 'python',
  needs: ['python3', 'pytest'],
  files: {
    '.gitignore': '__pycache__/\n.pytest_cache/\n',
    'pyproject.toml': '[project]\nname = "sums"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
    'sums/__init__.py': '',
    'sums/add.py': 'def add(a, b):\n    return a - b\n',
    'tests/test_add.py': `from sums.add import add


def test_two_numbers():
    assert add(2, 3) == 5


def test_a_negative_number():
    assert add(2, -3) == -1
`,
  },
  source: 'sums/add.py',
  solved: { 'sums/add.py': 'def add(a, b):\n    return a + b\n' },
  test: 'python3 -m pytest -q',
  /** Plugins that happen to be installed on this machine only cost time. */
  env: { PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' },
  probe: `python3 -c "from sums.add import add; print('sum', add(20, 22))"`,
}

const unittest = {
  ...pytest,
  needs: ['python3'],
  files: {
    '.gitignore': '__pycache__/\n',
    'sums/__init__.py': '',
    'sums/add.py': pytest.files['sums/add.py'],
    'tests/__init__.py': '',
    'tests/test_add.py': `import unittest

from sums.add import add


class AddTest(unittest.TestCase):
    def test_two_numbers(self):
        self.assertEqual(add(2, 3), 5)

    def test_a_negative_number(self):
        self.assertEqual(add(2, -3), -1)
`,
  },
  test: 'python3 -m unittest',
}

const go = {
  language: 'go',
  needs: ['go'],
  files: {
    'go.mod': 'module example.test/sums\n\ngo 1.19\n',
    'add.go': 'package sums\n\nfunc Add(a, b int) int { return a - b }\n',
    'add_test.go': `package sums

import "testing"

func TestTwoNumbers(t *testing.T) {
	if got := Add(2, 3); got != 5 {
		t.Errorf("got %d", got)
	}
}

func TestANegativeNumber(t *testing.T) {
	if got := Add(2, -3); got != -1 {
		t.Errorf("got %d", got)
	}
}
`,
  },
  source: 'add.go',
  solved: { 'add.go': 'package sums\n\nfunc Add(a, b int) int { return a + b }\n' },
  test: 'go test ./...',
}

const rust = {
  language: 'rust',
  needs: ['cargo'],
  files: {
    '.gitignore': 'target/\n',
    'Cargo.toml': '[package]\nname = "sums"\nversion = "1.0.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n',
    'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sums"\nversion = "1.0.0"\n',
    'src/lib.rs': 'pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n',
    'tests/add.rs': `use sums::add;

#[test]
fn two_numbers() {
    assert_eq!(add(2, 3), 5);
}

#[test]
fn a_negative_number() {
    assert_eq!(add(2, -3), -1);
}
`,
  },
  source: 'src/lib.rs',
  solved: { 'src/lib.rs': 'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n' },
  test: 'cargo test --offline',
}

const minitest = {
  language: 'ruby',
  needs: ['ruby'],
  files: {
    Rakefile:
      "require 'rake/testtask'\n\nRake::TestTask.new do |t|\n  t.libs << 'lib'\n  t.pattern = 'test/*_test.rb'\nend\n\ntask default: :test\n",
    'lib/add.rb': 'def add(a, b)\n  a - b\nend\n',
    'test/add_test.rb': `require 'minitest/autorun'
require_relative '../lib/add'

class AddTest < Minitest::Test
  def test_two_numbers
    assert_equal 5, add(2, 3)
  end

  def test_a_negative_number
    assert_equal(-1, add(2, -3))
  end
end
`,
  },
  source: 'lib/add.rb',
  solved: { 'lib/add.rb': 'def add(a, b)\n  a + b\nend\n' },
  test: 'rake test',
  probe: `ruby -Ilib -radd -e 'puts "sum #{add(20, 22)}"'`,
}

const rspec = {
  ...minitest,
  needs: ['ruby', 'rspec'],
  files: {
    'lib/add.rb': minitest.files['lib/add.rb'],
    'spec/add_spec.rb': `require_relative '../lib/add'

RSpec.describe 'add' do
  it 'adds two numbers' do
    expect(add(2, 3)).to eq(5)
  end

  it 'adds a negative number' do
    expect(add(2, -3)).to eq(-1)
  end
end
`,
  },
  test: 'rspec',
  args: ['--test', 'rspec'],
}

const make = {
  ...unittest,
  files: { ...unittest.files, Makefile: 'test:\n\tpython3 -m unittest -v\n' },
  test: 'make test',
}

const planned = {
  ...node,
  files: { ...node.files, 'PLAN.md': '# Plan\n\n- [ ] `add` returns the sum\n- [ ] README.md explains it\n' },
  args: ['--plan', 'PLAN.md'],
  solved: {
    ...node.solved,
    'PLAN.md': '# Plan\n\n- [x] `add` returns the sum\n- [x] README.md explains it\n',
    'README.md': '# Sums\n\n`add(a, b)` returns the sum of two numbers.\n',
  },
}

const all = {
  node,
  commonjs,
  'with-package': withPackage,
  pytest,
  unittest,
  go,
  rust,
  minitest,
  rspec,
  make,
  planned,
}

export const PROJECTS = Object.fromEntries(
  Object.entries(all).map(([name, project]) => [name, { name, prompt: PROMPT, ...project }]),
)
