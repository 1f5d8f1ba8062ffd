import type { Detected } from '../types.ts'
import { below, type Detector, join } from './project.ts'

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
    const add = (kind: Detected['kind'], command: string, why: string, runner?: string) =>
      found.push({ kind, command, cwd, why, ...(runner !== undefined && { runner }) })

    const spec = files.find((path) => /^spec\/.*_spec\.rb$/.test(path))
    if (has('.rspec')) add('test', `${exec}rspec`, `there is ${join(cwd, '.rspec')}`, 'rspec')
    else if (/["']rspec(?:-rails)?["']/.test(gems)) add('test', `${exec}rspec`, 'the Gemfile names rspec', 'rspec')
    else if (spec !== undefined) add('test', `${exec}rspec`, `there is ${join(cwd, spec)}`, 'rspec')

    const test = files.find((path) => /^test\/.*(?:_test|test_[^/]*)\.rb$/.test(path))
    if (test !== undefined && has('bin/rails'))
      add('test', 'bin/rails test', 'this is a Rails application with tests', 'minitest')
    else if (/TestTask|Minitest::TestTask/.test(read('Rakefile'))) {
      add('test', `${exec}rake test`, 'the Rakefile has a task test', 'minitest')
    }
    if (has('.rubocop.yml')) add('lint', `${exec}rubocop`, 'there is .rubocop.yml')
    if (has('sorbet/config')) add('typecheck', `${exec}srb tc`, 'there is sorbet/config')
    return found
  })
