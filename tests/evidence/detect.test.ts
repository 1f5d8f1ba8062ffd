import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runnersIn } from '../../src/evidence/detect/find-runner.ts'
import { detect, preferred } from '../../src/evidence/detect/index.ts'
import type { Detected } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { type FakeOptions, fakeWorkspace } from '../fakes/workspace.ts'
import { nodeRows, otherRows } from './detect-rows.ts'
import { folder, git, repository } from './folders.ts'

/** Which programs the machine has does not matter, unless a row says what is missing. */
const find = (options: FakeOptions, platform = 'linux', missing: readonly string[] = []) =>
  detect(fakeWorkspace(options), { platform, hasProgram: (name) => !missing.includes(name) })
const ofKind = (found: readonly Detected[], kind: Detected['kind']) => found.filter((each) => each.kind === kind)

describe.each([
  ['JavaScript', nodeRows],
  ['other languages', otherRows],
])('the test commands of %s', (_name, rows) => {
  it.each(rows)('%s', async (_row, files, expected) => {
    const found = ofKind(await find({ files }), 'test')
    expect(found.map(({ command, runner, cwd }) => [command, runner, cwd])).toEqual(
      expected.map(([command, runner, cwd = '']) => [command, runner, cwd]),
    )
    for (const { why } of found) expect(why).toMatch(/^[\w/. -]+ /)
  })
})

describe('the other commands', () => {
  const scripts = (all: Record<string, string>, more: object = {}) => JSON.stringify({ scripts: all, ...more })
  const rows: [name: string, files: Record<string, string>, kind: Detected['kind'], commands: string[]][] = [
    ['build', { 'package.json': scripts({ build: 'tsc' }) }, 'build', ['npm run build']],
    ['lint', { 'package.json': scripts({ lint: 'eslint .' }) }, 'lint', ['npm run lint']],
    ['a linter that changes files', { 'package.json': scripts({ lint: 'eslint . --fix' }) }, 'lint', []],
    [
      'next to one that does not',
      { 'package.json': scripts({ lint: 'biome check --write', 'lint:ci': 'biome ci' }) },
      'lint',
      ['npm run lint:ci'],
    ],
    [
      'types',
      { 'package.json': scripts({ 'type-check': 'tsc --noEmit' }), 'yarn.lock': '' },
      'typecheck',
      ['yarn run type-check'],
    ],
    [
      'types by settings',
      { 'package.json': scripts({}, { devDependencies: { typescript: '6' } }), 'tsconfig.json': '{}' },
      'typecheck',
      ['npx --no-install tsc --noEmit'],
    ],
    [
      'lint by settings',
      { 'package.json': scripts({}, { devDependencies: { eslint: '9' } }), 'eslint.config.js': '' },
      'lint',
      ['npx --no-install eslint .'],
    ],
    ['ruff', { 'pyproject.toml': '[tool.ruff]\n', 'uv.lock': '' }, 'lint', ['uv run ruff check .']],
    ['mypy', { 'mypy.ini': '', 'setup.py': '' }, 'typecheck', ['python3 -m mypy .']],
    ['go build', { 'go.mod': '' }, 'build', ['go build ./...']],
    ['go vet', { 'go.mod': '' }, 'lint', ['go vet ./...']],
    ['golangci', { 'go.mod': '', '.golangci.yml': '' }, 'lint', ['golangci-lint run']],
    ['clippy', { 'Cargo.toml': '[lints.clippy]\n' }, 'lint', ['cargo clippy --all-targets']],
    ['rubocop', { Gemfile: '', '.rubocop.yml': '' }, 'lint', ['bundle exec rubocop']],
    ['phpstan', { 'composer.json': '{}', 'phpstan.neon': '' }, 'typecheck', ['vendor/bin/phpstan analyse']],
    ['make', { Makefile: 'build:\n\tx\nlint:\n\tx\n' }, 'lint', ['make lint']],
  ]
  it.each(rows)('%s', async (_name, files, kind, commands) => {
    expect(ofKind(await find({ files }), kind).map(({ command }) => command)).toEqual(commands)
  })
})

