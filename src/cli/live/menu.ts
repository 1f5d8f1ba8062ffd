import { writerNamed } from '../../compat/index.ts'
import type { Decided, State } from '../../core/journal/events.ts'
import type { BreakerChoice } from '../../core/run.ts'
import { asciiOnly, clean } from '../../reports/live/clean.ts'
import { cutLine, headOf, type Line, type Look, marksOf, paintLine, span, textWidth } from '../../reports/live/line.ts'
import { minutesOf, openCountdown, QUESTION_MS } from '../ask.ts'
import { usesColor } from '../io.ts'
import { edited, type Key, openRawKeyboard } from './keyboard.ts'
import { type Keyboard, showsUnicode, sizeOf, type TerminalIo } from './terminal.ts'

interface Choice {
  readonly kind: BreakerChoice['kind']
  readonly letter: string
  readonly text: string
}

/** Your choices, in the order of the menu. */
const CHOICES: readonly Choice[] = [
  { kind: 'reset', letter: 'r', text: 'close the circuit breaker and continue' },
  { kind: 'skip', letter: 's', text: 'skip this task or phase and continue' },
  { kind: 'abort', letter: 'a', text: 'end the run' },
  { kind: 'modify', letter: 'm', text: 'give the agent guidance and continue' },
  { kind: 'continue', letter: 'c', text: 'try once more' },
]

interface MenuStyle extends Look {
  readonly columns: number
}

const MOST_MISSING = 5

/** Why the menu is shown; printed once above it. */
function menuHead(state: State, verdict: Decided | undefined, style: MenuStyle): readonly string[] {
  const { breaker } = state.counters
  const reason = clean(breaker.reason ?? verdict?.reason ?? 'no progress')
  const missing = (verdict?.missing ?? []).slice(0, MOST_MISSING)
  const lines: readonly Line[] = [
    [span('circuit breaker open', 'red'), span(` after iteration ${state.iterations}: ${reason}`)],
    ...missing.map((each): Line => [span(`${marksOf(style).bullet} `, 'yellow'), span(clean(each))]),
    [],
  ]
  return lines.map((line) => paintLine(cutLine(line, style.columns, style), style))
}

/** The choices with a mark at the current one. The number of lines never changes, so they can be redrawn. */
function menuLines(chosen: number, left: string, style: MenuStyle): readonly string[] {
  const lines = CHOICES.map(({ kind, letter, text }, at): Line => {
    const here = at === chosen
    const mark = here ? span('> ', 'cyan') : span('  ')
    return [mark, span(letter, 'bold'), span(`  ${kind.padEnd(10)}`, here ? 'cyan' : undefined), span(text, 'dim')]
  })
  const foot: readonly Line[] = [
    [span('Press a letter, or use arrows and Enter. Ctrl+C aborts.', 'dim')],
    [span(`Without an answer, the run ends in ${left}.`, 'dim')],
  ]
  return [...lines, ...foot].map((line) => paintLine(cutLine(line, style.columns, style), style))
}

const PASTE_ON = '\u001b[?2004h'
const PASTE_OFF = '\u001b[?2004l'
const SETTLE_MS = 300
const MINUTE = 60_000
const AUDIT = 'chosen at the terminal when the breaker opened'

/** Whether it can ask you: input and output are a terminal. */
export function canAsk(io: TerminalIo): boolean {
  // The keyboard last, because Node loads much for it.
  return io.stdout.isTTY === true && io.env.TERM !== 'dumb' && keyboardOf(io).isTTY === true
}

export const keyboardOf = (io: TerminalIo): Keyboard => io.stdin ?? process.stdin

/** Asks what is to be done about an open breaker. Ctrl+C, a closed terminal, a signal to stop and no answer in time all mean: abort. */
export function askMenu(
  io: TerminalIo,
  state: State,
  verdict: Decided | undefined,
  signal?: AbortSignal,
): Promise<BreakerChoice> {
  const abort = (reason: string): BreakerChoice => ({ kind: 'abort', reason })
  if (!canAsk(io)) return Promise.resolve(abort('there is no terminal to ask in'))
  if (signal?.aborted) return Promise.resolve(abort('interrupted'))
  return new Promise((resolve) => {
    const ms = (state.config?.run.questionMinutes ?? QUESTION_MS / MINUTE) * MINUTE
    const countdown = openCountdown(
      ms,
      () => menu.tick(),
      () => answer({ kind: 'abort', reason: `no answer within ${minutesOf(ms)}`, unanswered: true }),
    )
    const menu = openMenu(io, state, verdict, countdown.left, () => keyboard.answered())
    let fresh = false
    const answer = (choice: BreakerChoice): void => {
      keyboard.stop()
      countdown.stop()
      clearTimeout(settled)
      signal?.removeEventListener('abort', stopped)
      resolve(choice)
    }
    const press = (keys: readonly Key[]): void => {
      for (const key of keys) {
        if (!fresh && key.name !== 'interrupt') continue
        countdown.again()
        const choice = menu.press(key)
        if (choice === undefined) continue
        answer(choice)
        return
      }
    }
    const gone = (): void => answer(abort('the terminal was closed'))
    const stopped = (): void => answer(abort('interrupted'))
    // Keys pressed before there was a menu to see are still on their way, and mean nothing here.
    const settled = setTimeout(() => {
      fresh = true
    }, SETTLE_MS)
    const keyboard = openRawKeyboard(keyboardOf(io), press, gone, () => io.stdout.write(`${PASTE_OFF}\r\n`))
    signal?.addEventListener('abort', stopped)
    keyboard.start(menu.paint)
  })
}

