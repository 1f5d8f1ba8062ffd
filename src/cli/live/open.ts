import { count, listOf } from '../../../packages/core/src/count.ts'
import type { LoopEvent } from '../../core/loop-event.ts'
import type { AskFailing, Host } from '../../loop/host.ts'
import { banner } from '../../reports/live/banner.ts'
import { clean } from '../../reports/live/clean.ts'
import { heartbeatLine, jsonLine, plainLine, wordLines } from '../../reports/live/event-lines.ts'
import { wrapText } from '../../reports/live/line.ts'
import { emptyView, follow } from '../../reports/live/view.ts'
import { askYesNo } from '../ask.ts'
import { type Io, usesColor } from '../io.ts'
import type { Live, LiveOptions, LiveStyle } from './live.ts'
import { askMenu, canAsk } from './menu.ts'
import { openScreen } from './screen.ts'
import { awayOf, type Output, showsUnicode, sizeOf, type TerminalIo } from './terminal.ts'

interface LiveQuestions {
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
  let detached = false
  const inBackground = awayOf(io)
  const isAway = (): boolean => detached || inBackground()
  const shown = {
    ...live,
    tell(event: LoopEvent): void {
      const exitCode = event.type === 'ended' ? options.exitCode(event.end) : 0
      const line = options.json && jsonLine(event, { output: options.jsonOutput === true, exitCode })
      if (line) io.stdout.write(`${line}\n`)
      live.tell(event)
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
      isAway() ? Promise.resolve(false) : live.aside(() => askFailing(io, failing, signal, isScreen)),
  }
}

const HEARTBEAT_MS = 60_000
/** Checks that take longer show what they do. */
const SOON_MS = 2000
const LOUD: readonly LoopEvent['type'][] = ['warning', 'interrupted', 'ended']

/** One line per event, for pipes and logs; nothing is ever painted over. */
function openLines(io: Io, stream: Output, options: LiveStyle): Live {
  let view = emptyView()
  let quiet = true
  const write = (line: string): void => {
    quiet = false
    stream.write(`${line}\n`)
  }
  const status = (): false | void => !options.quiet && write(heartbeatLine(view, io.now(), options))
  // A line only after a whole minute without one.
  const beat = setInterval(() => {
    if (quiet && view.started !== undefined && view.doing.kind !== 'ended') status()
    quiet = true
  }, HEARTBEAT_MS)
  beat.unref()
  let soon: NodeJS.Timeout | undefined
  let runs = 0
  const words = openWords((text) => wordLines(text, { ...options, columns: stream.columns }).forEach(write))
  return {
    tell(event: LoopEvent): void {
      const needed = view.decided?.verdict.missing
      const doing = view.doing.kind
      const tested = { runs, ms: event.type === 'baseline' ? event.at - view.doing.since : 0 }
      view = follow(view, event)
      const { kind, since } = view.doing
      if (kind !== doing) clearTimeout(soon)
      const isChecking = kind === 'baseline' || kind === 'evidence'
      if (isChecking && kind !== doing) soon = setTimeout(status, SOON_MS).unref()
      if (event.type === 'command') runs = event.run ?? runs
      if (event.type === 'command' && isChecking && event.at - since >= SOON_MS) status()
      if (options.quiet && !LOUD.includes(event.type)) return
      // Programs get it with --json-output.
      if (event.type === 'output' && !event.tool && !options.json) words.add(event.text)
      // The banner says the end at length.
      if (event.type === 'ended' && !options.quiet) return
      const lines = plainLine(event, { ...options, columns: stream.columns, needed, tested })
      if (lines.length > 0) words.flush(event.type === 'agent-ended')
      lines.forEach(write)
    },
    aside: (work) => work(),
    close(silently): void {
      clearInterval(beat)
      clearTimeout(soon)
      if (silently || view.doing.kind !== 'ended' || options.quiet) return
      const { end } = view.doing
      const columns = stream.columns ?? 100
      write(`\n${banner(end, view.state, { ...options, columns, exitCode: options.exitCode(end) }).trimEnd()}`)
      view = emptyView()
    },
  }
}

const LONGEST_LINE = 2_000
/** Of an iteration that prints more, only these lines are in a log. The end shows what the agent said last. */
const MOST_LINES = 100

/** The agent's words, line by line. */
function openWords(write: (line: string) => unknown) {
  let open = ''
  let seen = 0
  const show = (line: string): unknown => line.trim() !== '' && ++seen <= MOST_LINES && write(line)
  return {
    add(text: string): void {
      const lines = `${open}${text}`.split('\n').map((line) => line.slice(0, LONGEST_LINE))
      open = lines.pop() ?? ''
      for (const line of lines) show(line)
    },
    flush(ended: boolean): void {
      show(open)
      open = ''
      if (ended && seen > MOST_LINES) write(`(${count(seen - MOST_LINES, 'more line')})`)
      if (ended) seen = 0
    },
  }
}

/** You have just started the run. If the failing tests are its task, waiting costs time. */
const WAIT_MS = 20_000
const MOST_NAMES = 10

/** Asks whether tests that already fail are accepted. Without an answer, they must pass. The names may have gone with the view. */
function askFailing(io: TerminalIo, failing: readonly string[], signal: AbortSignal, showNames: boolean) {
  const already = count(failing.length, 'test already fails', 'tests already fail')
  const names = failing.map((name) => `"${clean(name)}"`)
  const lines = wrapText(`${already} and must pass: ${listOf(names, MOST_NAMES)}`, sizeOf(io.stdout).columns)
  if (showNames) io.stdout.write(`${lines.join('\n')}\n`)
  const question = failing.length === 1 ? 'Accept it? It may then fail.' : 'Accept them? They may then fail.'
  return askYesNo(io, question, { usual: false, ms: WAIT_MS, signal })
}
