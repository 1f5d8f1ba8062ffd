import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { importsOf, type Source, sources } from '../source-tree.ts'

/** Writes a file of src and all that it needs as plain JavaScript into a folder, for processes of their own. */
export function compile(folder: string, entry: string): string {
  const tree = new Map(sources('src').map((source) => [source.path, source]))
  const wanted = new Map<string, Source>()
  const want = (path: string) => {
    const source = tree.get(path)
    if (source === undefined || wanted.has(path)) return
    wanted.set(path, source)
    importsOf(source).forEach(want)
  }
  want(entry)
  for (const { path, text } of wanted.values()) {
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    })
    const file = join(folder, path.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, outputText)
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return join(folder, entry.replace(/\.ts$/, '.js'))
}
