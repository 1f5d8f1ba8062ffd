import { chmodSync, existsSync, lstatSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Control } from '../../core/run.ts'
import { nonce } from '../../system/digest.ts'
import { removeFile } from '../../system/files.ts'
import { findReaper, hasFileOpen } from '../../system/open-files.ts'
import { ancestryOf, bootedAt, processLookup } from '../../system/process-ancestry.ts'
import type { AgentMark } from '../agent/call.ts'
import { agentMembers } from '../agent/leftovers.ts'
import { actionText, CODE_MS, type Codes, needsCode, openCodes, removeCode, whyNoCode, writeCode } from './codes.ts'
import type { EventFeed } from './event-feed.ts'
import { type Circumstances, MARKS, whyNot } from './may-ask.ts'
import { type ControlPlace, findPlace, makePlace, removePlace, writePlace } from './place.ts'
import { type Answered, type Asking, atMost, type ControlRequest, linesOf, proofName, readAsking } from './request.ts'

interface ControlOptions {
  /** The state folder of the workspace. */
  readonly dir: string
  readonly run: string
  /** When the run started, in ms since 1970; a resumed run started before this process. */
  readonly startedAt?: number
  /** The user also allows requests without a code. */
  readonly allowRemote: boolean
  onControl(control: Control): Answered | Promise<Answered>
  /** Why a request would have no effect. Checked before exitgate asks for a code. */
  useless?(control: Control): string | undefined
  /** Called for a refused request, which goes into the journal. */
  onRefused(request: Exclude<ControlRequest, { kind: 'status' }>, why: string): void
  status(): object
  /** The events of the run. */
  readonly feed?: EventFeed
  /** The running agents: of this run, and of other runs in this process. */
  agents(): readonly AgentMark[]
  /** Shows a one-time code to the user, and returns where. Without it, the code is written to a file in the state folder. */
  showCode?(code: string, action: string): string
  now?(): number
  readonly limits?: Partial<ControlLimits>
}

interface ControlLimits {
  /** Maximum bytes per connection. */
  readonly bytes: number
  /** Maximum duration of a connection. */
  readonly ms: number
  readonly connections: number
  /** Maximum refusals to record, so that endless requests can't fill the journal. */
  readonly refusals: number
  /** How often to check that the socket still exists. */
  readonly lookMs: number
}

export interface OpenControl {
  readonly path?: string
  /** Why this run can't be controlled from another terminal. */
  readonly problem?: string
  close(): void
}

const LIMITS: ControlLimits = { bytes: 64 * 1024, ms: 15_000, connections: 32, refusals: 100, lookMs: 2000 }

/** A listening socket. */
interface Listening {
  readonly place: ControlPlace
  readonly server: Server
  readonly connections: ReadonlySet<Socket>
  readonly ino: number
}

/**
 * Opens the socket for requests from other terminals. Never throws, because a loop can run without it. The agent can remove or
 * replace the socket, so it is created again if it is gone.
 */
export async function openControl(options: ControlOptions): Promise<OpenControl> {
  const { dir } = options
  const limits = { ...LIMITS, ...options.limits }
  const { now: clock = Date.now, showCode = (code, action) => writeCode(dir, code, action) } = options
  const codes = openCodes({ now: clock, show: showCode, hide: () => removeCode(dir) })
  const limited = { ...options, codes, onRefused: atMost(limits.refusals, options.onRefused) }
  let now: Listening | undefined
  let busy = false
  let closed = false
  try {
    now = await listen(limited, limits)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { problem: `This run can't be controlled from another terminal: ${why}.`, close: () => {} }
  }
  const timer = setInterval(() => {
    if (busy || closed || !existsSync(dir) || (now !== undefined && isThere(dir, now))) return
    busy = true
    if (now !== undefined) disconnect(now)
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
    const made = await listen(limited, limits).catch(() => undefined)
    busy = false
    if (made !== undefined && closed) end(dir, made)
    else now = made
  }
}

type Listener = ControlOptions & { readonly codes: Codes }

async function listen(options: Listener, limits: ControlLimits): Promise<Listening> {
  const place = makePlace(options.dir, options.run, process.pid)
  const connections = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (connections.size >= limits.connections) return refuse(socket, 'too many requests at once; try again')
    connections.add(socket)
    let late = setTimeout(() => socket.destroy(), limits.ms)
    const extend = (ms: number): void => {
      clearTimeout(late)
      if (ms < Number.POSITIVE_INFINITY) late = setTimeout(() => socket.destroy(), ms)
    }
    socket.on('close', () => {
      clearTimeout(late)
      connections.delete(socket)
      options.feed?.remove(socket)
    })
    serve(socket, limits, place, { ...options, extend }).catch(() => socket.destroy())
  })
  // The socket must not keep a finished loop alive.
  server.unref()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(place.path, resolve)
    })
    server.on('error', () => {})
    // The folder is private, so the socket is protected from the start.
    if (process.platform !== 'win32') chmodSync(place.path, 0o600)
    writePlace(options.dir, place)
    return { place, server, connections, ino: inoOf(place.path) }
  } catch (error) {
    end(options.dir, { place, server, connections, ino: 0 })
    throw error
  }
}

