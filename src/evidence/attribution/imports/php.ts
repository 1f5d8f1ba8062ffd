import { folderOf } from '../words.ts'
import type { ImportReader, Sources } from './sources.ts'

const REQUIRED =
  /\b(?:require|include)(?:_once)?\b\s*\(?\s*(?:__DIR__\s*\.\s*|dirname\(__FILE__\)\s*\.\s*)?["']([^"'\n]+)["']/g
const COMPUTED = /\b(?:require|include)(?:_once)?\b\s*\(?\s*\$/

/** Required files, and classes by the name of their file: that is how PSR-4 finds them. */
export const php: ImportReader = (file, text, sources) => {
  const code = text.replace(/^\s*(?:\/\/|#(?!\[)|\*).*$/gm, '')
  if (COMPUTED.test(code)) return undefined
  const found: string[] = []
  for (const [, name = ''] of code.matchAll(REQUIRED)) {
    for (const base of [folderOf(file), '']) {
      const path = sources.join(base, name.replace(/^\//, ''))
      if (path !== undefined && sources.has(path)) found.push(path)
    }
  }
  const classes = sources.once(php, () => byClass(sources))
  for (const [name] of code.matchAll(/\b[A-Z]\w*\b/g)) found.push(...(classes.get(name) ?? []))
  return found
}

function byClass(sources: Sources): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const path of sources.paths) {
    const stem = /([^/]+)\.(?:php|inc)$/.exec(path)?.[1]
    if (stem !== undefined) found.set(stem, [...(found.get(stem) ?? []), path])
  }
  return found
}
