import type { Readable } from 'node:stream'
import { awake } from '../../system/awake-clock.ts'
import { withTimeout } from '../../system/timeout.ts'
import type { KeptStream } from './transcript-store.ts'

/** A pipe that is silent for this long is given up. */
const SILENCE_MS = 500
/** A process that still writes after this time escaped us. */
const MAX_MS = 20_000

/** Reads the agent's streams, and knows when data last arrived and whether the disk slows them down. */
export class Streams {
  #last = awake.now()
  #paused = 0

  /** Reads a stream to its end, as fast as the disk allows. */
  follow(stream: Readable, kept: Pick<KeptStream, 'write'>, take: (chunk: Buffer) => void): void {
    stream.on('data', (chunk: Buffer) => {
      this.#last = awake.now()
      take(chunk)
      const diskReady = kept.write(chunk)
      if (diskReady === undefined) return
      stream.pause()
      this.#paused += 1
      diskReady.then(() => {
        this.#paused -= 1
        this.#last = awake.now()
        stream.resume()
      })
    })
    stream.on('error', () => {})
  }

  /** How long no data has arrived while we were reading. */
  get silentMs(): number {
    return this.#paused > 0 ? 0 : awake.now() - this.#last
  }

  /** All writers are gone: reads what is left in the pipes, even if that is slow. */
  async drain(closed: Promise<unknown>): Promise<void> {
    const until = awake.now() + MAX_MS
    const ended = closed.then(() => true)
    this.#last = awake.now()
    while ((await withTimeout(SILENCE_MS, ended)) === undefined) {
      if (this.silentMs >= SILENCE_MS || awake.now() > until) return
    }
  }
}
