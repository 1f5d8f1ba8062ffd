import type { ServerResponse } from 'node:http'
import type { DiffNews, SeenRun } from '../reports/runs/row.ts'
import type { Diffs } from './diffs.ts'
import { LiveFeed, type LiveListener } from './live.ts'
import { type Made, newsOf, type Reports } from './reports.ts'
import type { Runs } from './runs.ts'

/** A line that means nothing, so that both sides notice when the other one is gone. */
const BEAT_MS = 10_000
const MOST = 64
/** Not more often than this a page hears of the run it shows, however much happens there. */
const REST_MS = 300

/** The run that a page shows, and how much of it the page has. */
export interface Watched {
  readonly journal: string
  readonly seen?: SeenRun
  /** The mark of the diff that the page has. */
  readonly diff?: string
  /**
   * Whether the program at the other end may follow the run live. The agent may not: it would see what hidden tests print. Rejects if
   * that can't be found out now.
   */
  mayFollow(): Promise<boolean>
}

interface Listener extends LiveListener {
  tellRows(): void
  tellReport(made: Made): void
  tellDiff(news: DiffNews): void
}

/** All who show one run: it is read once for all of them. */
interface Shown {
  readonly listeners: Set<Listener>
  readonly feed: LiveFeed
  timer?: NodeJS.Timeout
  lookedAt: number
  made?: Made
}

/**
 * The connected pages. Each gets what changed since its last message, as fast as it reads. Nothing is queued for a slow one; it gets
 * everything at once when it is ready.
 */
export class Streams {
  readonly #open = new Set<ServerResponse>()
  readonly #shown = new Map<string, Shown>()
  #rows: { readonly from: string | undefined; readonly id: string; readonly bytes: Buffer | undefined } | undefined

