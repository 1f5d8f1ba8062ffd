import { describe, expect, it } from 'vitest'
import { originalSide } from '../../packages/exitgate/src/checks/sides.ts'
import { type Machinery, machineryIn } from '../../src/evidence/tampering/machinery/find.ts'

type Files = Readonly<Record<string, string>>
interface Row {
  readonly name: string
  readonly before?: Files
  readonly after: Files
  /** Paths of the machinery, sorted. */
  readonly found?: readonly string[]
}

const changesOf = (before: Files, after: Files) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .map((path) => ({
      path,
      wasThere: before[path] !== undefined,
      ...(before[path] !== undefined && { before: before[path] }),
      ...(after[path] !== undefined && { after: after[path] }),
    }))

const find = ({ before = {}, after }: Row): readonly Machinery[] =>
  machineryIn(changesOf(before, { ...before, ...after }), Object.keys({ ...before, ...after }))

const FIXTURE = '@pytest.fixture\ndef user():\n    return {"name": "a"}\n'
const CONFTEST = `import pytest\nfrom app import db\n\n\n${FIXTURE}`
const PYPROJECT = '[project]\nname = "a"\ndependencies = []\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n'
const VITEST =
  "import { defineConfig } from 'vitest/config'\n\nexport default defineConfig({ test: { globals: true } })\n"
const PACKAGE = { name: 'a', scripts: { test: 'jest' }, jest: { testEnvironment: 'node' } }
const json = (value: unknown) => JSON.stringify(value, undefined, 2)

const rows: readonly Row[] = [
  // What can change results.
  {
    name: 'a hook',
    after: { 'conftest.py': 'def pytest_pyfunc_call(pyfuncitem):\n    return True\n' },
    found: ['conftest.py'],
  },
  {
    name: 'a hook with a wrapper',
    after: {
      'tests/conftest.py': `import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    yield\n`,
    },
    found: ['tests/conftest.py'],
  },
  {
    name: 'a function replaced at the top',
    after: { 'conftest.py': 'import app\n\napp.add = lambda a, b: a + b\n' },
    found: ['conftest.py'],
  },
  {
    name: 'a call in a plain value',
    after: { 'conftest.py': 'import app\n\nx = [setattr(app, "add", max)]\n' },
    found: ['conftest.py'],
  },
  { name: 'another plugin', after: { 'conftest.py': 'pytest_plugins = ["app.plugin"]\n' }, found: ['conftest.py'] },
  {
    name: 'a fixture for every test that patches the source',
    after: {
      'conftest.py':
        'import pytest\n\n\n@pytest.fixture(autouse=True)\ndef fake(monkeypatch):\n    monkeypatch.setattr("app.add", max)\n',
    },
    found: ['conftest.py'],
  },
  {
    name: 'a fixture that returns something else now',
    before: { 'conftest.py': CONFTEST },
    after: { 'conftest.py': CONFTEST.replace('"a"', '"b"') },
    found: ['conftest.py'],
  },
  {
    name: 'code in the package of the tests',
    after: { 'tests/__init__.py': 'def load_tests(loader, tests, pattern):\n    return []\n' },
    found: ['tests/__init__.py'],
  },
  {
    name: 'settings that come before all others',
    after: { 'pytest.toml': '[pytest]\ntestpaths = ["other"]\n' },
    found: ['pytest.toml'],
  },
  {
    name: 'a plugin in the settings, with its file',
    before: { 'pyproject.toml': PYPROJECT },
    after: { 'pyproject.toml': `${PYPROJECT}addopts = "-p app.plugin"\n`, 'app/plugin.py': 'x = 1\n' },
    found: ['app/plugin.py', 'pyproject.toml'],
  },
  {
    name: 'a setup file in new settings',
    after: {
      'vitest.config.ts': VITEST.replace('globals: true', "setupFiles: ['./test/before']"),
      'test/before.ts': 'x()\n',
    },
    found: ['test/before.ts', 'vitest.config.ts'],
  },
  {
    name: 'a plugin written in the settings',
    before: { 'vitest.config.ts': VITEST },
    after: {
      'vitest.config.ts': VITEST.replace(
        '{ test',
        "{ plugins: [{ name: 'x',\n transform(code) { return code } }], test",
      ),
    },
    found: ['vitest.config.ts'],
  },
  {
    name: 'a statement in the settings',
    after: { 'vitest.config.ts': `process.on('exit', () => {})\n${VITEST}` },
    found: ['vitest.config.ts'],
  },
  {
    name: 'a setup file by its name',
    after: { 'vitest.setup.ts': "import { expect } from 'vitest'\nexpect.extend({})\n" },
    found: ['vitest.setup.ts'],
  },
  {
    name: 'a reporter of the project in package.json',
    before: { 'package.json': json(PACKAGE) },
    after: { 'package.json': json({ ...PACKAGE, jest: { reporters: ['<rootDir>/report.js'] } }), 'report.js': 'x\n' },
    found: ['package.json', 'report.js'],
  },
  {
    name: 'a required file of mocha',
    after: { '.mocharc.json': '{ "require": "./hook.cjs" }', 'hook.cjs': 'x\n' },
    found: ['.mocharc.json', 'hook.cjs'],
  },
  {
    name: 'a mock that the runner finds by itself',
    after: { '__mocks__/axios.js': 'module.exports = {}\n' },
    found: ['__mocks__/axios.js'],
  },
  {
    name: 'a helper of rspec and its option',
    after: { '.rspec': '--require ./spec/spec_helper\n', 'spec/spec_helper.rb': 'x\n' },
    found: ['.rspec', 'spec/spec_helper.rb'],
  },
  {
    name: 'a plugin of minitest',
    after: { 'lib/minitest/green_plugin.rb': 'module Minitest\nend\n' },
    found: ['lib/minitest/green_plugin.rb'],
  },
  {
    name: 'a test file that patches for all others',
    after: { 'tests/test_aa.py': 'import app\napp.add = max\n\n\ndef test_a():\n    assert 1\n' },
    found: ['tests/test_aa.py'],
  },
  {
    name: 'a test file that runs first in Go',
    after: { 'aa_test.go': 'package a\n\nfunc init() {}\n\nfunc TestA(t *testing.T) {}\n' },
    found: ['aa_test.go'],
  },
  {
    name: 'a helper of tests that no longer fails',
    before: {
      'third/check.go':
        'package check\n\nimport "testing"\n\nfunc Same(t *testing.T, a, b int) { if a != b { t.Errorf("no") } }\n',
    },
    after: { 'third/check.go': 'package check\n\nimport "testing"\n\nfunc Same(t *testing.T, a, b int) {}\n' },
    found: ['third/check.go'],
  },
  // Everyday work.
  {
    name: 'a helper of tests that says more',
    before: {
      'third/check.go':
        'package check\n\nimport "testing"\n\nfunc Same(t *testing.T, a, b int) { if a != b { t.Errorf("no") } }\n',
    },
    after: {
      'third/check.go':
        'package check\n\nimport "testing"\n\nfunc Same(t *testing.T, a, b int) { if a != b { t.Errorf("%d", a) } }\n',
    },
  },
  {
    name: 'source with an assertion less',
    before: { 'src/a.js': "import assert from 'node:assert'\nassert(1)\n" },
    after: { 'src/a.js': "import assert from 'node:assert'\n" },
  },
  { name: 'fixtures that tests ask for', after: { 'tests/conftest.py': CONFTEST } },
  {
    name: 'one more fixture',
    before: { 'conftest.py': CONFTEST },
    after: { 'conftest.py': `${CONFTEST}\n\n${FIXTURE.replaceAll('user', 'order')}` },
  },
  {
    name: 'a variable for every test, and the source folder',
    after: {
      'conftest.py':
        'import sys\n\nimport pytest\n\nsys.path.insert(0, "src")\n\n\n@pytest.fixture(autouse=True)\ndef settings(monkeypatch):\n    """Settings of the app."""\n    monkeypatch.setenv("APP_KEY", "x")\n    yield\n',
    },
  },
  { name: 'an empty package of tests', after: { 'tests/__init__.py': '' } },
  {
    name: 'a version in pyproject.toml',
    before: { 'pyproject.toml': PYPROJECT },
    after: { 'pyproject.toml': PYPROJECT.replace('dependencies = []', 'dependencies = ["requests"]') },
  },
  {
    name: 'an environment in the settings',
    before: { 'vitest.config.ts': VITEST },
    after: { 'vitest.config.ts': VITEST.replace('globals: true', "globals: true, environment: 'jsdom'") },
  },
  {
    name: 'an alias for the source folder',
    after: {
      'vitest.config.ts': VITEST.replace(
        '{ test',
        "{ resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } }, test",
      ),
      'src/a.ts': '1\n',
    },
  },
  { name: 'matchers of a package', after: { 'vitest.setup.ts': "import '@testing-library/jest-dom/vitest'\n" } },
  {
    name: 'a dependency and a script',
    before: { 'package.json': json(PACKAGE) },
    after: {
      'package.json': json({ ...PACKAGE, dependencies: { a: '1' }, scripts: { ...PACKAGE.scripts, start: 'node .' } }),
    },
  },
  {
    name: 'a new test',
    after: {
      'tests/test_more.py': 'from app import add\n\n\ndef test_more():\n    assert add(1, 1) == 2\n',
      'test/more.test.js': "test('more', () => {})\n",
    },
  },
  {
    name: 'source with a name like a setup file',
    after: { 'src/app.py': 'setup = 1\n', 'src/user.ts': 'export {}\n' },
  },
]

