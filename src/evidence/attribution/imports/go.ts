import { folderOf } from '../words.ts'
import type { ImportReader, Sources } from './sources.ts'

/** A package is its folder: all files of it are compiled together. Imports of the same module are folders too. */
export const go: ImportReader = (file, text, sources) => {
  const folder = folderOf(file)
  const own = sources.inFolder(folder).filter((path) => path.endsWith('.go'))
  const data = sources.paths.filter((path) => path.startsWith(folder === '' ? 'testdata/' : `${folder}/testdata/`))
  const modules = sources.once(go, () => modulesIn(sources))
  const found = [...own, ...data]
  for (const [, name = ''] of importLines(text).matchAll(/"([^"\n]+)"/g)) {
    for (const [module, home] of modules) {
      if (name !== module && !name.startsWith(`${module}/`)) continue
      const place = [home, name.slice(module.length + 1)].filter((part) => part !== '').join('/')
      found.push(...sources.inFolder(place).filter((path) => path.endsWith('.go') && !path.endsWith('_test.go')))
    }
  }
  return found
}

function importLines(text: string): string {
  const blocks = [...text.matchAll(/^import\s*(?:\(([^)]*)\)|([^\n(]*))/gm)]
  return blocks.map(([, many, one]) => many ?? one ?? '').join('\n')
}

function modulesIn(sources: Sources): Map<string, string> {
  const found = new Map<string, string>()
  for (const path of sources.paths) {
    if (!/(?:^|\/)go\.mod$/.test(path)) continue
    const name = /^module\s+"?([^\s"]+)/m.exec(sources.read(path) ?? '')?.[1]
    if (name !== undefined) found.set(name, folderOf(path))
  }
  return found
}
