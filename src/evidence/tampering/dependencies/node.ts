import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { bytesOf } from '../../baseline/content-id.ts'
import type { DependencyChange } from '../../baseline/dependencies.ts'
import { isInside } from '../../baseline/inside.ts'
import { lockEntries, RUNNER_PACKAGES } from './lock-files.ts'

/** A package that differs from the baseline, and what covers the difference. */
export interface ChangedPackage {
  readonly name: string
  /** The first file that differs, from the dependency folder. */
  readonly file: string
  readonly how: 'added' | 'modified'
  /**
   * `locked`: the lock file always listed it. It was only not installed. `updated`: the lock file changed with it. `patched`: a patch
   * of the project changes it. `none`: no file of the project explains it.
   */
  readonly cover: 'locked' | 'updated' | 'patched' | 'none'
  /** A clause, if there is more to say. */
  readonly why?: string
}

/** What the judge needs to know about the project around a dependency folder. */
export interface ProjectFiles {
  /** Root of the repository or the workspace, absolute. */
  readonly top: string
  /** Paths of the project's own patches of packages. */
  readonly patches: readonly string[]
  /** The project's own lists of dependencies have changed. */
  readonly listsChanged: boolean
}

/** `node_modules/a/b.js` belongs to `a`; nested and stored packages count by their own place. */
function packageOf(path: string): { readonly place: string; readonly name: string } | undefined {
  const inside = `node_modules/${path}`
  const at = inside.lastIndexOf('node_modules/') + 'node_modules/'.length
  const [first = '', second] = inside.slice(at).split('/')
  if (first === '.bin' || (first.startsWith('.') && second !== undefined)) return undefined
  const name = first.startsWith('@') && second !== undefined ? `${first}/${second}` : first
  return { place: `${inside.slice(0, at)}${name}`.slice('node_modules/'.length), name }
}

export function changedNodePackages(change: DependencyChange, project: ProjectFiles): readonly ChangedPackage[] {
  const { folder, added, modified } = change
  const isOld = new Set(change.paths)
  for (const path of added) isOld.delete(path)
  const installedBefore = new Set([...isOld].flatMap((path) => packageOf(path)?.place ?? []))
  for (const path of change.removed) installedBefore.add(packageOf(path)?.place ?? '')
  const places = new Map<string, { readonly name: string; readonly file: string }>()
  for (const path of [...modified, ...added]) {
    const found = packageOf(path)
    if (found !== undefined && !places.has(found.place)) places.set(found.place, { name: found.name, file: path })
  }
  const cover = coverOf(change, project)
  const packages = [...places].map(([place, { name, file }]): ChangedPackage => {
    const how = installedBefore.has(place) ? 'modified' : 'added'
    return { name, file, how, ...cover(name, place, how) }
  })
  const uncovered = new Set(packages.flatMap(({ cover: by, name }) => (by === 'none' ? [name] : [])))
  return [...packages, ...changedPrograms(change, folder.real, uncovered), ...changedHidden(change)]
}

type Cover = Pick<ChangedPackage, 'cover' | 'why'>

function coverOf(
  { folder, lockBefore, lockNow }: DependencyChange,
  project: ProjectFiles,
): (name: string, place: string, how: ChangedPackage['how']) => Cover {
  const parse = (text: string | undefined) =>
    text === undefined || folder.lock === undefined ? undefined : lockEntries(folder.lock, text)
  const [before, now] = [parse(lockBefore), parse(lockNow)]
  let reached: ReadonlySet<string> | undefined
  return (name, place, how) => {
    const path = join(folder.path, place)
    const link = linkTarget(join(folder.real, place))
    if (link !== undefined && !isInside(link, folder.real)) {
      // A package of the same repository; its files are compared like all others.
      const isNamed = isInside(link, project.top) && manifestOf(link)?.name === name && !RUNNER_PACKAGES.test(name)
      // It may not replace a package that was installed, unless the lock file says so.
      const isOwn = isNamed && (how === 'added' || before?.entry(name, path) !== now?.entry(name, path))
      return isOwn ? { cover: 'locked' } : { cover: 'none', why: `it leads to ${link}` }
    }
    if (project.patches.some((patch) => patchesPackage(patch, name))) return { cover: 'patched' }
    if (now !== undefined && (before !== undefined || lockBefore !== undefined)) {
      const [was, is] = [before?.entry(name, path), now.entry(name, path)]
      if (is === undefined) return { cover: 'none', why: `${basename(folder.lock!)} does not list it` }
      if (is !== was) return { cover: 'updated' }
      return how === 'added' ? { cover: 'locked' } : { cover: 'none' }
    }
    // A lock file in another format: it can only be compared as a whole.
    if (lockNow !== undefined && lockBefore !== undefined)
      return lockNow !== lockBefore ? { cover: 'updated' } : { cover: 'none' }
    // Without a lock file, the project's own list decides.
    reached ??= reachable(folder.path, folder.real)
    if (!reached.has(name)) return { cover: 'none', why: 'package.json does not ask for it' }
    return how === 'added' ? { cover: 'locked' } : { cover: project.listsChanged ? 'updated' : 'none' }
  }
}

function linkTarget(path: string): string | undefined {
  try {
    const real = realpathSync.native(path)
    return real === path ? undefined : real
  } catch {
    return undefined
  }
}

