import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { awake } from './awake-clock.ts'
import { Capture, LineForwarder } from './capture-output.ts'
import { decodeOutput } from './decode-text.ts'
import { killTree, terminateTree } from './kill-tree.ts'
import { enclosingIds } from './process-tag.ts'
import { MARKER, type StartedCommand } from './processes.ts'
import { commandEnded, startCommand } from './running-commands.ts'
import { type Entered, enterSandbox, type SandboxNeeds, type SandboxSetup } from './sandbox/enter.ts'
import { spawnProblem } from './spawn-error.ts'
import { withTimeout } from './timeout.ts'

/** How a command ended. */
export interface CommandResult {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly ended: 'exit' | 'deadline' | 'aborted' | 'not-started'
  /** Both streams, interleaved. If too long, only the start and the end. */
  readonly output: string
  /** Standard output alone, if requested. */
  readonly stdout?: string
  /** Number of bytes omitted from the middle. */
  readonly cut: number
  readonly ms: number
  readonly problem?: string
}

export interface CommandOptions {
  readonly deadlineMs: number
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number
  /** Output to keep: the first quarter and the last three quarters of this. */
  readonly maxBytes?: number
  /** How much to return of output longer than `maxBytes`, to save memory when parsing it. Default: `maxBytes`. */
  readonly cutTo?: number
  readonly signal?: AbortSignal
  /** Called with complete lines of both streams, as they come. */
  readonly onOutput?: (bytes: Buffer) => void
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>
  /** Text for standard input. Default: none. */
  readonly input?: string
  /** Also keep standard output separately. */
  readonly separate?: boolean
  /** Give a command line one pipe for both streams. The order of its lines is exact, but a line may be cut by the other stream. */
  readonly oneStream?: boolean
  /** Run it apart from the rest of the machine. */
  readonly sandbox?: {
    readonly setup: SandboxSetup
    readonly needs: SandboxNeeds
    /** The folder in which it starts, as it is called in there; `dir` if absent. */
    readonly cwd?: string
  }
}

const MAX_BYTES = 16 * 1024 * 1024
const GRACE_MS = 2_000
/** How long to wait for the pipes to close after the command ended. A server it started may keep them open. */
const PIPE_PATIENCE_MS = 500

/**
 * Runs a command line in a shell, or an argv directly, in its own process group. When the promise settles, every process of the
 * command has ended, including those that left the group.
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
  if (options.signal?.aborted === true) return nothing('aborted', 'it was cancelled before it started')

  const id = randomBytes(8).toString('hex')
  let begun: ReturnType<typeof startCommand<ChildProcess>>
  let entered: Entered | undefined
  try {
    const line = inOneStream(command, options)
    entered = enter(dir, line, options)
    begun = startCommand(id, () => start(dir, entered?.argv ?? line, options, id))
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
    commandEnded(begun.command)
    entered?.leave()
    return nothing('not-started', spawnProblem(dir, command, failed))
  }

  const capture = new Capture(options.maxBytes ?? MAX_BYTES)
  const alone = options.separate === true ? new Capture(options.maxBytes ?? MAX_BYTES) : undefined
  const streams = [child.stdout!, child.stderr!].map((stream) => {
    const lines = new LineForwarder((bytes) => {
      capture.push(bytes)
      options.onOutput?.(bytes)
      if (stream === child.stdout) alone?.push(bytes)
    })
    stream.on('data', (chunk: Buffer) => lines.write(chunk))
    stream.on('error', () => {})
    return lines
  })
  if (options.input !== undefined) {
    // A command doesn't have to read its input.
    child.stdin!.on('error', () => {})
    child.stdin!.end(options.input)
  }
  const how = await waitUntilGone(begun.command, gone, closed, options)
  commandEnded(begun.command)
  child.stdout!.destroy()
  child.stderr!.destroy()
  for (const lines of streams) lines.end()
  entered?.leave()
  const ms = Math.round(awake.now() - started)
  const stdout = alone === undefined ? {} : { stdout: outputText(alone, options).text }
  const { text, cut } = outputText(capture, options)
  return { ...how, output: text, ...stdout, cut, ms }
}

function outputText(
  capture: Capture,
  { maxBytes = MAX_BYTES, cutTo = maxBytes }: CommandOptions,
): { text: string; cut: number } {
  const { head, tail, cut } = capture.bytes(cutTo)
  if (cut === 0) return { text: decodeOutput(Buffer.concat([head, tail])), cut }
  return { text: `${decodeOutput(head)}\n[${cut} bytes left out]\n${decodeOutput(tail, head)}`, cut }
}

function inOneStream(command: string | readonly string[], { oneStream }: CommandOptions): string | readonly string[] {
  const isPossible = oneStream === true && typeof command === 'string' && process.platform !== 'win32'
  return isPossible ? `exec 2>&1; ${command}` : command
}

function enter(
  dir: string,
  command: string | readonly string[],
  { sandbox, env }: CommandOptions,
): Entered | undefined {
  if (sandbox === undefined) return undefined
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command
  return enterSandbox(sandbox.setup, sandbox.needs, { argv, cwd: sandbox.cwd ?? dir, env })
}

function start(dir: string, command: string | readonly string[], options: CommandOptions, id: string): ChildProcess {
  const outer = enclosingIds()
  const settings = {
    cwd: dir,
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as ['ignore' | 'pipe', 'pipe', 'pipe'],
    // Nested runs: the outer one must still recognise what the inner one started.
    env: { ...options.env, [MARKER]: outer === undefined ? id : `${outer}.${id}` },
  }
  if (typeof command === 'string') return spawn(command, { ...settings, shell: true })
  const [file = '', ...args] = command
  if (file === '') throw new Error('the command is empty')
  return spawn(file, args, settings)
}

/** Waits for the end, enforces the time limit, and cleans up. */
async function waitUntilGone(
  command: StartedCommand,
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

  // A process stuck in the kernel ignores even SIGKILL, so don't wait for it.
  const code = await Promise.race([gone, killing.then(() => withTimeout(PIPE_PATIENCE_MS, gone))])
  stopClock()
  options.signal?.removeEventListener('abort', onAbort)
  await withTimeout(PIPE_PATIENCE_MS, closed)
  if (how !== 'exit') await killing
  await killTree(command)
  // The processes that held the pipes are gone, so the rest can be read to the end.
  await withTimeout(PIPE_PATIENCE_MS, closed)
  return { code: code ?? null, ended: how }
}
