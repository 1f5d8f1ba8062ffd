/** Everything an agent left, as one commit in the repository's remote. Small and plain, because the database keeps it. */
export interface Work {
  /** The branch it was on; absent when HEAD stood on a commit. */
  readonly branch?: string
  /** The commit it was on; absent before the first one. */
  readonly head?: string
  /** Identity of all that differs from `head`. */
  readonly tree: string
  /** `refs/exitgate/<run>/<epoch>/<commit>`: no two publications share one. */
  readonly ref: string
}

/** What every transfer needs. */
export interface TransferOptions {
  /** The repository's address. */
  readonly remote: string
  /** Gets one sentence about each thing that could not be transferred. */
  readonly warn?: (text: string) => void
  /** The worker's own: git finds its credentials by it. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface RestoreOptions extends TransferOptions {
  /** A folder of the worker's own for copies of remotes. Without it everything is fetched each time. */
  readonly cache?: string
  /** What a worker published; or where to begin: a branch, tag or commit of the remote, its default branch when absent. */
  readonly from: Work | { readonly base?: string; readonly branch: string }
}

export interface Restored {
  readonly head?: string
  readonly branch?: string
}

/** One entry of git's index. A path is a string of bytes: names of files need not be UTF-8. */
export interface IndexEntry {
  readonly mode: string
  readonly oid: string
  readonly stage: 0 | 1 | 2 | 3
  readonly path: string
}

/** What the tree of a published commit says in words: `work.json`. Its files lie beside it. */
export interface WorkManifest {
  readonly v: 1
  readonly branch?: string
  readonly head?: string
  /** Entries of the index that differ from HEAD; the mode of one that is gone is 0. */
  readonly staged: readonly IndexEntry[]
  /** Paths that `git add -N` announced. */
  readonly announced: readonly string[]
  /** Files that git was told to take for unchanged, and those that are not to be checked out. */
  readonly assumed: readonly string[]
  readonly skipped: readonly string[]
  /** In the index, and not in the working tree. */
  readonly gone: readonly string[]
  readonly emptyFolders: readonly string[]
  /** Local branches. */
  readonly heads: Readonly<Record<string, string>>
  /** A merge, cherry-pick or revert that is not finished, and what this clone ignores: small files of `.git`. */
  readonly notes: Readonly<Record<string, string>>
}
