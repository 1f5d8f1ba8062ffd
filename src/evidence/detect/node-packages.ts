import { isPlainWord, quoted } from '../../../packages/core/src/shell-word.ts'
import { globMatcher } from '../../system/glob.ts'
import { join, type Project, stringsOf } from './project.ts'

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** A JavaScript package: its folder and what its package.json contains. */
export interface Package {
  readonly folder: string
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: ReadonlySet<string>
  readonly document: Readonly<Record<string, unknown>>
}

const LOCKS: readonly (readonly [file: string, manager: Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
]

/** The folder and its parents, up to the workspace. */
function upwards(folder: string): readonly string[] {
  const parts = folder === '' ? [] : folder.split('/')
  return [...parts.map((_, n) => parts.slice(0, parts.length - n).join('/')), '']
}

/** Which package manager a package uses, and what shows that. */
export function managerOf(project: Project, folder: string): { readonly manager: Manager; readonly by?: string } {
  for (const place of upwards(folder)) {
    const named = project.json(join(place, 'package.json'))?.packageManager
    const manager = typeof named === 'string' ? /^(npm|pnpm|yarn|bun)@/.exec(named)?.[1] : undefined
    if (manager !== undefined) return { manager: manager as Manager, by: 'the packageManager field' }
    const lock = LOCKS.find(([file]) => project.has(join(place, file)))
    if (lock !== undefined) return { manager: lock[1], by: lock[0] }
  }
  const above = LOCKS.find(([file]) => project.above.has(file))
  return above === undefined
    ? { manager: 'npm' }
    : { manager: above[1], by: `${above[0]} at the top of the repository` }
}

export function packageIn(project: Project, folder: string): Package | undefined {
  const document = project.json(join(folder, 'package.json'))
  if (document === undefined) return undefined
  const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  const dependencies = new Set(kinds.flatMap((kind) => Object.keys(stringsOf(document[kind]))))
  return { folder, scripts: stringsOf(document.scripts), dependencies, document }
}

/** The members that a monorepo lists; without a list, the packages nearest to the top. */
export function membersOf(project: Project): readonly Package[] {
  const patterns = workspacesOf(project)
  const folders =
    patterns.length === 0
      ? nearest(project)
      : project.files
          .filter((path) => path.endsWith('/package.json') && !path.includes('node_modules/'))
          .map((path) => path.slice(0, -'/package.json'.length))
          .filter((folder) => isMember(folder, patterns))
  return folders.map((folder) => packageIn(project, folder)).filter((found) => found !== undefined)
}

/** Packages below the top that are not inside one another; the top itself is handled elsewhere. */
function nearest(project: Project): readonly string[] {
  const folders = project.has('package.json') ? undefined : project.roots(/^package\.json$/)
  return folders ?? childrenOf(project)
}

function childrenOf(project: Project): readonly string[] {
  const found = project.files.filter((path) => /^[^/.][^/]*\/package\.json$/.test(path))
  const own = /^(?:node_modules|vendor|fixtures?|examples?|samples?|templates?|tests?|docs?|demos?)\//i
  return found.filter((path) => !own.test(path)).map((path) => path.slice(0, -'/package.json'.length))
}

function workspacesOf(project: Project): readonly string[] {
  const named = project.json('package.json')?.workspaces
  const list = Array.isArray(named) ? named : (named as { packages?: unknown } | undefined)?.packages
  const patterns = Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : []
  return [...patterns, ...pnpmPackages(project.read('pnpm-workspace.yaml') ?? '')].filter((each) => each.length < 200)
}

/** The list under `packages:`. */
function pnpmPackages(yaml: string): readonly string[] {
  const lines = yaml.split(/\r?\n/)
  const from = lines.findIndex((line) => /^packages:\s*$/.test(line))
  if (from < 0) return []
  const rest = lines.slice(from + 1)
  const end = rest.findIndex((line) => !/^\s*(?:-.*|#.*)?$/.test(line))
  const items = rest.slice(0, end < 0 ? undefined : end).map((line) => /^\s*-\s*(["']?)([^"'#]+)\1/.exec(line)?.[2])
  return items.filter((item) => item !== undefined).map((item) => item.trim())
}

function isMember(folder: string, patterns: readonly string[]): boolean {
  const fits = (pattern: string) => globMatcher(pattern.replace(/^!/, '').replace(/\/$/, ''))(folder)
  return (
    patterns.some((each) => !each.startsWith('!') && fits(each)) &&
    !patterns.some((each) => each.startsWith('!') && fits(each))
  )
}

/** How the manager runs a script, and a program that the package depends on. */
export function runScript(manager: Manager, script: string): string {
  const name = isPlainWord(script) ? script : quoted(script)
  // `bun test` would be bun's own runner.
  if (name === 'test' && manager !== 'bun') return `${manager} test`
  return `${manager} run ${name}`
}

export function runProgram(manager: Manager, line: string): string {
  return {
    npm: `npx --no-install ${line}`,
    pnpm: `pnpm exec ${line}`,
    yarn: `yarn run ${line}`,
    bun: `bunx --no-install ${line}`,
  }[manager]
}

/** One command for all members, for a monorepo with very many of them. */
export function runEverywhere(manager: Manager, script: string): string {
  return {
    npm: `npm run ${script} --workspaces --if-present`,
    pnpm: `pnpm -r --if-present run ${script}`,
    yarn: `yarn workspaces run ${script}`,
    bun: `bun run --filter '*' ${script}`,
  }[manager]
}
