import { folderOf } from '../words.ts'
import type { ImportReader, Sources } from './sources.ts'

const RELATIVE = /\b(?:require_relative|load)\s*\(?\s*["']([^"'\n]+)["']/g
const REQUIRED = /\b(?:require|autoload\s*\(?\s*:\w+\s*,)\s*\(?\s*["']([^"'\n]+)["']/g
const COMPUTED = /\brequire(?:_relative)?\b(?:[ \t]+|[ \t]*\([ \t]*)(?:[a-z_]|File\.)/
const HOMES = ['', 'lib', 'app', 'spec', 'test', 'spec/support', 'test/support']
/** Rails and its like load a constant by the name of its file. */
const CONSTANT = /\b[A-Z]\w*(?:::[A-Z]\w*)*/g

export const ruby: ImportReader = (file, text, sources) => {
  const code = text.replace(/^\s*#.*$/gm, '')
  if (COMPUTED.test(code)) return undefined
  const found: string[] = []
  const at = (path: string | undefined) => (path === undefined ? [] : [path, `${path}.rb`].filter(sources.has))
  for (const [, name = ''] of code.matchAll(RELATIVE)) found.push(...at(sources.join(folderOf(file), name)))
  for (const [, name = ''] of code.matchAll(REQUIRED)) {
    for (const home of [...HOMES, folderOf(file)]) found.push(...at(sources.join(home, name)))
  }
  // `.rspec` asks for these without the file saying so.
  if (/_spec\.rb$/.test(file)) found.push(...['spec/spec_helper.rb', 'spec/rails_helper.rb'].filter(sources.has))
  const constants = sources.once(ruby, () => byConstant(sources))
  for (const [name] of code.matchAll(CONSTANT)) {
    for (const part of [name, ...name.split('::')]) found.push(...(constants.get(part) ?? []))
  }
  return found
}

function byConstant(sources: Sources): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const path of sources.paths) {
    const stem = /([^/]+)\.rb$/.exec(path)?.[1]
    if (stem === undefined || /_(?:spec|test)$/.test(stem)) continue
    const name = stem.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())
    found.set(name, [...(found.get(name) ?? []), path])
  }
  return found
}
