import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether this process may use its terminal now. The system stops a background process that reads from it or changes its mode. */
export function isInForeground(): boolean {
  const groups = terminalGroups()
  return groups === undefined || groups.own === groups.terminal
}

/** Whether another job of the shell has the terminal. A process without a terminal of its own disturbs no other job. */
export function isInBackground(): boolean {
  const groups = terminalGroups()
  return groups !== undefined && groups.own !== groups.terminal && Number(groups.terminal) > 0
}

interface Groups {
  readonly own: string
  readonly session: string
  /** The one that the terminal belongs to. */
  readonly terminal: string
}

/** The process groups around this process. */
export function terminalGroups(): Groups | undefined {
  try {
    const text = readFileSync('/proc/self/stat', 'latin1')
    const [, , own = '', session = '', , terminal = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { own, session, terminal }
  } catch {
    return groupsFromPs()
  }
}

function groupsFromPs(): Groups | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'pgid=,tpgid=,stat=', '-p', String(process.pid)], { encoding: 'latin1' })
    const [own = '', terminal = '', state = ''] = text.trim().split(/\s+/)
    // macOS prints no session; its leader has an s in its state.
    return { own, terminal, session: state.includes('s') ? own : '' }
  } catch {
    return undefined
  }
}
