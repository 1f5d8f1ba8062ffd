import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process and what tells where it comes from. */
export interface ProcessOrigin {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** The process that leads its session; 0 where that cannot be told. */
  readonly session: number
  /** It has a terminal that can interrupt it. */
  readonly terminal: boolean
  /** Begin, in ms since 1970. */
  readonly startedAt: number
  /** Those of the variables asked for that its environment holds. */
  readonly variables: Readonly<Record<string, string>>
}

const MOST_ANCESTORS = 1000
/** Clock ticks a second: the same on every system on which Node runs. */
const TICKS = 100

export type LookUp = (pid: number) => ProcessOrigin | undefined

/** The process and its ancestors, as far up as there are any. */
export function lineageOf(pid: number, look: LookUp): readonly ProcessOrigin[] {
  const lineage: ProcessOrigin[] = []
  for (let next = pid; next > 0 && lineage.length < MOST_ANCESTORS; ) {
    const kin = look(next)
    if (kin === undefined) break
    lineage.push(kin)
    next = kin.parent
  }
  return lineage
}

/** How to look up processes on this system now, with the values of these environment variables. */
export const lookNow = (variables: readonly string[]): LookUp =>
  process.platform === 'linux' ? fromProc(variables) : fromPs(variables)

/** The moment at which this system began to run; 0 where that cannot be told. */
export function bootedAt(): number {
  try {
    return Date.now() - uptime()
  } catch {
    return 0
  }
}

const uptime = (): number => Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1000

export function fromProc(variables: readonly string[]): LookUp {
  return (pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
      // The name may hold anything, also parentheses; after the last one come plain fields.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const [parent, group, session, terminal] = fields.slice(1, 5).map(Number)
      // Both count from the boot, so a clock that was set meanwhile changes nothing.
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

/** Empty if it may not be read, because the process belongs to another user. */
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

/** Elsewhere `ps` tells of all at once. With -E it shows environments, as far as the system lets it. */
export function fromPs(variables: readonly string[]): LookUp {
  const columns = ['-A', '-ww', '-o', 'pid=,ppid=,pgid=,tty=,lstart=,command=']
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }
  const ask = (args: readonly string[]) =>
    spawnSync('ps', args, { encoding: 'utf8', env, maxBuffer: 64 * 1024 * 1024, timeout: 10_000 })
  const shown = ask(['-E', ...columns])
  const listed = shown.status === 0 ? shown : ask(columns)
  const all = new Map<number, ProcessOrigin>()
  for (const line of (listed.stdout ?? '').split('\n')) {
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