/** The menu itself: which choice is marked, and the line in which guidance is written. */
function openMenu(
  io: TerminalIo,
  state: State,
  verdict: Decided | undefined,
  left: () => string,
  answered: () => void,
) {
  const columns = (): number => sizeOf(io.stdout).columns
  const look = { color: usesColor(io.stdout, io.env, false), unicode: showsUnicode(io) }
  const style = () => ({ ...look, columns: columns() })
  let chosen = 0
  let guidance: string | undefined

  const choices = (): string => menuLines(chosen, left(), style()).join('\r\n')
  const repaint = (): void => {
    io.stdout.write(`\r\u001b[${CHOICES.length + 1}A\u001b[J${choices()}`)
  }
  const prompt = (): void => {
    // The end of a long text is what one is writing at.
    const room = Math.max(1, columns() - 13)
    let text = guidance ?? ''
    while (textWidth(text) > room) text = text.slice(Math.max(1, headOf(text, 8).length))
    io.stdout.write(`\r\u001b[2Kguidance: ${look.unicode ? clean(text) : asciiOnly(clean(text))}`)
  }
  const choose = (kind: BreakerChoice['kind']): BreakerChoice | undefined => {
    if (kind !== 'modify') return { kind, reason: AUDIT }
    guidance = ''
    io.stdout.write('\r\n')
    prompt()
    return undefined
  }
  const pressMenu = (key: Key): BreakerChoice | undefined => {
    if (key.name === 'enter') return choose(CHOICES[chosen]?.kind ?? 'abort')
    if (key.name === 'char') {
      const found = CHOICES.find(({ letter }) => letter === key.text.toLowerCase())
      if (found !== undefined) answered()
      return found === undefined ? undefined : choose(found.kind)
    }
    if (key.name !== 'up' && key.name !== 'down') return undefined
    chosen = (chosen + (key.name === 'up' ? CHOICES.length - 1 : 1)) % CHOICES.length
    repaint()
    return undefined
  }
  const pressText = (key: Key, text: string): BreakerChoice | undefined => {
    const done = clean(text).trim()
    if (key.name === 'enter' && done !== '') return { kind: 'modify', reason: AUDIT, guidance: done }
    if (key.name === 'enter' || key.name === 'escape') {
      guidance = undefined
      io.stdout.write('\r\u001b[2K\u001b[A')
      repaint()
      return undefined
    }
    guidance = edited(text, key)
    prompt()
    return undefined
  }
  return {
    paint(): void {
      const head = knownHead(io, state, verdict)
      const lines =
        head === undefined
          ? menuHead(state, verdict, style())
          : head.map((line) => (look.unicode ? clean(line) : asciiOnly(clean(line))))
      io.stdout.write(`${PASTE_ON}${lines.join('\r\n')}\r\n${choices()}`)
    },
    /** A second has passed. While guidance is written, the line belongs to it. */
    tick(): void {
      if (guidance === undefined) repaint()
    },
    press(key: Key): BreakerChoice | undefined {
      if (key.name === 'interrupt' || key.name === 'end') return { kind: 'abort', reason: 'Ctrl+C in the menu' }
      return guidance === undefined ? pressMenu(key) : pressText(key, guidance)
    },
  }
}

/** What users of the older system know, with the values as they are now; nothing for the others. */
function knownHead(io: TerminalIo, state: State, verdict: Decided | undefined): readonly string[] | undefined {
  const { config, previous } = state
  if (config === undefined || previous === undefined || verdict === undefined) return undefined
  const known = { config, state, observation: previous, transitions: [], at: io.now(), read: () => undefined }
  return writerNamed(config.preset)
    .breakerOpen?.({ ...known, verdict: { ...verdict, trace: [] } })
    .split('\n')
}
