import type { Socket } from 'node:net'
import type { FeedEvent, LoopEvent } from '../../core/loop-event.ts'
import type { Answered } from './request.ts'

/** Enough for several screens of output, and little enough to send at once. */
const MOST_BYTES = 512 * 1024
/** A reader with more unread bytes than this is disconnected. It can connect again. */
const MOST_UNREAD = 4 * 1024 * 1024
const MOST_READERS = 16
/** How long a run that has ended waits for slow readers. */
const FLUSH_MS = 3_000

/** Of these, a new reader gets the last one, however long ago it happened. */
const KEPT: ReadonlySet<LoopEvent['type']> = new Set([
  ...(['preflight', 'started', 'baseline', 'plan', 'iteration', 'usage'] as const),
  ...(['evidence', 'waiting', 'interrupted', 'diff', 'decided'] as const),
])

interface Line {
  readonly type: LoopEvent['type']
  readonly text: string
}

/** The events of a run for other processes: each reader gets the recent past first, then everything as it happens. */
export class EventFeed {
  readonly #recent: Line[] = []
  readonly #kept = new Map<LoopEvent['type'], Line>()
  readonly #readers = new Set<Socket>()
  #bytes = 0

  tell(event: LoopEvent): void {
    const text = `${JSON.stringify(withoutState(event))}\n`
    this.#recent.push({ type: event.type, text })
    this.#bytes += text.length
    while (this.#bytes > MOST_BYTES && this.#recent.length > 1) this.#drop()
    for (const reader of this.#readers) {
      reader.write(text)
      if (reader.writableLength > MOST_UNREAD) reader.destroy()
    }
  }

  /** Answers a reader, and keeps the connection open until one of the two closes it. */
  serve(reader: Socket, extend: (ms: number) => void, denied?: string): void {
    if (this.#readers.size >= MOST_READERS) {
      reader.end(line({ taken: false, text: `${MOST_READERS} others follow this run already. Close one of them.` }))
      return
    }
    extend(Number.POSITIVE_INFINITY)
    // It must not keep a finished run alive.
    reader.unref()
    const past = [...this.#kept.values(), ...this.#recent]
    reader.write(line({ taken: true, text: 'following the run', status: { past: past.length, denied } }))
    reader.write(past.map(({ text }) => text).join(''))
    this.#readers.add(reader)
  }

  remove(reader: Socket): void {
    this.#readers.delete(reader)
  }

  /** Readers still get everything up to here. Resolves when it is sent, or when a reader takes too long. */
  async close(): Promise<void> {
    const sent = [...this.#readers].map((reader) => new Promise<void>((resolve) => reader.end(() => resolve())))
    let late: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      late = setTimeout(resolve, FLUSH_MS)
    })
    await Promise.race([Promise.all(sent), tooLong])
    clearTimeout(late)
  }

  #drop(): void {
    const oldest = this.#recent.shift()!
    this.#bytes -= oldest.text.length
    if (!KEPT.has(oldest.type)) return
    // Set again, so that the order stays that of the events.
    this.#kept.delete(oldest.type)
    this.#kept.set(oldest.type, oldest)
  }
}

const line = (answer: Answered): string => `${JSON.stringify(answer)}\n`

function withoutState(event: LoopEvent): FeedEvent {
  if (event.type !== 'decided') return event
  const { state: _state, ...rest } = event
  return rest
}
