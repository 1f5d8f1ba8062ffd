import { entriesOf } from '../system/file-names.ts'
import { repositoryRoot } from '../system/git.ts'
import { gitFolderOf } from '../system/git-folder.ts'
import { isSettled, type Stat, sameStat, statOf } from './baseline/content-id.ts'
import { ascending } from './baseline/file-table.ts'

type Git = (args: readonly string[]) => Promise<string | undefined>

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
  readonly submodules: readonly string[]
}

/** Plain files and links have a content; a submodule has a commit, and files of its own. */
const SUBMODULE = '160000'
const KINDS: Readonly<Record<string, string>> = { '100644': '', '100755': '', '120000': 'link:' }

/** The index seldom changes between two looks, and parsing its 100,000 lines again is slow. */
let lastIndex: { readonly listed: string; readonly index: GitIndex } | undefined

/** Parses `letter mode id stage<tab>path` for every file. */
export function indexOf(listed: string): GitIndex {
  if (lastIndex?.listed === listed) return lastIndex.index
  const paths: string[] = []
  const ids: string[] = []
  const marked: { readonly letter: string; readonly path: string }[] = []
  const submodules: string[] = []
  for (let at = 0; at < listed.length; ) {
    const end = listed.indexOf('\0', at)
    const tab = listed.indexOf('\t', at)
    if (end < 0 || tab < 0) break
    const letter = listed[at]!
    const path = listed.slice(tab + 1, end)
    const mode = listed.slice(at + 2, at + 8)
    const kind = KINDS[mode]
    if (mode === SUBMODULE) submodules.push(path)
    const isPlain = letter === 'H' && kind !== undefined && listed[tab - 1] === '0'
    paths.push(path)
    ids.push(isPlain ? kind + listed.slice(at + 9, tab - 2) : '')
    if (letter !== 'H') marked.push({ letter, path })
    at = end + 1
  }
  const order = ascending(paths)
  const sorted = (column: readonly string[]) => order?.map((row) => column[row]!) ?? column
  const index = { paths: sorted(paths), ids: sorted(ids), marked, submodules }
  lastIndex = { listed, index }
  return index
}

/** `H 100644 <id> 0\t<path>` for every file that git knows. */
const INDEX = ['ls-files', '-s', '-v', '-z'] as const

interface ListedIndex {
  /** The folder that it was listed for. */
  readonly place: string
  readonly file: string
  readonly stat: Stat
  readonly listed: string
}

let lastListed: ListedIndex | undefined

/** What git listed of the index last, if its file is certain to be the same since. */
export function knownIndex(place: string): string | undefined {
  if (lastListed?.place !== place) return undefined
  const now = indexFile(place)
  return now?.file === lastListed.file && sameStat(now.stat, lastListed.stat) ? lastListed.listed : undefined
}

/** The index of the folder in which this git runs. */
export async function listIndex(git: Git, place: string, reuse = false): Promise<string | undefined> {
  const known = reuse ? knownIndex(place) : undefined
  if (known !== undefined) return known
  const found = indexFile(place)
  const at = Date.now()
  const listed = await git(INDEX)
  // The flags of a sparse checkout depend on the files too.
  const isPlain = listed !== undefined && found !== undefined && indexOf(listed).marked.length === 0
  if (isPlain && isSettled(found.stat, at)) lastListed = { place, ...found, listed }
  return listed
}

function indexFile(place: string): { readonly file: string; readonly stat: Stat } | undefined {
  const top = repositoryRoot(place)
  const { gitDir } = (top !== undefined && gitFolderOf(place, top)) || {}
  if (gitDir === undefined) return undefined
  // A link, or an index in several files, could change while its own stat stays.
  const names = entriesOf(gitDir).map(({ name }) => name)
  const isAlone = names.includes('index') && !names.some((name) => name.startsWith('sharedindex.'))
  const stat = isAlone ? statOf(`${gitDir}/index`) : undefined
  return stat?.isFile() ? { file: `${gitDir}/index`, stat } : undefined
}
