import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bytesOf } from '../../baseline/content-id.ts'
import type { DependencyChange } from '../../baseline/dependencies.ts'
import { isInside } from '../../baseline/inside.ts'
import { lockEntries, normal } from './lock-files.ts'
import type { ChangedPackage, ProjectFiles } from './node.ts'

/** The usual names of programs that run tests. */
const RUNNER_PROGRAMS =
  /^(?:vitest|jest|mocha|ava|tap|jasmine|karma|playwright|cypress|pytest|py\.test|tox|nox|rspec|rake|phpunit|pest|cargo|go|mvn|gradle|dotnet|tsc|eslint|biome|npm|npx|pnpm|yarn|node|python3?|ruby|php|make)(?:\.(?:cmd|bat|ps1|sh))?$/

/** Where packages are inside an environment; the user's own packages have no folder around them. */
const SITE = /^(?:lib(?:64)?\/(?:python|pypy)[\d.]+\/site-packages\/|Lib\/site-packages\/)/
const DIST_INFO = /^([^/]+?)-([^/-]+)\.(?:dist|egg)-info(?:\/|$)/
/** Written by every installation, and nothing reads them while tests run. */
const NOTES =
  /\.(?:dist|egg)-info\/(?:RECORD|INSTALLER|REQUESTED|WHEEL|direct_url\.json|uv_cache\.json|uv_build\.json|SOURCES\.txt|top_level\.txt|zip-safe|licenses\/.*|LICEN[CS]E.*)$/
/** Tools for installing, which environments update by themselves. */
const INSTALLERS = new Set(['pip', 'setuptools', 'wheel', 'uv', 'pkg-resources', 'distribute'])
/** Python runs these at every start. */
const STARTUP = /^(?:sitecustomize|usercustomize)(?:\.py[cd]?|\/|\.\w+\.so$)/

/** Changed and new distributions, start-up files and programs of a Python environment. */
export function changedPythonPackages(change: DependencyChange, project: ProjectFiles): readonly ChangedPackage[] {
  const site = sitesOf(change)
  const touched = [...change.modified, ...change.added].filter((path) => !NOTES.test(path) && !isGenerated(path))
  if (touched.length === 0) return []
  const owners = ownersOf(change, site)
  const cover = coverOf(change, project, owners.distributions)
  const found = new Map<string, ChangedPackage>()
  for (const path of touched) {
    const how = change.modified.includes(path) ? 'modified' : 'added'
    const inSite = path.replace(SITE, '')
    const owner = owners.of(path)
    const full = join(change.folder.real, path)
    const isProject = owner !== undefined && owners.distributions.get(owner)?.isProject === true
    if (isProject && how === 'added' && isEditableFile(inSite, full, project.top)) continue
    if (/\.(?:pth|egg-link)$/.test(inSite) && onlyOwnPaths(full, project.top)) continue
    if (STARTUP.test(inSite) || (inSite.endsWith('.pth') && (owner === undefined || isProject))) {
      const why = 'Python runs it before every test'
      found.set(path, { name: basename(path), file: path, how, cover: 'none', why })
    } else if (owner === undefined || isProject) {
      const name = path === inSite ? path : inSite.split('/')[0]!
      if (found.has(name)) continue
      found.set(name, { name, file: path, how, cover: 'none', why: 'no installed package owns it' })
    } else if (!found.has(owner)) {
      const isNew = !owners.before.has(owner)
      found.set(owner, { name: owner, file: path, how: isNew ? 'added' : 'modified', ...cover(owner, isNew) })
    }
  }
  return [...found.values()]
}

