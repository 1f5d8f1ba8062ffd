import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import ts from 'typescript'
import { root } from '../source-tree.ts'

/** A user's folder with the packed library installed. It needs no network: its dependencies are links to ours. */
export interface Installed {
  readonly dir: string
  write(name: string, text: string): string
  /** Compiler errors in files of that folder, under `strict`. */
  complaints(files: readonly string[]): readonly string[]
  remove(): void
}

/** Needed in addition to the package's dependencies: imports of the guide's programs, and what the compiler needs. */
const ALSO = ['ai', '@types/node']

export function install(): Installed {
  const dir = mkdtempSync(join(tmpdir(), 'exitgate-api-'))
  const tarball = join(dir, packInto(dir))
  const modules = join(dir, 'node_modules')
  const own = join(modules, 'exitgate')
  mkdirSync(own, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', own, '--strip-components=1'])
  const { dependencies } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  for (const name of [...Object.keys(dependencies), ...ALSO]) {
    const target = join(root, 'node_modules', name)
    const link = join(modules, name)
    if (!existsSync(target)) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link)
  }
  writeFileSync(join(dir, 'package.json'), '{ "private": true, "type": "module" }\n')
  return {
    dir,
    write(name, text) {
      const path = join(dir, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      return path
    },
    complaints,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** The npm that started this run, or the one on the path. */
function packInto(dir: string): string {
  const script = process.env.npm_execpath
  const [command, first] =
    script !== undefined && basename(script).startsWith('npm') ? [process.execPath, [script]] : ['npm', []]
  const args = [...first, 'pack', '--ignore-scripts', '--json', '--pack-destination', dir]
  const made = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  const [{ filename }] = JSON.parse(made.stdout) as [{ readonly filename: string }]
  return filename
}

function complaints(files: readonly string[]): readonly string[] {
  const program = ts.createProgram([...files], {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noEmit: true,
    // Checks our own declarations, not those of other packages.
    skipLibCheck: true,
  })
  return files.flatMap((file) => {
    const source = program.getSourceFile(file)
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start, messageText }) => {
        const line = (source?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0) + 1
        return `${basename(file)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
      },
    )
  })
}

/** The program without its types, for every version of Node. */
export function asJavaScript(text: string): string {
  return ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  }).outputText
}
