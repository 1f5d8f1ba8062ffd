import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { isatty } from 'node:tty'
import { errorCode } from '../system/files.ts'
import { inCritical, whenIdle } from './critical.ts'

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type Interrupt = (typeof INTERRUPTS)[number]

/** `npx` and similar tools forward a Ctrl+C that the terminal already sent to us: one key press, two signals. */
const ECHO_MS = 300

export interface InterruptOptions {
  /** `graceful`: the first interrupt lets the agent finish its iteration. */
  readonly mode: 'graceful' | 'immediate'
  /** Whether an agent is running; assumed if absent. */
  agentWorks?(): boolean
  /** Called once, with a sentence for the user and whether to end the agent now. */
  onFirst(message: string, now: boolean): void
  /** Called once, never inside a critical section: ends everything. */
  onSecond(): Promise<void> | void
  /** The terminal of the run doesn't matter any more, so its closing is ignored. */
  ignoresHangup?(): boolean
  readonly echoMs?: number
}

/** Handles interrupt signals until the returned function is called. For Ctrl+Z see system/suspend.ts. */
export function watchInterrupts(options: InterruptOptions): () => void {
  const { mode, onFirst, onSecond, echoMs = ECHO_MS } = options
  let first: number | undefined
  const echoed = new Set<Interrupt>()
  /** Each signal is echoed once at most, so a third Ctrl+C always counts, even in a busy process. */
  const isEcho = (name: Interrupt, at: number): boolean => {
    if (performance.now() - at >= echoMs || echoed.has(name)) return false
    echoed.add(name)
    return true
  }
  let ending = false
  let stopped = false

  function onInterrupt(name: Interrupt): void {
    if (stopped || (name === 'SIGHUP' && options.ignoresHangup?.())) return
    if (first === undefined) {
      first = performance.now()
      ignoringClosed(() => onFirst(message(options), mode === 'immediate'))
    } else if (!ending && name !== 'SIGHUP' && !isEcho(name, first)) {
      // A closing terminal sends SIGHUP more than once, so it never counts as the second interrupt.
      ending = true
      void end(onSecond)
    }
  }

  for (const name of INTERRUPTS) process.on(name, onInterrupt)
  surviveClosedTerminal()
  // Writing to a closed terminal must not end the loop.
  process.stdout.on('error', ignoreClosed)
  process.stderr.on('error', ignoreClosed)
  const stopListening = (): void => {
    for (const name of INTERRUPTS) process.off(name, onInterrupt)
    process.stdout.off('error', ignoreClosed)
    process.stderr.off('error', ignoreClosed)
  }
  return () => {
    stopped = true
    // A late echo would end the program before it has printed how the run ended.
    if (echoMs > 0) setTimeout(stopListening, echoMs).unref()
    else stopListening()
  }
}

function message(options: InterruptOptions): string {
  return `Interrupt received: ${whatHappensNext(options)}. Press Ctrl+C again to stop at once.`
}

function whatHappensNext({ mode, agentWorks = () => true }: InterruptOptions): string {
  if (inCritical()) return 'will exit after the critical section completes'
  if (!agentWorks()) return 'stopping the run'
  return mode === 'immediate' ? 'stopping the agent and the run' : 'stopping after the agent finishes this iteration'
}

async function end(onSecond: InterruptOptions['onSecond']): Promise<void> {
  // Another section may have started in the meantime.
  while (inCritical()) await whenIdle()
  await onSecond()
}

function ignoringClosed(work: () => void): void {
  try {
    work()
  } catch (error) {
    ignoreClosed(error)
  }
}

const CLOSED = ['EIO', 'EPIPE', 'EBADF', 'ENXIO', 'ENOTCONN', 'ECONNRESET', 'ERR_STREAM_DESTROYED']

function ignoreClosed(error: unknown): void {
  if (!CLOSED.includes(errorCode(error))) throw error
}

let watched: readonly number[] | undefined

/**
 * On exit, Node resets the terminal and aborts if it is gone, and the exit code would be lost. So a terminal that was closed is
 * replaced with the null device just before the exit.
 */
function surviveClosedTerminal(): void {
  if (watched !== undefined || process.platform === 'win32') return
  watched = [0, 1, 2].filter((fd) => isatty(fd))
  process.on('exit', () => {
    for (const fd of watched ?? []) if (!isatty(fd)) replace(fd)
  })
}

/** The next file to be opened gets the lowest free number, which is the one just closed. */
function replace(fd: number): void {
  try {
    closeSync(fd)
    openSync(devNull, 'r+')
  } catch {
    // There is no terminal left to report this to.
  }
}
