import { basename, dirname, join, relative, sep } from 'node:path'
import type { Changes } from '../changes.ts'
import { short, type TamperFinding } from '../finding.ts'

/** What a lock file says about packages. */
export interface LockEntries {
  readonly names: readonly string[]
  /** Everything it records about a package; undefined if it does not list it. `path` is where the package is installed, absolute. */
  entry(name: string, path: string): string | undefined
}

/** Undefined if the format is unknown or the text is damaged: then only the text as a whole can be compared. */
export function lockEntries(file: string, text: string): LockEntries | undefined {
  const name = basename(file)
  if (name === 'package-lock.json' || name === 'npm-shrinkwrap.json') return fromNpm(file, text)
  if (name === 'yarn.lock') return byName(text, /^"?((?:@[^/@\s"]+\/)?[^@\s"]+)@[^\n]*:\n((?:[ \t]+.*\n?)*)/gm)
  if (name === 'pnpm-lock.yaml')
    return byName(text, /^ {2}['"]?\/?((?:@[^/@\s'"]+\/)?[^@\s'"/]+)[@/](\d[^\n]*:(?: \{\})?\n(?: {4}.*\n?)*)/gm)
  if (name === 'bun.lock') return byName(text, /^ {4}"(?:[^"]*\/)?((?:@[^/"]+\/)?[^/"]+)": (\[.*)$/gm)
  if (/^(?:uv|poetry|pdm)\.lock$/.test(name))
    return byName(text, /^\[\[package\]\]\s*\nname = "([^"]+)"((?:\n(?!\[\[package\]\]).*)*)/gm, normal)
  if (name === 'Pipfile.lock') return byName(text, /^ {8}"([^"]+)": (\{[\s\S]*?^ {8}\})/gm, normal)
  if (name === 'composer.lock') return byName(text, /^ {12}"name": "([^"]+)",((?:\n(?! {12}"name": ).*)*)/gm)
  if (name === 'Gemfile.lock') return byName(text, /^ {4}([\w.-]+) (\([^)\n]*\).*)$/gm)
  return undefined
}

/** Python's package names ignore case, and treat dots, dashes and underscores as the same. */
export const normal = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

function byName(
  text: string,
  pattern: RegExp,
  key: (name: string) => string = (name) => name,
): LockEntries | undefined {
  const found = new Map<string, string>()
  for (const [, name = '', body = ''] of text.matchAll(pattern)) {
    found.set(key(name), `${found.get(key(name)) ?? ''}${body}\n`)
  }
  return found.size === 0 ? undefined : { names: [...found.keys()], entry: (name) => found.get(key(name)) }
}

/** Version 1 lists names only. Later versions list the place of every package. */
function fromNpm(file: string, text: string): LockEntries | undefined {
  try {
    const lock = JSON.parse(text) as { readonly packages?: object; readonly dependencies?: object }
    const { packages = {}, dependencies = {} } = lock
    const places = new Map(Object.entries(packages))
    const names = new Map(Object.entries(dependencies))
    const top = dirname(file)
    return {
      names: [...(places.size > 0 ? places : names).keys()].map((place) => place.replace(/^.*node_modules\//, '')),
      entry(name, path) {
        const place = relative(top, path).split(sep).join('/')
        const found = places.size > 0 ? places.get(place) : names.get(name)
        return found === undefined ? undefined : recorded(found)
      },
    }
  } catch {
    return undefined
  }
}

/** Flags such as `peer` change when other packages are installed. */
function recorded(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return ''
  const { version, resolved, integrity, link } = entry as Readonly<Record<string, unknown>>
  return JSON.stringify([version, resolved, integrity, link])
}

/** Packages that run or check tests. */
export const RUNNER_PACKAGES =
  /^(?:vitest|@vitest\/[\w-]+|jest|@jest\/[\w-]+|jest-\w+|ts-jest|babel-jest|mocha|chai|ava|tap|tape|jasmine(?:-core)?|karma|@playwright\/test|playwright|cypress|expect|node:test|pytest(?:-[\w-]+)?|unittest2|nose2?|rspec(?:-[\w-]+)?|minitest|phpunit\/phpunit|pestphp\/pest|github\.com\/stretchr\/testify|@testing-library\/[\w-]+|typescript|eslint)$/

/** Sources other than a registry. */
const LOCAL = /(?:file:|link:|directory:|git\+|"\.{1,2}\/)/
const versionIn = (entry: string) =>
  /^(?:\["|\["[^"]*@)?(\d[^"':,\s(]*)|version:? "?([^",\s]+)/.exec(entry)?.slice(1).find(Boolean)
const contentIn = (entry: string) => /sha\d+-[\w+/=]+|checksum: \S+|#[\da-f]{40}/.exec(entry)?.[0]

/** A test runner in the lock file that has the same version but other contents, or doesn't come from a registry any more. */
export function lockFindings({ all }: Changes): TamperFinding[] {
  return all.flatMap(({ path, before, after }): TamperFinding[] => {
    if (before === undefined || after === undefined) return []
    const [was, now] = [lockEntries(path, before), lockEntries(path, after)]
    // Another version of Yarn writes other checksums for the same package.
    const [format, newFormat] = [before, after].map((text) => /^__metadata:\n(?: .*\n)+/m.exec(text)?.[0])
    return (now?.names ?? []).flatMap((name): TamperFinding[] => {
      const place = join(dirname(path), 'node_modules', name)
      const [old, is] = [was?.entry(name, place), now?.entry(name, place)]
      if (!RUNNER_PACKAGES.test(name) || old === undefined || is === undefined || old === is) return []
      const isLocal = LOCAL.test(is) && !LOCAL.test(old)
      const isSame = versionIn(old) !== undefined && versionIn(old) === versionIn(is) && format === newFormat
      if (!isLocal && !(isSame && contentIn(old) !== contentIn(is))) return []
      const detail = isLocal
        ? `The lock file takes ${name} from another source. Restore the entry.`
        : `The lock file has other contents for the same version of ${name}. Restore the entry.`
      return [{ kind: 'runner-replaced', severity: 'block', file: path, before: short(old), after: short(is), detail }]
    })
  })
}
