import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { errorCode } from './files.ts'

/** A process on this machine. The start time distinguishes it from a later process with the same pid. */
export interface Process {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly started: string
  /** Stopped, waiting for SIGCONT. */
  readonly stopped?: boolean
  /** A process of the kernel, or one that is ending. It has no environment. */
  readonly empty?: boolean
}

/** A started command: the leader of its process group, and the id that its children inherit. */
export interface StartedCommand {
  /** 0 if unknown or possibly reused. Then only processes with the id belong to the command. */
  readonly pid: number
  readonly id: string
  /** Start time of the leader, if known, because its pid may be reused. */
  readonly since?: string
}

/** All processes of the machine, and those that carry the id. */
export interface ProcessScan {
  readonly all: readonly Process[]
  readonly marked: ReadonlySet<number>
}

/** The variable with the ids of all enclosing commands, outermost first. Every child inherits it with its environment. */
export const MARKER = 'EXITGATE_CHECK'

const onLinux = process.platform === 'linux'

/** Processes are scanned often. A shared buffer avoids most of this program's garbage. */
const STAT = Buffer.allocUnsafe(4096)

function statText(pid: number): string {
  const fd = openSync(`/proc/${pid}/stat`, 'r')
  try {
    return STAT.toString('latin1', 0, readSync(fd, STAT, 0, STAT.length, null))
  } finally {
    closeSync(fd)
  }
}

/** Name and arguments may contain parentheses, so the plain fields start after the last one. */
function fromStat(pid: number): Process | undefined {
  try {
    const text = statText(pid)
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', 21)
    const state = fields[0]
    // A zombie. A process whose main thread alone has ended shows the same letter.
    if (state === 'X' || (state === 'Z' && fields[17] === '1')) return undefined
    const stopped = state === 'T' || state === 't'
    const empty = fields[20] === '0'
    return { pid, parent: Number(fields[1]), group: Number(fields[2]), started: fields[19] ?? '', stopped, empty }
  } catch {
    return undefined
  }
}

function carriesId(pid: number, id: string): boolean {
  try {
    let environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
    for (let tries = 0; environment === '' && tries < MOST_TRIES && isLoading(pid); tries += 1) {
      Atomics.wait(NEVER, 0, 0, 1)
      environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
    }
    const at = `\0${environment}`.indexOf(`\0${MARKER}=`)
    return at >= 0 && environment.slice(at).split('\0', 1)[0]!.includes(id)
  } catch {
    return false
  }
}

const MOST_TRIES = 100
const MOST_LISTS = 5
const NEVER = new Int32Array(new SharedArrayBuffer(4))

/** During exec, a process briefly has memory but no environment yet. */
function isLoading(pid: number): boolean {
  const text = statText(pid)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields[20] !== '0' && fields[47] === '0'
}

/** If the kernel reports start times: a process older than the command can't be its child, so its environment isn't read. */
export function scanProc(id: string, since?: string): ProcessScan | undefined {
  const looked = new Set<number>()
  const all: Process[] = []
  // A process can spawn another one and end between being listed and being read. Only a new list contains its child.
  for (let lists = 0; lists < MOST_LISTS; lists += 1) {
    const pids = entriesOf('/proc')
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && !looked.has(pid))
    if (pids.length === 0) break
    for (const pid of pids) {
      looked.add(pid)
      const found = fromStat(pid)
      if (found !== undefined) all.push(found)
    }
  }
  if (looked.size === 0) return undefined
  // In ticks since boot. A missing number counts as newest.
  const isOlder = ({ started }: Process) => Number(started) < Number(since)
  const marked = all.filter((each) => !each.empty && !isOlder(each) && carriesId(each.pid, id))
  return { all, marked: new Set(marked.map(({ pid }) => pid)) }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** How a process was started, or the title it has given itself. Empty if it is gone. */
export function commandLine(pid: number): string {
  if (!onLinux) return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

/** A line per process. With -E, `ps` also shows environments, if the system permits it. */
export function linesOfPs(columns: string): readonly string[] {
  // The printed times are compared later, possibly by a process with another locale or time zone.
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }
  const ask = (more: readonly string[]) =>
    spawnSync('ps', [...more, '-A', '-ww', '-o', columns], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env })
  const shown = ask(['-E'])
  return ((shown.status === 0 ? shown : ask([])).stdout ?? '').split('\n')
}

