import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'

/** One process of the machine. Its start tells it from a later one with the same number. */
export interface Process {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly started: string
  /** It is stopped and waits to be continued. */
  readonly stopped?: boolean
}

/** A command that was started: the process that leads its group, and the id that its children carry. */
export interface Started {
  /** 0 when it is not known, or not known to be still the same: then only what carries the id belongs to the command. */
  readonly pid: number
  readonly id: string
  /** When the leader began, where that is known: its number may be given to another process later. */
  readonly since?: string
}

/** All processes of the machine, and which of them carry the id. */
export interface Seen {
  readonly all: readonly Process[]
  readonly marked: ReadonlySet<number>
}

/** Carries the ids of the commands that a process runs under, outermost first, down to every child that keeps its environment. */
export const MARKER = 'EXITGATE_CHECK'

const onLinux = process.platform === 'linux'

/** All of them are looked at again and again: a buffer for each would be most of the garbage this program makes. */
const STAT = Buffer.allocUnsafe(4096)

function statText(pid: number): string {
  const fd = openSync(`/proc/${pid}/stat`, 'r')
  try {
    return STAT.toString('latin1', 0, readSync(fd, STAT, 0, STAT.length, null))
  } finally {
    closeSync(fd)
  }
}

/** Name and arguments may hold anything, also parentheses; after the last one come plain fields. */
function fromStat(pid: number): Process | undefined {
  try {
    const text = statText(pid)
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const state = fields[0]
    // A dead process that its parent has not collected yet. One whose first thread alone has ended shows the same letter.
    if (state === 'X' || (state === 'Z' && fields[17] === '1')) return undefined
    const stopped = state === 'T' || state === 't'
    return { pid, parent: Number(fields[1]), group: Number(fields[2]), started: fields[19] ?? '', stopped }
  } catch {
    return undefined
  }
}

function carriesOnLinux(pid: number, id: string): boolean {
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

/** For a moment a process that loads another program shows no environment: it has memory, but not yet a place for its variables. */
function isLoading(pid: number): boolean {
  const text = statText(pid)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields[20] !== '0' && fields[47] === '0'
}

/** Where the kernel tells. Whoever began before the command did is no child of it, and need not be asked for the id. */
export function throughProc(id: string, since?: string): Seen | undefined {
  const looked = new Set<number>()
  const all: Process[] = []
  // A process can start another one and end after it was listed and before it is looked at; then only a new list has the other one.
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
  // In ticks since the boot; what is no number is older than nothing.
  const isOlder = ({ started }: Process) => Number(started) < Number(since)
  const marked = all.filter((each) => !isOlder(each) && carriesOnLinux(each.pid, id))
  return { all, marked: new Set(marked.map(({ pid }) => pid)) }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Elsewhere `ps` tells. With -E it shows environments, as far as the system lets it; not every `ps` knows that. */
export function throughPs(id: string): Seen {
  const columns = ['-A', '-ww', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,command=']
  // The times it prints are compared with those of another day, perhaps by a process with other settings.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const ask = (args: readonly string[]) => spawnSync('ps', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env })
  const shown = ask(['-E', ...columns])
  const listed = shown.status === 0 ? shown : ask(columns)
  const all: Process[] = []
  const marked = new Set<number>()
  for (const line of (listed.stdout ?? '').split('\n')) {
    const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s?(.*)$/.exec(line)
    if (found === null || found[4]!.startsWith('Z')) continue
    const pid = Number(found[1])
    const stopped = found[4]!.startsWith('T')
    all.push({ pid, parent: Number(found[2]), group: Number(found[3]), started: found[5]!, stopped })
    if (found[6]!.includes(`${MARKER}=`) && found[6]!.includes(id)) marked.add(pid)
  }
  return { all, marked }
}

export const lookAround = (id: string, since?: string): Seen =>
  (onLinux ? throughProc(id, since) : undefined) ?? throughPs(id)

/** The command as it has just been started. */
export function startedAs(pid: number, id: string): Started {
  const since = onLinux ? fromStat(pid)?.started : undefined
  return { pid, id, ...(since !== undefined && { since }) }
}

/**
 * Everything that belongs to a command, parents before their children: its process, every process that carries its id in the environment,
 * their children, and the groups that one of these leads. A child that left the group with setsid is found by one of the others, and one
 * that dropped its environment too by having been seen while its parent lived.
 */
export function membersOf(
  { pid, id, since }: Started,
  look: (id: string, since?: string) => Seen = lookAround,
  known: readonly Process[] = [],
): Process[] {
  const { all, marked } = look(id, since)
  const childrenOf = groupBy(all, (each) => each.parent)
  const groupOf = groupBy(all, (each) => each.group)
  const self = all.find((each) => each.pid === process.pid)
  const reused = since !== undefined && all.some((each) => each.pid === pid && each.started !== since)
  const seen = new Map(known.map((each) => [each.pid, each.started]))
  // The system's own processes are in group 0.
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
  // Each is put after its parent; a set keeps the order in which its values came.
  const ordered = new Set([...found.values()].filter(({ parent }) => !found.has(parent)))
  for (const each of ordered) {
    for (const child of childrenOf.get(each.pid) ?? []) if (found.has(child.pid)) ordered.add(child)
  }
  // Two looks at numbers that change hands meanwhile may show two parents of each other.
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

/** The group of this process; undefined where that takes more than a look at a file. */
export function ownGroup(): number | undefined {
  group ??= onLinux ? fromStat(process.pid)?.group : undefined
  return group
}

/** Whether it is still there, and still the same one. */
export function isAlive({ pid, started }: Process): boolean {
  if (onLinux) return fromStat(pid)?.started === started
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
