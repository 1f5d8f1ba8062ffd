import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fsPath } from '../system/file-names.ts'
import { repositoryPath, repositoryRoot } from '../system/git.ts'
import { ascending } from './baseline/file-table.ts'
import type { Workspace } from './types.ts'

type Git = (args: readonly string[]) => Promise<string | undefined>

export interface StatusEntry {
  /** The status line without the path: kinds of change and object ids. */
  readonly status: string
  /** From the top of the repository; ends in `/` for an unknown repository inside this one. */
  readonly path: string
}

export interface Status {
  /** The commit checked out; absent before the first one. */
  readonly head?: string
  /** The commit's tree for the inspected folder; absent if it has none. */
  readonly tree?: string
  readonly top: string
  /** From the top to the inspected folder; empty or ending in `/`. */
  readonly prefix: string
  readonly entries: readonly StatusEntry[]
  /** Files that git was set to treat as unchanged, relative to the inspected folder. */
  readonly hidden: readonly string[]
}

/** Ordinary entries have eight fields before the path, conflicts ten, untracked files one. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

function parse(out: string): Pick<Status, 'head' | 'entries'> {
  const entries: StatusEntry[] = []
  let head: string | undefined
  for (const line of out.split('\0')) {
    const oid = /^# branch\.oid ([0-9a-f]{40,64})$/.exec(line)
    if (oid !== null) head = oid[1]!
    const fields = FIELDS[line[0] ?? '']
    if (fields === undefined) continue
    const parts = line.split(' ')
    entries.push({ status: parts.slice(0, fields).join(' '), path: parts.slice(fields).join(' ') })
  }
  return { ...(head !== undefined && { head }), entries }
}

/** `H 100644 <id> 0\t<path>` for every file that git knows. */
const INDEX = ['ls-files', '-s', '-v', '-z'] as const
const STATUS_ARGS = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=all']

/** Git's raw output about a folder, taken at one moment. */
export interface GitOutput {
  readonly status: string | undefined
  /** The tree of the commit checked out; empty if there is none. */
  readonly tree: string | undefined
  readonly index: string | undefined
}

/** Runs in the workspace, or in another folder with `-C`. */
export async function runStatus(workspace: Workspace, folder?: string): Promise<GitOutput> {
  const git = gitIn(workspace, folder)
  const pending = [git([...STATUS_ARGS, '--ignore-submodules=none', '--', '.']), git(INDEX)] as const
  const [status, index] = await Promise.all(pending)
  const head = (status === undefined ? undefined : parse(status).head) ?? 'HEAD'
  const place = `${resolve(workspace.dir, folder ?? '')}\0${head}`
  const tree = lastTree?.place === place ? lastTree.tree : await git(['rev-parse', '--revs-only', `${head}:./`])
  if (tree !== undefined && head !== 'HEAD') lastTree = { place, tree }
  return { status, tree, index }
}

/** A commit keeps its tree, so git runs once per commit for this. */
let lastTree: { readonly place: string; readonly tree: string } | undefined

const gitIn =
  (workspace: Workspace, folder: string | undefined): Git =>
  (args) =>
    workspace.git(folder === undefined ? args : ['-C', folder, ...args])

/** Git's status of the folder; a sentence if there is none. */
export async function statusOf(workspace: Workspace, folder?: string, output?: GitOutput): Promise<Status | string> {
  const git = gitIn(workspace, folder)
  const { status: out, tree: treeOutput, index: listed } = output ?? (await runStatus(workspace, folder))
  const at = resolve(workspace.dir, folder ?? '')
  const place = repositoryPath(at)
  if (out === undefined || treeOutput === undefined || place === undefined) return whyNoStatus(git, at)
  const { top, prefix } = place
  const tree = treeOutput.trim()
  if (prefix !== '' && (await git(['check-ignore', '-q', '.'])) !== undefined) {
    return 'The surrounding repository ignores this directory.'
  }
  const hidden = await hiddenIn(git, listed ?? '', at)
  return { ...parse(out), ...(tree !== '' && { tree }), top, prefix, hidden }
}

/** What the index contains about every file. */
export interface GitIndex {
  /** Sorted, each once. */
  readonly paths: readonly string[]
  /**
   * The id of the content, with `link:` in front for a symbolic link; empty for a conflict or a file that git treats as unchanged.
   */
  readonly ids: readonly string[]
  /** Files with special flags: a letter other than H. */
  readonly marked: readonly { readonly letter: string; readonly path: string }[]
}

/** Plain files and links have a content; a submodule has a commit, and files of its own. */
const KINDS: Readonly<Record<string, string>> = { '100644': '', '100755': '', '120000': 'link:' }

/** The index seldom changes between two looks, and parsing its 100,000 lines again is slow. */
let lastIndex: { readonly listed: string; readonly index: GitIndex } | undefined

/** Parses `letter mode id stage<tab>path` for every file. */
export function indexOf(listed: string): GitIndex {
  if (lastIndex?.listed === listed) return lastIndex.index
  const paths: string[] = []
  const ids: string[] = []
  const marked: { readonly letter: string; readonly path: string }[] = []
  for (let at = 0; at < listed.length; ) {
    const end = listed.indexOf('\0', at)
    const tab = listed.indexOf('\t', at)
    if (end < 0 || tab < 0) break
    const letter = listed[at]!
    const path = listed.slice(tab + 1, end)
    const kind = KINDS[listed.slice(at + 2, at + 8)]
    const isPlain = letter === 'H' && kind !== undefined && listed[tab - 1] === '0'
    paths.push(path)
    ids.push(isPlain ? kind + listed.slice(at + 9, tab - 2) : '')
    if (letter !== 'H') marked.push({ letter, path })
    at = end + 1
  }
  const order = ascending(paths)
  const sorted = (column: readonly string[]) => order?.map((row) => column[row]!) ?? column
  const index = { paths: sorted(paths), ids: sorted(ids), marked }
  lastIndex = { listed, index }
  return index
}

/**
 * A lower-case letter marks a file as assumed unchanged, S one that may be absent: `status` never reports changes to either. In a
 * sparse checkout, absent files are intended.
 */
async function hiddenIn(git: Git, listed: string, folder: string): Promise<readonly string[]> {
  const marked = indexOf(listed).marked.filter(({ letter }) => /[a-zS]/.test(letter))
  const sparse = marked.some(({ letter }) => letter === 'S')
  const partly = sparse && (await git(['config', '--bool', 'core.sparseCheckout']))?.trim() === 'true'
  const meant = ({ letter, path }: (typeof marked)[number]) =>
    partly && /[Ss]/.test(letter) && !existsSync(fsPath(join(folder, path)))
  return marked.filter((entry) => !meant(entry)).map(({ path }) => path)
}

async function whyNoStatus(git: Git, folder: string): Promise<string> {
  if (existsSync(folder) && repositoryRoot(folder) === undefined) return 'This is not a git repository.'
  if ((await git(['version'])) === undefined) return 'git is not installed, or the directory does not exist.'
  if ((await git(['rev-parse', '--is-inside-work-tree'])) === undefined) return 'This is not a git repository.'
  return 'git status failed.'
}