describe('the surroundings', () => {
  it.each([
    ['.venv', 'linux', '.venv/bin/python -m pytest'],
    ['venv', 'darwin', 'venv/bin/python -m pytest'],
    ['.venv', 'win32', '.venv/Scripts/python -m pytest'],
  ])('a virtual environment %s on %s, ignored by git', async (name, platform, command) => {
    const options = { files: { 'pytest.ini': '' }, ignored: { [`${name}/pyvenv.cfg`]: 'home = /usr/bin\n' } }
    expect((await find(options, platform))[0]).toMatchObject({ command, runner: 'pytest' })
  })

  it('a virtual environment at the top applies to the folders below', async () => {
    const options = { files: { 'a/b/pytest.ini': '' }, ignored: { '.venv/pyvenv.cfg': '' } }
    expect((await find(options))[0]).toMatchObject({ command: '../../.venv/bin/python -m pytest', cwd: 'a/b' })
  })

  it('a folder that cmake has configured, with its options', async () => {
    const lists =
      'include(CTest)\noption(WITH_UTILS "Build the helpers." OFF)\noption(WITH_DOCS "Build the docs." ON)\n'
    const cache =
      '//Build the helpers.\nWITH_UTILS:BOOL=On\n\n//Build the docs.\nWITH_DOCS:BOOL=ON\n\n//No help, variable specified on the command line.\nDEPTH:UNINITIALIZED=3\n\n//Choose the type of build.\nCMAKE_BUILD_TYPE:STRING=Debug\n\n//Path to a program.\nCMAKE_AR:FILEPATH=/usr/bin/ar\n'
    const options = { files: { 'CMakeLists.txt': lists }, ignored: { 'build/CMakeCache.txt': cache } }
    expect((await find(options))[0]!.command).toBe(
      'cmake -S . -B build -DWITH_UTILS=On -DDEPTH=3 -DCMAKE_BUILD_TYPE=Debug && cmake --build build && ctest --test-dir build --output-on-failure',
    )
  })

  it('a folder that meson has configured, with its options', async () => {
    const files = { 'meson.build': "project('a')\ntest('a', exe)\n" }
    const set = '[options]\nutils = true\nprefix = /usr\n\n[properties]\n'
    const ignored = { 'build/meson-info/meson-info.json': '{}', 'build/meson-private/cmd_line.txt': set }
    expect((await find({ files, ignored }))[0]!.command).toBe(
      'meson setup build -Dutils=true && meson test -C build --print-errorlogs',
    )
  })

  it('wrappers on Windows', async () => {
    const files = { 'pom.xml': '', mvnw: '', 'g/build.gradle': '', 'g/gradlew': '' }
    const commands = ofKind(await find({ files }, 'win32'), 'test').map(({ command }) => command)
    expect(commands).toEqual(['mvnw.cmd -B test', 'gradlew.bat test'])
  })

  it('a lock file at the top of the surrounding repository', async () => {
    const dir = repository({ 'pnpm-lock.yaml': '', 'packages/a b/package.json': '{"scripts": {"test": "vitest"}}' })
    const found = await detect(openWorkspace(`${dir}/packages/a b`))
    expect(found[0]).toMatchObject({ command: 'pnpm test', runner: 'vitest', cwd: '' })
    expect(found[0]!.why).toContain('pnpm-lock.yaml at the top of the repository')
  })

  it('a folder without git', async () => {
    const dir = folder({ 'go.mod': 'module a\n', 'node_modules/x/package.json': '{"scripts": {"test": "jest"}}' })
    expect(ofKind(await detect(openWorkspace(dir)), 'test').map(({ command }) => command)).toEqual(['go test ./...'])
  })

  it('a worktree', async () => {
    const dir = repository({ 'package.json': '{"scripts": {"test": "jest"}}' })
    git(dir, 'worktree', 'add', '-q', '-b', 'x', `${dir}/../other`)
    expect((await detect(openWorkspace(`${dir}/../other`)))[0]).toMatchObject({ command: 'npm test' })
  })
})

