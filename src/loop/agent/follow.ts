import type { Readable } from 'node:stream'
import { awake } from '../../system/awake-clock.ts'
import { withTimeout } from '../../system/timeout.ts'
import type { KeptStream } from './transcript-store.ts'

/** How long a pipe may stay silent before nobody waits for its end any more. */
const PATIENCE_MS = 500
/** And how long it may go on talking: what still writes then has got away from us. */
const MOST_MS = 20_000

/** The agent's streams as they are read: when something last came, and whether the disk holds them up. */
export class Streams {
  #last = awake.now()
  #heldUp = 0

  /** Reads a stream to its end, as fast as the disk allows. */
  follow(stream: Readable, kept: Pick<KeptStream, 'write'>, take: (chunk: Buffer) => void): void {
    stream.on('data', (chunk: Buffer) => {
      this.#last = awake.now()
      take(chunk)
      const behind = kept.write(chunk)
      if (behind === undefined) return
      stream.pause()
      this.#heldUp += 1
      behind.then(() => {
        this.#heldUp -= 1
        this.#last = awake.now()
        stream.resume()
      })
    })
    stream.on('error', () => {})
  }

  /** How long nothing has come, although we listened. */
  get silentMs(): number {
    return this.#heldUp > 0 ? 0 : awake.now() - this.#last
  }

  /** Nobody is left who could write; what the pipes still hold is read, however slowly. */
  async runDry(closed: Promise<unknown>): Promise<void> {
    const until = awake.now() + MOST_MS
    const over = closed.then(() => true)
    this.#last = awake.now()
    while ((await withTimeout(PATIENCE_MS, over)) === undefined) {
      if (this.silentMs >= PATIENCE_MS || awake.now() > until) return
    }
  }
}
