import type { Changes } from '../changes.ts'
import { readUnit } from '../source/unit.ts'
import { declaredModules, readRust } from '../tests/rust.ts'
import type { TamperFinding } from '../types.ts'

/** Files of Rust tests that are still there but that no module declares any more: the compiler never sees them. */
export function orphanFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap(({ path, before, after, language }): TamperFinding[] => {
    if (language !== 'rust' || before === undefined || after === undefined) return []
    const now = new Set(declaredModules(readUnit(after, 'rust')).map(({ name }) => name))
    return declaredModules(readUnit(before, 'rust')).flatMap(({ name, line }): TamperFinding[] => {
      if (now.has(name)) return []
      const file = placesOf(path, name).find((place) => changes.after.paths.includes(place))
      const text = file === undefined ? undefined : changes.after.read(file)
      const count = text === undefined ? 0 : readRust(readUnit(text, 'rust')).length
      return count === 0
        ? []
        : [
            {
              kind: 'test-removed',
              severity: 'block',
              file: path,
              line,
              before: `mod ${name};`,
              detail: `The ${count} test${count > 1 ? 's' : ''} in ${file} ${count > 1 ? 'are' : 'is'} not compiled any more.`,
            },
          ]
    })
  })
}

/** Where the compiler looks for `mod name;`. */
function placesOf(path: string, name: string): string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const own = path.slice(folder.length).replace(/\.rs$/, '')
  const inner = own === 'lib' || own === 'main' || own === 'mod' ? folder : `${folder}${own}/`
  return [`${inner}${name}.rs`, `${inner}${name}/mod.rs`]
}
