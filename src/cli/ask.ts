import { count } from '../../packages/core/src/count.ts'
import { textWidth } from '../reports/live/line.ts'
import { awake } from '../system/awake-clock.ts'
import { type Key, openRawKeyboard } from './live/keyboard.ts'
import { sizeOf, type TerminalIo } from './live/terminal.ts'

/** How long a question at the terminal waits. You may be away. */
export const QUESTION_MS = 5 * 60_000
const SECOND = 1000

export interface AskOptions {
  /** What Enter means. */
  readonly usual: boolean
  readonly ms?: number
  readonly signal?: AbortSignal
}

/**
 * Asks a yes/no question, and shows how much time is left. Enter gives the usual answer. Ctrl+C or a closed terminal means: no answer.
 */
export function askYesNo(
  io: TerminalIo,
  question: string,
  { usual, ms = QUESTION_MS, signal }: AskOptions,
): Promise<boolean | undefined> {
  if (signal?.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const write = (text: string): unknown => io.stdout.write(text)
    const answer = (yes: boolean | undefined, why = ''): void => {
      keyboard.stop()
      countdown.stop()
      signal?.removeEventListener('abort', stopped)
      if (why !== '') repaint('')
      write(`${yes === undefined ? '' : yes ? 'yes' : 'no'}${why}\n`)
      resolve(yes)
    }
    const press = (keys: readonly Key[]): void => {
      const meant = keys.map((key) => meaning(key, usual)).find((each) => each !== 'nothing')
      if (meant === undefined) return
      if (keys.every(({ name }) => name !== 'enter')) keyboard.answered()
      answer(meant === 'none' ? undefined : meant === 'yes')
    }
    const stopped = (): void => answer(undefined)
    const choices = usual ? '[Y/n]' : '[y/N]'
    const lineOf = (left: string): string => `${choices} ${left === '' ? '' : `(no in ${left}) `}`
    const fits = textWidth(`${question} ${lineOf('59:59')}`) < sizeOf(io.stdout).columns
    // Only the last line can be painted again.
    const repaint = (left: string): void => {
      if (io.env.TERM !== 'dumb') write(`\r\u001b[2K${fits ? `${question} ` : ''}${lineOf(left)}`)
    }
    const countdown = openCountdown(ms, repaint, () => answer(false, ` (no answer within ${minutesOf(ms)})`))
    const keyboard = openRawKeyboard(io.stdin ?? process.stdin, press, () => answer(undefined))
    signal?.addEventListener('abort', stopped)
    keyboard.start(() => write(`${question}${fits ? ' ' : '\r\n'}${lineOf(countdown.left())}`))
  })
}

/** The answer that a key gives. */
function meaning(key: Key, usual: boolean): 'yes' | 'no' | 'none' | 'nothing' {
  if (key.name === 'interrupt' || key.name === 'end' || key.name === 'escape') return 'none'
  if (key.name === 'enter') return usual ? 'yes' : 'no'
  const letter = key.name === 'char' ? key.text.toLowerCase() : ''
  return letter === 'y' ? 'yes' : letter === 'n' ? 'no' : 'nothing'
}

/** `5 minutes`, `30 seconds`. */
export const minutesOf = (ms: number): string =>
  ms < 60 * SECOND ? count(Math.round(ms / SECOND), 'second') : count(Math.round(ms / (60 * SECOND)), 'minute')

interface Countdown {
  /** What is left, like `4:59`. */
  left(): string
  /** Starts again from the full time, because you are there. */
  again(): void
  stop(): void
}

/** Counts the time of a question, without the time asleep: `paint` gets what is left every second, `over` is called at the end. */
export function openCountdown(ms: number, paint: (left: string) => void, over: () => void): Countdown {
  let due = 0
  let stopClock = (): void => {}
  const tick = setInterval(() => paint(left()), SECOND)
  const stop = (): void => {
    stopClock()
    clearInterval(tick)
  }
  const again = (): void => {
    stopClock()
    due = awake.now() + ms
    stopClock = awake.after(ms, over)
  }
  const left = (): string => {
    const seconds = Math.max(0, Math.ceil((due - awake.now()) / SECOND))
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }
  again()
  return { left, again, stop }
}
