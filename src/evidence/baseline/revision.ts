import { nearest } from '../../../packages/core/src/nearest.ts'
import { decodeText } from '../../system/decode-text.ts'
import { rememberTree } from '../git-status.ts'
import type { Workspace } from '../types.ts'
import { ascending, type FileTable, filesOf, rowOf } from './file-table.ts'
import { readObjects } from './objects.ts'
import type { FullBaseline } from './stored-baseline.ts'

/**
 * A baseline made from a commit, to check a branch once: it knows the files of that commit and no test results. Undefined if there
 * is no such commit.
 */
export async function baselineFromRevision(workspace: Workspace, revision: string): Promise<FullBaseline | undefined> {
  const found = await commitOf(workspace, revision)
  if (found === undefined) return undefined
  const { head, tree } = found
  const { listed, stamp } = await contentOf(workspace, head)
  if (listed === undefined) return undefined
  const table = tableOf(listed)
  const idOf = (path: string) => table.ids[rowOf(table.paths, path)]
  let files: Readonly<Record<string, string>> | undefined
  const fetched = new Map<string, Buffer | undefined>()
  const preload = (paths: readonly string[]) => {
    const ids = paths.flatMap((path) => idOf(path) ?? []).filter((id) => !fetched.has(id))
    const objects = readObjects(workspace.dir, ids)
    for (const id of ids) fetched.set(id, objects.get(id))
  }
  const bytes = (path: string): Buffer | undefined => {
    const id = idOf(path)
    if (id === undefined) return undefined
    preload([path])
    return fetched.get(id)
  }
  return {
    id: head,
    at: Number(stamp?.trim() || 0) * 1000,
    tree,
    head,
    commands: [],
    evidence: {},
    workspace: workspace.dir,
    get files() {
      files ??= filesOf(table)
      return files
    },
    table,
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

const PLACES = ['refs/heads', 'refs/remotes', 'refs/tags']

/** For a revision that the user named with --base and that is none: what may be meant. */
export async function missingBase(workspace: Workspace, revision: string): Promise<string> {
  const listed = await workspace.git(['for-each-ref', '--format=%(refname:short)', ...PLACES])
  if (listed === undefined)
    return `--base ${revision} needs a git repository, and ${workspace.dir} is not one. Leave it out.`
  const names = listed.split('\n').filter((name) => name !== '')
  const short = new Map(names.map((name) => [name.replace(/^origin\//, ''), name] as const).reverse())
  const meant = nearest(revision, names) ?? short.get(nearest(revision, [...short.keys()]) ?? '')
  const hint = meant === undefined ? '' : ` Did you mean --base ${meant}?`
  return `--base ${revision} is not a commit in this clone.${hint || ' Fetch it, or in CI check out with fetch-depth: 0.'}`
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
export async function commitOf(
  workspace: Workspace,
  revision: string,
): Promise<{ readonly head: string; readonly tree: string } | undefined> {
  // The user typed the revision. One that starts with a dash would be an option of git.
  if (revision.startsWith('-')) return undefined
  const both = await workspace.git(['rev-parse', `${revision}^{commit}`, `${revision}^{commit}:./`])
  // A range gives more or other lines.
  const [, commit, tree] = /^([0-9a-f]{40,64})\n([0-9a-f]{40,64})\n$/.exec(both ?? '') ?? []
  if (commit !== undefined && tree !== undefined) {
    rememberTree(workspace.dir, commit, tree)
    return { head: commit, tree }
  }
  const alone = (await workspace.git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]))?.trim()
  return alone ? { head: alone, tree: alone } : undefined
}

/** Lines of `100644 blob <id><tab><path>`. Submodules are left out: their files are not in this repository. */
function tableOf(listed: string): FileTable {
  const paths: string[] = []
  const ids: string[] = []
  for (let at = 0; at < listed.length; ) {
    const [tab, end] = [listed.indexOf('\t', at), listed.indexOf('\0', at)]
    if (tab < 0 || end < 0) break
    if (listed.startsWith('blob ', at + 7)) {
      const id = listed.slice(at + 12, tab)
      paths.push(listed.slice(tab + 1, end))
      ids.push(listed.startsWith('120000', at) ? `link:${id}` : id)
    }
    at = end + 1
  }
  const order = ascending(paths)
  const sorted = (column: readonly string[]) => order?.map((row) => column[row]!) ?? column
  return { paths: sorted(paths), ids: sorted(ids), stats: new Float64Array(4 * paths.length).fill(Number.NaN) }
}
