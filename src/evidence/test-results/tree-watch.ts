import { join } from 'node:path'
import { isRunnerConfig, languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { hasContent, sameStat } from '../baseline/content-id.ts'
import { type FileStates, fileStates } from '../baseline/file-states.ts'
import { hasStat, rowsAmong, sameStatAt, statAt } from '../baseline/file-table.ts'
import { NO_OUTPUT, type OutputFiles } from '../callers-files.ts'
import { readStat, type StatSnapshot, StatSnapshotBuilder, snapshotOf, snapshotStatAt } from '../stat-snapshot.ts'
import type { Workspace } from '../types.ts'

export interface TreeChanges {
  /** Files with other content than before, new source files, and files that are gone. */
  readonly changed: readonly string[]
  /** Files that were written again with the same content. */
  readonly rewritten: readonly string[]
}

export interface TreeWatch {
  /** What happened to the tree since the watch began. */
  changes(): Promise<TreeChanges>
}

const NOTHING = new StatSnapshotBuilder().done()

/** What tests write themselves: reports, coverage, logs, databases, lock files that a build updates. */
const OUTPUT =
  /(?:^|\/)(?:coverage|htmlcov|test-results|test-reports|playwright-report|\.nyc_output|te?mp|logs?|TestResults|surefire-reports|allure-results|screenshots|videos|__pycache__|\.[\w-]*cache|\.vitest[\w-]*)\/|\.(?:log|lcov|out|pid|te?mp|sqlite3?|db|db-(?:journal|wal|shm)|prof|trx|pyc|tsbuildinfo|lock|new)$|(?:^|\/)(?:\.coverage[\w.-]*|coverage\.\w+|junit[\w.-]*\.xml|lcov\.info|test-report[\w.-]*|package-lock\.json|go\.sum)$/i

export interface WatchOptions {
  readonly seen?: FileStates
  readonly outputs?: OutputFiles
  /** The stat of every file when it was seen, also of files that were new then. */
  readonly looked?: StatSnapshot
}

/**
 * Watches the files while tests run. A background process of the agent must not choose what they see. With `looked`, it
 * also shows that one was written again with the same content.
 */
export async function watchTree(
  workspace: Workspace,
  { seen, outputs = NO_OUTPUT, looked = NOTHING }: WatchOptions,
): Promise<TreeWatch> {
  const { files } = seen ?? (await fileStates(workspace))
  const first = rowsAmong(looked.paths, files.paths)
  return {
    async changes() {
      const changed: string[] = []
      const rewritten: string[] = []
      const snapshot = snapshotOf(workspace.dir, await workspace.list())
      const now = rowsAmong(snapshot.paths, files.paths)
      for (let row = 0; row < now.length; row++) {
        if (now[row]! >= 0 && sameStatAt(files, row, snapshot, now[row]!)) continue
        const path = files.paths[row]!
        const full = join(workspace.dir, path)
        const stat = snapshotStatAt(snapshot, now[row]!) ?? readStat(full)
        const before = statAt(files, row)
        if ((stat !== undefined && before !== undefined && sameStat(stat, before)) || OUTPUT.test(path)) continue
        if (stat === undefined || !hasContent(full, files.ids[row]!)) changed.push(path)
        else {
          const then = before ?? snapshotStatAt(looked, first[row]!)
          if (then !== undefined && !sameStat(stat, then)) rewritten.push(path)
        }
      }
      const then = rowsAmong(files.paths, snapshot.paths)
      for (let row = 0; row < then.length; row++) {
        if (then[row]! >= 0 || !hasStat(snapshot, row)) continue
        const path = snapshot.paths[row]!
        if (OUTPUT.test(path)) continue
        if (languageOf(path) !== undefined || isRunnerConfig(path)) changed.push(path)
      }
      const isWatched = (path: string) => !outputs.has(join(workspace.dir, path))
      return { changed: changed.filter(isWatched).sort(), rewritten: rewritten.filter(isWatched).sort() }
    },
  }
}