  constructor(
    readonly runs: Runs,
    readonly reports: Reports,
    readonly diffs: Diffs,
  ) {
    diffs.tell = (news) => {
      for (const listener of this.#shown.get(news.journal)?.listeners ?? []) listener.tellDiff(news)
    }
  }

  get full(): boolean {
    return this.#open.size >= MOST
  }

  /** Tells everything after `last`, and what is new in the run that the page shows, until the listener is gone. */
  add(response: ServerResponse, last: string | undefined, watched?: Watched): void {
    this.#open.add(response)
    let told = last
    let seen = watched?.seen
    let toldDiff = watched?.diff
    let toldLive: number | undefined
    /** The run for which the program at the other end was checked. */
    let checked: string | undefined
    let mayFollow = false
    let waiting = false
    const shownRun = (): Shown | undefined => watched && this.#shown.get(watched.journal)
    const send = (bytes: Buffer | string): void => {
      if (response.write(bytes)) return
      waiting = true
      response.once('drain', () => {
        waiting = false
        listener.tellRows()
        const { made, feed } = shownRun() ?? {}
        if (made !== undefined) listener.tellReport(made)
        const diff = watched && this.diffs.newest(watched.journal)
        if (diff !== undefined) listener.tellDiff(diff)
        if (feed !== undefined && feed.n > 0) listener.tellLive(feed)
      })
    }
    const listener: Listener = {
      tellRows: () => {
        if (waiting || response.destroyed) return
        const { id, bytes } = this.#rowsSince(told)
        told = id
        if (bytes !== undefined) send(bytes)
      },
      tellReport: (made) => {
        const { run } = made.report
        if (waiting || response.destroyed || watched === undefined) return
        if (seen?.seq === made.seq && seen.run === run) return
        const bytes = newsOf(watched.journal, made, seen)
        seen = { run, iterations: made.report.iterations.length, seq: made.seq }
        send(bytes)
      },
      tellDiff: (news) => {
        if (waiting || response.destroyed || news.mark === toldDiff) return
        toldDiff = news.mark
        send(`event: diff\ndata: ${JSON.stringify(news)}\n\n`)
      },
      tellLive: (feed) => {
        const run = this.runs.row(feed.journal)?.run
        if (waiting || response.destroyed || watched === undefined) return
        if (checked !== run) {
          checked = run
          mayFollow = false
          const allow = (may: boolean): void => {
            mayFollow = may
            listener.tellLive(feed)
          }
          const checkAgain = (): void => {
            if (checked === run) checked = undefined
            listener.tellLive(feed)
          }
          watched.mayFollow().then(allow, () => void setTimeout(checkAgain, REST_MS).unref())
        }
        if (!mayFollow) return
        const bytes = feed.since(toldLive)
        toldLive = feed.n
        if (bytes !== undefined) send(bytes)
      },
    }
    const unlisten = this.runs.listen(() => {
      listener.tellRows()
      if (watched === undefined) return
      this.#lookSoon(watched.journal)
      shownRun()?.feed.connect()
    })
    const beat = setInterval(() => {
      if (!waiting) send(': still here\n\n')
    }, BEAT_MS)
    beat.unref()
    response.on('close', () => {
      clearInterval(beat)
      unlisten()
      this.#open.delete(response)
      if (watched !== undefined) this.#leave(watched.journal, listener)
    })
    send('retry: 1000\n\n')
    listener.tellRows()
    if (watched === undefined) return
    this.#join(watched.journal, listener)
    const diff = this.diffs.newest(watched.journal)
    if (diff !== undefined) listener.tellDiff(diff)
    if (watched.diff !== undefined) this.diffs.want(watched.journal)
  }

  close(): void {
    for (const response of this.#open) response.destroy()
  }

  /** Pages mostly hear the same, so it is written out once. */
  #rowsSince(from: string | undefined): { readonly id: string; readonly bytes: Buffer | undefined } {
    const known = this.#rows
    if (known !== undefined && known.from === from && known.id === this.runs.newest) return known
    const { id, ...changes } = this.runs.since(from)
    const isNew = changes.all || changes.rows.length > 0 || changes.gone.length > 0
    // JSON has no line breaks, so it is one line of an event.
    const bytes = isNew ? Buffer.from(`id: ${id}\nevent: runs\ndata: ${JSON.stringify(changes)}\n\n`) : undefined
    this.#rows = { from, id, bytes }
    return this.#rows
  }

  #join(journal: string, listener: Listener): void {
    const known = this.#shown.get(journal)
    const shown = known ?? {
      listeners: new Set(),
      lookedAt: 0,
      feed: new LiveFeed(journal, this.runs, this.reports.now),
    }
    this.#shown.set(journal, shown)
    shown.listeners.add(listener)
    if (shown.made === undefined) this.#lookSoon(journal)
    else listener.tellReport(shown.made)
    shown.feed.join(listener)
  }

  #leave(journal: string, listener: Listener): void {
    const shown = this.#shown.get(journal)
    shown?.listeners.delete(listener)
    shown?.feed.listeners.delete(listener)
    if (shown === undefined || shown.listeners.size > 0) return
    clearTimeout(shown.timer)
    shown.feed.close()
    this.#shown.delete(journal)
    this.diffs.leave(journal)
  }

  /** Reads on in a run for all who show it, unless that was done a moment ago: then what happens until then comes together. */
  #lookSoon(journal: string): void {
    const shown = this.#shown.get(journal)
    if (shown === undefined || shown.timer !== undefined) return
    const row = this.runs.row(journal)
    // A run that takes its baseline has no report yet.
    if (row === undefined || row.seq === 0 || (shown.made?.seq === row.seq && shown.made.report.run === row.run)) return
    const look = async (): Promise<void> => {
      shown.lookedAt = performance.now()
      const made = await this.reports.made(journal)
      delete shown.timer
      if (made === undefined) return
      shown.made = made
      for (const listener of shown.listeners) listener.tellReport(made)
      this.diffs.lookSoon(journal)
      this.#lookSoon(journal)
    }
    const wait = shown.lookedAt === 0 ? 0 : Math.max(0, shown.lookedAt + REST_MS - performance.now())
    // The row of an unreadable journal shows the problem.
    shown.timer = setTimeout(() => void look().catch(() => delete shown.timer), wait)
    shown.timer.unref()
  }
}
