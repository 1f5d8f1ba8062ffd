import type { LoopEvent } from '../../loop/types.ts'
import { banner } from '../../reports/live/banner.ts'
import { frame } from '../../reports/live/frame.ts'
import type { Look } from '../../reports/live/line.ts'
import { plainLine } from '../../reports/live/plain-lines.ts'
import { emptyView, follow } from '../../reports/live/view.ts'
import type { Io } from '../io.ts'
import type { Live, LiveOptions } from './open.ts'
import { type Output, sizeOf } from './terminal-io.ts'

const HOME = '\u001b[H'
const ERASE_BELOW = '\u001b[J'
/** Takes away everything from the cursor's line on. Erasing from the very first line makes tmux keep a copy, so that one goes by itself. */
const WIPE = `\r\u001b[2K\u001b[B${ERASE_BELOW}\u001b[A`
/** Terminals that know it show the frame at once; the others ignore it. */
const TOGETHER = ['\u001b[?2026h', '\u001b[?2026l'] as const
/** No cursor, and no line that runs over into the next. */
const ENTER = '\u001b[?25l\u001b[?7l'
const LEAVE = '\u001b[?7h\u001b[?25h'
/** Twelve frames a second at most. */
const REST_MS = 83
const TICK_MS = 250
/** So many ticks until everything is painted anew: what was typed over it goes away again. */
const HEAL_TICKS = 8
/** The last frame stands in the terminal's history and may be longer than its window. */
const LAST_ROWS = 60

/**
 * Paints the frames over each other on the normal screen. The cursor waits on the first line of the frame: after a change of size the
 * terminal still has it there, so that nothing above the frame is ever painted over.
 */
export function openScreen(io: Io, stream: Output, options: LiveOptions & Look & { readonly zone: number }): Live {
  let view = emptyView()
  let shown: readonly string[] = []
  let placed = false
  let open = true
  let aside = false
  let resting: NodeJS.Timeout | undefined
  let dirty = false
  let ticks = 0

  /** Pushes what stands above the cursor out of the way, into the terminal's own history, and goes to the top. */
  const place = (): string => {
    placed = true
    shown = []
    return `${WIPE}${'\n'.repeat(sizeOf(stream).rows - 1)}${HOME}`
  }
  const paint = (): void => {
    if (!open || aside) return
    const before = placed ? '' : `${ENTER}${place()}`
    const lines = frame(view, { ...sizeOf(stream), ...options, now: io.now() })
    const changed = lines.map((line, at) => (line === shown[at] ? '' : `\u001b[${at + 1};1H\u001b[2K${line}`)).join('')
    const rest = shown.length > lines.length ? `\u001b[${lines.length + 1};1H${ERASE_BELOW}` : ''
    shown = lines
    dirty = false
    if (before + changed + rest !== '') stream.write(`${TOGETHER[0]}${before}${changed}${rest}${HOME}${TOGETHER[1]}`)
    resting = setTimeout(rested, REST_MS)
    resting.unref()
  }
  const rested = (): void => {
    resting = undefined
    if (dirty) paint()
  }
  const soon = (): void => {
    dirty = true
    if (resting === undefined) paint()
  }
  const again = (): void => {
    placed = false
    soon()
  }
  /** Leaves the terminal as it was, with the cursor where the next text belongs. */
  const restore = (): void => {
    if (!placed) return
    placed = false
    stream.write(`${TOGETHER[1]}\u001b[${sizeOf(stream).rows};1H${LEAVE}\r\n`)
  }
  /** The same with the frame taken away. */
  const clear = (): void => {
    if (placed) stream.write(`${HOME}${WIPE}${LEAVE}`)
    placed = false
  }
  const stop = (): void => {
    restore()
    process.kill(process.pid, 'SIGSTOP')
  }
  const tick = setInterval(() => {
    ticks += 1
    if (ticks % HEAL_TICKS === 0) shown = []
    soon()
  }, TICK_MS)
  tick.unref()
  const listeners = [
    ['SIGWINCH', again],
    ['SIGTSTP', stop],
    ['SIGCONT', again],
    ['uncaughtExceptionMonitor', restore],
    ['exit', restore],
  ] as const
  for (const [event, listener] of listeners) process.on(event, listener)

  return {
    tell(event: LoopEvent): void {
      view = follow(view, event, io.now())
      if (event.type === 'warning' && open && !aside) {
        clear()
        stream.write(`${plainLine(event, options).join('\n')}\n`)
      }
      soon()
    },
    async aside(work) {
      aside = true
      clear()
      try {
        return await work()
      } finally {
        aside = false
        soon()
      }
    },
    close(): void {
      if (!open) return
      open = false
      clearInterval(tick)
      clearTimeout(resting)
      for (const [event, listener] of listeners) process.off(event, listener)
      clear()
      // What broke off has no last frame: whoever broke it off says why.
      if (view.doing.kind !== 'ended') return
      const { end } = view.doing
      const { columns } = sizeOf(stream)
      const last = frame(view, { ...options, columns, rows: LAST_ROWS, now: io.now() })
      const words = banner(end, view.state, { ...options, columns, exitCode: options.exitCode(end) })
      stream.write(`${last.join('\n')}\n\n${words}`)
    },
  }
}
