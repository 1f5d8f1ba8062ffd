import { folderOf } from '../words.ts'
import type { ImportReader, Sources } from './sources.ts'

/** import x from, export x from, import 'x', import('x'), require('x'), and the mocks of the runners. */
const NAMED =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire(?:\.resolve)?\s*\(|\b(?:vi|vitest|jest)\.(?:mock|doMock|unmock|importActual|requireActual|importMock|requireMock)\s*(?:<[^>()]*>)?\(|\bnew\s+URL\s*\()\s*(?:\/\*[\s\S]*?\*\/\s*)?(["'`])([^"'`\n]+)\1/g
/** The same with something that only running it would tell. */
const COMPUTED = /(?:\bimport|\brequire)\s*\(\s*(?!["'`)\s/])/
const ENDINGS = ['', '.ts', '.tsx', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs', '.json', '.vue', '.svelte', '.d.ts']
const BUILT_IN = /^(?:node:|bun:|deno:|https?:|data:|jsr:|npm:)/

export const javascript: ImportReader = (file, text, sources) => {
  const code = text.replace(/^\s*(?:\/\/|\*).*$/gm, '')
  if (COMPUTED.test(code)) return undefined
  const found: string[] = []
  for (const [, , name = ''] of code.matchAll(NAMED)) {
    if (name.startsWith('.') || name.startsWith('/')) found.push(...relative(file, name, sources))
    else if (!BUILT_IN.test(name)) found.push(...bare(name, sources))
  }
  return found
}

function relative(file: string, name: string, sources: Sources): string[] {
  const plain = name.replace(/[?#].*$/, '')
  // `./locales/${language}.json`: everything in that folder.
  const computed = plain.indexOf('${')
  if (computed >= 0) {
    const start = sources.join(folderOf(file), plain.slice(0, plain.lastIndexOf('/', computed) + 1)) ?? ''
    return sources.paths.filter((path) => path.startsWith(`${start}/`))
  }
  const path = sources.join(folderOf(file), plain)
  return path === undefined ? [] : resolve(path, sources)
}

/** All that a specifier may mean: the file, the file behind another ending, the index of a folder. */
function resolve(path: string, sources: Sources): string[] {
  // A source written in TypeScript is imported by the name of what is made of it.
  const stem = path.replace(/\.([cm]?)jsx?$/, '')
  const start = path === '' ? '' : `${path}/`
  return [...new Set([path, stem])]
    .flatMap((base) => ENDINGS.map((ending) => base + ending))
    .concat(ENDINGS.map((ending) => `${start}index${ending}`))
    .filter((candidate) => sources.has(candidate))
}

/** An alias of the project's own (`@/x`, `~/x`, `#x`), a path from its root, or another package of the same repository. */
function bare(name: string, sources: Sources): string[] {
  const packages = sources.once(javascript, () => packagesIn(sources))
  const home = [...packages].find(([known]) => name === known || name.startsWith(`${known}/`))
  if (home !== undefined) {
    const [, folder] = home
    return sources.paths.filter(
      (path) => path.startsWith(folder === '' ? '' : `${folder}/`) && /\.[cm]?[jt]sx?$/.test(path),
    )
  }
  const [scope = '', ...rest] = name.split('/')
  const isScoped = /^@[^/]/.test(name)
  const keys = sources.once(packagesIn, () => declaredNames(sources))
  if (rest.length === 0 ? !/^[#~]/.test(name) : keys.has(isScoped ? `${scope}/${rest[0]}` : scope)) return []
  const endings = sources.once(bare, () => bySuffix(sources))
  const plain = (path: string) => path.replace(/\.[cm]?[jt]sx?$/, '')
  const whole = plain(name.replace(/^[@~#$]\/?/, ''))
  return [...(endings.get(whole) ?? []), ...(endings.get(plain(rest.join('/'))) ?? [])]
}

/** Whatever a package.json has as a key: dependencies of every kind are among them. */
function declaredNames(sources: Sources): Set<string> {
  const files = sources.paths.filter(
    (path) => /(?:^|\/)package\.json$/.test(path) && !/(?:^|\/)node_modules\//.test(path),
  )
  return new Set(
    files.flatMap((path) => [...(sources.read(path) ?? '').matchAll(/"([^"\n]+)"\s*:/g)].map(([, key = '']) => key)),
  )
}

function packagesIn(sources: Sources): Map<string, string> {
  const found = new Map<string, string>()
  for (const path of sources.paths) {
    if (!/(?:^|\/)package\.json$/.test(path) || /(?:^|\/)node_modules\//.test(path)) continue
    const name = /"name"\s*:\s*"([^"]+)"/.exec(sources.read(path) ?? '')?.[1]
    if (name !== undefined) found.set(name, folderOf(path))
  }
  return found
}

/** `src/lib/x.ts` by every end of its path: `lib/x` and `x` alike. */
function bySuffix(sources: Sources): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const path of sources.paths) {
    const stem = /^(.*?)(?:\/index)?\.[cm]?[jt]sx?$/.exec(path)?.[1]
    if (stem === undefined) continue
    for (let at = 0; at >= 0; at = stem.indexOf('/', at + 1)) {
      const end = at === 0 ? stem : stem.slice(at + 1)
      const files = found.get(end)
      if (files === undefined) found.set(end, [path])
      else if (files.length < 50) files.push(path)
    }
  }
  return found
}
