import { readFileSync } from 'node:fs'

/**
 * The most memory this process has held, in MB. On Linux from its own record: `resourceUsage().maxRSS` starts at what the parent held
 * when it started this process.
 */
export function peakMemory() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
  } catch {
    return process.resourceUsage().maxRSS / 1024
  }
}
