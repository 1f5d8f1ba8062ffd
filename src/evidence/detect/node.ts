import { shellCommands } from '../../system/shell/commands.ts'
import { maskedReason } from '../../system/shell/hidden-failure.ts'
import type { Detected } from '../types.ts'
import { runnersIn } from './find-runner.ts'
import {
  type Manager,
  managerOf,
  membersOf,
  type Package,
  packageIn,
  runEverywhere,
  runProgram,
  runScript,
} from './node-packages.ts'
import { below, type Detector, join, type Project } from './project.ts'

type Kind = Detected['kind']

/** Common script names, the best first. */
const NAMES: Readonly<Record<Kind, readonly string[]>> = {
  test: ['test', 'test:ci', 'test:run', 'test:once', 'test:unit', 'test:all', 'tests', 'unit', 'unit-test'],
  build: ['build', 'compile', 'build:prod'],
  lint: ['lint', 'lint:ci', 'lint:check', 'lint:js', 'eslint', 'biome'],
  typecheck: ['typecheck', 'type-check', 'check-types', 'types:check', 'check:types', 'types', 'tsc', 'test:types'],
}
const KINDS = Object.keys(NAMES) as Kind[]
/** With more packages than this, one command runs all of them. */
const MOST_MEMBERS = 20
/** How many test files are read to find out which runner they use. */
const MOST_READ = 50

/** What `npm init` writes, and other scripts that do nothing. */
const isPlaceholder = (script: string) =>
  shellCommands(script).every(({ words }) => /^(?:echo|printf|exit|true|:)$/.test(words[0] ?? ''))

/** A script that never ends, or that modifies what it should only check. */
const NEVER_ENDS = /(?:^|\s)(?:--watch(?:All)?(?!=false)|-w|--ui)(?=\s|$)|^(?:vitest|ng) watch\b|\bnodemon\b/
const CHANGES = /(?:^|\s)--(?:fix|write)(?=\s|$)/

/** package.json, and whatever runs its scripts. */
export const node: Detector = (project) => {
  const top = packageIn(project, '')
  return KINDS.flatMap((kind) => {
    const own = top === undefined ? undefined : find(project, top, kind)
    if (own !== undefined) return [own]
    const members = membersOf(project)
    const found = members.map((member) => find(project, member, kind)).filter((each) => each !== undefined)
    return found.length > MOST_MEMBERS ? [everywhere(project, kind, found)] : found
  })
}

function find(project: Project, own: Package, kind: Kind): Detected | undefined {
  const { manager, by } = managerOf(project, own.folder)
  const usable = NAMES[kind].filter((name) => {
    const script = own.scripts[name]
    return script !== undefined && !isPlaceholder(script) && !(kind === 'lint' && CHANGES.test(script))
  })
  const name = usable.find((each) => !NEVER_ENDS.test(own.scripts[each]!)) ?? usable[0]
  if (name === undefined) return byDependency(project, own, kind, manager)
  const script = own.scripts[name]!
  const runners = kind === 'test' ? runnersIn(script, (other) => own.scripts[other]) : []
  return {
    kind,
    command: runScript(manager, name),
    cwd: own.folder,
    ...(runners.length === 1 && { runner: runners[0]! }),
    why: why(own, name, script, runners, by),
    behind: script,
  }
}

function why(own: Package, name: string, script: string, runners: readonly string[], by: string | undefined): string {
  const file = join(own.folder, 'package.json')
  const calls = runners.length === 0 ? '' : ` that runs ${runners.join(' and ')}`
  const notes = [
    by === undefined ? undefined : `package manager found by ${by}`,
    NEVER_ENDS.test(script) ? 'the script watches files and may never end' : undefined,
    maskedReason(script) === undefined ? undefined : `careful: ${maskedReason(script)}`,
  ].filter((note) => note !== undefined)
  return `${file} has a script "${name}"${calls}${notes.map((note) => `; ${note}`).join('')}`
}

/** Programs that can run without a script if the package depends on them, with their settings files. */
const PROGRAMS: Readonly<Record<Kind, readonly (readonly [dependency: string, line: string, settings?: RegExp])[]>> = {
  test: [
    ['vitest', 'vitest run'],
    ['jest', 'jest'],
    ['mocha', 'mocha'],
    ['ava', 'ava'],
    ['tap', 'tap'],
    ['jasmine', 'jasmine'],
    ['@playwright/test', 'playwright test'],
  ],
  build: [],
  lint: [
    ['eslint', 'eslint .', /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?)$/],
    ['@biomejs/biome', 'biome check .', /^biome\.jsonc?$/],
  ],
  typecheck: [['typescript', 'tsc --noEmit', /^tsconfig\.json$/]],
}

function byDependency(project: Project, own: Package, kind: Kind, manager: Manager): Detected | undefined {
  const files = below(project, own.folder)
  const file = join(own.folder, 'package.json')
  const found = PROGRAMS[kind].find(
    ([dependency, , settings]) =>
      own.dependencies.has(dependency) && (settings === undefined || files.some((path) => settings.test(path))),
  )
  if (found !== undefined) {
    const [dependency, line] = found
    return {
      kind,
      command: runProgram(manager, line),
      cwd: own.folder,
      ...(kind === 'test' && { runner: runnersIn(line)[0]! }),
      why: `${file} depends on ${dependency} but has no script for it`,
      guess: true,
    }
  }
  if (kind !== 'test') return undefined
  const importsNodeTest = (path: string) => /["'`]node:test["'`]/.test(project.read(join(own.folder, path)) ?? '')
  const tests = files.filter((path) => /(?:\.(?:test|spec)|^test\/[^.]*|\/test\/[^.]*)\.[cm]?js$/.test(path))
  const example = tests.slice(0, MOST_READ).find(importsNodeTest)
  if (example === undefined) return undefined
  const cause = `${join(own.folder, example)} uses node:test, but ${file} has no script for it`
  return { kind, command: 'node --test', cwd: own.folder, runner: 'node', why: cause, guess: true }
}

function everywhere(project: Project, kind: Kind, found: readonly Detected[]): Detected {
  const { manager } = managerOf(project, '')
  const name = NAMES[kind][0]!
  return {
    kind,
    command: runEverywhere(manager, name),
    cwd: '',
    why: `${found.length} packages have a script "${name}"`,
  }
}