/** A named pipe is not in a folder, so it can't be removed. */
const inoOf = (path: string): number =>
  process.platform === 'win32' ? 0 : (lstatSync(path, { throwIfNoEntry: false })?.ino ?? -1)

const isThere = (dir: string, { place, ino }: Listening): boolean =>
  inoOf(place.path) === ino && findPlace(dir)?.path === place.path

/** One connection: one request, the proof of the sender's identity, one response. */
async function serve(
  socket: Socket,
  limits: ControlLimits,
  place: ControlPlace,
  options: Listener & { extend(ms: number): void },
): Promise<void> {
  const next = linesOf(socket, limits.bytes)
  const line = await next()
  if (line === undefined) return refuse(socket, 'the request is incomplete')
  if (line === 'too long') return refuse(socket, `the request is longer than ${limits.bytes} bytes`)
  const asking = readAsking(line)
  if (typeof asking === 'string') return refuse(socket, asking)
  const { request } = asking
  if (request.kind === 'status') {
    send(socket, { taken: true, text: `run ${options.run} is running`, status: options.status() } satisfies Answered)
    socket.end()
    return
  }
  const prove = nonce()
  const proof = join(place.folder, proofName(options.dir, prove, request))
  /** A process that is not the agent's still needs the code that the user sees. */
  const codeRefusal = async (terminal: boolean | undefined): Promise<string | undefined> => {
    if (request.kind === 'events' || !needsCode(request.kind, terminal) || options.allowRemote) return undefined
    if (options.useless?.(request) !== undefined) return undefined
    options.extend(CODE_MS)
    return whyNoCode(options.codes, actionText(request), (question) => {
      send(socket, question)
      return next()
    })
  }
  try {
    send(socket, { prove, folder: place.folder })
    await next()
    const about = await circumstances(asking, proof, options)
    const why = whyNot(request.kind, about) ?? (await codeRefusal(about.lineage?.[0]?.terminal))
    if (why !== undefined) {
      options.onRefused(request, why)
      send(socket, { taken: false, text: `refused: ${why}` } satisfies Answered)
    } else if (request.kind !== 'events') send(socket, await options.onControl(request))
    else return options.feed?.serve(socket, options.extend, whyNot('force', about))
    socket.end()
  } finally {
    ignoringErrors(() => removeFile(proof))
  }
}

async function circumstances({ pid, inside }: Asking, proof: string, options: ControlOptions): Promise<Circumstances> {
  const { allowRemote, startedAt } = options
  const look = processLookup(MARKS)
  const held = hasFileOpen(pid, proof)
  const runner = ancestryOf(process.pid, look)
  return {
    blind: held === undefined,
    lineage: held ? ancestryOf(pid, look) : undefined,
    runner,
    agent: new Set(options.agents().flatMap((agent) => agentMembers(agent).map(({ pid }) => pid))),
    reaper: await findReaper(),
    since: sinceOf(startedAt, runner[0]?.startedAt ?? 0),
    allowRemote,
    ...(inside === undefined ? {} : { inside }),
  }
}

/** An agent of this run may be older than this process, but not older than the boot of the system. */
function sinceOf(startedAt: number | undefined, runner: number): number {
  return startedAt === undefined || startedAt < bootedAt() ? runner : Math.min(startedAt, runner)
}

function refuse(socket: Socket, text: string): void {
  socket.end(`${JSON.stringify({ taken: false, text } satisfies Answered)}\n`)
}

const send = (socket: Socket, line: object): boolean => socket.write(`${JSON.stringify(line)}\n`)
/** If cleaning up fails, the next run does it. */
function ignoringErrors(work: () => unknown): void {
  try {
    work()
  } catch {
    // Not worth a message.
  }
}

function disconnect({ server, connections }: Listening): void {
  for (const socket of connections) socket.destroy()
  server.close()
}

function end(dir: string, listening: Listening): void {
  disconnect(listening)
  ignoringErrors(() => removePlace(dir, listening.place))
}
