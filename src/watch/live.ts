import { type FeedEvent, isPrinted, type LoopEvent } from '../core/loop-event.ts'
import { followRun } from '../loop/control/follow-run.ts'
import { emptyView, follow, type View } from '../reports/live/view.ts'
import { type SafeText, safeTextWith } from '../reports/page/safe-text.ts'
import { type LiveNews, type LiveRun, liveOf } from '../reports/runs/live.ts'
import { LiveLog } from '../reports/runs/live-log.ts'
import { redact } from '../system/redact.ts'
import type { Runs } from './runs.ts'

/** Events of this long are sent together. */
const GATHER_MS = 40
/** After a lost connection to a run that still answers. */
const AGAIN_MS = 500
/** A run that refuses starts its answer with this. Another negative answer means that it can't answer now. */
const REFUSED = 'refused: '

/** Gets messages with increasing numbers. A listener that missed one asks for everything. */
export interface LiveListener {
  tellLive(feed: LiveFeed): void
}

/**
 * One run that is being followed, for all tabs that show it. It keeps only what a new tab needs: what the run does now, and the end
 * of its output.
 */
export class LiveFeed {
  /** The number of the newest message. */
  n = 0
  readonly listeners = new Set<LiveListener>()
  #safe: SafeText = safeTextWith(redact)
  #view: View = emptyView()
  #log = new LiveLog(this.#safe)
  #connected = false
  /** Why the run can't be followed, and which one. The next tab and the next run try again. */
  #refused: { readonly why: string; readonly run: string | undefined } | undefined
  /** Why the run takes no requests from this process that only the user may make. */
  #denied: string | undefined
  #close: (() => void) | undefined
  #busy = false
  /** Replaced at each connection, because the run tells its recent past again. */
  #whole = true
  #told = new Map<string, string>()
  #newest: Buffer | undefined
  #everything: { readonly n: number; readonly bytes: Buffer } | undefined
  #timer: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined

  constructor(
    readonly journal: string,
    readonly runs: Runs,
    readonly now: () => number,
  ) {}

  /** Connects if the run answers and no connection exists. */
  connect(): void {
    const dir = this.runs.dirOf(this.journal)
    const row = this.runs.row(this.journal)
    if (this.#busy || this.#connected || this.#again !== undefined || dir === undefined) return
    if (row?.answers !== true || this.listeners.size === 0 || this.#refused?.run === row.run) return
    this.#busy = true
    void this.#follow(dir, row.run).catch(() => this.#lost())
  }

  join(listener: LiveListener): void {
    this.listeners.add(listener)
    this.#refused = undefined
    this.connect()
    if (this.n > 0) listener.tellLive(this)
  }

  async #follow(dir: string, run: string): Promise<void> {
    let ended = false
    const followed = await followRun(dir, {
      onAccepted: (_past, denied) => this.#start(denied),
      onEvent: (event) => this.#take(event),
      onEnd: () => {
        ended = true
        this.#lost()
      },
    })
    this.#busy = false
    if (typeof followed === 'string' && followed.startsWith(REFUSED)) this.#refused = { why: followed, run }
    if (followed === undefined || typeof followed === 'string') return this.#lost()
    if (ended) return
    this.#close = () => followed.close()
    if (this.listeners.size === 0) followed.close()
    this.#refused = undefined
    this.#connected = true
    this.#soon()
  }

  /** The run sends its recent events again at each connection. */
  #start(denied: string | undefined): void {
    this.#denied = denied
    this.#safe = safeTextWith(redact)
    this.#view = emptyView()
    this.#log = new LiveLog(this.#safe)
    this.#whole = true
  }

  #take(event: FeedEvent): void {
    this.#log.add(event)
    this.#view = follow(this.#view, forView(event, this.#view))
    if (event.type === 'recorded' || event.type === 'decided' || event.type === 'ended') this.runs.lookAt(this.journal)
    this.#soon()
  }

  #lost(): void {
    this.#busy = false
    this.#connected = false
    this.#close = undefined
    this.runs.lookAt(this.journal)
    this.#soon()
    if (this.#again !== undefined || this.listeners.size === 0) return
    this.#again = setTimeout(() => {
      this.#again = undefined
      this.connect()
    }, AGAIN_MS)
    this.#again.unref()
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#send(), GATHER_MS).unref()
  }

  #send(): void {
    this.#timer = undefined
    const whole = this.#whole || this.#log.overflowed
    const live = liveOf(this.#view, this.#safe)
    const log = this.#log.takeFresh()
    this.n += 1
    this.#whole = false
    const changed = this.#changedIn(live)
    this.#newest = whole ? undefined : this.#message({ whole: false, live: changed, log })
    for (const listener of this.listeners) listener.tellLive(this)
  }

  #changedIn(live: LiveRun): Partial<LiveRun> {
    const changed = Object.entries(live).filter(([key, value]) => {
      const text = JSON.stringify(value)
      if (this.#told.get(key) === text) return false
      this.#told.set(key, text)
      return true
    })
    return Object.fromEntries(changed)
  }

  /** The message for a tab that has everything up to that number, written once for all of them. Undefined if it has the newest. */
  since(told: number | undefined): Buffer | undefined {
    if (told === this.n) return undefined
    if (told !== undefined && told === this.n - 1 && this.#newest !== undefined) return this.#newest
    if (this.#everything?.n !== this.n) {
      const live = liveOf(this.#view, this.#safe)
      this.#everything = { n: this.n, bytes: this.#message({ whole: true, live, log: this.#log.parts }) }
    }
    return this.#everything.bytes
  }

  #message(part: Pick<LiveNews, 'whole' | 'live' | 'log'>): Buffer {
    const why = this.#refused?.why.slice(REFUSED.length) ?? this.#denied
    const news: LiveNews = {
      journal: this.journal,
      now: this.now(),
      connected: this.#connected,
      ...(why !== undefined && { refused: why }),
      ...part,
    }
    return Buffer.from(`event: live\ndata: ${JSON.stringify(news)}\n\n`)
  }

  /** No tab shows the run any more. */
  close(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#again)
    this.#timer = undefined
    this.#again = undefined
    this.#close?.()
  }
}

/** The view needs no output, which the log has, and no state, which the journal has. */
function forView(event: FeedEvent, view: View): LoopEvent {
  if (event.type === 'decided') return { ...event, state: view.state }
  if (isPrinted(event)) return { ...event, text: '' } as LoopEvent
  return event.type === 'recorded' ? { ...event, events: [] } : event
}
