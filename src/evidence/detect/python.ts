import type { Detected } from '../types.ts'
import { below, type Detector, join, type Project } from './project.ts'

/** How many test files are read to find out which runner they use. */
const MOST_READ = 50

const SETTINGS: readonly (readonly [file: string, section: RegExp])[] = [
  ['pytest.ini', /^/],
  ['.pytest.ini', /^/],
  ['pyproject.toml', /^\[tool\.pytest(?:\.ini_options)?\]/m],
  ['setup.cfg', /^\[tool:pytest\]/m],
  ['tox.ini', /^\[pytest\]/m],
]
const LISTS =
  /^(?:requirements[\w.-]*\.(?:txt|in)|requirements\/[\w.-]+\.(?:txt|in)|setup\.(?:py|cfg)|pyproject\.toml|Pipfile|environment\.ya?ml)$/
const MARKERS =
  /^(?:pyproject\.toml|setup\.py|setup\.cfg|pytest\.ini|tox\.ini|noxfile\.py|requirements[\w.-]*\.txt|Pipfile|manage\.py|conftest\.py)$/
const TESTS = /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests)\.py$/

/** How to run a program of the project: with the tool that manages its environment, or with the environment itself. */
interface PythonCommands {
  readonly python: string
  readonly program: (line: string) => string
  readonly by: string
}

const managed = (lock: string, tool: string): PythonCommands => ({
  python: `${tool} run python`,
  program: (line) => `${tool} run ${line}`,
  by: `; found ${lock}`,
})

function pythonCommandsFor(project: Project, folder: string): PythonCommands {
  const has = (name: string) => project.has(join(folder, name)) || project.has(name) || project.above.has(name)
  const tools: readonly (readonly [lock: string, tool: string])[] = [
    ['uv.lock', 'uv'],
    ['poetry.lock', 'poetry'],
    ['pdm.lock', 'pdm'],
    ['Pipfile.lock', 'pipenv'],
  ]
  const tool = tools.find(([lock]) => has(lock))
  if (tool !== undefined && project.hasProgram(tool[1])) return managed(...tool)
  for (const name of ['.venv', 'venv', 'env']) {
    for (const place of [folder, '']) {
      if (project.read(join(place, `${name}/pyvenv.cfg`)) === undefined) continue
      const bin = project.platform === 'win32' ? 'Scripts' : 'bin'
      const up = place === folder ? '' : '../'.repeat(folder.split('/').length)
      const path = `${up}${name}/${bin}`
      const by = `; found the virtual environment ${join(place, name)}`
      return { python: `${path}/python`, program: (line) => `${path}/python -m ${line}`, by }
    }
  }
  // Without an environment either, the missing tool is what has to be installed.
  if (tool !== undefined) return managed(...tool)
  const python = project.platform === 'win32' ? 'python' : 'python3'
  return { python, program: (line) => `${python} -m ${line}`, by: '' }
}

/** Without any settings, a test near the top is enough; one among fixtures is not. */
const isLoneTest = (path: string) =>
  TESTS.test(path) && path.split('/').length <= 3 && !/fixture|golden|node_modules/.test(path)

/** pytest, unittest, Django, and the tools around them. */
export const python: Detector = (project) => {
  const folders = project.roots(MARKERS)
  const places = folders.length === 0 && project.files.some(isLoneTest) ? [''] : folders
  return places.flatMap((folder) => inFolder(project, folder))
}

