import { closeSync, constants, lstatSync, openSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { NO_FOLLOW, removeFile } from '../../system/files.ts'
import { type ControlPlace, findPlace } from './place.ts'
import { type Answered, type ControlRequest, linesOf, proofName } from './request.ts'

const LONGEST_ANSWER = 4 * 1024 * 1024
const PATIENCE_MS = 20_000

export interface AskOptions {
  /** The run whose agent this process works for. */
  readonly inside?: string | undefined
  readonly patienceMs?: number
}

/** Asks the loop that runs with this state folder; undefined when none does. */
export async function askRun(
  dir: string,
  request: ControlRequest,
  options: AskOptions = {},
): Promise<Answered | undefined> {
  const place = findPlace(dir)
  if (place === undefined || !isOurs(place)) return undefined
  const socket = await connected(place.path)
  if (socket === undefined) return undefined
  const impatient = setTimeout(() => socket.destroy(), options.patienceMs ?? PATIENCE_MS)
  const open: number[] = []
  let proof: string | undefined
  try {
    const next = linesOf(socket, LONGEST_ANSWER)
    const inside = options.inside === undefined ? {} : { inside: options.inside }
    socket.write(`${JSON.stringify({ ...request, pid: process.pid, ...inside })}\n`)
    let said = objectIn(await next())
    if (typeof said.prove === 'string') {
      proof = join(place.folder, proofName(dir, said.prove, request))
      open.push(openSync(proof, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | NO_FOLLOW, 0o600))
      socket.write(`${JSON.stringify({ proved: true })}\n`)
      said = objectIn(await next())
    }
    return answerIn(said, place)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { taken: false, text: `run ${place.run} (process ${place.pid}) could not be asked: ${why}` }
  } finally {
    clearTimeout(impatient)
    for (const fd of open) closeSync(fd)
    if (proof !== undefined) removeFile(proof)
    socket.destroy()
  }
}

/** A socket that somebody else has put there is not spoken to. */
function isOurs({ path }: ControlPlace): boolean {
  if (process.platform === 'win32') return path.startsWith('\\\\.\\pipe\\')
  try {
    const found = lstatSync(path)
    return found.isSocket() && (process.getuid === undefined || found.uid === process.getuid() || isRoot())
  } catch {
    return false
  }
}

const isRoot = (): boolean => process.getuid?.() === 0

function connected(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('error', () => resolve(undefined))
    socket.on('connect', () => resolve(socket))
  })
}

function objectIn(line: string | undefined): Readonly<Record<string, unknown>> {
  if (line === undefined) throw new Error('it hung up')
  const said: unknown = JSON.parse(line)
  if (typeof said !== 'object' || said === null) throw new Error('it gave no answer that can be read')
  return said as Readonly<Record<string, unknown>>
}

function answerIn({ taken, text, status }: Readonly<Record<string, unknown>>, { run }: ControlPlace): Answered {
  return {
    taken: taken === true,
    text: typeof text === 'string' ? text : `run ${run} said nothing`,
    ...(typeof status === 'object' && status !== null ? { status } : {}),
  }
}
