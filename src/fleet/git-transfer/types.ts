/** Everything an agent left, as one commit in the repository's remote. The database stores this description. */
export interface Work {
  /** The branch it was on; absent if HEAD was detached. */
  readonly branch?: string
  /** The commit it was on; absent before the first commit. */
  readonly head?: string
  /** A hash of everything that differs from `head`. */
  readonly tree: string
  /** `refs/exitgate/<run>/<epoch>/<commit>`, different for every publication. */
  readonly ref: string
}

/** What every transfer needs. */
export interface TransferOptions {
  /** The repository's address. */
  readonly remote: string
  /** Receives one sentence about each thing that could not be transferred. */
  readonly warn?: (text: string) => void
  /** The worker's environment, where git finds its credentials. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface RestoreOptions extends TransferOptions {
  /** The worker's folder for copies of remotes. Without it everything is fetched each time. */
  readonly cache?: string
  /** Published work, or a starting point: a branch, tag or commit of the remote, by default its default branch. */
  readonly from: Work | { readonly base?: string; readonly branch: string }
}

export interface Restored {
  readonly head?: string
  readonly branch?: string
}

/** One entry of git's index. A path is a string of bytes, because file names need not be UTF-8. */
export interface IndexEntry {
  readonly mode: string
  readonly oid: string
  readonly stage: 0 | 1 | 2 | 3
  readonly path: string
}

/** The content of `work.json` in the tree of a published commit, next to the files. */
export interface WorkManifest {
  readonly v: 1
  readonly branch?: string
  readonly head?: string
  /** Index entries that differ from HEAD; mode 0 means deleted. */
  readonly staged: readonly IndexEntry[]
  /** Paths added with `git add -N`. */
  readonly announced: readonly string[]
  /** Those among them that are links or programs in the index. Absent in work that an older version published. */
  readonly announcedModes?: readonly Pick<IndexEntry, 'path' | 'mode'>[]
  /** Files marked assume-unchanged, and those marked skip-worktree. */
  readonly assumed: readonly string[]
  readonly skipped: readonly string[]
  /** In the index but not in the working tree. */
  readonly gone: readonly string[]
  readonly emptyFolders: readonly string[]
  /** Local branches. */
  readonly heads: Readonly<Record<string, string>>
  /** Small files of `.git`: an unfinished merge, cherry-pick or revert, and this clone's ignore list. */
  readonly notes: Readonly<Record<string, string>>
}
