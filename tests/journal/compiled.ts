import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const ROOM = join(import.meta.dirname, '../../src/journal')

/** The journal room as plain JavaScript in a folder, for child processes that run on bare Node. */
export function compileJournal(folder: string): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  for (const name of readdirSync(ROOM)) {
    const { outputText } = ts.transpileModule(readFileSync(join(ROOM, name), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    })
    writeFileSync(join(folder, name.replace(/\.ts$/, '.js')), outputText)
  }
  return folder
}
