import { chmodSync, existsSync, lstatSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Control } from '../../core/run.ts'
import { nonce } from '../../system/digest.ts'
import { removeFile } from '../../system/files.ts'
import { findReaper, hasFileOpen } from '../../system/open-files.ts'
import { ancestryOf, bootedAt, processLookup } from '../../system/process-ancestry.ts'
import { membersOf } from '../../system/processes.ts'
import type { AgentMark } from '../agent/call.ts'
import { MARKS, whyNot } from './may-ask.ts'
import { type ControlPlace, findPlace, makePlace, removePlace, tellPlace } from './place.ts'
import { type Answered, type Asking, linesOf, proofName, readAsking } from './request.ts'

interface ControlOptions {
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

interface ControlLimits {
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

export interface OpenControl {
  readonly path?: string
  /** Why nobody can speak to this run from another terminal. */
  readonly problem?: string
  close(): void
}

const LIMITS: ControlLimits = { bytes: 64 * 1024, ms: 15_000, connections: 32, refusals: 100, lookMs: 2000 }

/** A socket that is listened to: where it is, and which one it is. */
interface Listening {
  readonly place: ControlPlace
  readonly server: Server
  readonly connections: ReadonlySet<Socket>
  readonly ino: number
}

/**
 * Opens the socket through which another terminal speaks to this loop. Never throws: a loop runs without it as well. The
 * agent can remove the socket, or put one of its own in its place, so it is made anew when it is not there any more.
 */
export async function openControl(options: ControlOptions): Promise<OpenControl> {
  const { dir } = options
  const limits = { ...LIMITS, ...options.limits }
  const asked = { ...options, onRefused: atMost(limits.refusals, options.onRefused) }
  let now: Listening | undefined
  let busy = false
  let closed = false
  try {
    now = await listen(asked, limits)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { problem: `this run cannot be spoken to from another terminal: ${why}`, close: () => {} }
  }
  const timer = setInterval(() => {
    if (busy || closed || !existsSync(dir) || (now !== undefined && isThere(dir, now))) return
    busy = true
    if (now !== undefined) hangUp(now)
    now = undefined
    void again()
  }, limits.lookMs)
  timer.unref()
  return {
    path: now.place.path,
    close() {
      closed = true
      clearInterval(timer)
      if (now !== undefined) end(dir, now)
      now = undefined
    },
  }

  async function again(): Promise<void> {
    const made = await listen(asked, limits).catch(() => undefined)
    busy = false
    if (made !== undefined && closed) end(dir, made)
    else now = made
  }
}

async function listen(options: ControlOptions, limits: ControlLimits): Promise<Listening> {
  const place = makePlace(options.dir, options.run, process.pid)
  const connections = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (connections.size >= limits.connections) return refuse(socket, 'too many are asking at once; try again')
    connections.add(socket)
    const late = setTimeout(() => socket.destroy(), limits.ms)
    socket.on('close', () => {
      clearTimeout(late)
      connections.delete(socket)
    })
    serve(socket, limits, place, options).catch(() => socket.destroy())
  })
  // A socket that nobody speaks to keeps no loop alive that has ended.
  server.unref()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(place.path, resolve)
    })
    server.on('error', () => {})
    // The folder lets nobody else in, so there is no moment in which the socket itself would.
    if (process.platform !== 'win32') chmodSync(place.path, 0o600)
    tellPlace(options.dir, place)
    return { place, server, connections, ino: inoOf(place.path) }
  } catch (error) {
    end(options.dir, { place, server, connections, ino: 0 })
    throw error
  }
}

/** A named pipe lies in no folder, so nobody can take it away. */
const inoOf = (path: string): number =>
  process.platform === 'win32' ? 0 : (lstatSync(path, { throwIfNoEntry: false })?.ino ?? -1)

const isThere = (dir: string, { place, ino }: Listening): boolean =>
  inoOf(place.path) === ino && findPlace(dir)?.path === place.path

function atMost(most: number, tell: ControlOptions['onRefused']): ControlOptions['onRefused'] {
  let told = 0
  return (control, why) => {
    told += 1
    if (told <= most) tell(control, told < most ? why : `${why} (further refusals of this run are not recorded)`)
  }
}

/** One connection: one request, the proof of who asks, one answer. */
async function serve(
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
  const adopting = await findReaper()
  const look = processLookup(MARKS)
  const held = hasFileOpen(pid, proof)
  const runner = ancestryOf(process.pid, look)
  return whyNot(request.kind, {
    blind: held === undefined,
    lineage: held ? ancestryOf(pid, look) : undefined,
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

function refuse(socket: Socket, text: string): void {
  socket.end(`${JSON.stringify({ taken: false, text } satisfies Answered)}\n`)
}

const say = (socket: Socket, line: object): boolean => socket.write(`${JSON.stringify(line)}\n`)

/** What could not be tidied up is found by the next run. */
function quietly(work: () => unknown): void {
  try {
    work()
  } catch {
    // Nobody needs to hear of it.
  }
}

function hangUp({ server, connections }: Listening): void {
  for (const socket of connections) socket.destroy()
  server.close()
}

function end(dir: string, listening: Listening): void {
  hangUp(listening)
  quietly(() => removePlace(dir, listening.place))
}
