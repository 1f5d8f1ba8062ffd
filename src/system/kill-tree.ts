import { spawnSync } from 'node:child_process'
import { awake } from './awake-clock.ts'
import { isAlive, membersOf, ownGroup, type Process, type Started } from './processes.ts'

/*
 * How a tree of processes is ended. No process of it may notice that another one ended and act on that: if the `sleep` of
 * `sh -c 'sleep 10; write-files'` dies first, the shell writes. So the whole tree is stopped before it gets any other signal.
 */

/** Whatever still starts new processes after so many looks is killed as far as it is known. */
const MOST_LOOKS = 100
const KILL_ROUNDS = 50

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Asks the whole tree to end, kills what is left of it after the grace period, and returns when it is gone. */
export async function terminateTree(command: Started, graceMs: number, known: readonly Process[] = []): Promise<void> {
  if (process.platform === 'win32') return killTreeNow(command)
  const frozen = freeze(command, known)
  // A process that was stopped before must not be woken up by us.
  const asked = frozen.filter(({ stopped }) => stopped !== true)
  signalAll(asked, 'SIGTERM')
  // Children first: a shell with job control takes a child that is still stopped for suspended, and runs its next command.
  signalAll(asked.toReversed(), 'SIGCONT')
  const until = awake.now() + graceMs
  while (awake.now() < until && asked.some(isAlive)) await pause(20)
  await killTree(command, frozen)
}

/** Kills what is left of a command, and returns when it is gone. What was seen before counts even if it has left since. */
export async function killTree(command: Started, known: readonly Process[] = []): Promise<void> {
  if (process.platform === 'win32') return
  let found = known
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    found = freezeAndKill(command, found)
    if (found.length === 0) return
    // A process that is being ended takes a moment; one that waits for a disk takes longer and is left to the system.
    await pause(5 + round)
  }
}

/** The same at once and without waiting, for a process that is itself about to end. */
export function killTreeNow(command: Started, known: readonly Process[] = []): void {
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(command.pid), '/T', '/F'])
  else freezeAndKill(command, known)
}

/** Stops the whole tree until the returned function is called. What was stopped before stays so. */
export function stopTree(command: Started, known: readonly Process[] = []): () => void {
  if (process.platform === 'win32') return () => {}
  const running = freeze(command, known).filter(({ stopped }) => stopped !== true)
  // Children first, as above.
  return () => signalAll(running.toReversed(), 'SIGCONT')
}

function freezeAndKill(command: Started, known: readonly Process[]): readonly Process[] {
  const frozen = freeze(command, known)
  // Children first: the system wakes up a stopped group when the last parent outside of it ends.
  signalAll(frozen.toReversed(), 'SIGKILL')
  signalGroups(command, frozen, 'SIGKILL')
  return frozen
}

/**
 * Stops everything that belongs to a command, parents before their children, and looks again until nothing new appears: a stopped
 * process starts no others.
 */
function freeze(command: Started, known: readonly Process[]): readonly Process[] {
  let frozen: readonly Process[] = []
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const before = new Map(frozen.map((each) => [each.pid, each]))
    const isFresh = ({ pid, started }: Process) => before.get(pid)?.started !== started
    const members = membersOf(command, undefined, [...known, ...frozen])
    const fresh = members.filter(isFresh)
    if (fresh.length === 0) return members.map(({ pid }) => before.get(pid)!)
    signalAll(fresh, 'SIGSTOP')
    // The system stops a group in one go, so even a process that always starts the next one and ends is caught.
    signalGroups(command, fresh, 'SIGSTOP')
    // Later looks may find processes that the signal to their group has stopped.
    const seen = looks === 0 ? fresh : fresh.map((each) => ({ ...each, stopped: false }))
    frozen = [...frozen, ...seen]
  }
  return frozen
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone already, or belongs to another user.
  }
}

function signalAll(members: readonly Process[], name: NodeJS.Signals): void {
  for (const member of members) if (isAlive(member)) send(member.pid, name)
}

/** The groups led by the command or by one of the members. Elsewhere than on Linux the list may be incomplete, so its group always counts. */
function signalGroups({ pid }: Started, members: readonly Process[], name: NodeJS.Signals): void {
  const onLinux = process.platform === 'linux'
  const led = members.filter((each) => each.group === pid || each.group === each.pid).map(({ group }) => group)
  for (const group of new Set(onLinux ? led : [pid])) if (group > 1 && group !== ownGroup()) send(-group, name)
}
