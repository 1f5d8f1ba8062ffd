import { count, listOf } from '../../core/count.ts'
import type { LoopEvent, RunEnd } from '../../core/run.ts'
import type { AskFailing, Host } from '../../loop/host.ts'
import { banner } from '../../reports/live/banner.ts'
import { clean } from '../../reports/live/clean.ts'
import { heartbeatLine, jsonLine, plainLine } from '../../reports/live/event-lines.ts'
import { frame } from '../../reports/live/frame.ts'
import { type Look, wrapText } from '../../reports/live/line.ts'
import { emptyView, follow } from '../../reports/live/view.ts'
import { askYesNo } from '../ask.ts'
import { type Io, usesColor } from '../io.ts'
import { askMenu, canAsk } from './menu.ts'
import { type Output, openPainter, showsUnicode, sizeOf, type TerminalIo } from './terminal.ts'

interface LiveOptions {
  /** JSON lines on stdout; text for people then goes to stderr. */
  readonly json?: boolean | undefined
  /** The agent's output is part of the JSON lines. */
  readonly jsonOutput?: boolean | undefined
  /** Only warnings and the end. */
  readonly quiet?: boolean | undefined
  readonly noColor?: boolean | undefined
  /** Lines even in a terminal. */
  readonly plain?: boolean | undefined
  /** The exit code the program will end with. */
  readonly exitCode: (end: RunEnd) => number
}

interface Live {
  tell(event: LoopEvent): void
  /** Hides the view while something else uses the terminal. */
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Ends the view, and prints the banner if the run has ended. Safe to call twice. */
  close(): void
}

interface LiveQuestions {
  readonly menu?: NonNullable<Host['menu']>
  readonly askFailing?: AskFailing
  /** Shows a one-time code; false without a terminal, because a log may be read by anyone. */
  showCode(code: string, action: string): boolean
}

type LiveStyle = LiveOptions & Look & { readonly zone: number }

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
  const isScreen = terminal && !options.json && !options.quiet && !options.plain
  const live = isScreen ? openScreen(io, stream, style) : openLines(io, stream, style)
  const tell = options.json ? alsoJson(io, live, options) : live.tell
  const showCode = (code: string, action: string): boolean => {
    if (!terminal) return false
    // As a warning of the view alone, so that it is in no JSON line.
    live.tell({ type: 'warning', text: `one-time code ${code} for: ${action}`, at: io.now() })
    return true
  }
  const shown = { tell, aside: live.aside, close: live.close, showCode }
  if (options.json || !canAsk(io)) return shown
  return {
    ...shown,
    menu: (state, verdict, signal) => live.aside(() => askMenu(io, state, verdict, signal)),
    askFailing: (failing, signal) => live.aside(() => askFailing(io, failing, signal, isScreen)),
  }
}

/** You have just started the run. If the failing tests are its task, waiting costs time. */
const FAILING_MS = 20_000
const MOST_FAILING = 10

/** The live view was taken away, and the names with it. Lines stay where they are. */
function askFailing(io: TerminalIo, failing: readonly string[], signal: AbortSignal, isScreen: boolean) {
  const already = count(failing.length, 'test already fails', 'tests already fail')
  const names = listOf(
    failing.map((name) => `"${clean(name)}"`),
    MOST_FAILING,
  )
  const lines = wrapText(`${already} and must pass: ${names}`, sizeOf(io.stdout).columns)
  if (isScreen) io.stdout.write(`${lines.join('\n')}\n`)
  const question = failing.length === 1 ? 'Accept it? It may then fail.' : 'Accept them? They may then fail.'
  return askYesNo(io, question, { usual: false, ms: FAILING_MS, signal })
}

function alsoJson(io: TerminalIo, live: Live, { jsonOutput, exitCode }: LiveOptions): Live['tell'] {
  return (event) => {
    const code = event.type === 'ended' ? exitCode(event.end) : 0
    const line = jsonLine(event, { output: jsonOutput === true, exitCode: code })
    if (line !== undefined) io.stdout.write(`${line}\n`)
    live.tell(event)
  }
}

/** The last frame goes into the terminal's history and may be longer than its window. */
const LAST_ROWS = 60

/** What stays readable above the frames. */
const isPrinted = (event: LoopEvent): boolean => event.type === 'warning' || event.type === 'preflight'

/** The live view of a run in a terminal: frames, and warnings above them. */
function openScreen(io: Io, stream: Output, options: LiveStyle): Live {
  let view = emptyView()
  let open = true
  let aside = false
  const painter = openPainter(stream, (size) => frame(view, { ...size, ...options, now: io.now() }))
  return {
    tell(event: LoopEvent): void {
      view = follow(view, event, io.now())
      if (isPrinted(event) && open && !aside) {
        painter.clear()
        stream.write(`${plainLine(event, { ...options, columns: sizeOf(stream).columns }).join('\n')}\n`)
      }
      painter.soon()
    },
    async aside(work) {
      aside = true
      painter.hold(true)
      painter.clear()
      try {
        return await work()
      } finally {
        aside = false
        painter.hold(false)
        painter.soon()
      }
    },
    close(): void {
      if (!painter.close()) return
      open = false
      // A run that broke off has no last frame; the error that ended it is printed elsewhere.
      if (view.doing.kind !== 'ended') return
      const { end } = view.doing
      const { columns } = sizeOf(stream)
      const last = frame(view, { ...options, columns, rows: LAST_ROWS, now: io.now() })
      const ending = banner(end, view.state, { ...options, columns, exitCode: options.exitCode(end) })
      stream.write(`${last.join('\n')}\n\n${ending}`)
    },
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
      view = follow(view, event, io.now())
      if (options.quiet && !LOUD.includes(event.type)) return
      // The banner says the end at length.
      if (event.type === 'ended' && !options.quiet) return
      for (const line of plainLine(event, options)) write(line)
    },
    aside: (work) => work(),
    close(): void {
      clearInterval(beat)
      if (view.doing.kind !== 'ended' || options.quiet) return
      const { end } = view.doing
      const columns = stream.columns ?? 100
      write(`\n${banner(end, view.state, { ...options, columns, exitCode: options.exitCode(end) }).trimEnd()}`)
      view = emptyView()
    },
  }
}
