import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

const SOURCE = join(import.meta.dirname, '../../src')
/** What the room takes from another one. */
const BORROWED = ['policy/breaker.ts']

/** The journal room as plain JavaScript in a folder, for child processes that run on bare Node. */
export function compileJournal(folder: string): string {
  const room = readdirSync(join(SOURCE, 'journal')).map((name) => [`journal/${name}`, join(folder, name)] as const)
  const borrowed = BORROWED.map((name) => [name, join(folder, '..', name)] as const)
  for (const [name, target] of [...room, ...borrowed]) {
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(join(dirname(target), 'package.json'), '{ "type": "module" }\n')
    const { outputText } = ts.transpileModule(readFileSync(join(SOURCE, name), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    })
    writeFileSync(target.replace(/\.ts$/, '.js'), outputText)
  }
  return folder
}
