import { folderOf } from '../words.ts'
import type { ImportReader, Sources } from './sources.ts'

const FROM = /^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)/gm
const IMPORT = /^[ \t]*import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*)/gm
/** By name at run time: import_module('x.y'), patch('x.y.z'). */
const NAMED = /\b(?:import_module|__import__|patch|patch\.object|importorskip)\s*\(\s*["']([\w.]+)["']/g
const COMPUTED = /\b(?:import_module|__import__)\s*\(\s*(?!["'])/

export const python: ImportReader = (file, text, sources) => {
  if (COMPUTED.test(text)) return undefined
  const folder = folderOf(file)
  const found = implicit(folder, sources)
  for (const [, dots = '', module = '', names = ''] of text.matchAll(FROM)) {
    const wanted = names
      .replace(/[()\\]/g, ' ')
      .split(',')
      .map((name) => name.trim().split(/\s+/)[0] ?? '')
    const bases = dots === '' ? rootsFor(folder, sources) : [above(folder, dots.length - 1)]
    for (const base of bases) {
      const path = [base, ...module.split('.')].filter((part) => part !== '' && part !== undefined).join('/')
      found.push(...moduleAt(path, base ?? '', sources))
      for (const name of wanted) found.push(...moduleAt(path === '' ? name : `${path}/${name}`, base ?? '', sources))
    }
  }
  const plain = [...text.matchAll(IMPORT)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().split(/\s+/)[0] ?? ''),
  )
  const named = [...text.matchAll(NAMED)].map(([, name = '']) => name)
  for (const name of [...plain, ...named]) {
    const parts = name.split('.')
    for (const base of rootsFor(folder, sources)) {
      for (let n = parts.length; n > 0; n--) {
        found.push(...moduleAt([base, ...parts.slice(0, n)].filter((part) => part !== '').join('/'), base, sources))
      }
    }
  }
  return found
}

const above = (folder: string, levels: number) =>
  folder
    .split('/')
    .slice(0, Math.max(0, folder.split('/').length - levels))
    .join('/')

/** pytest loads these without being asked; a package runs its `__init__`. */
function implicit(folder: string, sources: Sources): string[] {
  const parts = folder === '' ? [] : folder.split('/')
  const folders = ['', ...parts.map((_part, i) => parts.slice(0, i + 1).join('/'))]
  return folders
    .flatMap((place) => ['conftest.py', '__init__.py'].map((name) => (place === '' ? name : `${place}/${name}`)))
    .filter(sources.has)
}

/** Folders that absolute imports may start from: those above the file, and the usual homes of source. */
function rootsFor(folder: string, sources: Sources): string[] {
  const homes = sources.once(python, () => {
    const found = new Set<string>([''])
    for (const path of sources.paths) {
      const home = /^((?:.*\/)?(?:src|lib|app|python|backend|server))\//.exec(path)
      if (home !== null && path.endsWith('.py')) found.add(home[1]!)
    }
    return [...found]
  })
  const parts = folder === '' ? [] : folder.split('/')
  return [...new Set([...homes, ...parts.map((_part, i) => parts.slice(0, i + 1).join('/'))])]
}

/** The module, or the package, with every package around it up to its root. */
function moduleAt(path: string, root: string, sources: Sources): string[] {
  const own = [`${path}.py`, `${path}.pyi`, `${path}/__init__.py`].filter(sources.has)
  if (own.length === 0) return []
  const found = [...own]
  for (let folder = folderOf(path); folder !== root && folder !== ''; folder = folderOf(folder)) {
    if (sources.has(`${folder}/__init__.py`)) found.push(`${folder}/__init__.py`)
  }
  return found
}
