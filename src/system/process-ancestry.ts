import { readFileSync } from 'node:fs'
import { linesOfPs } from './processes.ts'

/** A process, with what is known about its origin. */
export interface ProcessOrigin {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** The leader of its session. 0 if unknown. */
  readonly session: number
  /** Whether it has a controlling terminal. */
  readonly terminal: boolean
  /** Start time, in ms since 1970. */
  readonly startedAt: number
  /** The requested variables that are in its environment. */
  readonly variables: Readonly<Record<string, string>>
}

const MOST_ANCESTORS = 1000
/** Clock ticks per second, the same on every system that Node supports. */
const TICKS = 100

export type ProcessLookup = (pid: number) => ProcessOrigin | undefined

/** The process and all its ancestors. */
export function ancestryOf(pid: number, look: ProcessLookup): readonly ProcessOrigin[] {
  const lineage: ProcessOrigin[] = []
  for (let next = pid; next > 0 && lineage.length < MOST_ANCESTORS; ) {
    const kin = look(next)
    if (kin === undefined) break
    lineage.push(kin)
    next = kin.parent
  }
  return lineage
}

/** Returns a lookup for the processes of this machine, with the values of these environment variables. */
export const processLookup = (variables: readonly string[]): ProcessLookup =>
  process.platform === 'linux' ? fromProc(variables) : fromPs(variables)

/** Boot time of this system. 0 if unknown. */
export function bootedAt(): number {
  try {
    return Date.now() - uptime()
  } catch {
    return 0
  }
}

const uptime = (): number => Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1000

export function fromProc(variables: readonly string[]): ProcessLookup {
  return (pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
      // The name may contain parentheses, so the plain fields start after the last one.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const [parent, group, session, terminal] = fields.slice(1, 5).map(Number)
      // Both count from boot, so clock changes have no effect.
      const age = uptime() - (Number(fields[19]) * 1000) / TICKS
      return {
        pid,
        parent: parent ?? 0,
        group: group ?? 0,
        session: session ?? 0,
        terminal: terminal !== 0,
        startedAt: Date.now() - age,
        variables: valuesIn(environmentOf(pid).split('\0'), variables),
      }
    } catch {
      return undefined
    }
  }
}

/** Empty if the process belongs to another user. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

function valuesIn(words: readonly string[], variables: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const word of words)
    for (const name of variables) if (word.startsWith(`${name}=`)) found[name] = word.slice(name.length + 1)
  return found
}

/** Other systems. */
export function fromPs(variables: readonly string[]): ProcessLookup {
  const all = new Map<number, ProcessOrigin>()
  for (const line of linesOfPs('pid=,ppid=,pgid=,tty=,lstart=,command=')) {
    const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s?(.*)$/.exec(line)
    if (found === null) continue
    const [, pid, parent, group, terminal, started, rest] = found
    all.set(Number(pid), {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      terminal: !/^[?-]+$/.test(terminal!),
      startedAt: Date.parse(`${started} UTC`),
      variables: valuesIn(rest!.split(' '), variables),
    })
  }
  return (pid) => all.get(pid)
}
