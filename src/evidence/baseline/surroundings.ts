import { join, relative, sep } from 'node:path'
import { isRunnerConfig } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { decodeText } from '../../system/decode-text.ts'
import { entriesOf } from '../../system/file-names.ts'
import { repositoryRoot } from '../../system/git.ts'
import type { Workspace } from '../types.ts'
import { bytesOf, isSettled, type Stat, sameStat, statOf } from './content-id.ts'
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
 * of the repository. If `quick`, a folder with the same stat as before counts as having the same names.
 */
export async function surroundings(workspace: Workspace, { quick = false } = {}): Promise<Surroundings> {
  const { dir } = workspace
  const files = await workspace.list()
  const folders = sourceFolders(dir, repositoryRoot(dir) ?? dir, files)
  const found: [string, string][] = []
  let listed: ReadonlySet<string> | undefined
  for (const folder of folders) {
    for (const name of quick ? namesAsBefore(folder) : namesIn(folder)) {
      const path = relative(dir, join(folder, name)).split(sep).join('/')
      listed ??= new Set(files)
      const bytes = listed.has(path) ? undefined : bytesOf(join(folder, name), LARGEST)
      const text = bytes && decodeText(bytes)
      if (text !== undefined) found.push([path, WITH_SECRETS.test(name) ? keptLines(text) : text])
    }
  }
  return Object.fromEntries(found)
}

/** The names in a folder that decide how tests run. */
const namesIn = (folder: string): readonly string[] =>
  entriesOf(folder).flatMap(({ name, isDirectory }) => {
    if (isDirectory) return name === '.cargo' ? ['.cargo/config.toml', '.cargo/config'] : []
    return FOUND_BY_NAME.test(name) || isRunnerConfig(name) ? [name] : []
  })

const namesBefore = new Map<string, { readonly stat: Stat; readonly names: readonly string[] }>()

function namesAsBefore(folder: string): readonly string[] {
  const stat = statOf(folder)
  const at = Date.now()
  const before = namesBefore.get(folder)
  if (before !== undefined && stat !== undefined && sameStat(before.stat, stat)) return before.names
  const names = namesIn(folder)
  if (stat?.isDirectory() && isSettled(stat, at)) namesBefore.set(folder, { stat, names })
  return names
}

/** Other lines stay as empty ones, so that line numbers are right. */
const keptLines = (text: string) =>
  text
    .split('\n')
    .map((line) => (KEPT_LINES.test(line) ? line : ''))
    .join('\n')
