import { rakeTask, rubyRunner } from '../../../packages/exitgate/src/frameworks/rake.ts'
import type { Detected } from '../types.ts'
import { runnerIn } from './find-runner.ts'
import { below, type Detector, depthOf, join, type Project, stringsOf } from './project.ts'

/** rspec, or minitest through rails or rake. */
export const ruby: Detector = (project) =>
  project.roots(/^(?:Gemfile|Rakefile|\.rspec|[^/]+\.gemspec)$/).flatMap((cwd): readonly Detected[] => {
    const has = (name: string) => project.has(join(cwd, name))
    const read = (name: string) => project.read(join(cwd, name)) ?? ''
    const files = below(project, cwd)
    const gems = `${read('Gemfile')}\n${files
      .filter((path) => /^[^/]+\.gemspec$/.test(path))
      .map(read)
      .join('\n')}`
    const exec = has('Gemfile') ? 'bundle exec ' : ''
    const found: Detected[] = []
    const add = (kind: Detected['kind'], command: string, why: string, runner?: string, more: Partial<Detected> = {}) =>
      found.push({ kind, command, cwd, why, ...(runner !== undefined && { runner }), ...more })

    const spec = files.find((path) => /^spec\/.*_spec\.rb$/.test(path))
    if (has('.rspec')) add('test', `${exec}rspec`, `found ${join(cwd, '.rspec')}`, 'rspec')
    else if (/["']rspec(?:-rails)?["']/.test(gems)) add('test', `${exec}rspec`, 'the Gemfile lists rspec', 'rspec')

    const test = files.find((path) => /^test\/.*(?:_test|test_[^/]*)\.rb$/.test(path))
    if (test !== undefined && has('bin/rails'))
      add('test', 'bin/rails test', 'a Rails application with tests', 'minitest')
    else {
      const task = rakeTask(read('Rakefile'))
      const isRspec = found.length > 0 && (task?.runner === 'rspec' || task?.runner === undefined)
      if (task !== undefined && !isRspec) {
        const runner = rubyRunner(task, gems, files, read)
        add('test', `${exec}rake ${task.name}`, `the Rakefile has a "${task.name}" task`, runner)
      } else if (found.length === 0 && spec !== undefined) {
        add('test', `${exec}rspec`, `found ${join(cwd, spec)}`, 'rspec', { guess: true })
      }
    }
    if (has('.rubocop.yml')) add('lint', `${exec}rubocop`, 'found .rubocop.yml')
    if (has('sorbet/config')) add('typecheck', `${exec}srb tc`, 'found sorbet/config')
    return found
  })

/** A composer script is a command line or a list of them. */
function composerScripts(document: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const scripts = document.scripts
  if (typeof scripts !== 'object' || scripts === null) return {}
  const joined = Object.fromEntries(
    Object.entries(scripts).flatMap(([name, value]: [string, unknown]) => {
      const lines = Array.isArray(value) ? value.filter((line): line is string => typeof line === 'string') : [value]
      return lines.every((line) => typeof line === 'string') ? [[name, lines.join(' && ')]] : []
    }),
  )
  return stringsOf(joined)
}

/** Composer scripts first, then pest or phpunit themselves. */
export const php: Detector = (project) =>
  project.roots(/^(?:composer\.json|phpunit\.xml(?:\.dist)?)$/).flatMap((cwd) => composerCommands(project, cwd))

function composerCommands(project: Project, cwd: string): readonly Detected[] {
  const document = project.json(join(cwd, 'composer.json')) ?? {}
  const scripts = composerScripts(document)
  const packages = { ...stringsOf(document.require), ...stringsOf(document['require-dev']) }
  const found: Detected[] = []
  const add = (kind: Detected['kind'], command: string, why: string, more: Partial<Detected> = {}) =>
    found.push({ kind, command, cwd, why, ...more })
  const byScript = (kind: Detected['kind'], names: readonly string[]): boolean => {
    const name = names.find((each) => scripts[each] !== undefined)
    if (name === undefined) return false
    const behind = scripts[name]!
    const line = behind.replace(/@php\s+/g, 'php ').replace(/@(?=[\w:-])/g, 'npm run ')
    const runner = kind === 'test' ? runnerIn(line, (other) => scripts[other]) : undefined
    const why = `${join(cwd, 'composer.json')} has a script "${name}"${runner === undefined ? '' : ` that runs ${runner}`}`
    add(kind, `composer run-script ${name}`, why, { behind, ...(runner !== undefined && { runner }) })
    return true
  }

  const settings = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find((name) => project.has(join(cwd, name)))
  if (!byScript('test', ['test', 'tests', 'test:unit', 'unit', 'phpunit'])) {
    if ('pestphp/pest' in packages) add('test', 'vendor/bin/pest', 'composer.json lists pest', { runner: 'pest' })
    else if (settings !== undefined || 'phpunit/phpunit' in packages) {
      const why = settings === undefined ? 'composer.json lists phpunit' : `found ${join(cwd, settings)}`
      add('test', 'vendor/bin/phpunit', why, { runner: 'phpunit' })
    }
  }
  byScript('lint', ['lint', 'cs', 'cs:check', 'phpcs', 'check-style', 'test:lint'])
  if (!byScript('typecheck', ['phpstan', 'analyse', 'analyze', 'stan', 'static-analysis', 'test:types', 'psalm'])) {
    const phpstan = ['phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon'].find((name) =>
      project.has(join(cwd, name)),
    )
    if (phpstan !== undefined) add('typecheck', 'vendor/bin/phpstan analyse', `found ${join(cwd, phpstan)}`)
  }
  return found
}

export const elixir: Detector = (project) =>
  project.roots(/^mix\.exs$/).flatMap((cwd) => {
    const why = `found ${join(cwd, 'mix.exs')}`
    return [
      { kind: 'test', command: 'mix test', cwd, runner: 'mix', why },
      { kind: 'build', command: 'mix compile', cwd, why },
      ...(project.has(join(cwd, '.credo.exs'))
        ? [{ kind: 'lint', command: 'mix credo', cwd, why: `found ${join(cwd, '.credo.exs')}` } as const]
        : []),
    ]
  })

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** bats files anywhere, run with the project's own bats if it has one. */
export const bats: Detector = (project) => {
  const files = project.files.filter(
    (path) => path.endsWith('.bats') && !/(?:^|\/)(?:node_modules|vendor|bats(?:-core)?)\//.test(path),
  )
  if (files.length === 0) return []
  const folders = [...new Set(files.map(folderOf))].sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
  const tops = folders.filter(
    (folder, at) => !folders.slice(0, at).some((top) => top === '' || folder.startsWith(`${top}/`)),
  )
  const own = ['test/bats/bin/bats', 'tests/bats/bin/bats', 'vendor/bats/bin/bats'].find((path) => project.has(path))
  const local = project.read('node_modules/.bin/bats') === undefined ? 'bats' : 'node_modules/.bin/bats'
  const places = tops.map((folder) => (folder === '' ? '.' : /^[\w./-]+$/.test(folder) ? folder : `'${folder}'`))
  const command = `${own ?? local} -r ${places.join(' ')}`
  return [{ kind: 'test', command, cwd: '', runner: 'bats', why: `found ${files[0]}`, guess: true }]
}
