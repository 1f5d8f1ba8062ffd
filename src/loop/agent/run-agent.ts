import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Look } from '../../agents/format.ts'
import type { AgentProcess } from '../../core/run.ts'
import { awake } from '../../system/awake-clock.ts'
import { killTreeNow } from '../../system/kill-tree.ts'
import { enclosingIds } from '../../system/process-tag.ts'
import { MARKER, type StartedCommand } from '../../system/processes.ts'
import { redactAll } from '../../system/redact.ts'
import { commandEnded, startCommand } from '../../system/running-commands.ts'
import { type Entered, enterSandbox } from '../../system/sandbox/enter.ts'
import { spawnProblem } from '../../system/spawn-error.ts'
import { withTimeout } from '../../system/timeout.ts'
import { MOST_REQUESTS } from '../limits/failure.ts'
import { AgentProcesses } from './agent-processes.ts'
import type { AgentCall, AgentHooks, AgentMark, AgentRun } from './call.ts'
import type { Streams } from './follow.ts'
import { markOf } from './leftovers.ts'
import { Listener } from './listener.ts'
import { after, printsAtEnd, type SilenceLimits, whenSilent, whenSo, whenTroubled } from './silence.ts'

/** How long children of the agent may still write after it ended. */
const LAST_OUTPUT_MS = 500
/** A process stuck in the kernel ignores even SIGKILL, so don't wait longer than this. */
const KILL_WAIT_MS = 500

/** How the agent itself ended. */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** How one start of the agent went, apart from its output. */
interface AgentOutcome extends Partial<ExitStatus> {
  readonly ended: AgentProcess['ended']
  readonly problem?: string
  readonly leftBehind: number
  readonly leftRunning?: readonly string[]
}

/**
 * Runs the agent once. When the promise settles, all of its processes have ended, including those that left its group. It always
 * returns a result, whatever the agent does; only the hooks can make it throw.
 */
export async function runAgent(
  call: AgentCall,
  hooks: AgentHooks,
  signal: AbortSignal,
  talk?: Talk,
): Promise<AgentRun> {
  const started = awake.now()
  const listener = new Listener(call, hooks)
  const outcome = await runInSandbox(call, hooks, signal, listener, talk)
  const { transcript, ...heard } = await listener.end()
  const { ms: _ms, models: _models, ...usage } = transcript.usage
  const ms = Math.round(awake.now() - started)
  const problem = outcome.problem ?? problemOf(outcome, call, ms)
  const process: AgentProcess = {
    code: outcome.code ?? null,
    ...(outcome.signal && { signal: outcome.signal }),
    ended: outcome.ended,
    ...(problem !== undefined && { problem }),
    ms,
    format: transcript.format,
    bytes: transcript.bytes,
    ...heard,
    ...(transcript.session !== undefined && { session: transcript.session }),
    usage,
    errors: transcript.errors,
    ...(listener.lacks !== undefined && { lacks: listener.lacks }),
    finished: outcome.ended === 'exit' && outcome.code != null && transcript.finished,
    leftBehind: outcome.leftBehind,
    ...(outcome.leftRunning?.length && { leftRunning: redactAll(outcome.leftRunning) }),
  }
  return { process, transcript }
}

type Around = readonly [hooks: AgentHooks, signal: AbortSignal, listener: Listener, talk: Talk | undefined]

async function runInSandbox(call: AgentCall, ...around: Around): Promise<AgentOutcome> {
  const [, signal] = around
  if (signal.aborted) return { ended: 'aborted', problem: 'it was cancelled before it started', leftBehind: 0 }
  let entered: Entered | undefined
  try {
    entered = call.sandbox && enterSandbox(call.sandbox.setup, call.sandbox.needs, call)
  } catch (error) {
    return { ended: 'not-started', problem: spawnProblem(call.cwd, call.argv, error as Error), leftBehind: 0 }
  }
  try {
    return await runToEnd({ ...call, argv: entered?.argv ?? call.argv }, ...around)
  } finally {
    entered?.leave()
  }
}

async function runToEnd(call: AgentCall, ...[hooks, signal, listener, talk]: Around): Promise<AgentOutcome> {
  const agent = await spawnAgent(call, hooks.onStart, talk)
  if ('problem' in agent) return { ended: 'not-started', problem: agent.problem, leftBehind: 0 }
  const processes = new AgentProcesses(agent.leader)
  try {
    const streams = listener.listen(agent.child)
    agent.child.stdout?.once('data', () => processes.begins())
    const mayBeSilent = (): boolean =>
      (call.onceHeard === true && !listener.hasPrinted) ||
      printsAtEnd(call.format, listener.hasEvents, processes.look())
    const look = () => listener.look()
    let running: readonly string[] = []
    const hasLeft = (): boolean => {
      if (look().hasResult === true && streams.silentMs >= call.graceMs) running = processes.running()
      return running.length > 0
    }
    const how = await untilEnded(agent.gone, processes, streams, { ...call, mayBeSilent, look, hasLeft }, signal)
    // Nothing is left running if exitgate ended the agent, or if its sandbox ends with it. The sandbox's own process may take a moment.
    const isLeft = how.ended === 'exit' && (running.length > 0 || call.sandbox?.setup.sandbox.endsAll !== true)
    if (isLeft && running.length === 0) running = processes.running()
    await withTimeout(LAST_OUTPUT_MS, agent.closed)
    const left = await processes.endRest()
    await streams.drain(agent.closed)
    return { ...how, leftBehind: isLeft ? Math.max(left, running.length) : 0, ...(isLeft && { leftRunning: running }) }
  } finally {
    processes.stop()
    commandEnded(agent.leader)
    for (const stream of [agent.child.stdin, agent.child.stdout, agent.child.stderr]) stream?.destroy()
  }
}

