import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import ts from 'typescript'
import { afterAll } from 'vitest'
import { root } from '../source-tree.ts'
import type { Block } from './blocks.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** The library as its users import it, longest name first: `exitgate` alone would take its subpaths with it. */
const ENTRIES: Readonly<Record<string, string>> = {
  'exitgate/ai-sdk': 'src/library/ai-sdk.ts',
  'exitgate/core': 'src/library/core.ts',
  'exitgate/node': 'src/library/node.ts',
  'exitgate/test-output': 'src/library/test-output.ts',
  'exitgate/testing': 'src/library/testing.ts',
  exitgate: 'src/index.ts',
}

/** Inside the project, because libraries are found from there. */
function write(blocks: readonly Block[]): readonly string[] {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'exitgate-examples-'))
  folders.push(folder)
  return blocks.map(({ text }, index) => {
    const file = join(folder, `example-${index}.ts`)
    writeFileSync(file, `${text}\nexport {}\n`)
    return file
  })
}

/** What the compiler says about the examples, each with its page and line; a user's own settings may be as strict as ours. */
export function complaints(blocks: readonly Block[]): readonly string[] {
  const files = write(blocks)
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram([...files], {
    ...options,
    noEmit: true,
    noUnusedLocals: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    paths: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, [join(root, file)]])),
  })
  return files.flatMap((file, index) => {
    const source = program.getSourceFile(file)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    const { page, line } = blocks[index]!
    return found.map(({ start, messageText }) => {
      const at = source?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0
      return `${page}:${line + at + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
  })
}

/** What an example prints, run by Node in a folder. */
export async function printed(block: Block, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const [file = ''] = write([block])
  const bundle = await rolldown({
    input: file,
    platform: 'node',
    resolve: { alias: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(root, file)])) },
    external: (id) =>
      id.startsWith('node:') || (!id.startsWith('.') && !id.startsWith('/') && !Object.hasOwn(ENTRIES, id)),
  })
  const made = file.replace(/\.ts$/, '.mjs')
  await bundle.write({ file: made, format: 'esm', codeSplitting: false })
  await bundle.close()
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [made], { cwd, env, encoding: 'utf8' }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stderr}`)),
    )
  })
}
