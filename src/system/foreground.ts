import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether this process may use its terminal now. The system stops a background process that reads from it or changes its mode. */
export function isInForeground(): boolean {
  const groups = terminalGroups()
  return groups === undefined || groups.own === groups.terminal
}

/** This process's group, and the one that the terminal belongs to. */
export function terminalGroups(): { readonly own: string; readonly terminal: string } | undefined {
  try {
    const text = readFileSync('/proc/self/stat', 'latin1')
    const [, , own = '', , , terminal = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { own, terminal }
  } catch {
    return groupsFromPs()
  }
}

function groupsFromPs(): ReturnType<typeof terminalGroups> {
  try {
    const text = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'latin1' })
    const [own = '', terminal = ''] = text.trim().split(/\s+/)
    return { own, terminal }
  } catch {
    return undefined
  }
}
