import { lstatSync, mkdtempSync, realpathSync, statSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { digest } from './digest.ts'
import { entriesOf } from './file-names.ts'
import { errorCode, makeFolder } from './files.ts'
import { isAlive, startedCommand, thisBoot } from './processes.ts'
import { removeFolder } from './remove-folder.ts'

/** In the name: what it is for, the machine, the process that made it, and when that process started. Older versions wrote less. */
const OWNED = /^exitgate-(?:report|sandbox|scratch|rooms?)-(?:([0-9a-f]{8})-(\d+)-(\d*)-)?/
/** Processes of another machine or container are not visible here. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1_000

/** A fresh folder that only we can enter, outside the workspace. If this process is killed, a later one removes it. */
export function makeTemporaryFolder(kind: 'report' | 'sandbox' | 'scratch' | 'room', place = tmpdir()): string {
  const { pid, since = '' } = startedCommand(process.pid, '')
  try {
    makeFolder(place)
    return realpathSync.native(mkdtempSync(join(place, `exitgate-${kind}-${machine()}-${pid}-${since}-`)))
  } catch (error) {
    throw new Error(`the temporary folder ${place} can't be used (${errorCode(error)}); set TMPDIR to another one`)
  }
}

/** Removes what processes left that were killed. */
export async function sweepTemporaryFolders(places: readonly string[]): Promise<void> {
  // Another process may be sweeping too, or a file is in use. The next sweep gets it.
  for (const place of places)
    for (const { name } of entriesOf(place))
      if (isForgotten(name, join(place, name))) await removeFolder(join(place, name)).catch(() => {})
}

function isForgotten(name: string, path: string): boolean {
  const [match, where, pid, started = ''] = OWNED.exec(name) ?? []
  const stats = match === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false })
  // A link or another user's folder is never removed, whatever its name.
  if (!stats?.isDirectory() || (process.getuid !== undefined && stats.uid !== process.getuid())) return false
  if (where === machine()) return !isAlive({ pid: Number(pid), parent: 0, group: 0, started })
  return Date.now() - stats.mtimeMs > FORGOTTEN_MS
}

/** This machine, its boot and its process namespace. */
function machine(): string {
  const namespace = statSync('/proc/self/ns/pid', { throwIfNoEntry: false })?.ino
  return digest(`${hostname()} ${thisBoot()} ${namespace}`).slice(0, 8)
}
