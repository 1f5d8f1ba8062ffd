import type { Socket } from 'node:net'
import type { Control } from '../../core/run.ts'
import { digest } from '../../system/digest.ts'

/** A request to a running loop: a control, its status, or its events. */
export type ControlRequest =
  | Control
  | { readonly kind: 'status'; readonly by: string; readonly reason: string }
  | { readonly kind: 'events'; readonly by: string; readonly reason: string }

/** A request from the socket, with what the requesting process says about itself. */
export interface Asking {
  readonly request: ControlRequest
  readonly pid: number
  /** The run whose agent the process works for, if it says so. */
  readonly inside?: string
}

/** The response. */
export interface Answered {
  /** The request was accepted. */
  readonly taken: boolean
  /** One sentence for the user. */
  readonly text: string
  readonly status?: object
}

const CONTROLS = ['interrupt', 'force', 'accept', 'skip', 'reset-breaker', 'guidance', 'pause', 'resume'] as const
const KINDS = [...CONTROLS, 'status', 'events'] as const
/** Prefix of the files by which processes prove their identity. */
export const PROOF = 'proof-'
const MAX_NAME = 200
const MAX_REASON = 8000

/** The request in a line, or a sentence about what is wrong with it. */
export function readAsking(line: string): Asking | string {
  let said: unknown
  try {
    said = JSON.parse(line)
  } catch {
    return 'the request is not JSON'
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return 'the request must be a JSON object'
  const { kind, by, reason, pid, inside, ids, now } = said as Readonly<Record<string, unknown>>
  const known = KINDS.find((each) => each === kind)
  if (known === undefined) return `"kind" must be one of ${KINDS.join(', ')}`
  if (!isText(by, MAX_NAME)) return `"by" must be a name of 1 to ${MAX_NAME} characters`
  if (!isText(reason, MAX_REASON)) return `"reason" must be a text of 1 to ${MAX_REASON} characters`
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1)
    return '"pid" must be the id of the requesting process'
  if (known === 'accept' && !isListOfIds(ids)) return `"ids" must be a list of 1 to ${MAX_IDS} ids of findings`
  const named = known === 'accept' && isListOfIds(ids) ? { ids } : known === 'interrupt' && now === true ? { now } : {}
  return {
    request: { kind: known, by: plain(by), reason: plain(reason), ...named },
    pid,
    ...(typeof inside === 'string' ? { inside: plain(inside.slice(0, MAX_NAME)) } : {}),
  }
}

const MAX_IDS = 200

const isListOfIds = (ids: unknown): ids is readonly string[] =>
  Array.isArray(ids) &&
  ids.length > 0 &&
  ids.length <= MAX_IDS &&
  ids.every((id) => typeof id === 'string' && /^[A-Za-z0-9]{1,40}$/.test(id))

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= max

/** The text goes to terminals, prompts and the journal, so control characters are replaced. */
const plain = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '�').trim()

/**
 * The name of the file that the requesting process opens to prove its identity. The request is part of the name, so that the proof of
 * one request can't be used for another.
 */
export function proofName(dir: string, nonce: string, request: ControlRequest): string {
  const { kind, by, reason } = request
  const more = 'ids' in request ? request.ids : 'now' in request ? request.now : []
  return `${PROOF}${digest(JSON.stringify([dir, nonce, kind, plain(by), plain(reason), more])).slice(0, 40)}`
}

/** Reads a connection line by line, up to a number of bytes. An incomplete last line is dropped. */
export function linesOf(socket: Socket, maxBytes: number): () => Promise<string | 'too long' | undefined> {
  let bytes = 0
  let buffer = Buffer.alloc(0)
  let closed = false
  let wake: (() => void) | undefined
  const on = () => {
    wake?.()
    wake = undefined
  }
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes) buffer = Buffer.concat([buffer, chunk])
    else socket.pause()
    on()
  })
  for (const event of ['end', 'close', 'error'] as const)
    socket.on(event, () => {
      closed = true
      on()
    })
  return async () => {
    for (;;) {
      const end = buffer.indexOf(0x0a)
      if (end >= 0) {
        const line = buffer.toString('utf8', 0, end)
        buffer = buffer.subarray(end + 1)
        return line
      }
      if (bytes > maxBytes) return 'too long'
      if (closed) return undefined
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
}

/** Records at most so many refusals, so that endless requests can't fill the journal. */
export function atMost(max: number, record: Refused): Refused {
  let count = 0
  return (control, why) => {
    count += 1
    if (count <= max) record(control, count < max ? why : `${why} (further refusals in this run are not recorded)`)
  }
}

type Refused = (control: Exclude<ControlRequest, { kind: 'status' }>, why: string) => void
