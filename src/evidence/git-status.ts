import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fsPath } from '../system/file-names.ts'
import { repositoryPath, repositoryRoot } from '../system/git.ts'
import { indexOf, listIndex } from './git-index.ts'
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

export function parseStatus(out: string): Pick<Status, 'head' | 'entries'> {
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

const STATUS_ARGS = [
  ...['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=all'],
  // Ignored places, found in the same walk: a folder counts as one.
  '--ignored=matching',
]

/** Git's raw output about a folder, taken at one moment. */
export interface GitOutput {
  readonly status: string | undefined
  /** The tree of the commit checked out; empty if there is none. */
  readonly tree: string | undefined
  readonly index: string | undefined
}

type Place = Pick<Workspace, 'dir' | 'git' | 'reuseIndex'>

/** Runs in the workspace, or in another folder with `-C`. */
export const runStatus = (workspace: Place, folder?: string): Promise<GitOutput> =>
  startStatus(workspace, folder).output

/** The index is there long before the status, for which git looks at every file. */
export function startStatus(
  workspace: Place,
  folder?: string,
): { readonly index: Promise<string | undefined>; readonly output: Promise<GitOutput> } {
  const git = gitIn(workspace, folder)
  const place = resolve(workspace.dir, folder ?? '')
  const pending = git([...STATUS_ARGS, '--', '.'])
  const index = listIndex(git, place, workspace.reuseIndex)
  const finish = async (): Promise<GitOutput> => {
    const status = await pending
    const head = (status === undefined ? undefined : parseStatus(status).head) ?? 'HEAD'
    const isKnown = lastTree?.place === place && lastTree.commit === head
    const tree = isKnown ? lastTree?.tree : await git(['rev-parse', '--revs-only', `${head}:./`])
    if (tree !== undefined && head !== 'HEAD') rememberTree(place, head, tree)
    return { status, tree, index: await index }
  }
  return { index, output: finish() }
}

/** A commit keeps its tree, so git runs once per commit for this. */
let lastTree: { readonly place: string; readonly commit: string; readonly tree: string } | undefined

export function rememberTree(place: string, commit: string, tree: string): void {
  lastTree = { place, commit, tree }
}

const gitIn =
  (workspace: Place, folder: string | undefined): Git =>
  (args) =>
    workspace.git(folder === undefined ? args : ['-C', folder, ...args])

/** Untracked files (`?`) or ignored places (`!`), relative to the folder; folders and unknown repositories end in `/`. */
export const unknownIn = (status: string, prefix: string, kind: '?' | '!'): readonly string[] =>
  status
    .split('\0')
    .flatMap((line) => (line.startsWith(`${kind} ${prefix}`) ? [line.slice(2 + prefix.length)] : []))
    .filter((path) => path !== '')

const outputs = new WeakMap<readonly string[], GitOutput>()

/** Keeps git's output with the list of files that was made from it, so that git need not look again. */
export function rememberOutput(listed: readonly string[], output: GitOutput): void {
  outputs.set(listed, output)
}

export const outputOf = (listed: readonly string[]): GitOutput | undefined => outputs.get(listed)

/** Repositories inside repositories. */
const DEEPEST = 4

/** Git's status of the folder; a sentence if there is none. */
export async function statusOf(
  workspace: Workspace,
  folder?: string,
  output?: GitOutput,
  depth = 0,
): Promise<Status | string> {
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
  const found = parseStatus(out)
  const submodules = await changedSubmodules(workspace, at, listed ?? '', depth)
  const known = new Set(found.entries.map(({ path }) => path))
  const more = submodules.map((path) => prefix + path).filter((path) => !known.has(path))
  const entries = [...found.entries, ...more.map((path) => ({ status: '1 .M S.M.', path }))]
  return { ...found, entries, ...(tree !== '' && { tree }), top, prefix, hidden }
}

/** Submodules with changes that are not committed, by their path from the folder. Git itself must not look into them (system/git.ts). */
async function changedSubmodules(
  workspace: Workspace,
  folder: string,
  listed: string,
  depth: number,
): Promise<readonly string[]> {
  const changed: string[] = []
  for (const path of indexOf(listed).submodules) {
    const there = join(folder, path)
    if (!existsSync(fsPath(join(there, '.git')))) continue
    const status = depth < DEEPEST ? await statusOf(workspace, there, undefined, depth + 1) : 'It is too deep.'
    if (typeof status === 'string' || status.entries.length > 0 || status.hidden.length > 0) changed.push(path)
  }
  return changed
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
