import { runsFrame, runsInWindow } from '../../reports/runs/frame.ts'
import type { Runs } from '../../watch/runs.ts'
import { usesColor } from '../io.ts'
import { type Key, openKeys } from '../live/keyboard.ts'
import { type Keyboard, openPainter, showsUnicode, type sizeOf, type TerminalIo } from '../live/terminal.ts'

const ENDS = ['end', 'close', 'error'] as const

/** The list of runs in the terminal, until somebody presses q, Escape or Ctrl+C, or the terminal is gone. */
export function showRuns(runs: Runs, io: TerminalIo, noColor: boolean | undefined, stop: AbortSignal): Promise<void> {
  const keyboard: Keyboard = io.stdin ?? process.stdin
  const look = { color: usesColor(io.stdout, io.env, noColor), unicode: showsUnicode(io) }
  let from = 0
  const painter = openPainter(io.stdout, (size) => {
    const rows = runs.rows()
    from = within(from, rows.length, size)
    return runsFrame(rows, { ...size, ...look, now: io.now(), from })
  })
  return new Promise((resolve) => {
    const wasRaw = keyboard.isRaw === true
    const read = openKeys()
    const unlisten = runs.listen(() => painter.soon())
    const leave = (): void => {
      unlisten()
      painter.close()
      keyboard.off('data', heard)
      for (const event of ENDS) keyboard.off(event, leave)
      stop.removeEventListener('abort', leave)
      raw(wasRaw)
      keyboard.pause()
      resolve()
    }
    const raw = (on: boolean): void => {
      try {
        keyboard.setRawMode?.(on)
      } catch {
        // A terminal that is gone has no mode to restore.
      }
    }
    const heard = (bytes: Uint8Array): void => {
      for (const key of read(bytes)) {
        if (leaves(key)) {
          leave()
          return
        }
        if (key.name === 'up') from -= 1
        if (key.name === 'down') from += 1
      }
      painter.soon()
    }
    keyboard.on('data', heard)
    for (const event of ENDS) keyboard.on(event, leave)
    stop.addEventListener('abort', leave)
    raw(true)
    keyboard.resume()
    painter.soon()
  })
}

const leaves = (key: Key): boolean =>
  key.name === 'interrupt' || key.name === 'end' || key.name === 'escape' || (key.name === 'char' && key.text === 'q')

/** Not above the first run, and not so far down that the window stays empty. */
const within = (from: number, count: number, size: ReturnType<typeof sizeOf>): number =>
  Math.max(0, Math.min(from, count - runsInWindow(size)))