describe('machinery in a change', () => {
  it.each(rows.map((row) => [row.name, row] as const))('%s', (_name, row) => {
    expect(
      find(row)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(row.found ?? [])
  })

  it('only its part of a shared file belongs to the tests', () => {
    const original = (before: Files, after: Files) =>
      originalSide(changesOf(before, after), () => undefined).files[0]?.original
    const pyproject = `${PYPROJECT.replace('[]', '["requests"]')}addopts = "-q"\n`
    const text = original({ 'pyproject.toml': PYPROJECT }, { 'pyproject.toml': pyproject })
    expect(text).toContain('dependencies = ["requests"]')
    expect(text).not.toContain('addopts')
    const changed = { ...PACKAGE, type: 'module', jest: { setupFiles: ['./a.js'] } }
    const settings = original({ 'package.json': json(PACKAGE) }, { 'package.json': json(changed) })
    expect(JSON.parse(settings ?? '')).toEqual({ ...PACKAGE, type: 'module' })
  })

  it.each([
    ['a test about hooks', 'tests/test_hooks.py', 'def test_call():\n    assert call() == 1\n', false],
    ['a test of a runner', 'test/runner-spec.setup.js', "it('runs', () => {\n  expect(run()).toBe(1)\n})\n", false],
    ['code before the tests', 'test/setup.js', 'before(() => start())\n', true],
    ['a helper of the tests', 'test/test_helper.rb', "require 'minitest/autorun'\n", true],
  ])('%s is a helper only if it holds no tests', (_name, path, text, isHelper) => {
    const [file] = originalSide(changesOf({ [path]: text }, { [path]: `${text}\n` }), () => undefined).files
    expect(file?.isHelper).toBe(isHelper)
  })
})