/** What `pip install -e .` adds: metadata without plugins for the test runner, new programs, and a finder without other code. */
function isEditableFile(inSite: string, full: string, top: string): boolean {
  const text = () => bytesOf(full)?.toString('utf8') ?? ''
  if (/\.(?:dist|egg)-info\/entry_points\.txt$/.test(inSite)) {
    const lists = ['pyproject.toml', 'setup.cfg', 'setup.py'].map(
      (name) => bytesOf(join(top, name))?.toString('utf8') ?? '',
    )
    return !text().includes('pytest11') || lists.some((each) => each.includes('pytest11'))
  }
  if (/^[^/]+\.(?:dist|egg)-info\//.test(inSite)) return true
  if (/^(?:\.\.\/)*(?:bin|Scripts)\/[\w.-]+$/.test(inSite)) return !RUNNER_PROGRAMS.test(basename(inSite))
  if (/^__editable__\W[\w.-]+\.pth$/.test(inSite))
    return /^import __editable___\w+_finder; __editable___\w+_finder\.install\(\)\s*$/.test(text())
  return /^__editable___\w+_finder\.py$/.test(inSite) && isFinder(text())
}

const isFinder = (text: string) =>
  text.includes('class _EditableFinder') &&
  !/\b(?:pytest|unittest|atexit|subprocess|exec|eval|__import__|os)\b/.test(text)

/** Activation scripts and settings contain the path and version of the interpreter. */
const isGenerated = (path: string) =>
  /^(?:bin|Scripts)\/(?:activate[\w.]*|Activate\.ps1|deactivate\.bat|pydoc\.bat)$|^\.gitignore$|^CACHEDIR\.TAG$|^\.lock$|\.py[co]$/.test(
    path,
  ) && !/^[^/]+\.pyc$/.test(path.replace(SITE, ''))

interface Distribution {
  /** Installed from the project itself. */
  readonly isProject: boolean
  readonly requires: readonly string[]
}

interface Owners {
  readonly distributions: ReadonlyMap<string, Distribution>
  /** Distributions whose metadata was there before. */
  readonly before: ReadonlySet<string>
  of(path: string): string | undefined
}

const sitesOf = ({ paths }: DependencyChange): readonly string[] => [
  ...new Set(paths.flatMap((path) => SITE.exec(path)?.[0] ?? [])),
]

/** Every distribution lists its files. A file that none lists was put there by hand. */
function ownersOf({ folder, paths, added, removed }: DependencyChange, sites: readonly string[]): Owners {
  const distributions = new Map<string, Distribution>()
  const owners = new Map<string, string>()
  const before = new Set<string>()
  const isAdded = new Set(added)
  for (const path of removed) {
    const name = DIST_INFO.exec(path.replace(SITE, ''))?.[1]
    if (name !== undefined) before.add(normal(name))
  }
  const read = (path: string) => bytesOf(join(folder.real, path))?.toString('utf8') ?? ''
  for (const path of paths) {
    const inSite = path.replace(SITE, '')
    const info = DIST_INFO.exec(inSite)
    if (info === null) continue
    const name = normal(info[1]!)
    owners.set(path, name)
    if (!isAdded.has(path)) before.add(name)
    if (!/\/(?:METADATA|PKG-INFO)$/.test(path)) continue
    const site = path.slice(0, path.length - inSite.length)
    const folderOfInfo = path.slice(0, path.lastIndexOf('/') + 1)
    const metadata = read(path)
    distributions.set(name, {
      isProject: isFrom(read(`${folderOfInfo}direct_url.json`), folder.path),
      requires: [...metadata.matchAll(/^Requires-Dist: ([\w.-]+)/gm)].map(([, each]) => normal(each!)),
    })
    for (const line of read(`${folderOfInfo}RECORD`).split('\n')) {
      const file = /^"?([^",]+)"?,/.exec(line)?.[1]
      const place = file === undefined ? '' : join(sites.length === 0 ? '' : site, file)
      // A new distribution does not become the owner of another one's files.
      if (!before.has(owners.get(place) ?? '') || before.has(name)) owners.set(place, name)
    }
  }
  return { distributions, before, of: (path) => owners.get(path) }
}

/** `pip install -e .` records the folder of the project. */
function isFrom(directUrl: string, folder: string): boolean {
  try {
    const { url } = JSON.parse(directUrl) as { readonly url?: unknown }
    return typeof url === 'string' && url.startsWith('file:') && isInside(folder, fileURLToPath(url))
  } catch {
    return false
  }
}

/** An editable install adds the project's own folders to the path. A line with `import` is code. */
function onlyOwnPaths(file: string, top: string): boolean {
  const lines = (bytesOf(file)?.toString('utf8') ?? '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return lines.every((line) => !/^import[ \t]/.test(line) && line.startsWith('/') && isInside(line.trim(), top))
}

function coverOf(
  { folder, lockBefore, lockNow }: DependencyChange,
  { listsChanged }: ProjectFiles,
  distributions: ReadonlyMap<string, Distribution>,
): (name: string, isNew: boolean) => Pick<ChangedPackage, 'cover' | 'why'> {
  const parse = (text: string | undefined) =>
    text === undefined || folder.lock === undefined ? undefined : lockEntries(folder.lock, text)
  const [before, now] = [parse(lockBefore), parse(lockNow)]
  const asked = new Set<string>()
  const open = now === undefined ? namesIn(lockNow ?? '') : []
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (asked.has(name)) continue
    asked.add(name)
    open.push(...(distributions.get(name)?.requires ?? []))
  }
  const list = folder.lock === undefined ? undefined : basename(folder.lock)
  return (name, isNew) => {
    if (INSTALLERS.has(name)) return { cover: 'updated' }
    if (now !== undefined) {
      const [was, is] = [before?.entry(name, ''), now.entry(name, '')]
      if (is === undefined) return { cover: 'none', why: `${list} does not list it` }
      if (is !== was) return { cover: 'updated' }
      return isNew ? { cover: 'locked' } : { cover: 'none' }
    }
    if (!asked.has(name)) return { cover: 'none', why: `${list ?? 'no list of requirements'} does not ask for it` }
    if (isNew) return { cover: lockBefore === lockNow ? 'locked' : 'updated' }
    return { cover: listsChanged && lockBefore !== lockNow ? 'updated' : 'none' }
  }
}

/** Names of packages in a list of requirements, a pyproject.toml or a setup.py. More names than there are do no harm. */
const namesIn = (text: string): string[] =>
  [
    ...text.matchAll(
      /^\s*([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:[=<>!~;@]|$)|["']([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:[=<>!~;@][^"']*)?["']/gm,
    ),
  ].map(([, line, quoted]) => normal(line ?? quoted ?? ''))
