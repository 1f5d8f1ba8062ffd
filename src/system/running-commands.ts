import { awake } from './awake-clock.ts'
import { killTreeNow, stopTree } from './kill-tree.ts'
import { type Process, type StartedCommand, startedCommand } from './processes.ts'
import { onSuspend } from './suspend.ts'

type Known = () => readonly Process[]
const NOBODY: Known = () => []

/**
 * The running commands and the processes known to belong to each. They lead their own groups, so Ctrl+C in the terminal doesn't
 * reach them.
 */
const running = new Map<StartedCommand, Known>()
const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
let watching = 0
let unwatchSleep = (): void => {}

const afterEnd = new Set<() => void>()

function endAll(): void {
  for (const [command, known] of running) killTreeNow(command, known())
  running.clear()
  for (const work of afterEnd) work()
  afterEnd.clear()
}

/** If this process has to end while a command runs, `work` runs after the command was killed. Call the returned function otherwise. */
export function whenAllEnd(work: () => void): () => void {
  afterEnd.add(work)
  return () => afterEnd.delete(work)
}

/** Ctrl+Z doesn't reach them either, so they are stopped and continued together with this process. */
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
  // Other listeners handle the signal themselves and abort the command if they want to.
  if (process.listenerCount(name) > 1) return
  endAll()
  for (const each of INTERRUPTS) process.off(each, onInterrupt)
  process.kill(process.pid, name)
}

/**
 * Starts a command that ends with this process, unless the process is killed. Signal handlers are installed before the start, so
 * that no interrupt is missed. Call `ended` with the returned value.
 */
export function startCommand<Child extends { readonly pid?: number | undefined }>(
  id: string,
  start: () => Child,
): { child: Child; command: StartedCommand } {
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
    // Without a pid it didn't start. Its `error` event has the reason.
    const command = child.pid === undefined ? { pid: 0, id } : startedCommand(child.pid, id)
    if (command.pid !== 0) running.set(command, NOBODY)
    return { child, command }
  } catch (error) {
    unwatch()
    throw error
  }
}

/** The caller may have seen processes that can't be found any more. */
export function noteProcesses(command: StartedCommand, known: Known): void {
  if (running.has(command)) running.set(command, known)
}

export function commandEnded(command: StartedCommand): void {
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
