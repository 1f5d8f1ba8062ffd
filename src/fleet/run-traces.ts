import type { RunEnd } from '../core/run.ts'
import type { Telemetry } from '../loop/telemetry/export.ts'
import { openTelemetry } from '../loop/telemetry/open.ts'
import type { FleetEnd, FleetEvent, WorkerOptions } from './types.ts'

/**
 * Sends each run of a worker as a trace, if a collector is set. A run that moves to another worker continues there in a trace of its
 * own.
 */
export class RunTraces {
  readonly #options: WorkerOptions
  readonly #open = new Map<string, Telemetry>()
  readonly #closing = new Set<Promise<void>>()

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  tell(event: FleetEvent): void {
    switch (event.type) {
      case 'claimed':
        this.#start(event.run)
        break
      case 'loop':
        this.#open.get(event.run)?.tell(event.event)
        break
      case 'ended':
        this.#open.get(event.run)?.tell({ type: 'ended', end: endOf(event.run, event.end, event.at), at: event.at })
        this.#end(event.run)
        break
      case 'lost':
      case 'given-back':
        this.#end(event.run)
        break
    }
  }

  /** Waits until everything is sent, for each run as long as its own `close` does. */
  async close(): Promise<void> {
    for (const run of [...this.#open.keys()]) this.#end(run)
    await Promise.all(this.#closing)
  }

  #start(run: string): void {
    const { env, emit, now } = this.#options
    const telemetry = openTelemetry(env, (text) => emit({ type: 'warning', text, at: now() }))
    if (telemetry !== undefined) this.#open.set(run, telemetry)
  }

  #end(run: string): void {
    const telemetry = this.#open.get(run)
    if (telemetry === undefined) return
    this.#open.delete(run)
    const closed = telemetry.close().finally(() => this.#closing.delete(closed))
    this.#closing.add(closed)
  }
}

/** The end of a run as its trace needs it. */
function endOf(run: string, { usd, tokens, ...end }: FleetEnd, at: number): RunEnd {
  const total = { ms: 0, usd, tokens }
  return { ...end, rule: end.ending, run, preset: '', startedAt: at, endedAt: at, total, missing: [], killed: false }
}
