import { languageOf } from '../../test-files.ts'
import type { ImportReader, Sources } from './sources.ts'

/** Types anywhere, functions outside of types in Kotlin, extension methods in C#. */
const DECLARED =
  /\b(?:class|interface|object|enum|record|struct|@interface|typealias)\s+(?:class\s+)?(\p{Lu}\w*)|^(?:[\w@]+\s+)*fun\s+(?:<[^>]*>\s*)?(?:[\w.<>?]+\.)?(\w+)\s*\(|\bstatic\b[^;{}()]*?\b(\w+)\s*(?:<[^>()]*>)?\(\s*this\s/gmu
const FAMILIES: Readonly<Record<string, string>> = { java: 'jvm', kotlin: 'jvm', csharp: 'dotnet' }

/**
 * Java, Kotlin and C#: whatever name of the project's own stands in a file is taken for a use of it, whether it is
 * imported, in the same package or written out.
 */
export const byName: ImportReader = (file, text, sources) => {
  const family = FAMILIES[languageOf(file) ?? ''] ?? ''
  const declared = sources.once(`declared ${family}`, () => declarations(family, sources))
  const found = new Set<string>()
  for (const [word] of text.matchAll(/[\p{L}_]\w*/gu)) for (const path of declared.get(word) ?? []) found.add(path)
  return [...found]
}

function declarations(family: string, sources: Sources): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const note = (name: string, path: string) => {
    const files = found.get(name)
    if (files === undefined) found.set(name, new Set([path]))
    else files.add(path)
  }
  for (const path of sources.paths) {
    if (FAMILIES[languageOf(path) ?? ''] !== family) continue
    note(/([^/]*?)\.\w+$/.exec(path)?.[1] ?? '', path)
    for (const [, type, fun, extension] of (sources.read(path) ?? '').matchAll(DECLARED))
      note(type ?? fun ?? extension ?? '', path)
  }
  return found
}
