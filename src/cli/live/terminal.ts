import { isInBackground } from '../../system/foreground.ts'
import { onSuspend } from '../../system/suspend.ts'
import type { Io } from '../io.ts'

const HOME = '\u001b[H'
const ERASE_BELOW = '\u001b[J'
/** Takes away everything from the cursor's line on. Erasing from the very first line makes tmux keep a copy, so that one goes by itself. */
const WIPE = `\r\u001b[2K\u001b[B${ERASE_BELOW}\u001b[A`
/** Terminals that know it show the frame at once; the others ignore it. */
const TOGETHER = ['\u001b[?2026h', '\u001b[?2026l'] as const
/** No cursor, and no line that runs over into the next. */
const ENTER = '\u001b[?25l\u001b[?7l'
const LEAVE = '\u001b[?7h\u001b[?25h'
/** Eight frames a second at most. Your keys don't wait. */
const REST_MS = 125
const TICK_MS = 250
/** Ticks until a full repaint, which removes anything typed over the frame. */
const HEAL_TICKS = 8
/** Elsewhere than on Linux it takes a process to find out whose the terminal is. */
const AWAY_TICKS = process.platform === 'linux' ? 1 : 8

export interface Painter {
  /** Paints when it is time for it. */
  soon(): void
  /** Paints without waiting. */
  now(): void
  /** Removes the frame. The next one is painted in full. */
  clear(): void
  /** Stops painting until it is released. */
  hold(held: boolean): void
  /** Takes the frame away for good. More than once is once. */
  close(): boolean
}

interface PainterOptions {
  /** Another job has the terminal, so frames would be painted over it. */
  isAway?(): boolean
  /** The terminal belongs to this job again. */
  back?(): void
}

/** Frames of a real process wait while another job of the shell has the terminal. */
export const awayOf = ({ pid }: Io): (() => boolean) => (pid === undefined ? () => false : isInBackground)

/**
 * Paints frames over each other on the normal screen. The cursor stays on the first line of the frame, also after a resize. So nothing
 * above the frame is ever overwritten.
 */
export function openPainter(
  stream: Output,
  frame: (size: { readonly columns: number; readonly rows: number }) => readonly string[],
  { isAway = () => false, back = () => {} }: PainterOptions = {},
): Painter {
  let shown: readonly string[] = []
  let placed = false
  /** The cursor is hidden. After a resize it stays so while nothing is placed. */
  let entered = false
  let open = true
  let held = false
  let away = isAway()
  let resting: NodeJS.Timeout | undefined
  let dirty = false
  let ticks = 0

  /** Scrolls what is above the cursor into the terminal's history, and moves to the top. */
  const place = (): string => {
    placed = true
    entered = true
    shown = []
    return `${WIPE}${'\n'.repeat(sizeOf(stream).rows - 1)}${HOME}`
  }
  const paint = (): void => {
    if (!open || held || away) return
    const before = placed ? '' : `${ENTER}${place()}`
    const lines = frame(sizeOf(stream))
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
  const now = (): void => {
    clearTimeout(resting)
    resting = undefined
    soon()
  }
  const look = (): void => {
    const wasAway = away
    away = isAway()
    if (wasAway && !away) back()
  }
  const again = (): void => {
    placed = false
    look()
    soon()
  }
  const leave = (text: string): void => {
    if (placed) stream.write(text)
    else if (entered) stream.write(LEAVE)
    placed = false
    entered = false
  }
  /** Leaves the terminal as it was, with the cursor where the next text belongs. */
  const restore = (): void => leave(`${TOGETHER[1]}\u001b[${sizeOf(stream).rows};1H${LEAVE}\r\n`)
  /** The same with the frame taken away. */
  const clear = (): void => leave(`${HOME}${WIPE}${LEAVE}`)
  const tick = setInterval(() => {
    ticks += 1
    if (ticks % HEAL_TICKS === 0) shown = []
    // Bash continues a job that it takes for running without a signal.
    if (away && ticks % AWAY_TICKS === 0) look()
    soon()
  }, TICK_MS)
  tick.unref()
  const listeners = [
    ['SIGWINCH', again],
    ['uncaughtExceptionMonitor', restore],
    ['exit', restore],
  ] as const
  for (const [event, listener] of listeners) process.on(event, listener)
  const forget = onSuspend({
    stop: () => {
      restore()
      // Timers run before it is known who has the terminal.
      away = true
    },
    continue: again,
  })

  return {
    soon,
    now,
    clear,
    hold(now) {
      held = now
    },
    close() {
      if (!open) return false
      open = false
      clearInterval(tick)
      clearTimeout(resting)
      for (const [event, listener] of listeners) process.off(event, listener)
      forget()
      clear()
      return true
    },
  }
}

/** A stream that may be a terminal. Tests pass their own. */
export type Output = Io['stdout'] & { readonly rows?: number | undefined }

/** The keyboard: what of `process.stdin` is used here. */
export interface Keyboard {
  readonly isTTY?: boolean | undefined
  readonly isRaw?: boolean | undefined
  setRawMode?(raw: boolean): unknown
  on(event: 'data' | 'end' | 'close' | 'error', listener: (chunk: Uint8Array) => void): unknown
  off(event: 'data' | 'end' | 'close' | 'error', listener: (chunk: Uint8Array) => void): unknown
  resume(): unknown
  pause(): unknown
}

export type TerminalIo = Io & { readonly stdin?: Keyboard }

/** Its size now. A terminal that does not know it is taken for a small one. */
export function sizeOf(stream: Output): { readonly columns: number; readonly rows: number } {
  return { columns: stream.columns || 80, rows: stream.rows || (stream.isTTY ? process.stdout.rows : 0) || 24 }
}

/** Whether it shows more than ASCII: the first of the three that is set decides, as everywhere. */
export function showsUnicode({ env, platform }: Pick<Io, 'env' | 'platform'>): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  if (locale) return /utf-?8/i.test(locale)
  return platform === 'darwin' || env.WT_SESSION !== undefined
}
