import { spawnSync } from 'node:child_process'
import { awake } from './awake-clock.ts'
import { isAlive, membersOf, ownGroup, type Process, type StartedCommand } from './processes.ts'

/*
 * Ends a process tree. No process may notice that another one ended and react: if the `sleep` of `sh -c 'sleep 10; write-files'`
 * dies first, the shell writes. So the whole tree is stopped before it gets any other signal.
 */

/** A tree that still spawns processes after this many scans is killed as far as it is known. */
const MOST_LOOKS = 100
/** On a busy machine, a killed process may wait for seconds until the system gets to it. */
const KILL_MS = 5_000
const LONGEST_PAUSE_MS = 50

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Asks the tree to end, kills the rest after the grace period, and returns when it is gone. */
export async function terminateTree(
  command: StartedCommand,
  graceMs: number,
  known: readonly Process[] = [],
): Promise<void> {
  if (process.platform === 'win32') return killTreeNow(command)
  const frozen = freeze(command, known)
  // A process that was already stopped must not be continued.
  const asked = frozen.filter(({ stopped }) => stopped !== true)
  signalAll(asked, 'SIGTERM')
  // Children first: a shell with job control treats a stopped child as suspended and runs its next command.
  signalAll(asked.toReversed(), 'SIGCONT')
  const until = awake.now() + graceMs
  while (awake.now() < until && asked.some(isAlive)) await sleep(20)
  await killTree(command, frozen)
}

/** Kills the rest of a command and returns when it is gone. Processes seen earlier count even if they left the tree. */
export async function killTree(command: StartedCommand, known: readonly Process[] = []): Promise<void> {
  if (process.platform === 'win32') return
  let found = known
  const until = awake.now() + KILL_MS
  for (let round = 0; ; round += 1) {
    found = freezeAndKill(command, found)
    // Ending takes a moment. A process that waits for a disk takes longer and is left to the system.
    if (found.length === 0 || awake.now() >= until) return
    await sleep(Math.min(5 + round, LONGEST_PAUSE_MS))
  }
}

/** Kills immediately without waiting, for a process that is about to end itself. */
export function killTreeNow(command: StartedCommand, known: readonly Process[] = []): void {
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(command.pid), '/T', '/F'])
  else freezeAndKill(command, known)
}

/** Stops the tree until the returned function is called. Processes that were already stopped stay stopped. */
export function stopTree(command: StartedCommand, known: readonly Process[] = []): () => void {
  if (process.platform === 'win32') return () => {}
  const running = freeze(command, known).filter(({ stopped }) => stopped !== true)
  // Children first, as above.
  return () => signalAll(running.toReversed(), 'SIGCONT')
}

function freezeAndKill(command: StartedCommand, known: readonly Process[]): readonly Process[] {
  const frozen = freeze(command, known)
  // Children first: the kernel continues a stopped group when the last parent outside it ends.
  signalAll(frozen.toReversed(), 'SIGKILL')
  signalGroups(command, frozen, 'SIGKILL')
  return frozen
}

/**
 * Stops everything that belongs to a command, parents first, and scans again until nothing new appears. Stopped processes start no
 * others.
 */
function freeze(command: StartedCommand, known: readonly Process[]): readonly Process[] {
  let frozen: readonly Process[] = []
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const before = new Map(frozen.map((each) => [each.pid, each]))
    const isFresh = ({ pid, started }: Process) => before.get(pid)?.started !== started
    const members = membersOf(command, undefined, [...known, ...frozen])
    const fresh = members.filter(isFresh)
    if (fresh.length === 0) return members.map(({ pid }) => before.get(pid)!)
    signalAll(fresh, 'SIGSTOP')
    // The kernel stops a group atomically, which catches even a process that keeps respawning itself.
    signalGroups(command, fresh, 'SIGSTOP')
    // Later scans may find processes that the signal to their group already stopped.
    const seen = looks === 0 ? fresh : fresh.map((each) => ({ ...each, stopped: false }))
    frozen = [...frozen, ...seen]
  }
  return frozen
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process is gone, or belongs to another user.
  }
}

function signalAll(members: readonly Process[], name: NodeJS.Signals): void {
  for (const member of members) if (isAlive(member)) send(member.pid, name)
}

/**
 * The groups led by the command or a member. Outside Linux the list may be incomplete, so the command's own group is always
 * included.
 */
function signalGroups({ pid }: StartedCommand, members: readonly Process[], name: NodeJS.Signals): void {
  const onLinux = process.platform === 'linux'
  const led = members.filter((each) => each.group === pid || each.group === each.pid).map(({ group }) => group)
  for (const group of new Set(onLinux ? led : [pid])) if (group > 1 && group !== ownGroup()) send(-group, name)
}
