import { join } from 'node:path'
import { hasContent, sameStat } from '../baseline/content-id.ts'
import { type FileStates, fileStates } from '../baseline/file-states.ts'
import { isRunnerConfig, languageOf } from '../test-files.ts'
import { lookOf, seenStat } from '../tree-look.ts'
import type { Workspace } from '../types.ts'

export interface TreeChanges {
  /** Files whose content is another one now, new sources, and files that are gone. */
  readonly changed: readonly string[]
  /** Files that were written anew with the content they had. */
  readonly rewritten: readonly string[]
}

export interface TreeWatch {
  /** What happened to the tree since the watch began. */
  changes(): Promise<TreeChanges>
}

/** What tests leave behind on their own account: reports, coverage, logs, databases, locks that a build brings up to date. */
const OUTPUT =
  /(?:^|\/)(?:coverage|htmlcov|test-results|test-reports|playwright-report|\.nyc_output|te?mp|logs?|TestResults|surefire-reports|allure-results|screenshots|videos|__pycache__|\.[\w-]*cache|\.vitest[\w-]*)\/|\.(?:log|lcov|out|pid|te?mp|sqlite3?|db|db-(?:journal|wal|shm)|prof|trx|pyc|tsbuildinfo|lock|new)$|(?:^|\/)(?:\.coverage[\w.-]*|coverage\.\w+|junit[\w.-]*\.xml|lcov\.info|test-report[\w.-]*|package-lock\.json|go\.sum)$/i

/** Watches the files while tests run: a helper that the agent left in the background must not choose what they see. */
export async function watchTree(workspace: Workspace, seen?: FileStates): Promise<TreeWatch> {
  const { files } = seen ?? (await fileStates(workspace))
  return {
    async changes() {
      const changed: string[] = []
      const rewritten: string[] = []
      const { stats } = lookOf(workspace.dir, await workspace.list())
      for (const [path, { id, stat }] of files) {
        const full = join(workspace.dir, path)
        const now = stats.get(path) ?? seenStat(full)
        if ((now !== undefined && stat !== undefined && sameStat(now, stat)) || OUTPUT.test(path)) continue
        if (now === undefined || !hasContent(full, id)) changed.push(path)
        else if (stat !== undefined) rewritten.push(path)
      }
      for (const [path, stat] of stats) {
        if (stat === undefined || files.has(path) || OUTPUT.test(path)) continue
        if (languageOf(path) !== undefined || isRunnerConfig(path)) changed.push(path)
      }
      return { changed: changed.sort(), rewritten: rewritten.sort() }
    },
  }
}
