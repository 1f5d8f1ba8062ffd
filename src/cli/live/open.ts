import type { LoopEvent } from '../../core/loop-event.ts'
import type { AskFailing, Host } from '../../loop/host.ts'
import { banner } from '../../reports/live/banner.ts'
import { heartbeatLine, jsonLine, plainLine } from '../../reports/live/event-lines.ts'
import { emptyView, follow } from '../../reports/live/view.ts'
import { type Io, usesColor } from '../io.ts'
import { askFailing } from './ask-failing.ts'
import type { Live, LiveOptions, LiveStyle } from './live.ts'
import { askMenu, canAsk } from './menu.ts'
import { openScreen } from './screen.ts'
import { awayOf, type Output, showsUnicode, type TerminalIo } from './terminal.ts'

interface LiveQuestions {
  readonly isScreen: boolean
  readonly menu?: NonNullable<Host['menu']>
  readonly askFailing?: AskFailing
  /** Shows a one-time code; false without a terminal, because a log may be read by anyone. */
  showCode(code: string, action: string): boolean
  /** Leaves the terminal alone until `back` resolves. */
  detach(back: () => Promise<void>): Promise<void>
}

/** What people and programs see of a run: a live view in a terminal, lines in a pipe, JSON lines with `json`. */
export function openLive(io: TerminalIo, options: LiveOptions): Live & LiveQuestions {
  const stream = options.json ? io.stderr : io.stdout
  const terminal = stream.isTTY === true && io.env.TERM !== 'dumb'
  const style = {
    ...options,
    color: usesColor(stream, io.env, options.noColor),
    // A log is read elsewhere, by something that knows UTF-8.
    unicode: !terminal || showsUnicode(io),
    zone: -new Date(io.now()).getTimezoneOffset(),
  }
  // A screen reader needs lines; programs agree on this variable.
  const isScreen = terminal && !options.json && !options.quiet && !options.plain && !io.env.ACCESSIBLE
  const live = isScreen ? openScreen(io, stream, style) : openLines(io, stream, style)
  const write = options.json ? alsoJson(io, live, options) : live.tell
  let detached = false
  const isInBackground = awayOf(io)
  const isAway = (): boolean => detached || isInBackground()
  const shown = {
    ...live,
    isScreen,
    tell(event: LoopEvent): void {
      write(event)
    },
    showCode(code: string, action: string): boolean {
      if (!terminal || detached) return false
      // As a warning of the view alone, so that it is in no JSON line.
      live.tell({ type: 'warning', text: `one-time code ${code} for: ${action}`, at: io.now() })
      return true
    },
    async detach(back: () => Promise<void>): Promise<void> {
      detached = true
      await live.aside(back)
      detached = false
    },
    close: (silently?: boolean): void => live.close(silently || detached),
  }
  if (options.json || !canAsk(io)) return shown
  return {
    ...shown,
    menu: (state, verdict, signal) =>
      isAway()
        ? Promise.resolve({ kind: 'abort', reason: 'the run is in the background, where it has no terminal to ask in' })
        : live.aside(() => askMenu(io, state, verdict, signal)),
    // In the background you can't answer, so the tests must pass.
    askFailing: (failing, signal) =>
      isAway() ? Promise.resolve(false) : live.aside(() => askFailing(io, failing, { signal, showNames: isScreen })),
  }
}

function alsoJson(io: TerminalIo, live: Live, { jsonOutput, exitCode }: LiveOptions): Live['tell'] {
  return (event) => {
    const code = event.type === 'ended' ? exitCode(event.end) : 0
    const line = jsonLine(event, { output: jsonOutput === true, exitCode: code })
    if (line !== undefined) io.stdout.write(`${line}\n`)
    live.tell(event)
  }
}

const HEARTBEAT_MS = 60_000
const LOUD: readonly LoopEvent['type'][] = ['warning', 'interrupted', 'ended']

/** One line per event, for pipes and logs; nothing is ever painted over. */
function openLines(io: Io, stream: Output, options: LiveStyle): Live {
  let view = emptyView()
  let quiet = true
  const write = (line: string): void => {
    quiet = false
    stream.write(`${line}\n`)
  }
  // A line only after a whole minute without one.
  const beat = setInterval(() => {
    if (quiet && view.started !== undefined && view.doing.kind !== 'ended' && !options.quiet)
      write(heartbeatLine(view, io.now(), options))
    quiet = true
  }, HEARTBEAT_MS)
  beat.unref()
  return {
    tell(event: LoopEvent): void {
      view = follow(view, event)
      if (options.quiet && !LOUD.includes(event.type)) return
      // The banner says the end at length.
      if (event.type === 'ended' && !options.quiet) return
      for (const line of plainLine(event, { ...options, columns: stream.columns })) write(line)
    },
    aside: (work) => work(),
    close(silently): void {
      clearInterval(beat)
      if (silently || view.doing.kind !== 'ended' || options.quiet) return
      const { end } = view.doing
      const columns = stream.columns ?? 100
      write(`\n${banner(end, view.state, { ...options, columns, exitCode: options.exitCode(end) }).trimEnd()}`)
      view = emptyView()
    },
  }
}