describe('the configuration', () => {
  const files = { 'package.json': '{"scripts": {"test": "jest", "unit": "vitest", "build": "tsc"}}', 'go.mod': '' }

  it('wins', async () => {
    const found = await detect(fakeWorkspace({ files }), { commands: { test: 'npm run unit -- --bail' } })
    expect(ofKind(found, 'test')).toEqual([
      { kind: 'test', command: 'npm run unit -- --bail', cwd: '', runner: 'vitest', why: 'set in the configuration' },
    ])
    expect(ofKind(found, 'build').map(({ command }) => command)).toEqual(['npm run build', 'go build ./...'])
  })

  const named: [command: string, runner: string | undefined, behind: string | undefined][] = [
    ['npm test', 'jest', 'jest'],
    ['npm run unit', 'vitest', 'vitest'],
    ['npm run unit -- --bail', 'vitest', undefined],
    ['cd . && npm test', 'jest', undefined],
    ['npx vitest run', 'vitest', undefined],
    ['bun test', 'bun', undefined],
    ['npm run nothing', undefined, undefined],
  ]
  it.each(named)('is resolved to its runner: %s', async (command, runner, behind) => {
    const [found] = await detect(fakeWorkspace({ files }), { commands: { test: command } })
    expect([found!.runner, found!.behind]).toEqual([runner, behind])
  })

  it('may set everything', async () => {
    const commands = { test: 'a', build: 'b', lint: 'c', typecheck: 'd' }
    const found = await detect(fakeWorkspace({ files }), { commands })
    expect(found.map(({ kind, command }) => [kind, command])).toEqual(Object.entries(commands))
  })
})

describe('the ones to run', () => {
  it('are all that work by themselves', async () => {
    const found = await find({ files: { Makefile: 'test:\n', 'go.mod': '', 'Cargo.toml': '' } })
    expect(preferred(found, 'test').map(({ command }) => command)).toEqual(['go test ./...', 'cargo test'])
  })
  it('or the first wrapper', async () => {
    const found = await find({ files: { Makefile: 'test:\n', justfile: 'test:\n' } })
    expect(preferred(found, 'test').map(({ command }) => command)).toEqual(['make test'])
  })
  it('or none', async () => {
    expect(preferred(await find({}), 'test')).toEqual([])
  })
})

it('reports what is wrong with a script', async () => {
  const files = { 'package.json': '{"scripts": {"test": "jest --watch || true"}}' }
  const [found] = await find({ files })
  expect(found!.why).toBe(
    'package.json has a script "test" that runs jest; the script watches files and may never end; careful: "|| true" turns every failure into success',
  )
  expect(found!.behind).toBe('jest --watch || true')
})

describe('the runner that a line starts', () => {
  const lines: [line: string, runners: string[]][] = [
    ['poetry run pytest -q', ['pytest']],
    ['uv run --frozen python -m pytest', ['pytest']],
    ['coverage run -m pytest', ['pytest']],
    ['python3.12 -m unittest discover', ['unittest']],
    ['.venv/bin/python manage.py test', ['unittest']],
    ['bundle exec rspec --format json', ['rspec']],
    ['bin/rails test', ['minitest']],
    ['php artisan test', []],
    ['php -d memory_limit=-1 vendor/bin/phpunit', ['phpunit']],
    ['./vendor/bin/pest --parallel', ['pest']],
    ['cd web && npx vitest run', ['vitest']],
    ['go vet ./... && gotestsum -- ./...', ['go']],
    ['cargo +nightly test', ['cargo']],
    ['cargo nextest run', ['nextest']],
    ['./mvnw -B verify', ['maven']],
    ['./gradlew :app:testDebug', ['gradle']],
    ['dotnet test --no-build', ['dotnet']],
    ['cmake --build b && ctest --test-dir b', ['ctest']],
    ['bun test', ['bun']],
    ['deno test -A', ['deno']],
    ['timeout 60 npx jest', ['jest']],
    ['yarn dlx vitest', ['vitest']],
    ['echo vitest', []],
    ['vitest-runner', []],
    ['node test.js', []],
    ['', []],
  ]
  it.each(lines)('%j', (line, runners) => {
    expect(runnersIn(line)).toEqual(runners)
  })

  it('never throws', () => {
    const words = fc.constantFrom(
      'npm',
      'run',
      'test',
      'npx',
      '-m',
      '--',
      'python',
      'node',
      '&&',
      '|',
      'A=1',
      "'",
      'run-s',
      'cross-env',
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), fc.array(words, { maxLength: 6 }), (line, script) => {
        expect(Array.isArray(runnersIn(line.join(' '), () => script.join(' ')))).toBe(true)
      }),
    )
  })
})

