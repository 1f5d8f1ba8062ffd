import type { Detected } from '../types.ts'
import { type Detector, join, type Project, stringsOf } from './project.ts'
import { runnerBehind } from './runner-behind.ts'

/** A script of composer is a line or a list of lines. */
function scriptsOf(document: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
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

/** Scripts of composer first, then pest or phpunit themselves. */
export const php: Detector = (project) =>
  project.roots(/^(?:composer\.json|phpunit\.xml(?:\.dist)?)$/).flatMap((cwd) => inFolder(project, cwd))

function inFolder(project: Project, cwd: string): readonly Detected[] {
  const document = project.json(join(cwd, 'composer.json')) ?? {}
  const scripts = scriptsOf(document)
  const packages = { ...stringsOf(document.require), ...stringsOf(document['require-dev']) }
  const found: Detected[] = []
  const add = (kind: Detected['kind'], command: string, why: string, more: Partial<Detected> = {}) =>
    found.push({ kind, command, cwd, why, ...more })
  const byScript = (kind: Detected['kind'], names: readonly string[]): boolean => {
    const name = names.find((each) => scripts[each] !== undefined)
    if (name === undefined) return false
    const behind = scripts[name]!
    const line = behind.replace(/@php\s+/g, 'php ').replace(/@(?=[\w:-])/g, 'npm run ')
    const runner = kind === 'test' ? runnerBehind(line, (other) => scripts[other]) : undefined
    const why = `${join(cwd, 'composer.json')} has a script ${name}${runner === undefined ? '' : ` that calls ${runner}`}`
    add(kind, `composer run-script ${name}`, why, { behind, ...(runner !== undefined && { runner }) })
    return true
  }

  const settings = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find((name) => project.has(join(cwd, name)))
  if (!byScript('test', ['test', 'tests', 'test:unit', 'unit', 'phpunit'])) {
    if ('pestphp/pest' in packages) add('test', 'vendor/bin/pest', 'composer.json names pest', { runner: 'pest' })
    else if (settings !== undefined || 'phpunit/phpunit' in packages) {
      const why = settings === undefined ? 'composer.json names phpunit' : `there is ${join(cwd, settings)}`
      add('test', 'vendor/bin/phpunit', why, { runner: 'phpunit' })
    }
  }
  byScript('lint', ['lint', 'cs', 'cs:check', 'phpcs', 'check-style', 'test:lint'])
  if (!byScript('typecheck', ['phpstan', 'analyse', 'analyze', 'stan', 'static-analysis', 'test:types', 'psalm'])) {
    const phpstan = ['phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon'].find((name) =>
      project.has(join(cwd, name)),
    )
    if (phpstan !== undefined) add('typecheck', 'vendor/bin/phpstan analyse', `there is ${join(cwd, phpstan)}`)
  }
  return found
}
