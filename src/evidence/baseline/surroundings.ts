import { join, relative, sep } from 'node:path'
import { decodeText } from '../../system/decode-text.ts'
import { entriesOf } from '../../system/file-names.ts'
import { repositoryRoot } from '../../system/git.ts'
import { isRunnerConfig } from '../test-files.ts'
import type { Workspace } from '../types.ts'
import { bytesOf } from './content-id.ts'
import { sourceFolders } from './dependency-folders.ts'

/** Texts by path from the workspace. Paths above it begin with `../`. */
export type Surroundings = Readonly<Record<string, string>>

/** Settings and start-up files that tools find by their name in a folder or above it. */
const FOUND_BY_NAME =
  /^(?:\.npmrc|\.yarnrc(?:\.ya?ml)?|\.env(?:\.[\w.-]+)?|(?:site|user)customize\.py|(?:spec|rails|test)_helper\.rb|\.rspec(?:-local)?|\.babelrc(?:\.\w+)?|babel\.config\.\w+|\.swcrc|GNUmakefile|makefile|Makefile|\.?justfile|build\.rs|rust-toolchain(?:\.toml)?|go\.work)$/
/** Of these only the lines that matter are kept: the others may be secrets. */
const WITH_SECRETS = /^(?:\.npmrc|\.yarnrc(?:\.ya?ml)?|\.env(?:\.[\w.-]+)?)$/
const KEPT_LINES =
  /^\s*(?:export\s+)?(?:NODE_OPTIONS|NODE_PATH|PYTEST_\w+|PYTHON(?:PATH|HOME|STARTUP)|RUBY(?:OPT|LIB)|PERL5(?:OPT|LIB)|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|GOFLAGS|MAVEN_(?:OPTS|ARGS)|LD_\w+|DYLD_\w+|BASH_ENV|RUSTC?(?:FLAGS|_WRAPPER)?|CARGO_TARGET_\w+_RUNNER|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS|PATH|GEM_PATH|CLASSPATH|script-shell|shell|node-options|scripts-prepend-node-path|userconfig|globalconfig|prefix|yarnPath|yarn-path|pnpDataPath)\s*[=:]/
const LARGEST = 256 * 1024

/**
 * What decides how tests run although no list of the workspace shows it: ignored files, and files above the workspace up to the root
 * of the repository.
 */
export async function surroundings(workspace: Workspace): Promise<Surroundings> {
  const { dir } = workspace
  const files = await workspace.list()
  const listed = new Set(files)
  const found: [string, string][] = []
  for (const folder of sourceFolders(dir, repositoryRoot(dir) ?? dir, files)) {
    for (const { name, isDirectory } of entriesOf(folder)) {
      const isCargo = isDirectory && name === '.cargo'
      const names = isCargo ? ['.cargo/config.toml', '.cargo/config'] : [name]
      if (!isCargo && (isDirectory || !(FOUND_BY_NAME.test(name) || isRunnerConfig(name)))) continue
      for (const each of names) {
        const path = relative(dir, join(folder, each)).split(sep).join('/')
        const bytes = listed.has(path) ? undefined : bytesOf(join(folder, each), LARGEST)
        const text = bytes && decodeText(bytes)
        if (text !== undefined) found.push([path, WITH_SECRETS.test(name) ? keptLines(text) : text])
      }
    }
  }
  return Object.fromEntries(found)
}

/** Other lines stay as empty ones, so that line numbers are right. */
const keptLines = (text: string) =>
  text
    .split('\n')
    .map((line) => (KEPT_LINES.test(line) ? line : ''))
    .join('\n')