export interface RunningAgent {
  readonly child: ChildProcess
  readonly leader: StartedCommand
  readonly gone: Promise<ExitStatus>
  /** Settles when its streams have ended too. */
  readonly closed: Promise<unknown>
}

/** Takes over the agent's input, for a protocol. */
type Talk = (child: ChildProcess) => void

/**
 * Starts the agent in its own process group, so that Ctrl+C in the terminal reaches us and not the agent. Its pid is
 * recorded at once. An agent that can't be recorded is ended.
 */
async function spawnAgent(
  call: AgentCall,
  onStart: (mark: AgentMark) => void,
  talk?: Talk,
): Promise<RunningAgent | { readonly problem: string }> {
  const id = randomBytes(8).toString('hex')
  let begun: ReturnType<typeof startCommand<ChildProcess>>
  try {
    begun = startCommand(id, () => launch(call, id, talk))
  } catch (error) {
    return { problem: spawnProblem(call.cwd, call.argv, error as Error) }
  }
  const { child, command: leader } = begun
  if (child.pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve))
    commandEnded(leader)
    return { problem: spawnProblem(call.cwd, call.argv, error) }
  }
  try {
    onStart(markOf(leader))
  } catch (error) {
    killTreeNow(leader)
    commandEnded(leader)
    throw error
  }
  child.on('error', () => {})
  // An agent may ignore its prompt.
  child.stdin?.on('error', () => {})
  if (talk === undefined) child.stdin?.end(call.stdin)
  else talk(child)
  const gone = new Promise<ExitStatus>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  const closed = new Promise((resolve) => child.once('close', resolve))
  return { child, leader, gone, closed }
}

function launch(call: AgentCall, id: string, talk: Talk | undefined): ChildProcess {
  const [file = '', ...args] = call.argv
  if (file === '') throw new Error('the command is empty')
  const outer = enclosingIds()
  return spawn(file, args, {
    cwd: call.cwd,
    // For a run inside a run: the outer one must still recognize the processes of the inner one.
    env: { ...call.env, [MARKER]: outer === undefined ? id : `${outer}.${id}` },
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [call.stdin === undefined && talk === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
}

interface Limits extends SilenceLimits, Pick<AgentCall, 'deadlineMs' | 'graceMs' | 'retryMs'> {
  look(): Look
  /** It has printed its result, but what it started keeps it from ending. */
  hasLeft(): boolean
}

/** Waits until the agent ends, and ends it if a limit is reached or the user interrupts. The first cause counts. */
async function untilEnded(
  gone: Promise<ExitStatus>,
  processes: AgentProcesses,
  streams: Streams,
  limits: Limits,
  signal: AbortSignal,
): Promise<{ readonly ended: AgentProcess['ended'] } & Partial<ExitStatus>> {
  let ended = 'exit' as AgentProcess['ended'] | 'done'
  let killed = (): void => {}
  const killing = new Promise<void>((resolve) => {
    killed = resolve
  })
  const end = (why: typeof ended, work: () => Promise<void>) => {
    if (ended === 'exit') ended = why
    work().then(killed)
  }
  const politely = () => processes.end(limits.graceMs)
  const onAbort = () => end('aborted', () => (signal.reason === 'now' ? processes.endNow() : politely()))
  const stopClock = after(limits.deadlineMs, () => end('deadline', politely))
  const stopListening = whenSilent(streams, limits, () => end('silence', politely))
  const isTroubled = () => ['api', 'limit'].includes(limits.look().trouble?.kind ?? '')
  const isRunaway = () => (limits.look().requests ?? 0) >= MOST_REQUESTS
  const stopLooking = [
    whenTroubled(isTroubled, limits.retryMs, () => end('deadline', politely)),
    whenSo(limits.hasLeft, limits.graceMs, () => end('done', politely)),
    whenSo(isRunaway, limits.graceMs, () => end('runaway', politely)),
  ]
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()

  const how = await Promise.race([gone, killing.then(() => withTimeout(KILL_WAIT_MS, gone))])
  stopClock()
  stopListening()
  for (const stop of stopLooking) stop()
  // The user can still press Ctrl+C again while the remaining processes exit.
  if (ended !== 'exit') await killing
  signal.removeEventListener('abort', onAbort)
  return ended === 'done' ? { ended: 'exit', code: 0 } : { ended, ...how }
}

function problemOf(outcome: AgentOutcome, call: AgentCall, ms: number): string | undefined {
  switch (outcome.ended) {
    case 'deadline':
      if (ms < (call.deadlineMs ?? 0))
        return `it was stopped after ${durationText(ms)}, because it only retried the provider`
      return `it was stopped after ${durationText(call.deadlineMs)} (time limit)`
    case 'silence':
      return `it was stopped after printing nothing for ${durationText(call.silenceMs)}`
    case 'runaway':
      return `it was stopped after ${MOST_REQUESTS} requests to its model without a tool call`
    case 'aborted':
      return 'it was interrupted'
    default:
      if (outcome.signal) return `it was killed by ${outcome.signal}`
      return outcome.code === 0 ? undefined : `it exited with code ${outcome.code}`
  }
}

function durationText(ms = 0): string {
  return ms < 120_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 6_000) / 10} minutes`
}
