import { parse } from 'yaml'
import { type FileTexts, flatten, type Setting } from './carry.ts'

/** Reads the JSON and YAML files of an older tool in order. A file that can't be parsed convert a note. */
export function documents(
  texts: FileTexts,
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

/** Parses JSON or YAML, depending on the file's extension. */
export function readDocument(text: string, file: string): { readonly value?: unknown; readonly error?: string } {
  try {
    const plain = text.replace(/^\uFEFF/, '')
    return { value: file.endsWith('.json') ? JSON.parse(plain) : parse(plain, { maxAliasCount: 50 }) }
  } catch (thrown) {
    const why = String((thrown as Error).message)
      .split('\n')[0]!
      .replace(/[.:]$/, '')
    return { error: `this file can't be parsed, so nothing in it was migrated (${why})` }
  }
}
