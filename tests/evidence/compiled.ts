import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { transformSync } from 'rolldown/utils'
import { root } from '../source-tree.ts'

/** Writes a file of src and its imports as plain JavaScript into a folder, for use in separate processes. */
export function compile(folder: string, entry: string): string {
  const written = new Set<string>()
  const write = (path: string): void => {
    if (written.has(path)) return
    written.add(path)
    const { code, errors } = transformSync(path, readFileSync(join(root, path), 'utf8'), {
      typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: 'rewrite' },
    })
    if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`)
    const file = join(folder, path.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
    for (const [, target = ''] of code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']*)\.js["']/g))
      write(posix.join(posix.dirname(path), `${target}.ts`))
  }
  write(entry)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const packages = join(folder, 'node_modules')
  if (!existsSync(packages)) symlinkSync(join(root, 'node_modules'), packages)
  return join(folder, entry.replace(/\.ts$/, '.js'))
}
