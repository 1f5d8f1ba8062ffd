import { parse } from 'yaml'
import { flatten, type Setting, type Texts } from './carry.ts'

/** Reads the JSON and YAML files of an older tool, in order; what cannot be read becomes a note. */
export function documents(
  texts: Texts,
  files: readonly string[],
  tables: readonly object[],
): { readonly settings: readonly Setting[]; readonly notes: readonly string[] } {
  const settings: Setting[] = []
  const notes: string[] = []
  for (const file of files) {
    const text = texts[file]
    if (text === undefined) continue
    const document = readDocument(text, file)
    if (document.error === undefined) settings.push(...flatten(document.value, file, tables))
    else notes.push(`${file}: ${document.error}`)
  }
  return { settings, notes }
}

/** JSON by its ending, else YAML. */
export function readDocument(text: string, file: string): { readonly value?: unknown; readonly error?: string } {
  try {
    const plain = text.replace(/^\uFEFF/, '')
    return { value: file.endsWith('.json') ? JSON.parse(plain) : parse(plain, { maxAliasCount: 50 }) }
  } catch (thrown) {
    const why = String((thrown as Error).message)
      .split('\n')[0]!
      .replace(/[.:]$/, '')
    return { error: `it cannot be read, so nothing of it was carried over (${why})` }
  }
}
