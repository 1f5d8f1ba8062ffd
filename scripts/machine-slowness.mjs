import { spawnSync } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'

/** The start time of Node on the idle machine the timeouts were chosen on. */
const REFERENCE_MS = 60

/**
 * 1 on an idle machine, more on a slow or busy one: the larger of Node's relative start time and the number of processes per core.
 */
export function machineSlowness() {
  const starts = Array.from({ length: 3 }, () => {
    const before = performance.now()
    spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' })
    return performance.now() - before
  })
  const starting = Math.max(...starts) / REFERENCE_MS
  const sharing = 1 + loadavg()[0] / availableParallelism()
  return Math.min(10, Math.max(1, starting, sharing))
}