describe('which of them run', () => {
  const pkg = (test: string) => JSON.stringify({ scripts: { test } })
  const spec = "require 'minitest/autorun'\n"
  const pytest = '[tool.pytest.ini_options]\n'
  const rows: [name: string, files: Record<string, string>, missing: string[], commands: (string | undefined)[][]][] = [
    [
      'rake before a guess: rspec was never named',
      { Rakefile: 'task "spec" do\nend\ntask :default=>:spec\n', 'spec/a_spec.rb': spec, 'spec/spec_helper.rb': spec },
      [],
      [['rake spec', 'minitest']],
    ],
    [
      'the default task',
      { Gemfile: '', Rakefile: 'task default: :test\ntask spec: "SPEC.rdoc"\ntask test: %w[spec test:regular]\n' },
      [],
      [['bundle exec rake test', undefined]],
    ],
    [
      'a rake task with a name',
      { Rakefile: 'Rake::TestTask.new(:spec) do |t|\nend\n' },
      [],
      [['rake spec', 'minitest']],
    ],
    [
      'rspec that the project names, with a task around it',
      { '.rspec': '', Rakefile: 'RSpec::Core::RakeTask.new(:spec)\ntask default: :spec\n', 'spec/a_spec.rb': '' },
      [],
      [['rspec', 'rspec']],
    ],
    ['rspec by its files alone', { Gemfile: '', 'spec/a_spec.rb': '' }, [], [['bundle exec rspec', 'rspec']]],
    [
      'make before a guess',
      { Makefile: 'test:\n\tx\n', 'test_a.py': 'def test_a(): pass\n', 'setup.py': '' },
      [],
      [['make test', undefined]],
    ],
    [
      'settings of pytest are no guess',
      { Makefile: 'test:\n\tx\n', 'pyproject.toml': pytest, 'test_a.py': 'def test_a(): pass\n' },
      [],
      [['python3 -m pytest', 'pytest']],
    ],
    ['a script is no guess', { Makefile: 'test:\n\tx\n', 'package.json': pkg('jest') }, [], [['npm test', 'jest']]],
    [
      'a dependency without a script is one',
      { justfile: 'test:\n  x\n', 'package.json': '{"devDependencies": {"jest": "1"}}' },
      [],
      [['just test', undefined]],
    ],
    [
      'nox before a guess',
      { 'noxfile.py': '', 'tests/test_a.py': 'def test_a(): pass\n' },
      [],
      [['python3 -m nox', undefined]],
    ],
    [
      'nox that is not installed',
      { 'noxfile.py': '', 'tests/test_a.py': 'def test_a(): pass\n' },
      ['nox'],
      [['python3 -m pytest', 'pytest']],
    ],
    ['uv', { 'pyproject.toml': pytest, 'uv.lock': '', '.venv/pyvenv.cfg': '' }, [], [['uv run pytest', 'pytest']]],
    [
      'the environment if uv is missing',
      { 'pyproject.toml': pytest, 'uv.lock': '', '.venv/pyvenv.cfg': '' },
      ['uv'],
      [['.venv/bin/python -m pytest', 'pytest']],
    ],
    [
      'uv is missing, and so is an environment',
      { 'pyproject.toml': pytest, 'uv.lock': '' },
      ['uv'],
      [['uv run pytest', 'pytest']],
    ],
    [
      'a subfolder whose program is missing',
      { 'package.json': pkg('jest'), 'website/deno.json': '{}' },
      ['deno'],
      [['npm test', 'jest']],
    ],
    [
      'a subfolder whose program is there',
      { 'package.json': pkg('jest'), 'website/deno.json': '{}' },
      [],
      [
        ['npm test', 'jest'],
        ['deno test', 'deno'],
      ],
    ],
    ['the only program is missing', { 'deno.json': '{}' }, ['deno'], [['deno test', 'deno']]],
    [
      'the program of the top folder is missing: the rest is not enough',
      { 'go.mod': '', 'web/package.json': pkg('jest') },
      ['go'],
      [
        ['go test ./...', 'go'],
        ['npm test', 'jest'],
      ],
    ],
    [
      'two programs in one folder',
      { 'go.mod': '', 'Cargo.toml': '' },
      ['cargo'],
      [
        ['go test ./...', 'go'],
        ['cargo test', 'cargo'],
      ],
    ],
    [
      'bats that is not installed, by its files alone',
      { 'package.json': pkg('jest'), 'a.bats': '' },
      ['bats'],
      [['npm test', 'jest']],
    ],
  ]
  it.each(rows)('%s', async (_name, files, missing, commands) => {
    const found = preferred(await find({ files }, 'linux', missing), 'test')
    expect(found.map(({ command, runner }) => [command, runner])).toEqual(commands)
  })
})
