import { chmodSync, existsSync, lstatSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { type ControlLimits, type ControlOptions, quietly, refuse, serve } from './connection.ts'
import { type ControlPlace, findPlace, makePlace, removePlace, tellPlace } from './place.ts'

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

function hangUp({ server, connections }: Listening): void {
  for (const socket of connections) socket.destroy()
  server.close()
}

function end(dir: string, listening: Listening): void {
  hangUp(listening)
  quietly(() => removePlace(dir, listening.place))
}
