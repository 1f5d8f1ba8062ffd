import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { awake } from './awake-clock.ts'
import { Capture, WholeLines } from './capture-output.ts'
import { decodeOutput } from './decode-text.ts'
import { killTree, terminateTree } from './kill-tree.ts'
import { outerMarks } from './process-tag.ts'
import { MARKER, type Started } from './processes.ts'
import { begin, ended } from './running-commands.ts'
import { type Entered, enterSandbox, type SandboxNeeds, type SandboxSetup } from './sandbox/enter.ts'
import { whyNot } from './spawn-error.ts'
import { within } from './timeout.ts'

/** How a command ended. */
export interface CommandResult {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly ended: 'exit' | 'deadline' | 'aborted' | 'not-started'
  /** Both streams as they came, head and tail kept when it is too long. */
  readonly output: string
  /** What it wrote to its standard output alone, when that was asked for. */
  readonly stdout?: string
  /** Bytes left out of the middle. */
  readonly cut: number
  readonly ms: number
  readonly problem?: string
}

export interface CommandOptions {
  readonly deadlineMs: number
  /** Between the polite and the hard signal. */
  readonly graceMs?: number
  /** Output kept: the first quarter and the last three. */
  readonly maxBytes?: number
  /** As much of an output that is longer than `maxBytes`, so that reading it takes less memory; `maxBytes` when absent. */
  readonly cutTo?: number
  readonly signal?: AbortSignal
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Text for its standard input; none when absent. */
  readonly input?: string
  /** Keep the standard output by itself too. */
  readonly separate?: boolean
  /** Run it apart from the rest of the machine. */
  readonly sandbox?: { readonly setup: SandboxSetup; readonly needs: SandboxNeeds }
}

const MAX_BYTES = 16 * 1024 * 1024
const GRACE_MS = 2_000
/** How long the pipes may stay open after the command itself has ended: a server it left behind may hold them. */
const PIPE_PATIENCE_MS = 500

/**
 * Runs a command line in a shell, or an argv as it is, in a process group of its own. When the returned promise is
 * settled nothing of it is left: what stayed in the group, what left it, and what was merely forgotten is ended.
 */
export async function runCommand(
  dir: string,
  command: string | readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const started = awake.now()
  const nothing = (how: 'not-started' | 'aborted', problem: string): CommandResult => {
    return { code: null, ended: how, output: '', cut: 0, ms: Math.round(awake.now() - started), problem }
  }
  if (options.signal?.aborted === true) return nothing('aborted', 'it was given up before it started')

  const id = randomBytes(8).toString('hex')
  let begun: ReturnType<typeof begin<ChildProcess>>
  let entered: Entered | undefined
  try {
    entered = enter(dir, command, options)
    begun = begin(id, () => start(dir, entered?.argv ?? command, options, id))
  } catch (error) {
    entered?.leave()
    return nothing('not-started', (error as Error).message)
  }
  const { child } = begun
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const closed = new Promise((resolve) => child.once('close', resolve))
  const failed = await new Promise<Error | undefined>((resolve) => {
    child.once('spawn', () => resolve(undefined))
    child.on('error', resolve)
  })
  if (failed !== undefined) {
    ended(begun.command)
    entered?.leave()
    return nothing('not-started', whyNot(dir, command, failed))
  }

  const capture = new Capture(options.maxBytes ?? MAX_BYTES)
  const alone = options.separate === true ? new Capture(options.maxBytes ?? MAX_BYTES) : undefined
  const streams = [child.stdout!, child.stderr!].map((stream) => {
    const lines = new WholeLines((bytes) => {
      capture.push(bytes)
      if (stream === child.stdout) alone?.push(bytes)
    })
    stream.on('data', (chunk: Buffer) => lines.write(chunk))
    stream.on('error', () => {})
    return lines
  })
  if (options.input !== undefined) {
    // A command that does not read its input is within its rights.
    child.stdin!.on('error', () => {})
    child.stdin!.end(options.input)
  }
  const how = await untilGone(begun.command, gone, closed, options)
  ended(begun.command)
  child.stdout!.destroy()
  child.stderr!.destroy()
  for (const lines of streams) lines.end()
  entered?.leave()
  const ms = Math.round(awake.now() - started)
  const stdout = alone === undefined ? {} : { stdout: textOf(alone, options).text }
  const { text, cut } = textOf(capture, options)
  return { ...how, output: text, ...stdout, cut, ms }
}

function textOf(
  capture: Capture,
  { maxBytes = MAX_BYTES, cutTo = maxBytes }: CommandOptions,
): { text: string; cut: number } {
  const { head, tail, cut } = capture.bytes(cutTo)
  if (cut === 0) return { text: decodeOutput(Buffer.concat([head, tail])), cut }
  return { text: `${decodeOutput(head)}\n[${cut} bytes left out]\n${decodeOutput(tail, head)}`, cut }
}

function enter(
  dir: string,
  command: string | readonly string[],
  { sandbox, env }: CommandOptions,
): Entered | undefined {
  if (sandbox === undefined) return undefined
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command
  return enterSandbox(sandbox.setup, sandbox.needs, { argv, cwd: dir, env })
}

function start(dir: string, command: string | readonly string[], options: CommandOptions, id: string): ChildProcess {
  const outer = outerMarks()
  const settings = {
    cwd: dir,
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as ['ignore' | 'pipe', 'pipe', 'pipe'],
    // A gate within a gate: the outer one must still recognise what the inner one started.
    env: { ...options.env, [MARKER]: outer === undefined ? id : `${outer}.${id}` },
  }
  if (typeof command === 'string') return spawn(command, { ...settings, shell: true })
  const [file = '', ...args] = command
  if (file === '') throw new Error('the command is empty')
  return spawn(file, args, settings)
}

/** Waits for the end, brings it about at the deadline, and clears up. */
async function untilGone(
  command: Started,
  gone: Promise<number | null>,
  closed: Promise<unknown>,
  options: CommandOptions,
): Promise<Pick<CommandResult, 'code' | 'ended'>> {
  let how: CommandResult['ended'] = 'exit'
  let killed = (): void => {}
  const killing = new Promise<void>((resolve) => {
    killed = resolve
  })
  const stop = (why: 'deadline' | 'aborted') => {
    if (how !== 'exit') return
    how = why
    terminateTree(command, options.graceMs ?? GRACE_MS).then(killed)
  }
  const onAbort = () => stop('aborted')
  const stopClock = awake.after(options.deadlineMs, () => stop('deadline'))
  options.signal?.addEventListener('abort', onAbort, { once: true })
  if (options.signal?.aborted === true) onAbort()

  // A process that hangs in the kernel ignores even the last signal; nobody waits for it.
  const code = await Promise.race([gone, killing.then(() => within(PIPE_PATIENCE_MS, gone))])
  stopClock()
  options.signal?.removeEventListener('abort', onAbort)
  await within(PIPE_PATIENCE_MS, closed)
  if (how !== 'exit') await killing
  await killTree(command)
  // Whoever held the pipes is gone now, so what they still hold can be read to its end.
  await within(PIPE_PATIENCE_MS, closed)
  return { code: code ?? null, ended: how }
}
