import { languageOf } from '../test-files.ts'
import { byName } from './imports/by-name.ts'
import { go } from './imports/go.ts'
import { javascript } from './imports/javascript.ts'
import { php } from './imports/php.ts'
import { python } from './imports/python.ts'
import { ruby } from './imports/ruby.ts'
import { rust } from './imports/rust.ts'
import type { ImportReader, Sources } from './imports/sources.ts'
import { folderOf } from './words.ts'

/** How the imports of a language are found. A language that is not here cannot be told. */
const READERS: Readonly<Record<string, ImportReader>> = {
  javascript,
  python,
  go,
  rust,
  java: byName,
  kotlin: byName,
  csharp: byName,
  ruby,
  php,
}

export interface ImportGraph {
  /** Every file of the project that a file reaches, itself left out; undefined when that cannot be told. */
  reach(file: string): readonly string[] | undefined
}

/** More than that, and nearly everything is reached anyway. */
const MOST_REACHED = 20_000

/** The project's own imports, followed from file to file. Read only as far as it is asked. */
export function importGraph(paths: readonly string[], read: (path: string) => string | undefined): ImportGraph {
  const sources = sourcesOf(paths, read)
  const edges = new Map<string, readonly string[] | undefined>()
  const importsOf = (file: string): readonly string[] | undefined => {
    if (!edges.has(file)) edges.set(file, directImports(file, sources))
    return edges.get(file)
  }
  return {
    reach(file) {
      const reached = new Set([file])
      for (const next of reached) {
        const found = importsOf(next)
        if (found === undefined || reached.size > MOST_REACHED) return undefined
        for (const path of found) reached.add(path)
      }
      reached.delete(file)
      return [...reached].sort()
    },
  }
}

function directImports(file: string, sources: Sources): readonly string[] | undefined {
  const language = languageOf(file)
  const reader = language === undefined ? undefined : READERS[language]
  const text = sources.read(file)
  // Data imports nothing; a source file that cannot be read might import anything.
  if (reader === undefined) return CODE.test(file) ? undefined : []
  if (text === undefined) return undefined
  const found = reader(file, text, sources)
  return found && [...new Set([...found, ...namedPaths(file, text, sources)])].filter((path) => path !== file)
}

/** Source of languages whose imports nobody reads here. */
const CODE =
  /\.(?:c|cc|cpp|cxx|h|hpp|m|mm|swift|scala|groovy|ex|exs|erl|hs|ml|fs|fsx|vb|dart|lua|r|jl|pl|pm|clj|cljs|zig|nim|cr|bats|feature)$/i

/** A path of the project in quotes: a program that is started, a file that is read. */
function namedPaths(file: string, text: string, sources: Sources): string[] {
  const found: string[] = []
  for (const [, quoted = ''] of text.matchAll(/["'`]((?:\.{0,2}\/)?[\w@-][\w@./-]*\.\w+|\.{1,2}\/[\w@./-]+)["'`]/g)) {
    for (const base of [folderOf(file), '']) {
      const path = sources.join(base, quoted)
      if (path !== undefined && sources.has(path)) found.push(path)
    }
  }
  return found
}

function sourcesOf(paths: readonly string[], read: (path: string) => string | undefined): Sources {
  const known = new Set(paths)
  const remembered = new Map<unknown, unknown>()
  let folders: Map<string, string[]> | undefined
  const inFolder = (folder: string) => {
    folders ??= byFolder(paths)
    return folders.get(folder) ?? []
  }
  return {
    paths,
    has: (path) => known.has(path),
    read,
    inFolder,
    join,
    once<T>(key: unknown, make: () => T): T {
      if (!remembered.has(key)) remembered.set(key, make())
      return remembered.get(key) as T
    },
  }
}

function byFolder(paths: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const path of paths) {
    const folder = folderOf(path)
    const files = folders.get(folder)
    if (files === undefined) folders.set(folder, [path])
    else files.push(path)
  }
  return folders
}

/** A relative path from a folder of the project; undefined when it leads out of it. */
function join(folder: string, path: string): string | undefined {
  const parts = path.startsWith('/') || folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}
