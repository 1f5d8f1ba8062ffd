import type { GitWords } from '../git-status.ts'

/** What git says about the files of a workspace, as far as it can be believed without looking at them. */
export interface IndexIds {
  /** Ids of tracked files without local changes; `link:` marks a symbolic link. */
  readonly clean: ReadonlyMap<string, string>
  /** Tracked with local changes, or untracked. */
  readonly dirty: ReadonlySet<string>
  /** Where the workspace lies in its repository: empty, or a path that ends in a slash. */
  readonly prefix: string
}

/** Plain files and links have a content; a submodule has a commit, and files of its own. */
const KINDS: Readonly<Record<string, string>> = { '100644': '', '100755': '', '120000': 'link:' }
/** Ordinary entries have eight fields before the path, conflicts ten, untracked files one. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

/** Undefined without git: then every file has to be looked at. */
export function indexIds({ index: entries, status, place }: GitWords): IndexIds | undefined {
  if (entries === undefined || status === undefined || place === undefined) return undefined
  const [, start = ''] = place.split(/\r?\n/)
  const dirty = dirtyPaths(status, start)
  return { clean: cleanIds(entries, dirty), dirty, prefix: start }
}

function dirtyPaths(status: string, prefix: string): Set<string> {
  const paths = status.split('\0').flatMap((line) => {
    const fields = FIELDS[line[0] ?? '']
    return fields === undefined ? [] : [line.split(' ').slice(fields).join(' ')]
  })
  return new Set(paths.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : [])))
}

/** Another letter than H means that git was told to look away from that file. */
function cleanIds(entries: string, dirty: ReadonlySet<string>): Map<string, string> {
  const clean = new Map<string, string>()
  for (const entry of entries.split('\0')) {
    const tab = entry.indexOf('\t')
    const [letter, mode, id, stage] = entry.slice(0, Math.max(tab, 0)).split(' ')
    const path = entry.slice(tab + 1)
    const kind = KINDS[mode ?? '']
    if (letter !== 'H' || kind === undefined || id === undefined || stage !== '0' || dirty.has(path)) continue
    clean.set(path, `${kind}${id}`)
  }
  return clean
}
