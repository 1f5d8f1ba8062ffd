import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { sources } from '../source-tree.ts'

/** Writes the reader as plain JavaScript into a folder, for processes of their own; gives the file to import. */
export function compileReader(folder: string): string {
  for (const { path, text } of [...sources('src/agents'), ...sources('src/core/signals')]) {
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
  return join(folder, 'src/agents/reader.js')
}
