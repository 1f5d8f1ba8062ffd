import { listedFindings } from '../../core/accepting.ts'
import type { LoopEvent } from '../../core/loop-event.ts'
import type { RunEnd } from '../../core/run.ts'
import type { OpenFinding } from '../../core/types.ts'
import type { AskFailing, Host } from '../../loop/host.ts'
import type { OneRun } from '../../loop/one-run.ts'
import { banner } from '../../reports/live/banner.ts'
import { heartbeatLine, jsonLine, plainLine } from '../../reports/live/event-lines.ts'
import { frame } from '../../reports/live/frame.ts'
import type { Look } from '../../reports/live/line.ts'
import { emptyView, follow } from '../../reports/live/view.ts'
import { type Io, usesColor } from '../io.ts'
import { ACCEPT_KEY, askToAccept, listenForLetters } from './accept-key.ts'
import { askFailing } from './ask-failing.ts'
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
  /** What you can accept now; only in the live view. */
  findings?(): readonly OpenFinding[]
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
  /** Listens to the keys of the live view. */
  listen?(control: OneRun['control']): void
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
  const write = options.json ? alsoJson(io, live, options) : live.tell
  const showCode = (code: string, action: string): boolean => {
    if (!terminal) return false
    // As a warning of the view alone, so that it is in no JSON line.
    live.tell({ type: 'warning', text: `one-time code ${code} for: ${action}`, at: io.now() })
    return true
  }
  const keys = openAcceptKey(io, live)
  const { aside } = keys
  const tell = (event: LoopEvent): void => {
    write(event)
    keys.update()
  }
  const close = (): void => {
    keys.close()
    live.close()
  }
  const shown = { tell, aside, close, showCode, listen: keys.listen }
  if (options.json || !canAsk(io)) return shown
  return {
    ...shown,
    menu: (state, verdict, signal) => aside(() => askMenu(io, state, verdict, signal)),
    askFailing: (failing, signal) => aside(() => askFailing(io, failing, { signal, showNames: isScreen })),
  }
}

/** While the live view has the keyboard, one key asks which findings you accept. Whatever else asks gets the keyboard to itself. */
function openAcceptKey(io: TerminalIo, live: Live) {
  let control: OneRun['control'] | undefined
  let listening: ReturnType<typeof listenForLetters>
  let busy = false
  const stop = (): void => {
    listening?.stop()
    listening = undefined
  }
  /** Without findings the terminal keeps its mode. */
  const update = (): void => {
    const isNeeded = control !== undefined && !busy && (live.findings?.() ?? []).length > 0
    if (isNeeded && listening === undefined) listening = listenForLetters(io, (letter) => void pressed(letter))
    if (!isNeeded) stop()
  }
  const aside: Live['aside'] = async (work) => {
    busy = true
    update()
    try {
      return await live.aside(work)
    } finally {
      busy = false
      update()
    }
  }
  const pressed = async (letter: string): Promise<void> => {
    const open = live.findings?.() ?? []
    if (letter !== ACCEPT_KEY || open.length === 0) return
    const asked = await aside(() => askToAccept(io, open))
    const text = typeof asked === 'string' ? asked : control?.(asked).text
    if (text !== undefined) live.tell({ type: 'warning', text, at: io.now() })
  }
  return {
    aside,
    listen(take: OneRun['control']): void {
      control = take
      update()
    },
    update,
    close(): void {
      control = undefined
      update()
    },
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
      view = follow(view, event)
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
    findings: () => listedFindings(view.state.previous?.evidence),
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
      view = follow(view, event)
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
