import { closeSync, constants, lstatSync, openSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { NO_FOLLOW, removeFile } from '../../system/files.ts'
import { CODE_MS } from './codes.ts'
import { type ControlPlace, findPlace } from './place.ts'
import { type Answered, type ControlRequest, linesOf, proofName } from './request.ts'

const MAX_ANSWER = 4 * 1024 * 1024
const TIMEOUT_MS = 20_000
const CLOSED = 'the connection was closed'
const noCode = (where: string): string =>
  `This needs the one-time code, shown in ${where}, and a terminal or the live page to type it in. A run started with --allow-remote-control needs none.`

export interface AskOptions {
  /** The run whose agent this process works for. */
  readonly inside?: string | undefined
  readonly timeoutMs?: number
  /** Gets the one-time code from the person who asks. `where` says where it is shown; undefined gives up. */
  typeCode?(where: string, again: boolean): string | undefined | Promise<string | undefined>
  /** Called once the request is accepted, for an answer of many lines. The connection then stays open until `close`. */
  onAccepted?(next: () => Promise<string | undefined>, close: () => void, answer: Answered): void
}

/** Sends a request to the run with this state folder; undefined if none is running. */
export async function askRun(
  dir: string,
  request: ControlRequest,
  options: AskOptions = {},
): Promise<Answered | undefined> {
  const place = findPlace(dir)
  if (place === undefined || !isOurs(place)) return undefined
  const socket = await connected(place.path)
  if (socket === undefined) return undefined
  const closed = new Promise<never>((_resolve, reject) => {
    socket.once('close', () => reject(new Error(CLOSED)))
  })
  closed.catch(() => {})
  let timer = setTimeout(() => socket.destroy(), options.timeoutMs ?? TIMEOUT_MS)
  const open: number[] = []
  let proof: string | undefined
  let stays = false
  try {
    const next = linesOf(socket, options.onAccepted === undefined ? MAX_ANSWER : Number.POSITIVE_INFINITY)
    const inside = options.inside === undefined ? {} : { inside: options.inside }
    socket.write(`${JSON.stringify({ ...request, pid: process.pid, ...inside })}\n`)
    let response = objectIn(await next())
    if (typeof response.prove === 'string') {
      proof = join(place.folder, proofName(dir, response.prove, request))
      open.push(openSync(proof, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | NO_FOLLOW, 0o600))
      socket.write(`${JSON.stringify({ proved: true })}\n`)
      response = objectIn(await next())
    }
    while (typeof response.code === 'string') {
      clearTimeout(timer)
      timer = setTimeout(() => socket.destroy(), CODE_MS)
      // Someone who closed the page never types a code.
      const code = await Promise.race([options.typeCode?.(response.code, response.again === true), closed])
      if (code === undefined) return { taken: false, text: noCode(response.code) }
      socket.write(`${JSON.stringify({ code })}\n`)
      response = objectIn(await next())
    }
    const answer = answerIn(response, place)
    stays = answer.taken && options.onAccepted !== undefined
    if (stays) options.onAccepted?.(next, () => socket.destroy(), answer)
    return answer
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { taken: false, text: `Run ${place.run} (process ${place.pid}) didn't respond: ${why}.` }
  } finally {
    clearTimeout(timer)
    for (const fd of open) closeSync(fd)
    if (proof !== undefined) removeFile(proof)
    if (!stays) socket.destroy()
  }
}

/** Another user's socket is not used. */
function isOurs({ path }: ControlPlace): boolean {
  if (process.platform === 'win32') return path.startsWith('\\\\.\\pipe\\')
  try {
    const found = lstatSync(path)
    return found.isSocket() && (process.getuid === undefined || [found.uid, 0].includes(process.getuid()))
  } catch {
    return false
  }
}

function connected(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('error', () => resolve(undefined))
    socket.on('connect', () => resolve(socket))
  })
}

function objectIn(line: string | undefined): Readonly<Record<string, unknown>> {
  if (line === undefined) throw new Error(CLOSED)
  const response: unknown = JSON.parse(line)
  if (typeof response !== 'object' || response === null) throw new Error('the response is not a JSON object')
  return response as Readonly<Record<string, unknown>>
}

function answerIn({ taken, text, status }: Readonly<Record<string, unknown>>, { run }: ControlPlace): Answered {
  return {
    taken: taken === true,
    text: typeof text === 'string' ? text : `Run ${run} sent an empty response.`,
    ...(typeof status === 'object' && status !== null ? { status } : {}),
  }
}
