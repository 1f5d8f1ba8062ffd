import { join } from 'node:path'
import { emptyState } from '../core/journal/reduce.ts'
import { isWaitingForLock, type Lock, takeLock } from '../journal/lock.ts'
import { clearLeftovers } from '../loop/clear-leftovers.ts'
import { entriesOf } from '../system/file-names.ts'
import { errorCode, makeFolder } from '../system/files.ts'
import { removeFolder } from '../system/remove-folder.ts'
import { FleetError } from './errors.ts'

const WORKERS = 'workers'
/** Only another worker that looks for dead ones could hold its lock, and only for a moment. */
const OWN_WAIT_MS = 5_000

/** A folder that belongs to this worker and stays locked while it lives. */
export interface WorkerFolder {
  readonly dir: string
  /** Copies of remotes, shared by all workers that use this folder. */
  readonly cache: string
  release(): Promise<void>
}

export function openWorkerFolder(folder: string, worker: string): WorkerFolder {
  const dir = join(folder, WORKERS, worker)
  try {
    makeFolder(dir)
  } catch (error) {
    throw new FleetError(
      `The folder ${dir} can't be created (${errorCode(error)}). Pass another one with --folder.`,
      70,
    )
  }
  const lock = lockIn(dir, OWN_WAIT_MS)
  if (lock === undefined) throw new Error(`The folder ${dir} is in use by another worker`)
  return {
    dir,
    cache: join(folder, 'remotes'),
    async release() {
      lock.release()
      await removeFolder(dir)
    },
  }
}

/**
 * Ends processes that agents of dead workers left on this machine, and removes their folders. Unpublished work is lost by design,
 * because other workers continued those runs from the last published step.
 */
export async function sweepWorkers(folder: string): Promise<number> {
  let ended = 0
  for (const { name } of entriesOf(join(folder, WORKERS))) {
    const dir = join(folder, WORKERS, name)
    // A worker that starts right now has made its folder and is about to lock it. A dead one has left its lock there.
    if (entriesOf(dir).every((entry) => isWaitingForLock(entry.name))) continue
    const lock = lockIn(dir, 0)
    if (lock === undefined) continue
    for (const run of entriesOf(dir)) ended += (await clearLeftovers(join(dir, run.name, 'state'), emptyState())).length
    lock.release()
    // A file an agent made impossible to remove must not stop the worker.
    await removeFolder(dir).catch(() => {})
  }
  return ended
}

/** Undefined while its owner lives. */
function lockIn(dir: string, waitMs: number): Lock | undefined {
  try {
    makeFolder(dir)
    return takeLock(dir, { waitMs })
  } catch {
    return undefined
  }
}