/** Other systems. */
export function scanPs(id: string): ProcessScan {
  const all: Process[] = []
  const marked = new Set<number>()
  for (const line of linesOfPs('pid=,ppid=,pgid=,stat=,lstart=,command=')) {
    const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s?(.*)$/.exec(line)
    if (found === null || found[4]!.startsWith('Z')) continue
    const pid = Number(found[1])
    const stopped = found[4]!.startsWith('T')
    all.push({ pid, parent: Number(found[2]), group: Number(found[3]), started: found[5]!, stopped })
    if (found[6]!.includes(`${MARKER}=`) && found[6]!.includes(id)) marked.add(pid)
  }
  return { all, marked }
}

export const scanProcesses = (id: string, since?: string): ProcessScan =>
  (onLinux ? scanProc(id, since) : undefined) ?? scanPs(id)

/** A command that was just started. */
export function startedCommand(pid: number, id: string): StartedCommand {
  const since = onLinux ? fromStat(pid)?.started : undefined
  return { pid, id, ...(since !== undefined && { since }) }
}

/**
 * All processes that belong to a command, parents first: its leader, every process with its id in the environment, their children,
 * and the groups that these lead. A child that left the group with setsid is found by its id or parent. One that also cleared its
 * environment is found if it was seen while its parent lived.
 */
export function membersOf(
  { pid, id, since }: StartedCommand,
  look: (id: string, since?: string) => ProcessScan = scanProcesses,
  known: readonly Process[] = [],
): Process[] {
  const { all, marked } = look(id, since)
  const childrenOf = groupBy(all, (each) => each.parent)
  const groupOf = groupBy(all, (each) => each.group)
  const self = all.find((each) => each.pid === process.pid)
  const reused = since !== undefined && all.some((each) => each.pid === pid && each.started !== since)
  const seen = new Map(known.map((each) => [each.pid, each.started]))
  // Kernel processes are in group 0.
  const inGroup = (each: Process) => pid > 1 && !reused && (each.pid === pid || each.group === pid)
  const ours = (each: Process) => inGroup(each) || seen.get(each.pid) === each.started
  const found = new Map<number, Process>()
  const queue = all.filter((each) => ours(each) || marked.has(each.pid))
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (next.pid === process.pid || found.has(next.pid)) continue
    found.set(next.pid, next)
    queue.push(...(childrenOf.get(next.pid) ?? []))
    if (next.group === next.pid && next.group !== self?.group) queue.push(...(groupOf.get(next.group) ?? []))
  }
  // Each goes after its parent. A set keeps insertion order.
  const ordered = new Set([...found.values()].filter(({ parent }) => !found.has(parent)))
  for (const each of ordered) {
    for (const child of childrenOf.get(each.pid) ?? []) if (found.has(child.pid)) ordered.add(child)
  }
  // When pids are reused between two scans, two processes may appear as each other's parent.
  return [...new Set([...ordered, ...found.values()])]
}

function groupBy(all: readonly Process[], keyOf: (each: Process) => number): ReadonlyMap<number, readonly Process[]> {
  const groups = new Map<number, Process[]>()
  for (const each of all) {
    const group = groups.get(keyOf(each))
    if (group === undefined) groups.set(keyOf(each), [each])
    else group.push(each)
  }
  return groups
}

let group: number | undefined

/** The process group of this process. Undefined if finding it takes more than reading a file. */
export function ownGroup(): number | undefined {
  group ??= onLinux ? fromStat(process.pid)?.group : undefined
  return group
}

/** Start times count from the boot, so they are compared only within the same boot. */
export function thisBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch {
    return ''
  }
}

/** Whether the process still exists and is the same one. */
export function isAlive({ pid, started }: Process): boolean {
  return onLinux ? fromStat(pid)?.started === started : pidExists(pid)
}

/** Whether a process with this pid exists. It may be another one than the caller knew. */
export function pidExists(pid: number | undefined): boolean {
  if (pid === undefined || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is alive and belongs to another user.
    return errorCode(error) === 'EPERM'
  }
}
