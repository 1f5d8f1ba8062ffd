import { closeSync, constants, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute } from 'node:path'
import { errorCode, openPlain } from './files.ts'

/** Where git keeps a repository. Paths are not normalized: the system must resolve links and `..` as it does for git. */
export interface GitFolder {
  readonly gitDir: string
  /** Shared by all worktrees of the repository. */
  readonly commonDir: string
}

/**
 * The repository that git uses in a folder whose nearest `.git` is in `top`, found without starting git. Undefined if anything is
 * unusual, because the agent can arrange the files so that git finds another one.
 */
export function gitFolderOf(folder: string, top: string): GitFolder | undefined {
  // A list of folders that git must not leave can't contain these.
  if (top.includes(delimiter) || !isReal(folder)) return undefined
  for (let at = folder; ; at = dirname(at)) {
    // A folder with HEAD may itself be a repository, without `.git`.
    if (kindOf(`${at}/HEAD`) !== 'none') return undefined
    if (at === top) break
    if (dirname(at) === at) return undefined
  }
  if (kindOf(`${top}/.git`) === 'folder') return withCommonDir(`${top}/.git`)
  const [, path] = /^gitdir: ([^\0\r\n]+)[\r\n]*$/.exec(plainText(`${top}/.git`) ?? '') ?? []
  return path === undefined ? undefined : withCommonDir(isAbsolute(path) ? path : `${top}/${path}`)
}

/** The repository that a caller names with GIT_DIR. */
export function namedGitFolder(gitDir: string): GitFolder | undefined {
  return isAbsolute(gitDir) && kindOf(gitDir) === 'folder' ? withCommonDir(gitDir) : undefined
}

function withCommonDir(gitDir: string): GitFolder | undefined {
  const text = plainText(`${gitDir}/commondir`)
  if (text === undefined) return undefined
  if (text === '') return { gitDir, commonDir: gitDir }
  const [, path] = /^([^\0\r\n]+)[\r\n]*$/.exec(text) ?? []
  return path === undefined ? undefined : { gitDir, commonDir: isAbsolute(path) ? path : `${gitDir}/${path}` }
}

/**
 * Sections that can name a filter or a merge driver, or another file with such sections. Git allows no escapes in the name of a section,
 * so a file without this text has none of them.
 */
const MAY_NAME_PROGRAMS = /\[\s*(?:filter|merge|include)/i

/** Whether the repository's own configuration may name a filter or a merge driver. True if in doubt. */
export function mayNamePrograms({ gitDir, commonDir }: GitFolder): boolean {
  const files = [...new Set([gitDir, commonDir])].flatMap((folder) => [`${folder}/config`, `${folder}/config.worktree`])
  return files.some((file) => MAY_NAME_PROGRAMS.test(plainText(file) ?? '[include'))
}

function kindOf(path: string): 'none' | 'folder' | 'other' {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found === undefined ? 'none' : found.isDirectory() ? 'folder' : 'other'
  } catch {
    return 'other'
  }
}

const isReal = (folder: string): boolean => {
  try {
    return realpathSync.native(folder) === folder
  } catch {
    return false
  }
}

/** Empty if there is no such file; undefined if it is a link, a pipe, unreadable or not UTF-8. */
function plainText(path: string): string | undefined {
  let fd: number | undefined
  try {
    fd = openPlain(path, constants.O_RDONLY)
    const text = readFileSync(fd, 'utf8')
    return text.includes('\ufffd') ? undefined : text
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? '' : undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
