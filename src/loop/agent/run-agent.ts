import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { AgentProcess } from '../../core/run.ts'
import { awake } from '../../system/awake-clock.ts'
import { killTreeNow } from '../../system/kill-tree.ts'
import { outerMarks } from '../../system/process-tag.ts'
import { MARKER, type Started } from '../../system/processes.ts'
import { begin, ended } from '../../system/running-commands.ts'
import { type Entered, enterSandbox } from '../../system/sandbox/enter.ts'
import { whyNot } from '../../system/spawn-error.ts'
import { within } from '../../system/timeout.ts'
import { AgentProcesses } from './agent-processes.ts'
import type { AgentCall, AgentHooks, AgentMark, AgentRun } from './call.ts'
import type { Streams } from './follow.ts'
import { markOf } from './leftovers.ts'
import { Listener } from './listener.ts'

/** Whoever the agent left behind may take so long to finish its last words. */
const LAST_WORDS_MS = 500
/** A process that hangs in the kernel ignores even the last signal; nobody waits for it longer than this. */
const PATIENCE_MS = 500

/** How the agent itself ended, as the system tells. */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** How one start of the agent went, apart from its words. */
interface AgentOutcome extends Partial<ExitStatus> {
  readonly ended: AgentProcess['ended']
  readonly problem?: string
  readonly leftBehind: number
}

/**
 * Runs the agent once. When the returned promise is settled nothing of it is left: what stayed in its group, what left it,
 * and what only carries its id is ended. Whatever the agent does, this gives a result; only the hooks can make it throw.
 */
export async function runAgent(
  call: AgentCall,
  hooks: AgentHooks,
  signal: AbortSignal,
  talk?: Talk,
): Promise<AgentRun> {
  const started = awake.now()
  const listener = new Listener(call, hooks)
  const course = await courseOf(call, hooks, signal, listener, talk)
  const { transcript, ...heard } = await listener.end()
  const { tokens, usd } = transcript.usage
  const problem = course.problem ?? problemOf(course, call)
  const process: AgentProcess = {
    code: course.code ?? null,
    ...(course.signal && { signal: course.signal }),
    ended: course.ended,
    ...(problem !== undefined && { problem }),
    ms: Math.round(awake.now() - started),
    format: transcript.format,
    bytes: transcript.bytes,
    ...heard,
    ...(transcript.session !== undefined && { session: transcript.session }),
    usage: { ...(tokens !== undefined && { tokens }), ...(usd !== undefined && { usd }) },
    errors: transcript.errors,
    finished: course.ended === 'exit' && course.code != null && transcript.finished,
    leftBehind: course.leftBehind,
  }
  return { process, transcript }
}

async function courseOf(
  call: AgentCall,
  hooks: AgentHooks,
  signal: AbortSignal,
  listener: Listener,
  talk: Talk | undefined,
): Promise<AgentOutcome> {
  if (signal.aborted) return { ended: 'aborted', problem: 'it was given up before it started', leftBehind: 0 }
  let entered: Entered | undefined
  try {
    entered = call.sandbox && enterSandbox(call.sandbox.setup, call.sandbox.needs, call)
  } catch (error) {
    return { ended: 'not-started', problem: whyNot(call.cwd, call.argv, error as Error), leftBehind: 0 }
  }
  try {
    return await runToEnd({ ...call, argv: entered?.argv ?? call.argv }, hooks, signal, listener, talk)
  } finally {
    entered?.leave()
  }
}

async function runToEnd(
  call: AgentCall,
  hooks: AgentHooks,
  signal: AbortSignal,
  listener: Listener,
  talk: Talk | undefined,
): Promise<AgentOutcome> {
  const agent = await spawnAgent(call, hooks.onStart, talk)
  if ('problem' in agent) return { ended: 'not-started', problem: agent.problem, leftBehind: 0 }
  const processes = new AgentProcesses(agent.leader)
  try {
    const streams = listener.listen(agent.child)
    const how = await untilEnded(agent.gone, processes, streams, call, signal)
    await within(LAST_WORDS_MS, agent.closed)
    const left = await processes.endRest()
    await streams.runDry(agent.closed)
    // Whoever had to be told to end had no occasion to leave others behind.
    return { ...how, leftBehind: how.ended === 'exit' ? left : 0 }
  } finally {
    processes.stop()
    ended(agent.leader)
    for (const stream of [agent.child.stdin, agent.child.stdout, agent.child.stderr]) stream?.destroy()
  }
}

