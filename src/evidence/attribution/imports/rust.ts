import { folderOf, nameOf } from '../words.ts'
import type { ImportReader, Sources } from './sources.ts'

interface Crate {
  readonly name: string
  readonly folder: string
  /** Folder and file of its library; a program without one has its main file there. */
  readonly root: string
}

/** Modules by `mod`, `use` and paths in the code. What no module is found for stands for the whole crate. */
export const rust: ImportReader = (file, text, sources) => {
  const crates = sources.once(rust, () => cratesIn(sources))
  const home = crates
    .filter(({ folder }) => folder === '' || file.startsWith(`${folder}/`))
    .sort((a, b) => b.folder.length - a.folder.length)[0]
  const found: string[] = []
  for (const [, name = ''] of text.matchAll(/^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?mod[ \t]+(?:r#)?(\w+)[ \t]*;/gm)) {
    found.push(...moduleAt(`${ownFolder(file)}/${name}`, sources))
  }
  for (const [, path = ''] of text.matchAll(/#\[path\s*=\s*"([^"]+)"\]/g)) {
    const place = sources.join(folderOf(file), path)
    if (place !== undefined && sources.has(place)) found.push(place)
  }
  // Inside `mod tests { use super::* }` what is above is the file itself.
  const inline = text.search(/\bmod\s+\w+\s*\{/)
  for (const { index, 1: first = '', 2: rest = '' } of text.matchAll(/(?<![\w:])(\w+)((?:::(?:\w+|\{[^;]*?\}))+)/g)) {
    const parts = rest.split('::').filter((part) => /^\w+$/.test(part))
    const crate = first === 'crate' ? home : crates.find(({ name }) => name === first)
    if (crate !== undefined) found.push(...inCrate(crate, parts, rest, sources))
    else if (first === 'super' || first === 'self')
      found.push(...aboveOf(file, first === 'super' && !(inline >= 0 && index > inline) ? 1 : 0, parts, sources))
    // `parser::parse()` after `mod parser;` is seen by the `mod` already.
  }
  return found
}

/** Where the modules of a file lie: beside `mod.rs`, `lib.rs` and `main.rs`, else in a folder of its name. */
function ownFolder(file: string): string {
  const name = nameOf(file)
  const folder = folderOf(file)
  if (['mod.rs', 'lib.rs', 'main.rs'].includes(name) || /(?:^|\/)(?:tests|benches|examples)$/.test(folder))
    return folder
  return file.replace(/\.rs$/, '')
}

const moduleAt = (path: string, sources: Sources) =>
  [`${path}.rs`, `${path}/mod.rs`].map((place) => place.replace(/^\//, '')).filter(sources.has)

function inCrate(crate: Crate, parts: readonly string[], rest: string, sources: Sources): string[] {
  const base = folderOf(crate.root)
  const found: string[] = []
  for (let n = 1; n <= parts.length; n++)
    found.push(...moduleAt([base, ...parts.slice(0, n)].filter((part) => part !== '').join('/'), sources))
  // `use crate::{a, b::c}`: each of them.
  for (const [name] of rest.matchAll(/\w+/g))
    found.push(...moduleAt([base, name].filter((part) => part !== '').join('/'), sources))
  return found.length > 0 ? found : [crate.root]
}

function aboveOf(file: string, levels: number, parts: readonly string[], sources: Sources): string[] {
  let folder = ownFolder(file)
  for (let n = 0; n < levels; n++) folder = folderOf(folder)
  const around = [
    ...moduleAt(folder, sources),
    ...['mod.rs', 'lib.rs', 'main.rs'].map((name) => (folder === '' ? name : `${folder}/${name}`)).filter(sources.has),
  ]
  const beside = parts.flatMap((part) => [
    ...moduleAt(`${folder}/${part}`, sources),
    ...moduleAt(`${ownFolder(file)}/${part}`, sources),
  ])
  return [...around, ...beside]
}

function cratesIn(sources: Sources): Crate[] {
  return sources.paths.flatMap((path): Crate[] => {
    if (!/(?:^|\/)Cargo\.toml$/.test(path)) return []
    const text = sources.read(path) ?? ''
    const folder = folderOf(path)
    const name = /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(text)?.[1]
    if (name === undefined) return []
    const inside = (place: string) => (folder === '' ? place : `${folder}/${place}`)
    const root = [inside('src/lib.rs'), inside('src/main.rs')].find(sources.has)
    return root === undefined ? [] : [{ name: name.replaceAll('-', '_'), folder, root }]
  })
}