/** `patches/left-pad+1.3.0.patch`, `patches/@a__b@1.0.0.patch`, `.yarn/patches/left-pad-npm-1.3.0-abc.patch` */
function patchesPackage(path: string, name: string): boolean {
  const file = basename(path).replaceAll('+', '/').replaceAll('__', '/')
  return file.startsWith(`${name}/`) || file.startsWith(`${name}@`) || file.startsWith(`${name.replace('/', '-')}-npm-`)
}

interface Manifest {
  readonly name?: unknown
  readonly bin?: unknown
  readonly dependencies?: object
  readonly devDependencies?: object
  readonly peerDependencies?: object
  readonly optionalDependencies?: object
}

function manifestOf(folder: string): Manifest | undefined {
  try {
    const manifest: unknown = JSON.parse(bytesOf(join(folder, 'package.json'))?.toString('utf8') ?? '')
    return typeof manifest === 'object' && manifest !== null ? manifest : undefined
  } catch {
    return undefined
  }
}

/** Names that the project asks for, directly or through other packages. */
function reachable(path: string, real: string): ReadonlySet<string> {
  const found = new Set<string>()
  const asked = (manifest: Manifest | undefined, withDev: boolean) =>
    Object.keys({
      ...manifest?.dependencies,
      ...manifest?.peerDependencies,
      ...manifest?.optionalDependencies,
      ...(withDev && manifest?.devDependencies),
    })
  const open = asked(manifestOf(dirname(path)), true)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue
    found.add(name)
    open.push(...asked(manifestOf(join(real, name)), false))
  }
  return found
}

/** Programs in `.bin` come before those of the system. An honest one is a link to a program that a package declares. */
function changedPrograms(
  { added, modified }: DependencyChange,
  real: string,
  uncovered: ReadonlySet<string>,
): ChangedPackage[] {
  return [...modified, ...added]
    .filter((path) => /(?:^|\/)\.bin\/[^/]+$/.test(path) && !/\.(?:cmd|ps1|bat)$/.test(path))
    .flatMap((path): ChangedPackage[] => {
      const owner = ownerOfProgram(real, path)
      if (owner !== undefined && !uncovered.has(owner)) return []
      const how = modified.includes(path) ? 'modified' : 'added'
      return [{ name: path, file: path, how, cover: 'none', why: 'no package declares this program' }]
    })
}

/** The package that declares the program, if the entry does nothing but start it. */
function ownerOfProgram(real: string, path: string): string | undefined {
  const full = join(real, path)
  const target = linkTarget(full) ?? shimTarget(full)
  if (target === undefined) return undefined
  for (let folder = dirname(target); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = manifestOf(folder)
    if (typeof manifest?.name !== 'string') continue
    const { name, bin } = manifest
    const declared = typeof bin === 'string' ? { [name.replace(/^.*\//, '')]: bin } : (bin ?? {})
    const program = Object.entries(declared).find(([each]) => each === basename(path))?.[1]
    return typeof program === 'string' && samePlace(join(folder, program), target) ? name : undefined
  }
  return undefined
}

function samePlace(a: string, b: string): boolean {
  const real = (path: string) => linkTarget(path) ?? path
  return [a, `${a}.js`].some((each) => real(each) === real(b))
}

/** The only lines in the small scripts that package managers write instead of links. */
const SHIM =
  /^(?:#!\/bin\/sh|basedir=\$\(dirname "\$\(echo "\$0" \| sed -e 's,\\\\,\/,g'\)"\)|case `uname` in|\*(?:CYGWIN|MINGW)[*|\w]*\)|if command -v cygpath > \/dev\/null 2>&1; then|basedir=`cygpath -w "\$basedir"`|basedir_win=.*cygpath.*|fi|else|;;|esac|if \[ -z "\$NODE_PATH" \]; then|export NODE_PATH="[^"`$()]*(?::\$NODE_PATH)?"|if \[ -x "\$basedir\/node" \]; then|exec (?:"\$basedir\/node"|node)\s+"\$basedir\/[^"`$()]+" "\$@"|)$/

function shimTarget(full: string): string | undefined {
  const text = bytesOf(full, 8_192)?.toString('utf8')
  if (text === undefined || !text.split(/\r?\n/).every((line) => SHIM.test(line.trim()))) return undefined
  const target = /exec node\s+"\$basedir\/([^"]+)"/.exec(text)?.[1]
  return target === undefined ? undefined : (linkTarget(join(dirname(full), target)) ?? join(dirname(full), target))
}

/** Generated code, such as `.prisma`, is only reported. */
function changedHidden({ added, modified }: DependencyChange): ChangedPackage[] {
  const seen = new Map<string, ChangedPackage>()
  for (const path of [...modified, ...added]) {
    const [first = ''] = path.split('/')
    if (!first.startsWith('.') || first === '.bin' || first === '.pnpm' || first === '.store' || seen.has(first))
      continue
    const isFile = !path.includes('/')
    seen.set(first, {
      name: first,
      file: path,
      how: modified.includes(path) ? 'modified' : 'added',
      cover: isFile ? 'locked' : 'updated',
    })
  }
  return [...seen.values()]
}
