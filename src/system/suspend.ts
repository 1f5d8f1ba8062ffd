import { awake } from './awake-clock.ts'

/** What has to happen when Ctrl+Z stops this process, and when `fg` continues it. */
export interface Suspension {
  /** Just before it stops. */
  stop(): void
  /** It continues, perhaps without having been told that it stops. */
  continue(): void
}

const all = new Set<Suspension>()

/**
 * From now on, until the returned function is called. All of them share one listener, because the process must not stop before the
 * last one is ready for it.
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
