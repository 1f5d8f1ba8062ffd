/** The files of a project, as the readers of imports see them: those that are there and those that were. */
export interface Sources {
  readonly paths: readonly string[]
  has(path: string): boolean
  /** Text as it is now; undefined for what is gone. */
  read(path: string): string | undefined
  /** The files that lie directly in a folder; the root is the empty string. */
  inFolder(folder: string): readonly string[]
  /** A relative path from a folder; undefined when it leads out of the project. */
  join(folder: string, path: string): string | undefined
  /** Something that is worked out once for the whole project. */
  once<T>(key: unknown, make: () => T): T
}

/** The project's own files that a file imports directly; undefined when that cannot be told. More is better than less. */
export type ImportReader = (file: string, text: string, sources: Sources) => readonly string[] | undefined
