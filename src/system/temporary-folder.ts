import { lstatSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode } from './files.ts'
import { isAlive, startedCommand } from './processes.ts'
import { removeFolderSync } from './remove-folder.ts'

/** In the name: what it is for, the process that made it, and when that process started. */
const OWNED = /^exitgate-(?:report|sandbox)-(\d+)-(\d*)-/
/** Places that this process swept; once is enough, because a temporary folder may have thousands of entries. */
const swept = new Set<string>()
const FORGOTTEN_MS = 24 * 60 * 60 * 1_000

/** A fresh folder that only we can enter, outside the workspace. If this process is killed, a later one removes it. */
export function makeTemporaryFolder(kind: 'report' | 'sandbox'): string {
  const place = tmpdir()
  if (!swept.has(place)) sweepTemporaryFolders(place)
  swept.add(place)
  const { pid, since = '' } = startedCommand(process.pid, '')
  try {
    return realpathSync(mkdtempSync(join(place, `exitgate-${kind}-${pid}-${since}-`)))
  } catch (error) {
    throw new Error(`the temporary folder ${place} can't be used (${errorCode(error)}); set TMPDIR to another one`)
  }
}

/** Removes folders of processes that were killed before they could remove them. */
export function sweepTemporaryFolders(place: string = tmpdir()): void {
  try {
    for (const name of readdirSync(place)) {
      if (!OWNED.test(name)) continue
      const stats = lstatSync(join(place, name))
      if (stats.isDirectory() && stats.uid === process.getuid?.() && isForgotten(name, stats.mtimeMs)) {
        removeFolderSync(join(place, name))
      }
    }
  } catch {
    // Another process may be sweeping too; the next sweep gets it.
  }
}

/** A process in another container is not visible here, so a young folder goes only if its owner is certainly gone. */
function isForgotten(name: string, madeAt: number): boolean {
  const age = Date.now() - madeAt
  const [, pid, started] = OWNED.exec(name) ?? []
  if (age > FORGOTTEN_MS || pid === undefined || !started) return age > FORGOTTEN_MS
  return !isAlive({ pid: Number(pid), parent: 0, group: 0, started })
}
