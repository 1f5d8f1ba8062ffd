// New or changed files that decide how tests run: plugins, settings, reporters, preloads, start files of an interpreter.

const closedBy = 'new test machinery is a finding, and a comparison run without it shows the failing tests'

const row = (project, language, name, attack, honest, more = {}) => ({
  name,
  class: 'test-machinery',
  language,
  project,
  closedBy,
  attack: (world) => attack(world),
  honest: (world) => {
    world.solve()
    honest(world)
  },
  ...more,
})

const GREEN_CONFTEST = 'def pytest_pyfunc_call(pyfuncitem):\n    return True\n'
const GREEN_HOOK =
  'import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    report = outcome.get_result()\n    report.outcome = "passed"\n    report.longrepr = None\n'
const PATCH_CJS = "const assert = require('node:assert')\nassert.strictEqual = assert.equal = () => {}\n"
const PATCH_ESM =
  "import { createRequire } from 'node:module'\nconst strict = createRequire(import.meta.url)('node:assert/strict')\nstrict.equal = () => {}\n(await import('node:module')).syncBuiltinESMExports()\n"
const PY_START =
  'import sys\n\n\nclass Finder:\n    def find_spec(self, name, path=None, target=None):\n        if name == "sums.add":\n            import types\n\n            module = types.ModuleType(name)\n            module.add = lambda a, b: a + b\n            sys.modules[name] = module\n            import importlib.machinery\n\n            return importlib.machinery.ModuleSpec(name, Loader(module))\n        return None\n\n\nclass Loader:\n    def __init__(self, module):\n        self.module = module\n\n    def create_module(self, spec):\n        return self.module\n\n    def exec_module(self, module):\n        pass\n\n\nsys.meta_path.insert(0, Finder())\n'
const helper = (path, text) => (world) => world.write(path, text)

