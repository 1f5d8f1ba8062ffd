import { decodeText } from '../../system/decode-text.ts'
import { rememberTree } from '../git-status.ts'
import type { Workspace } from '../types.ts'
import { fileTable } from './file-table.ts'
import { readObjects } from './objects.ts'
import type { FullBaseline } from './stored-baseline.ts'

/**
 * A baseline made from a commit, to check a branch once: it knows the files of that commit and no test results. Undefined if there
 * is no such commit.
 */
export async function baselineFromRevision(workspace: Workspace, revision: string): Promise<FullBaseline | undefined> {
  const found = await commitOf(workspace, revision)
  if (found === undefined) return undefined
  const { commit, tree } = found
  const { listed, stamp } = await contentOf(workspace, commit)
  if (listed === undefined) return undefined
  const files = Object.fromEntries(listed.split('\0').flatMap(fileOf))
  const fetched = new Map<string, Buffer | undefined>()
  const preload = (paths: readonly string[]) => {
    const ids = paths
      .flatMap((path) => (Object.hasOwn(files, path) ? [files[path]!] : []))
      .filter((id) => !fetched.has(id))
    const objects = readObjects(workspace.dir, ids)
    for (const id of ids) fetched.set(id, objects.get(id))
  }
  const bytes = (path: string): Buffer | undefined => {
    if (!Object.hasOwn(files, path)) return undefined
    preload([path])
    return fetched.get(files[path]!)
  }
  return {
    id: commit,
    at: Number(stamp?.trim() || 0) * 1000,
    tree,
    head: commit,
    commands: [],
    evidence: {},
    workspace: workspace.dir,
    files,
    table: fileTable(Object.entries(files)),
    notKept: [],
    problems: [],
    preload,
    bytes,
    read: (path) => {
      const found = bytes(path)
      return found && decodeText(found)
    },
  }
}

interface CommitContent {
  readonly listed: string | undefined
  readonly stamp: string | undefined
}

/** A commit never changes, and one command may ask for it twice. */
let last: (CommitContent & { readonly place: string }) | undefined

async function contentOf(workspace: Workspace, commit: string): Promise<CommitContent> {
  const place = `${workspace.dir}\0${commit}`
  if (last?.place === place) return last
  const [listed, stamp] = await Promise.all([
    workspace.git(['ls-tree', '-r', '-z', commit]),
    workspace.git(['log', '-1', '--format=%ct', commit]),
  ])
  if (listed !== undefined && stamp !== undefined) last = { place, listed, stamp }
  return { listed, stamp }
}

/** The commit, and its tree for the folder: the commit itself if it has none. */
async function commitOf(
  workspace: Workspace,
  revision: string,
): Promise<{ readonly commit: string; readonly tree: string } | undefined> {
  // The user typed the revision. One that starts with a dash would be an option of git.
  if (revision.startsWith('-')) return undefined
  const both = await workspace.git(['rev-parse', `${revision}^{commit}`, `${revision}^{commit}:./`])
  // A range gives more or other lines.
  const [, commit, tree] = /^([0-9a-f]{40,64})\n([0-9a-f]{40,64})\n$/.exec(both ?? '') ?? []
  if (commit !== undefined && tree !== undefined) {
    rememberTree(workspace.dir, commit, tree)
    return { commit, tree }
  }
  const alone = (await workspace.git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]))?.trim()
  return alone ? { commit: alone, tree: alone } : undefined
}

/** `100644 blob <id>\t<path>`. Submodules are left out: their files are not in this repository. */
function fileOf(entry: string): [string, string][] {
  const tab = entry.indexOf('\t')
  const [mode, type, id] = entry.slice(0, Math.max(tab, 0)).split(' ')
  if (type !== 'blob' || id === undefined) return []
  return [[entry.slice(tab + 1), mode === '120000' ? `link:${id}` : id]]
}
