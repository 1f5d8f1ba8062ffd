import { spawnSync } from 'node:child_process'
import { isAlive, membersOf, type Process, type Started } from './processes.ts'

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone already, which is what was wanted.
  }
}

/** The group is told as a whole, so that no child born meanwhile is missed. */
function sendAll(pid: number, members: readonly Process[], name: NodeJS.Signals): void {
  // Group 0 would be our own.
  if (pid > 1 && (process.platform !== 'linux' || members.some(({ group }) => group === pid))) send(-pid, name)
  for (const member of members) send(member.pid, name)
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const ROUNDS = 50

/** Ends what is left of a command, and returns when it is gone. What was seen before counts even if it has left since. */
export async function killRest(command: Started, seen: readonly Process[] = []): Promise<void> {
  if (process.platform === 'win32') return
  // Where processes cannot be told for sure, the group is ended on suspicion.
  if (process.platform !== 'linux' && command.pid > 1) send(-command.pid, 'SIGKILL')
  for (let round = 0; round < ROUNDS; round += 1) {
    const members = new Map(
      [...seen.filter(isAlive), ...membersOf(command, undefined, seen)].map((each) => [each.pid, each]),
    )
    if (members.size === 0) return
    sendAll(command.pid, [...members.values()], 'SIGKILL')
    // A process that is being ended takes a moment; one that waits for a disk takes longer and is left to the system.
    await pause(5 + round)
  }
}

/** Asks the whole tree to end, and after the grace period ends it. */
export async function killTree(command: Started, graceMs: number, known: readonly Process[] = []): Promise<void> {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(command.pid), '/T', '/F'])
    return
  }
  const seen = membersOf(command, undefined, known)
  sendAll(command.pid, seen, 'SIGTERM')
  const until = performance.now() + graceMs
  while (performance.now() < until && seen.some(isAlive)) await pause(20)
  await killRest(command, seen)
}

/** The same at once and without waiting, for a process that is itself about to end. */
export function killNow(command: Started, known: readonly Process[] = []): void {
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(command.pid), '/T', '/F'])
  else sendAll(command.pid, membersOf(command, undefined, known), 'SIGKILL')
}
