import { type EventInput, JOURNAL_VERSION, type JournalEvent } from '../core/journal/events.ts'
import { digest as sha256 } from '../system/digest.ts'

/** What the first line has instead of the hash of a line before it. */
export const FIRST = '0'.repeat(64)

/** No event comes near this; a longer line is damage, and must not be read into memory. */
export const LONGEST_LINE = 64 * 1024 * 1024

// `,"hash":"` + 64 hex digits + `"}`
const SEAL_LENGTH = 75

const sealOf = (digest: string) => `,"hash":"${digest}"}`

export interface Sealed {
  readonly text: string
  readonly hash: string
}

/**
 * JSON with one more field at its end: the SHA-256 of every byte before that field. The next line repeats it as `prev`,
 * so that a line can neither be changed nor moved, and the last one is guarded too.
 */
export function seal(value: object): Sealed {
  const open = JSON.stringify(value).slice(0, -1)
  const digest = sha256(open)
  return { text: open + sealOf(digest), hash: digest }
}

/** The JSON under the seal, or nothing when a single byte is not as it was written. */
export function unseal(line: Buffer): Sealed | undefined {
  const cut = line.length - SEAL_LENGTH
  if (cut < 1) return undefined
  const digest = sha256(line.subarray(0, cut))
  if (line.toString('latin1', cut) !== sealOf(digest)) return undefined
  return { text: `${line.toString('utf8', 0, cut)}}`, hash: digest }
}

/** Stamps come from the edge alone: a happening that carries its own `seq` or `prev` does not keep them. */
export function stamp(happening: EventInput, stamps: Pick<JournalEvent, 'seq' | 'at' | 'prev' | 'part'>): Sealed {
  const head = { v: JOURNAL_VERSION, ...stamps }
  return seal({ ...head, ...happening, ...head })
}

export type ReadLine =
  | { readonly kind: 'event'; readonly event: JournalEvent; readonly hash: string }
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'broken' }

export function readLine(line: Buffer): ReadLine {
  const sealed = unseal(line)
  const event = parse(sealed?.text ?? line.toString('utf8'))
  const version = event?.v
  if (event === undefined || typeof version !== 'number') return { kind: 'broken' }
  // How a later version seals its lines is not known here, so the number alone must do.
  if (version > JOURNAL_VERSION) return { kind: 'newer', version }
  return sealed === undefined ? { kind: 'broken' } : { kind: 'event', event, hash: sealed.hash }
}

function parse(text: string): JournalEvent | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as JournalEvent) : undefined
  } catch {
    return undefined
  }
}
