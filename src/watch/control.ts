import type { IncomingMessage } from 'node:http'
import type { Control } from '../core/run.ts'
import { askRun } from '../loop/control/ask.ts'
import type { PressAnswer } from '../reports/runs/row.ts'
import type { Refusal } from './guard.ts'
import { type Ends, whyRefused } from './may-press.ts'

/** What the page has a button for. */
const KINDS = [
  'pause',
  'resume',
  'interrupt',
  'force',
  'skip',
  'reset-breaker',
] as const satisfies readonly Control['kind'][]
const LARGEST = 16 * 1024
const LONGEST_REASON = 4000
const BY = 'a person (exitgate watch)'

export interface Pressed {
  readonly journal: string
  readonly control: Control
}

/** The body of a request, as far as it is small. */
export async function bodyOf(request: IncomingMessage): Promise<string | Refusal> {
  const refusal: Refusal = { status: 413, why: `a request has at most ${LARGEST} bytes` }
  if (Number(request.headers['content-length'] ?? 0) > LARGEST) return refusal
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > LARGEST) return refusal
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

export function readPressed(body: string): Pressed | Refusal {
  const wrong = (why: string): Refusal => ({ status: 400, why })
  let said: unknown
  try {
    said = JSON.parse(body)
  } catch {
    return wrong('this is not JSON')
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return wrong('a request is a JSON object')
  const { journal, kind, reason } = said as Readonly<Record<string, unknown>>
  const known = KINDS.find((each) => each === kind)
  if (known === undefined) return wrong(`"kind" is one of ${KINDS.join(', ')}`)
  if (typeof journal !== 'string') return wrong('"journal" names the run')
  if (typeof reason !== 'string' || reason.trim() === '' || reason.length > LONGEST_REASON)
    return wrong(`"reason" says why, in 1 to ${LONGEST_REASON} characters; it is written into the journal`)
  return { journal, control: { kind: known, by: BY, reason: reason.trim() } }
}

/**
 * Asks the run itself, which looks at this process and decides. What the agent pressed is passed on as what it is: so the run refuses
 * it, and writes that down.
 */
export async function press(dir: string, run: string, control: Control, ends: Ends): Promise<PressAnswer> {
  const why = await whyRefused(dir, control.kind, ends)
  const answer = await askRun(dir, control, why === undefined ? {} : { inside: run })
  if (answer === undefined)
    return { taken: false, text: 'no run is running there that could be asked; use the same command in a terminal' }
  if (why !== undefined) return { taken: false, text: `refused: ${why}` }
  return { taken: answer.taken, text: answer.text }
}
