import { awake } from './awake-clock.ts'

/** Callbacks for Ctrl+Z (suspend) and `fg` (resume). */
export interface Suspension {
  /** Called just before the process stops. */
  stop(): void
  /** Called when the process continues, possibly without a preceding call of the other callback. */
  continue(): void
}

const all = new Set<Suspension>()

/**
 * Active until the returned function is called. All share one listener, because the process must not stop before every callback has
 * run.
 */
export function onSuspend(suspension: Suspension): () => void {
  if (all.size === 0) {
    process.on('SIGTSTP', suspend)
    process.on('SIGCONT', resume)
  }
  all.add(suspension)
  return () => {
    if (!all.delete(suspension) || all.size > 0) return
    process.off('SIGTSTP', suspend)
    process.off('SIGCONT', resume)
  }
}

let stopping = false

function suspend(): void {
  for (const { stop } of all) stop()
  awake.now()
  stopping = true
  process.kill(process.pid, 'SIGSTOP')
}

function resume(): void {
  if (stopping) awake.woke()
  stopping = false
  for (const each of all) each.continue()
}
