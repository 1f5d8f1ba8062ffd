import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Control } from '../../core/run.ts'
import { nonce } from '../../system/digest.ts'
import { removeFile } from '../../system/files.ts'
import { holds, reaper } from '../../system/open-files.ts'
import { bootedAt, lineageOf, lookNow } from '../../system/process-ancestry.ts'
import { membersOf } from '../../system/processes.ts'
import type { AgentMark } from '../agent/call.ts'
import { linesOf } from './lines.ts'
import { whyNot } from './may-ask.ts'
import type { ControlPlace } from './place.ts'
import { type Answered, type Asking, proofName, readAsking } from './request.ts'

export interface ControlOptions {
  /** The state folder of the workspace. */
  readonly dir: string
  readonly run: string
  /** When the run began, in ms since 1970; a resumed one began before this process. */
  readonly startedAt?: number
  /** The person who started the run lets processes without a terminal ask, too. */
  readonly allowRemote: boolean
  /** Takes a request that may be made, and says what comes of it. */
  onControl(control: Control): Answered | Promise<Answered>
  /** A request that was refused: it belongs into the journal. */
  onRefused(control: Control, why: string): void
  status(): object
  /** The agents that run now: the one of this run, and those of runs beside it. */
  agents(): readonly AgentMark[]
  readonly limits?: Partial<ControlLimits>
}

export interface ControlLimits {
  /** Most bytes that one connection may send. */
  readonly bytes: number
  /** How long one connection may take. */
  readonly ms: number
  readonly connections: number
  /** Refusals that are told of; whoever asks for ever must not fill the journal. */
  readonly refusals: number
  /** How often it is looked whether the socket is still there. */
  readonly lookMs: number
}

const say = (socket: Socket, line: object): boolean => socket.write(`${JSON.stringify(line)}\n`)

export function refuse(socket: Socket, text: string): void {
  socket.end(`${JSON.stringify({ taken: false, text } satisfies Answered)}\n`)
}

/** One connection: one request, the proof of who asks, one answer. */
export async function serve(
  socket: Socket,
  limits: ControlLimits,
  place: ControlPlace,
  options: ControlOptions,
): Promise<void> {
  const next = linesOf(socket, limits.bytes)
  const line = await next()
  if (line === undefined) return refuse(socket, 'the request ended in the middle of a line')
  if (line === 'too long') return refuse(socket, `a request has at most ${limits.bytes} bytes`)
  const asking = readAsking(line)
  if (typeof asking === 'string') return refuse(socket, asking)
  const { request } = asking
  if (request.kind === 'status') {
    say(socket, { taken: true, text: `run ${options.run} is running`, status: options.status() } satisfies Answered)
    socket.end()
    return
  }
  const prove = nonce()
  const proof = join(place.folder, proofName(options.dir, prove, request))
  try {
    say(socket, { prove, folder: place.folder })
    await next()
    const why = await refusal(asking, proof, options)
    if (why === undefined) say(socket, await options.onControl(request))
    else {
      options.onRefused(request, why)
      say(socket, { taken: false, text: `refused: ${why}` } satisfies Answered)
    }
    socket.end()
  } finally {
    quietly(() => removeFile(proof))
  }
}

async function refusal(asking: Asking, proof: string, options: ControlOptions): Promise<string | undefined> {
  const { pid, inside, request } = asking
  const { allowRemote, startedAt } = options
  const adopting = await reaper()
  const look = lookNow()
  const held = holds(pid, proof)
  const runner = lineageOf(process.pid, look)
  return whyNot(request.kind, {
    blind: held === undefined,
    lineage: held ? lineageOf(pid, look) : undefined,
    runner,
    agent: new Set(options.agents().flatMap((agent) => membersOf(agent).map(({ pid }) => pid))),
    reaper: adopting,
    since: sinceOf(startedAt, runner[0]?.startedAt ?? 0),
    allowRemote,
    ...(inside === undefined ? {} : { inside }),
  })
}

/** An agent of this run may be left from before this process; none is left from before the system began. */
function sinceOf(startedAt: number | undefined, runner: number): number {
  return startedAt === undefined || startedAt < bootedAt() ? runner : Math.min(startedAt, runner)
}

/** What could not be tidied up is found by the next run. */
export function quietly(work: () => unknown): void {
  try {
    work()
  } catch {
    // Nobody needs to hear of it.
  }
}
