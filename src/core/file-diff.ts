/** One file that a run changed. */
export interface FileDiff {
  readonly path: string
  /** Its path before, if it was renamed. */
  readonly from?: string
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
  /** Git's file modes before and after, if they differ. */
  readonly mode?: readonly [before: string, after: string]
  /** Lines that came and went; 0 if they were not compared. */
  readonly added: number
  readonly removed: number
  /** Unified hunks, without file names. */
  readonly hunks?: string
  /** Why there are no hunks, or not all of them. */
  readonly why?: string
}
