import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process that has ended but that its parent hasn't collected yet, for example because it is stopped, counts as gone. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return /^(?:State:\s+)?Z/m.test(
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/status`, 'utf8')
        : spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout,
    )
  } catch {
    return true
  }
}
