import { killNow } from './kill-tree.ts'
import type { Started } from './processes.ts'

/** Commands that run now. They lead groups of their own, so a Ctrl+C in the terminal does not reach them. */
const running = new Set<Started>()
const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function endAll(): void {
  for (const command of running) killNow(command)
  running.clear()
}

function onInterrupt(name: NodeJS.Signals): void {
  // Whoever else listens has plans of their own, and aborts the command if that is among them.
  if (process.listenerCount(name) > 1) return
  endAll()
  unwatch()
  process.kill(process.pid, name)
}

function watch(): void {
  process.on('exit', endAll)
  for (const name of INTERRUPTS) process.on(name, onInterrupt)
}

function unwatch(): void {
  process.off('exit', endAll)
  for (const name of INTERRUPTS) process.off(name, onInterrupt)
}

/** From here to `ended`, the command does not outlive this process unless that is killed outright. */
export function began(command: Started): void {
  if (running.size === 0) watch()
  running.add(command)
}

export function ended(command: Started): void {
  running.delete(command)
  if (running.size === 0) unwatch()
}