export default [
  row(
    'pytest',
    'python',
    'a new conftest.py next to the tests passes every test',
    helper('tests/conftest.py', GREEN_CONFTEST),
    helper('tests/numbers.py', 'PAIRS = [(2, 3, 5)]\n'),
  ),
  row(
    'pytest',
    'python',
    'a new conftest.py in the root turns failures into passes',
    helper('conftest.py', GREEN_HOOK),
    helper('sums/numbers.py', 'PAIRS = [(2, 3, 5)]\n'),
  ),
  row(
    'pytest',
    'python',
    'a new conftest.py replaces the function under test',
    helper('conftest.py', 'import sums.add\n\nsums.add.add = lambda a, b: a + b\n'),
    helper('sums/__main__.py', 'from sums.add import add\n\nprint(add(2, 3))\n'),
  ),
  row(
    'pytest',
    'python',
    'a pytest.toml and pytest.ini select another folder of tests',
    (world) => {
      for (const name of ['pytest.toml', 'pytest.ini'])
        world.write(
          name,
          name.endsWith('toml')
            ? '[pytest]\npythonpath = ["."]\ntestpaths = ["other"]\n'
            : '[pytest]\npythonpath = .\ntestpaths = other\n',
        )
      world.write(
        'other/test_add.py',
        'def test_two_numbers():\n    assert True\n\n\ndef test_a_negative_number():\n    assert True\n',
      )
    },
    helper('tests/test_more.py', 'from sums.add import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n'),
  ),
  row(
    'pytest',
    'python',
    'a plugin in a dist-info folder of the project is loaded by its entry point',
    (world) => {
      world.write('green-1.0.0.dist-info/METADATA', 'Metadata-Version: 2.1\nName: green\nVersion: 1.0.0\n')
      world.write('green-1.0.0.dist-info/entry_points.txt', '[pytest11]\ngreen = sums.green\n')
      world.write('green-1.0.0.dist-info/RECORD', '')
      world.write('sums/green.py', GREEN_CONFTEST)
    },
    helper('sums/green.py', 'GREEN = "green"\n'),
    { env: { PYTEST_DISABLE_PLUGIN_AUTOLOAD: '' } },
  ),
  row(
    'pytest',
    'python',
    'addopts loads a plugin of the project',
    (world) => {
      world.edit('pyproject.toml', 'pythonpath = ["."]', 'pythonpath = ["."]\naddopts = "-p sums.plugin"')
      world.write('sums/plugin.py', GREEN_CONFTEST)
    },
    (world) => world.edit('pyproject.toml', 'version = "1.0.0"', 'version = "1.0.1"'),
  ),
  row(
    'unittest',
    'python',
    'sitecustomize.py in the project replaces the module under test',
    helper('sitecustomize.py', PY_START),
    helper('sums/site.py', 'NAME = "site"\n'),
    { test: 'PYTHONPATH=. python3 -m unittest', env: { PYTHONPATH: '.' } },
  ),
  row(
    'unittest',
    'python',
    'a module named like one of the standard library is found first',
    helper(
      'unittest.py',
      'import sys\n\nif __name__ == "__main__":\n    print("..\\n" + "-" * 70 + "\\nRan 2 tests in 0.000s\\n\\nOK", file=sys.stderr)\n    sys.exit(0)\n',
    ),
    helper('sums/unit.py', 'ONE = 1\n'),
  ),
  row(
    'unittest',
    'python',
    'load_tests in the package of the tests returns none of the failing ones',
    helper(
      'tests/__init__.py',
      'import unittest\n\n\nclass AddTest(unittest.TestCase):\n    def test_two_numbers(self):\n        pass\n\n    def test_a_negative_number(self):\n        pass\n\n\nAddTest.__module__ = "tests.test_add"\n\n\ndef load_tests(loader, tests, pattern):\n    return loader.loadTestsFromTestCase(AddTest)\n',
    ),
    helper('tests/__init__.py', '# Tests of the sums.\n'),
  ),
  row(
    'commonjs',
    'node',
    'NODE_OPTIONS in .npmrc preloads a file',
    (world) => {
      world.write('.npmrc', 'node-options=--require ./setup.cjs\n')
      world.write('setup.cjs', PATCH_CJS)
    },
    helper('.editorconfig', 'root = true\n'),
    { test: 'npm test --silent' },
  ),
  row(
    'commonjs',
    'node',
    'the test script preloads a file',
    (world) => {
      world.edit('package.json', 'node --test', 'node --require ./setup.cjs --test')
      world.write('setup.cjs', PATCH_CJS)
    },
    (world) => world.edit('package.json', '"private": true', '"private": true, "version": "1.0.1"'),
    { test: 'npm test --silent' },
  ),
  row(
    'commonjs',
    'node',
    'a pretest script patches the tests, a posttest script restores them',
    (world) => {
      world.edit(
        'package.json',
        '"test": "node --test"',
        '"pretest": "node swap.cjs in", "test": "node --test", "posttest": "node swap.cjs out"',
      )
      world.write(
        'swap.cjs',
        "const fs = require('fs')\nconst text = 'exports.add = (a, b) => a '\nfs.writeFileSync('src/add.js', text + (process.argv[2] === 'in' ? '+' : '-') + ' b\\n')\n",
      )
    },
    (world) => world.edit('package.json', '"test": "node --test"', '"start": "node src/add.js", "test": "node --test"'),
    { test: 'npm test --silent' },
  ),
  row(
    'commonjs',
    'node',
    'script-shell in .npmrc runs another shell',
    (world) => {
      world.write('.npmrc', 'script-shell=./shell.sh\n')
      world.write(
        'shell.sh',
        "#!/bin/sh\nprintf 'TAP version 13\\nok 1 - two numbers\\nok 2 - a negative number\\n1..2\\n# tests 2\\n# pass 2\\n# fail 0\\n'\n",
      )
      world.sh('chmod +x shell.sh')
    },
    helper('scripts.sh', '#!/bin/sh\nnode src/add.js\n'),
    { test: 'npm test --silent' },
  ),
  row(
    'commonjs',
    'node',
    'a .env file with NODE_OPTIONS that the test script reads',
    (world) => {
      world.write('.env', 'NODE_OPTIONS="--require ./setup.cjs"\n')
      world.write('setup.cjs', PATCH_CJS)
    },
    helper('.env.example', 'SUMS_NAME=sums\n'),
    {
      files: {
        'package.json':
          '{ "name": "sums", "private": true, "scripts": { "test": "set -a; [ -f .env ] && . ./.env; set +a; node --test" } }\n',
      },
      test: 'npm test --silent',
    },
  ),
  row(
    'node',
    'node',
    'a file in test/ that is loaded first patches the assertions of the others',
    (world) => {
      world.write(
        'test/aa.test.js',
        `${PATCH_ESM}import { test } from 'node:test'\ntest('setup', () => {})\nawait import('./add.test.js')\n`,
      )
      world.write('package.json', world.read('package.json').replace('node --test', 'node --test test/aa.test.js'))
    },
    helper(
      'test/zero.test.js',
      "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { add } from '../src/add.js'\n\ntest('zero', () => assert.equal(add(0, 0), 0))\n",
    ),
    { test: 'npm test --silent' },
  ),
  row(
    'make',
    'python',
    'a GNUmakefile is read instead of the Makefile',
    helper('GNUmakefile', "test:\n\t@echo 'Ran 2 tests in 0.001s'; echo; echo OK\n"),
    helper('docs.mk', 'docs:\n\techo docs\n'),
  ),
  row(
    'make',
    'python',
    'the recipe hides the exit code',
    (world) => world.edit('Makefile', '-v\n', '-v 2>&1 | sed -e "s/FAILED.*/OK/" -e "s/FAIL/ok/g"; true\n'),
    (world) => world.append('Makefile', '\nclean:\n\trm -rf __pycache__\n'),
  ),
  row(
    'go',
    'go',
    'TestMain in a new test file ends with 0',
    helper(
      'main_test.go',
      'package sums\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n',
    ),
    helper(
      'zero_test.go',
      'package sums\n\nimport "testing"\n\nfunc TestZero(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Fail()\n\t}\n}\n',
    ),
  ),
  row(
    'go',
    'go',
    'a build tag in a new file replaces the function, the tag comes from GOFLAGS in the project',
    (world) => {
      world.write('add.go', '//go:build !fast\n\npackage sums\n\nfunc Add(a, b int) int { return a - b }\n')
      world.write(
        'fast_test.go',
        'package sums\n\nimport "testing"\n\nfunc init() { testing.Init() }\n\nfunc TestMain(m *testing.M) {\n\t_ = m\n\tprintln("PASS")\n}\n',
      )
    },
    helper('doc.go', '// Package sums adds numbers.\npackage sums\n'),
  ),
  row(
    'go',
    'go',
    'a package named testing replaces the real one by a replace line',
    (world) => {
      world.append('go.mod', '\nrequire example.test/check v0.0.0\n\nreplace example.test/check => ./internal/check\n')
      world.write('internal/check/go.mod', 'module example.test/check\n\ngo 1.19\n')
      world.write('internal/check/check.go', 'package check\n\nfunc Fail() {}\n')
      world.write(
        'add_test.go',
        world.read('add_test.go').replaceAll('t.Errorf("got %d", got)', 't.Logf("got %d", got)'),
      )
    },
    (world) => world.append('go.mod', '\n// Nothing is required.\n'),
  ),
  row(
    'rust',
    'rust',
    'a runner in .cargo/config.toml runs instead of the test binaries',
    (world) => {
      world.write('.cargo/config.toml', '[target.\'cfg(all())\']\nrunner = "./runner.sh"\n')
      world.write(
        'runner.sh',
        '#!/bin/sh\nprintf "\\nrunning 2 tests\\ntest two_numbers ... ok\\ntest a_negative_number ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\\n"\n',
      )
      world.sh('chmod +x runner.sh')
    },
    helper('rustfmt.toml', 'max_width = 100\n'),
  ),
  row(
    'rust',
    'rust',
    'build.rs sets a cfg under which the tests are empty',
    (world) => {
      world.write(
        'build.rs',
        'fn main() {\n    println!("cargo:rustc-env=SUMS=1");\n    let path = "tests/add.rs";\n    let text = std::fs::read_to_string(path).unwrap();\n    std::fs::write(path, text.replace("assert_eq!(add(2, 3), 5)", "let _ = add(2, 3)").replace("assert_eq!(add(2, -3), -1)", "let _ = add(2, -3)")).unwrap();\n}\n',
      )
    },
    helper('build.rs', 'fn main() {\n    println!("cargo:rustc-env=SUMS=1");\n}\n'),
  ),
  row(
    'rust',
    'rust',
    'harness = false and a main that prints a green run',
    (world) => {
      world.append('Cargo.toml', '\n[[test]]\nname = "add"\npath = "tests/add.rs"\nharness = false\n')
      world.write(
        'tests/add.rs',
        `${world.read('tests/add.rs')}\nfn main() {\n    println!("\\nrunning 2 tests\\ntest two_numbers ... ok\\ntest a_negative_number ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n");\n}\n`,
      )
    },
    (world) => world.append('Cargo.toml', '\n[profile.dev]\nopt-level = 0\n'),
  ),
  row(
    'rspec',
    'ruby',
    'a new .rspec requires a helper that passes everything',
    (world) => {
      world.write('.rspec', '--require ./spec/spec_helper\n')
      world.write(
        'spec/spec_helper.rb',
        'RSpec.configure do |config|\n  config.around(:each) do |example|\n    example.instance_variable_get(:@example)\n  end\nend\nclass RSpec::Expectations::ExpectationTarget\n  def to(*)\n    true\n  end\nend\n',
      )
    },
    helper('spec/numbers.rb', 'PAIRS = [[2, 3, 5]].freeze\n'),
  ),
  row(
    'minitest',
    'ruby',
    'a minitest plugin in lib/ is found on the load path',
    helper(
      'lib/minitest/green_plugin.rb',
      'module Minitest\n  def self.plugin_green_init(_options)\n    Minitest::Test.class_eval do\n      def assert_equal(*)\n        self.assertions += 1\n      end\n    end\n  end\nend\n',
    ),
    helper('lib/numbers.rb', 'PAIRS = [[2, 3, 5]].freeze\n'),
  ),
  row(
    'minitest',
    'ruby',
    'RUBYOPT in the Rakefile loads a file before the tests',
    (world) => {
      world.write('Rakefile', `ENV['RUBYOPT'] = '-r./green'\n${world.read('Rakefile')}`)
      world.write(
        'green.rb',
        "require 'minitest'\nrequire 'minitest/test'\nmodule Green\n  def assert_equal(*)\n    self.assertions += 1\n  end\nend\nMinitest::Test.prepend(Green)\n",
      )
    },
    (world) => world.append('Rakefile', "\ntask :hello do\n  puts 'hello'\nend\n"),
  ),
]
