import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { isatty } from 'node:tty'
import { errorCode } from '../system/files.ts'
import { inCritical, whenCalm } from './critical.ts'

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type Interrupt = (typeof INTERRUPTS)[number]

/** `npx` and its kin hand on a Ctrl+C that the terminal has sent to us already: one key, two interrupts. */
const ECHO_MS = 300

export interface InterruptOptions {
  /** Whether the first one lets the agent finish its iteration. */
  readonly mode: 'graceful' | 'immediate'
  /** Whether there is an agent at work that could finish something; without it, there is. */
  agentWorks?(): boolean
  /** Once: the sentence for the person, and whether the agent is to be ended now. */
  onFirst(message: string, now: boolean): void
  /** Once, and never inside a critical section: end everything. */
  onSecond(): Promise<void> | void
  readonly echoMs?: number
}

/**
 * Listens to the interrupts of the system until the function it returns is called. For Ctrl+Z see system/suspend.ts.
 */
export function watchInterrupts(options: InterruptOptions): () => void {
  const { mode, onFirst, onSecond, echoMs = ECHO_MS } = options
  let first: number | undefined
  const echoed = new Set<Interrupt>()
  /** Each signal comes back once at most. The third Ctrl+C is meant, however late a busy process hears of the others. */
  const isEcho = (name: Interrupt, at: number): boolean => {
    if (performance.now() - at >= echoMs || echoed.has(name)) return false
    echoed.add(name)
    return true
  }
  let ending = false
  let over = false

  function onInterrupt(name: Interrupt): void {
    if (over) return
    if (first === undefined) {
      first = performance.now()
      quietly(() => onFirst(message(options), mode === 'immediate'))
    } else if (!ending && name !== 'SIGHUP' && !isEcho(name, first)) {
      // A closing terminal sends SIGHUP more than once, so that one is never the impatient second.
      ending = true
      void end(onSecond)
    }
  }

  for (const name of INTERRUPTS) process.on(name, onInterrupt)
  outliveTerminal()
  // Whoever closes the terminal must not take the loop along with its next line of text.
  process.stdout.on('error', forgetClosed)
  process.stderr.on('error', forgetClosed)
  const letGo = (): void => {
    for (const name of INTERRUPTS) process.off(name, onInterrupt)
    process.stdout.off('error', forgetClosed)
    process.stderr.off('error', forgetClosed)
  }
  return () => {
    over = true
    // The echo of the last one may still be on its way, and would end the program before it could say how the run ended.
    if (echoMs > 0) setTimeout(letGo, echoMs).unref()
    else letGo()
  }
}

function message(options: InterruptOptions): string {
  return `Interrupt received: ${whatComes(options)}; Ctrl+C again ends it at once`
}

function whatComes({ mode, agentWorks = () => true }: InterruptOptions): string {
  if (inCritical()) return 'will exit after the critical section completes'
  if (!agentWorks()) return 'the run stops'
  return mode === 'immediate'
    ? 'the agent is ended now, then the run stops'
    : 'the agent finishes this iteration, then the run stops'
}

async function end(onSecond: InterruptOptions['onSecond']): Promise<void> {
  // Another section may have begun in the moment between the end of one and our turn.
  while (inCritical()) await whenCalm()
  await onSecond()
}

function quietly(tell: () => void): void {
  try {
    tell()
  } catch (error) {
    forgetClosed(error)
  }
}

const CLOSED = ['EIO', 'EPIPE', 'EBADF', 'ENXIO', 'ENOTCONN', 'ECONNRESET', 'ERR_STREAM_DESTROYED']

function forgetClosed(error: unknown): void {
  if (!CLOSED.includes(errorCode(error))) throw error
}

let watched: readonly number[] | undefined

/**
 * When it ends, Node sets the terminal back as it was and aborts if the terminal is gone: the exit code would be lost, and
 * with it what the run ended as. So whatever was a terminal and is none any more is replaced by nothing, last of all.
 */
function outliveTerminal(): void {
  if (watched !== undefined || process.platform === 'win32') return
  watched = [0, 1, 2].filter((fd) => isatty(fd))
  process.on('exit', () => {
    for (const fd of watched ?? []) if (!isatty(fd)) replace(fd)
  })
}

/** The lowest free number is taken for what is opened next, and that is the one just closed. */
function replace(fd: number): void {
  try {
    closeSync(fd)
    openSync(devNull, 'r+')
  } catch {
    // There is nothing left that could be told, nor anybody to tell it to.
  }
}
