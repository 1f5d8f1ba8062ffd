import type { LoopEvent, RunEnd } from '../../core/run.ts'
import type { Host } from '../../loop/host.ts'
import { jsonLine } from '../../reports/live/json-lines.ts'
import { usesColor } from '../io.ts'
import { openLines } from './lines.ts'
import { askMenu, canAsk } from './menu.ts'
import { openScreen } from './screen.ts'
import { showsUnicode, type TerminalIo } from './terminal-io.ts'

export interface LiveOptions {
  /** JSON lines on stdout; words for people go to stderr then. */
  readonly json?: boolean | undefined
  /** What the agent prints is told as JSON as well. */
  readonly jsonOutput?: boolean | undefined
  /** Only warnings and the end. */
  readonly quiet?: boolean | undefined
  readonly noColor?: boolean | undefined
  /** Lines even in a terminal. */
  readonly plain?: boolean | undefined
  /** The number the program will end with. */
  readonly exitCode: (end: RunEnd) => number
}

export interface Live {
  tell(event: LoopEvent): void
  /** Takes the view away while something else has the terminal. */
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Ends the view; after an ending the banner follows. More than once is once. */
  close(): void
}

/** What people and programs see of a run: a live view in a terminal, lines in a pipe, JSON lines with `json`. */
export function openLive(io: TerminalIo, options: LiveOptions): Live & { readonly menu?: NonNullable<Host['menu']> } {
  const stream = options.json ? io.stderr : io.stdout
  const terminal = stream.isTTY === true && io.env.TERM !== 'dumb'
  const style = {
    ...options,
    color: usesColor(stream, io.env, options.noColor),
    // A log is read elsewhere, by something that knows UTF-8.
    unicode: !terminal || showsUnicode(io),
    zone: -new Date(io.now()).getTimezoneOffset(),
  }
  const live =
    terminal && !options.json && !options.quiet && !options.plain
      ? openScreen(io, stream, style)
      : openLines(io, stream, style)
  const tell = options.json ? alsoJson(io, live, options) : live.tell
  const shown = { tell, aside: live.aside, close: live.close }
  if (options.json || !canAsk(io)) return shown
  return { ...shown, menu: (state, verdict, signal) => live.aside(() => askMenu(io, state, verdict, signal)) }
}

function alsoJson(io: TerminalIo, live: Live, { jsonOutput, exitCode }: LiveOptions): Live['tell'] {
  return (event) => {
    const code = event.type === 'ended' ? exitCode(event.end) : 0
    const line = jsonLine(event, { output: jsonOutput === true, exitCode: code })
    if (line !== undefined) io.stdout.write(`${line}\n`)
    live.tell(event)
  }
}