function inFolder(project: Project, folder: string): readonly Detected[] {
  const commands = pythonCommandsFor(project, folder)
  const found: Detected[] = []
  const add = (kind: Detected['kind'], command: string, why: string, more: Partial<Detected> = {}) =>
    found.push({ kind, command, cwd: folder, why, ...more })
  const read = (name: string) => project.read(join(folder, name))

  const tests = testsOf(project, folder, commands)
  if (tests !== undefined) {
    const { command, why, runner, guess } = tests
    add('test', command, why + commands.by, { runner, ...(guess && { guess }) })
  }
  const task = (program: string): Partial<Detected> => {
    const places = ['.venv/bin', 'venv/bin', 'env/bin'].map((bin) => join(folder, `${bin}/${program}`))
    const installed = project.hasProgram(program) || places.some((path) => project.read(path) !== undefined)
    return { ...(tests !== undefined && { wrapper: true }), ...(!installed && { missing: program }) }
  }
  if (/^\[testenv/m.test(read('tox.ini') ?? '') || /^\[tool\.tox/m.test(read('pyproject.toml') ?? '')) {
    add('test', commands.program('tox'), `${join(folder, 'tox.ini')} has test environments`, task('tox'))
  }
  if (project.has(join(folder, 'noxfile.py'))) add('test', commands.program('nox'), 'found noxfile.py', task('nox'))

  const settings = ['pyproject.toml', 'setup.cfg', 'tox.ini'].map((name) => read(name) ?? '').join('\n')
  const has = (...names: readonly string[]) => names.find((name) => project.has(join(folder, name)))
  if (has('ruff.toml', '.ruff.toml') !== undefined || /^\[tool\.ruff/m.test(settings)) {
    add('lint', commands.program('ruff check .'), 'ruff is configured here')
  } else if (has('.flake8') !== undefined || /^\[flake8\]/m.test(settings)) {
    add('lint', commands.program('flake8'), 'flake8 is configured here')
  }
  if (has('mypy.ini', '.mypy.ini') !== undefined || /^\[(?:tool\.)?mypy\]/m.test(settings)) {
    add('typecheck', commands.program('mypy .'), 'mypy is configured here')
  } else if (has('pyrightconfig.json') !== undefined || /^\[tool\.pyright\]/m.test(settings)) {
    add('typecheck', commands.program('pyright'), 'pyright is configured here')
  }
  return found
}

interface Tests {
  readonly command: string
  readonly runner: string
  readonly why: string
  readonly guess?: true
}

function testsOf(project: Project, folder: string, way: PythonCommands): Tests | undefined {
  const files = below(project, folder)
  const pytest = (why: string): Tests => ({ command: way.program('pytest'), runner: 'pytest', why })
  for (const [file, section] of SETTINGS) {
    const text = project.read(join(folder, file))
    if (text !== undefined && section.test(text)) return pytest(`${join(folder, file)} configures pytest`)
  }
  const conftest = files.find((path) => /(?:^|\/)conftest\.py$/.test(path))
  if (conftest !== undefined) return pytest(`found ${join(folder, conftest)}`)
  const list = files.find((path) => LISTS.test(path) && /\bpytest\b/.test(project.read(join(folder, path)) ?? ''))
  if (list !== undefined) return pytest(`${join(folder, list)} lists pytest`)

  const tests = files.filter((path) => TESTS.test(path))
  const uses = (pattern: RegExp) =>
    tests.slice(0, MOST_READ).find((path) => pattern.test(project.read(join(folder, path)) ?? ''))
  const plain = uses(/^\s*(?:import|from) pytest\b|^(?:async )?def test_/m)
  if (plain !== undefined) return { ...pytest(`${join(folder, plain)} is written for pytest`), guess: true }
  if (project.has(join(folder, 'manage.py')) && uses(/^\s*from django\.test import/m) !== undefined) {
    return {
      command: `${way.python} manage.py test`,
      runner: 'unittest',
      why: 'found manage.py and Django tests',
    }
  }
  const unittest = uses(/^\s*(?:import|from) unittest\b/m)
  if (unittest === undefined) return undefined
  // unittest skips a folder without an __init__.py unless it is named.
  const inside = unittest.includes('/') ? unittest.split('/')[0]! : ''
  const named = inside !== '' && !files.includes(`${inside}/__init__.py`) ? ` discover -s ${inside}` : ' discover'
  const why = `${join(folder, unittest)} uses unittest, and nothing mentions pytest`
  return { command: `${way.python} -m unittest${named}`, runner: 'unittest', why, guess: true }
}
