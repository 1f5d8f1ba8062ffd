import type { Socket } from 'node:net'
import type { Control } from '../../core/run.ts'
import { digest } from '../../system/digest.ts'

/** What can be asked of a running loop: a control, or only how it stands. */
export type ControlRequest = Control | { readonly kind: 'status'; readonly by: string; readonly reason: string }

/** A request as it comes over the socket, with what the asking process says of itself. */
export interface Asking {
  readonly request: ControlRequest
  readonly pid: number
  /** The run whose agent the asking process works for, when it admits that. */
  readonly inside?: string
}

/** What comes back. */
export interface Answered {
  /** Whether it will be done. */
  readonly taken: boolean
  /** One sentence for the person. */
  readonly text: string
  readonly status?: object
}

const KINDS = ['interrupt', 'force', 'skip', 'reset-breaker', 'guidance', 'pause', 'resume', 'status'] as const
/** Files by which askers prove themselves begin with this. */
export const PROOF = 'proof-'
const LONGEST_NAME = 200
const LONGEST_REASON = 8000

/** What a line asks for, or the sentence that says why it asks for nothing. */
export function readAsking(line: string): Asking | string {
  let said: unknown
  try {
    said = JSON.parse(line)
  } catch {
    return 'this is not a line of JSON'
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return 'a request is a JSON object'
  const { kind, by, reason, pid, inside } = said as Readonly<Record<string, unknown>>
  const known = KINDS.find((each) => each === kind)
  if (known === undefined) return `a request has a "kind", one of ${KINDS.join(', ')}`
  if (!isText(by, LONGEST_NAME)) return `"by" names who asks, in 1 to ${LONGEST_NAME} characters`
  if (!isText(reason, LONGEST_REASON)) return `"reason" says why, in 1 to ${LONGEST_REASON} characters`
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return '"pid" is the number of the asking process'
  return {
    request: { kind: known, by: tidy(by), reason: tidy(reason) },
    pid,
    ...(typeof inside === 'string' ? { inside: tidy(inside.slice(0, LONGEST_NAME)) } : {}),
  }
}

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most

/** It goes to terminals, prompts and the journal; nothing in it may steer one of them. */
const tidy = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '�').trim()

/**
 * The name of the file that the asking process opens to prove which one it is. What it asks for, and of whom, is part of
 * the name: somebody who stands in between cannot pass on the proof of one request with another.
 */
export function proofName(dir: string, nonce: string, { kind, by, reason }: ControlRequest): string {
  return `${PROOF}${digest(JSON.stringify([dir, nonce, kind, tidy(by), tidy(reason)])).slice(0, 40)}`
}

/** Lines of a connection, one at a time. A connection that says too much, or ends in the middle of a line, gives no more. */
export function linesOf(socket: Socket, mostBytes: number): () => Promise<string | 'too long' | undefined> {
  let bytes = 0
  let buffer = Buffer.alloc(0)
  let over = false
  let wake: (() => void) | undefined
  const on = () => {
    wake?.()
    wake = undefined
  }
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= mostBytes) buffer = Buffer.concat([buffer, chunk])
    else socket.pause()
    on()
  })
  for (const event of ['end', 'close', 'error'] as const)
    socket.on(event, () => {
      over = true
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
      if (bytes > mostBytes) return 'too long'
      if (over) return undefined
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
}
