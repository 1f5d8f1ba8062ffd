import type { ServerResponse } from 'node:http'
import type { Runs, Since } from './runs.ts'

/** A line that means nothing, so that both sides notice when the other one is gone. */
const BEAT_MS = 10_000
const MOST = 64

/** Those who listen. Each is told what changed since it was told last, and only as fast as it reads. */
export class Streams {
  readonly #open = new Set<ServerResponse>()

  constructor(readonly runs: Runs) {}

  get full(): boolean {
    return this.#open.size >= MOST
  }

  /** Tells everything after `last`, and goes on until the listener is gone. */
  add(response: ServerResponse, last: string | undefined): void {
    this.#open.add(response)
    let told = last
    let waiting = false
    const send = (text: string): void => {
      if (response.write(text)) return
      waiting = true
      response.once('drain', () => {
        waiting = false
        tell()
      })
    }
    const tell = (): void => {
      if (waiting || response.destroyed) return
      const changes = this.runs.since(told)
      const news = changes.all || changes.rows.length > 0 || changes.gone.length > 0
      told = changes.id
      if (news) send(eventOf(changes))
    }
    const unlisten = this.runs.listen(tell)
    const beat = setInterval(() => {
      if (!waiting) send(': still here\n\n')
    }, BEAT_MS)
    beat.unref()
    response.on('close', () => {
      clearInterval(beat)
      unlisten()
      this.#open.delete(response)
    })
    send('retry: 1000\n\n')
    tell()
  }

  close(): void {
    for (const response of this.#open) response.destroy()
  }
}

/** JSON has no line breaks, so it is one line of an event. */
function eventOf({ id, ...changes }: Since): string {
  return `id: ${id}\nevent: runs\ndata: ${JSON.stringify(changes)}\n\n`
}
