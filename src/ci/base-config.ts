import { isAbsolute, join, posix, relative, sep } from 'node:path'
import { FILE_NAMES, type Found, findConfig } from '../config/find.ts'
import { openWorkspace } from '../evidence/workspace.ts'

/** The configuration of the base commit, if it has one, or why it can't be used. */
export type BaseConfig = { readonly found: Found | undefined } | { readonly problem: string }

interface Base {
  readonly git: (args: readonly string[]) => Promise<string | undefined>
  /** The workspace inside its repository. */
  readonly prefix: string
  readonly read: (path: string) => Promise<string | undefined>
}

/**
 * The change could remove the check that would reject it from its own configuration. So the base commit's configuration decides:
 * the nearest one from the workspace up to the repository root.
 */
export async function configAt(dir: string, commit: string, file: string | undefined): Promise<BaseConfig> {
  const { git } = openWorkspace(dir)
  const prefix = (await git(['rev-parse', '--show-prefix']))?.trim().replace(/\/$/, '') ?? ''
  const read = (path: string) => git(['show', `${commit}:${path}`])
  if (file !== undefined) return asked(dir, commit, file, { git, prefix, read })
  for (let folder = prefix; ; folder = posix.dirname(folder) === '.' ? '' : posix.dirname(folder)) {
    const found: Found[] = []
    for (const name of FILE_NAMES) {
      const text = await read(posix.join(folder, name))
      if (text !== undefined) found.push(foundAs(dir, prefix, posix.join(folder, name), text))
    }
    const inPackage = await read(posix.join(folder, 'package.json'))
    if (inPackage !== undefined && hasExitgateSection(inPackage))
      found.push({ ...foundAs(dir, prefix, posix.join(folder, 'package.json'), inPackage), kind: 'package' })
    if (found.length > 1)
      return {
        problem: `${commit} has ${found.map(({ name }) => name).join(' and ')} in the same folder. Keep one of them.`,
      }
    if (found.length === 1 || folder === '') return { found: found[0] }
  }
}

/** A file named with --config: from the base commit if it is in the repository, otherwise from disk. */
async function asked(dir: string, commit: string, file: string, { git, prefix, read }: Base): Promise<BaseConfig> {
  const top = (await git(['rev-parse', '--show-toplevel']))?.trim() ?? dir
  const path = relative(top, file).split(sep).join('/')
  if (path.startsWith('../') || isAbsolute(path)) return { found: findConfig(dir, file) }
  const text = await read(path)
  if (text !== undefined) return { found: foundAs(dir, prefix, path, text) }
  return {
    problem: `--config ${path} is not in ${commit.slice(0, 12)}. A pull request is checked with the configuration of its base.`,
  }
}

function foundAs(dir: string, prefix: string, path: string, text: string): Found {
  const name = posix.relative(prefix, path)
  return { path: join(dir, name), name, kind: kindOf(path), text: text.replace(/^\uFEFF/, '') }
}

const kindOf = (path: string): Found['kind'] =>
  posix.basename(path) === 'package.json' ? 'package' : path.endsWith('.json') ? 'json' : 'yaml'

function hasExitgateSection(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && Object.hasOwn(parsed, 'exitgate')
  } catch {
    return false
  }
}
