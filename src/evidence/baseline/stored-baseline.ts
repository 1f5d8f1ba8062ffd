import type { Baseline } from '../types.ts'
import type { InstalledFiles } from './dependencies.ts'
import { type FileTable, fileTable, rowOf } from './file-table.ts'
import type { Surroundings } from './surroundings.ts'

/** What is stored of a baseline, apart from the copies. Baselines of older versions lack some of it. */
export interface StoredBaseline extends Omit<Baseline, 'files' | 'read'> {
  /** The workspace it was taken of. */
  readonly workspace: string
  readonly files: FileTable
  readonly copiesFile: string
  readonly copies: Readonly<Record<string, readonly [offset: number, length: number, sha256: string]>>
  readonly notKept: readonly string[]
  readonly rules: IgnoreRules
  readonly problems: readonly string[]
  /** Absent in baselines of older versions. */
  readonly room?: RoomRecipe
  /** Ignored files that the clean room gets, in the file of copies. */
  readonly included?: StoredBaseline['copies']
  /** Since version 3. */
  readonly surroundings?: Surroundings
  /** Since version 3: the file with the hashes of installed dependencies, and its own hash. */
  readonly dependencies?: { readonly file: string; readonly sha256: string } | 'none'
}

/** Whether and how the project's commands work in a clean room, as tried before the first iteration. */
export type RoomRecipe =
  | {
      readonly use: true
      /** The tests need what the project's build command makes. */
      readonly build?: true
    }
  | { readonly use: false; readonly why: string }

/** What was ignored then, and by which rules: the agent may add rules to hide files. */
export interface IgnoreRules {
  /** Ignored files, and completely ignored folders (with a slash at the end). */
  readonly ignored: readonly string[]
  /** Hash of every rule file that the workspace's own list does not show, by path. */
  readonly outside: Readonly<Record<string, string>>
}

/** A baseline with everything needed to detect changes. */
export interface FullBaseline extends Baseline {
  /** Hash of the stored record. Record it to check later that this is still the same baseline. */
  readonly id: string
  readonly workspace: string
  /** The same files, with the stats of those that had settled when it was taken. */
  readonly table: FileTable
  /** Absent if the baseline was made from a commit. */
  readonly rules?: IgnoreRules
  /** Texts that later checks may need but that were too large or too many to copy. */
  readonly notKept: readonly string[]
  /** Problems found while it was taken, as sentences. */
  readonly problems: readonly string[]
  /** The bytes of a file at that time; undefined if it did not exist or was not kept. */
  bytes(path: string): Buffer | undefined
  readonly room?: RoomRecipe
  /** Ignored files as they were then, by their path from the top of the repository. */
  included?(): ReadonlyMap<string, Buffer>
  /** Ignored files, and files above the workspace, that decide how tests run; undefined if they were not recorded. */
  readonly surroundings?: Surroundings
  /** What was installed then; undefined if that was not recorded. */
  readonly dependencies?: () => readonly InstalledFiles[] | undefined
  /** Fetches many texts at once, so that reading them one by one is cheap. */
  preload(paths: readonly string[]): void
}

export const isFull = (baseline: Baseline): baseline is FullBaseline => 'table' in baseline && 'preload' in baseline

const tables = new WeakMap<Baseline['files'], FileTable>()

/** The files of any baseline, including one that a caller made. */
export function tableOf(baseline: Baseline): FileTable {
  if (isFull(baseline)) return baseline.table
  const table = tables.get(baseline.files) ?? fileTable(Object.entries(baseline.files))
  tables.set(baseline.files, table)
  return table
}

/** The id of a file's content in a baseline; undefined if the file did not exist. */
export function idInBaseline(baseline: Baseline, path: string): string | undefined {
  const { paths, ids } = tableOf(baseline)
  return ids[rowOf(paths, path)]
}