export interface RunningAgent {
  readonly child: ChildProcess
  readonly leader: Started
  readonly gone: Promise<ExitStatus>
  /** Its streams have come to their end too. */
  readonly closed: Promise<unknown>
}

/** Whoever talks with the agent while it runs has its input to himself. */
type Talk = (child: ChildProcess) => void

/**
 * Starts the agent in a process group of its own, so that a Ctrl+C in the terminal reaches us and not it. Its number is
 * handed over before anything else happens, to be written down; an agent that could not be written down must not run.
 */
async function spawnAgent(
  call: AgentCall,
  onStart: (mark: AgentMark) => void,
  talk?: Talk,
): Promise<RunningAgent | { readonly problem: string }> {
  const id = randomBytes(8).toString('hex')
  let begun: ReturnType<typeof begin<ChildProcess>>
  try {
    begun = begin(id, () => launch(call, id, talk))
  } catch (error) {
    return { problem: whyNot(call.cwd, call.argv, error as Error) }
  }
  const { child, command: leader } = begun
  if (child.pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve))
    ended(leader)
    return { problem: whyNot(call.cwd, call.argv, error) }
  }
  try {
    onStart(markOf(leader))
  } catch (error) {
    killTreeNow(leader)
    ended(leader)
    throw error
  }
  child.on('error', () => {})
  // An agent that does not read its prompt is within its rights.
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
  const outer = outerMarks()
  return spawn(file, args, {
    cwd: call.cwd,
    // A run within a run: the outer one must still recognise what the inner one started.
    env: { ...call.env, [MARKER]: outer === undefined ? id : `${outer}.${id}` },
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [call.stdin === undefined && talk === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
}

type Limits = Pick<AgentCall, 'deadlineMs' | 'silenceMs' | 'graceMs'>

/** Waits for the agent's end, and brings it about when a limit is reached or a person wants it. The first cause counts. */
async function untilEnded(
  gone: Promise<ExitStatus>,
  processes: AgentProcesses,
  streams: Streams,
  limits: Limits,
  signal: AbortSignal,
): Promise<{ readonly ended: AgentProcess['ended'] } & Partial<ExitStatus>> {
  let ended: AgentProcess['ended'] = 'exit'
  let killed = (): void => {}
  const killing = new Promise<void>((resolve) => {
    killed = resolve
  })
  const end = (why: AgentProcess['ended'], work: () => Promise<void>) => {
    if (ended === 'exit') ended = why
    work().then(killed)
  }
  const politely = () => processes.end(limits.graceMs)
  const onAbort = () => end('aborted', () => (signal.reason === 'now' ? processes.endNow() : politely()))
  const stopClock = after(limits.deadlineMs, () => end('deadline', politely))
  const stopListening = whenSilent(streams, limits.silenceMs, () => end('silence', politely))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()

  const how = await Promise.race([gone, killing.then(() => within(PATIENCE_MS, gone))])
  stopClock()
  stopListening()
  // Whoever has no patience any more may still say so while the rest of the tree is asked to end.
  if (ended !== 'exit') await killing
  signal.removeEventListener('abort', onAbort)
  return { ended, ...how }
}

const after = (ms: number | undefined, call: () => void): (() => void) =>
  ms === undefined || ms === Number.POSITIVE_INFINITY ? () => {} : awake.after(ms, call)

/** Output comes often and silence ends seldom, so the clock is read when the time would be up, and not at every byte. */
function whenSilent(streams: Streams, ms: number | undefined, call: () => void): () => void {
  if (ms === undefined) return () => {}
  const look = (): void => {
    const left = ms - streams.silentMs
    if (left > 0) stop = after(left, look)
    else {
      // After a sleep the timer comes first: what was printed before it is read now, before it is judged.
      const turn = setImmediate(() => (streams.silentMs < ms ? look() : call()))
      stop = () => clearImmediate(turn)
    }
  }
  let stop = after(ms, look)
  return () => stop()
}

function problemOf(course: AgentOutcome, call: AgentCall): string | undefined {
  switch (course.ended) {
    case 'deadline':
      return `it did not end within ${inWords(call.deadlineMs)} and was ended`
    case 'silence':
      return `it printed nothing for ${inWords(call.silenceMs)} and was ended`
    case 'aborted':
      return 'it was interrupted'
    default:
      if (course.signal) return `it was killed by ${course.signal}`
      return course.code === 0 ? undefined : `it exited with code ${course.code}`
  }
}

function inWords(ms = 0): string {
  return ms < 120_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 6_000) / 10} minutes`
}
