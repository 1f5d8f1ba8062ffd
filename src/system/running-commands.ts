import { awake } from './awake-clock.ts'
import { killTreeNow, stopTree } from './kill-tree.ts'
import { type Process, type Started, startedAs } from './processes.ts'
import { onSuspend } from './suspend.ts'

type Known = () => readonly Process[]
const NOBODY: Known = () => []

/**
 * Commands that run now, and who else is known to belong to each. They lead groups of their own, so a Ctrl+C in the terminal does
 * not reach them.
 */
const running = new Map<Started, Known>()
const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
let watching = 0
let unwatchSleep = (): void => {}

function endAll(): void {
  for (const [command, known] of running) killTreeNow(command, known())
  running.clear()
}

/** Ctrl+Z does not reach them either: they are stopped and continued with this process. */
const stopped: (() => void)[] = []
const suspension = {
  stop: () => {
    for (const [command, known] of running) stopped.push(stopTree(command, known()))
  },
  continue: () => {
    for (const go of stopped.splice(0)) go()
  },
}

function onInterrupt(name: NodeJS.Signals): void {
  // Whoever else listens has plans of their own, and aborts the command if that is among them.
  if (process.listenerCount(name) > 1) return
  endAll()
  for (const each of INTERRUPTS) process.off(each, onInterrupt)
  process.kill(process.pid, name)
}

/**
 * Starts a command that does not outlive this process, unless that is killed outright. An interrupt between the start
 * and its being noted would be missed, so watching begins before. Call `ended` with what this returns.
 */
export function begin<Child extends { readonly pid?: number | undefined }>(
  id: string,
  start: () => Child,
): { child: Child; command: Started } {
  if (watching === 0) {
    process.on('exit', endAll)
    for (const name of INTERRUPTS) process.on(name, onInterrupt)
    const stopClock = awake.watch()
    const forget = onSuspend(suspension)
    unwatchSleep = () => {
      stopClock()
      forget()
    }
  }
  watching += 1
  try {
    const child = start()
    // Without a number it did not start; its `error` event tells why.
    const command = child.pid === undefined ? { pid: 0, id } : startedAs(child.pid, id)
    if (command.pid !== 0) running.set(command, NOBODY)
    return { child, command }
  } catch (error) {
    unwatch()
    throw error
  }
}

/** Whoever has watched the command knows of processes that nothing else tells of any more. */
export function watched(command: Started, known: Known): void {
  if (running.has(command)) running.set(command, known)
}

export function ended(command: Started): void {
  running.delete(command)
  unwatch()
}

function unwatch(): void {
  watching -= 1
  if (watching > 0) return
  process.off('exit', endAll)
  for (const name of INTERRUPTS) process.off(name, onInterrupt)
  unwatchSleep()
}
