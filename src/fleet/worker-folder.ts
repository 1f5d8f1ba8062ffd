import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { emptyState } from '../core/journal/reduce.ts'
import { type Lock, takeLock } from '../journal/lock.ts'
import { clearLeftovers } from '../loop/clear-leftovers.ts'
import { removeFolder } from '../system/remove-folder.ts'

const WORKERS = 'workers'

/** A folder of this worker alone, locked as long as it lives. */
export interface WorkerFolder {
  readonly dir: string
  /** Copies of remotes, for all workers of this folder. */
  readonly cache: string
  release(): Promise<void>
}

export function openWorkerFolder(folder: string, worker: string): WorkerFolder {
  const dir = join(folder, WORKERS, worker)
  const lock = lockIn(dir)
  if (lock === undefined) throw new Error(`the folder ${dir} is in use`)
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
 * Ends what the agents of dead workers left running on this machine, and removes their folders. What they had not published is lost
 * by design: their runs went on elsewhere from what they had.
 */
export async function sweepWorkers(folder: string): Promise<number> {
  let ended = 0
  for (const name of entriesOf(join(folder, WORKERS))) {
    const dir = join(folder, WORKERS, name)
    const lock = lockIn(dir)
    if (lock === undefined) continue
    for (const run of entriesOf(dir)) ended += (await clearLeftovers(join(dir, run, 'state'), emptyState())).length
    lock.release()
    // What an agent made so that it cannot be removed does not keep a worker from its work.
    await removeFolder(dir).catch(() => {})
  }
  return ended
}

/** Nothing while its owner lives. */
function lockIn(dir: string): Lock | undefined {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    return takeLock(dir, { waitMs: 0 })
  } catch {
    return undefined
  }
}

function entriesOf(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
