import type { LiveNews } from '../../reports/runs/live.ts'
import type { Changes, DiffNews, RunNews, SeenRun } from '../../reports/runs/row.ts'
import { withToken } from './ask.ts'

export type Link = 'open' | 'lost' | 'paused' | 'refused'

export interface Heard {
  changes(changes: Changes): void
  /** News about the run that is shown. */
  news(news: RunNews): void
  /** The diff of that run is another one now, or was loaded by another tab. */
  diff(news: DiffNews): void
  /** What that run is doing. */
  live(news: LiveNews): void
  link(state: Link): void
  /** The run that is shown, how much of it is known, and which diff: asked at every connection. */
  shown(): Shown | undefined
}

interface Shown {
  readonly journal: string
  readonly seen: SeenRun | undefined
  /** The mark of its diff; nothing before the diff was opened. */
  readonly diff: string | undefined
}

export interface Stream {
  /** Another run is shown, or this one from its beginning: listens for that one from now on. */
  again(): void
  stop(): void
}

const FIRST_WAIT_MS = 300
const LONGEST_WAIT_MS = 5000
/** The server says something every ten seconds; after so long without a word it is gone. */
const SILENCE_MS = 25_000
/** After so long in the background a tab stops listening. */
const HIDDEN_MS = 5000

/**
 * Receives events as long as the page is open. EventSource can't send a header, and a token in the address would be visible. After a
 * break it continues after the last complete event.
 */
export function listen(token: string, heard: Heard): Stream {
  let last: string | undefined
  let wait = FIRST_WAIT_MS
  let over = false
  let current: AbortController | undefined
  let atOnce = false

  const once = async (): Promise<void> => {
    const stop = new AbortController()
    current = stop
    atOnce = false
    let silence = setTimeout(() => stop.abort(), SILENCE_MS)
    try {
      const headers = { ...withToken(token), ...(last === undefined ? {} : { 'last-event-id': last }) }
      const response = await fetch(addressOf(heard.shown()), { headers, cache: 'no-store', signal: stop.signal })
      if (response.status === 403) {
        over = true
        heard.link('refused')
        return
      }
      if (!response.ok || response.body === null) return
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      heard.link('open')
      wait = FIRST_WAIT_MS
      let rest = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        clearTimeout(silence)
        silence = setTimeout(() => stop.abort(), SILENCE_MS)
        const pieces = (rest + value).split('\n\n')
        rest = pieces.pop() ?? ''
        for (const piece of pieces) hear(piece)
      }
    } catch {
      // The server is gone or silent; try again.
    } finally {
      clearTimeout(silence)
    }
  }
  const hear = (piece: string): void => {
    const fields = new Map(piece.split('\n').map((line): [string, string] => cut(line)))
    const { live, diff, news: report, changes: runs } = heard
    const listener = { live, diff, report, runs }[fields.get('event') ?? '']
    listener?.(JSON.parse(fields.get('data') ?? 'null'))
    last = fields.get('id') ?? last
  }
  const go = async (): Promise<void> => {
    while (!over) {
      await once()
      if (over) return
      if (document.hidden) await shownAgain()
      else if (!atOnce) {
        heard.link('lost')
        await new Promise((resolve) => setTimeout(resolve, wait))
        wait = Math.min(LONGEST_WAIT_MS, 2 * wait)
      }
    }
  }
  /** A browser has six connections to one server, so a hidden tab gives up its own. */
  const shownAgain = async (): Promise<void> => {
    heard.link('paused')
    while (document.hidden && !over)
      await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
  }
  const leaveIfHidden = (): void => {
    clearTimeout(hiding)
    if (document.hidden) hiding = setTimeout(() => current?.abort(), HIDDEN_MS)
  }
  let hiding: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('visibilitychange', leaveIfHidden)
  void go()
  return {
    again() {
      atOnce = true
      current?.abort()
    },
    stop() {
      over = true
      clearTimeout(hiding)
      document.removeEventListener('visibilitychange', leaveIfHidden)
      current?.abort()
    },
  }
}

function addressOf(shown: Shown | undefined): string {
  if (shown === undefined) return '/events'
  const { journal, seen, diff } = shown
  const known = seen && { run: seen.run, iterations: String(seen.iterations), seq: String(seen.seq) }
  return `/events?${new URLSearchParams({ journal, ...known, ...(diff !== undefined && { diff }) })}`
}

function cut(line: string): [string, string] {
  const colon = line.indexOf(': ')
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)]
}
