import { isInForeground } from '../../system/foreground.ts'
import { onSuspend } from '../../system/suspend.ts'
import type { Keyboard } from './terminal.ts'

/** One press of a key, or a text that was pasted. */
export type Key = { readonly name: Named } | { readonly name: 'char' | 'paste'; readonly text: string }

type Named =
  | ('up' | 'down' | 'left' | 'right' | 'page-up' | 'page-down' | 'first' | 'last' | 'tab' | 'back-tab')
  | ('enter' | 'escape' | 'backspace' | 'clear' | 'interrupt' | 'quit' | 'suspend' | 'end')

const CONTROLS: Readonly<Record<string, Named>> = {
  '\u0003': 'interrupt',
  '\u0004': 'end',
  '\u001a': 'suspend',
  '\u001c': 'quit',
  '\t': 'tab',
  '\r': 'enter',
  '\n': 'enter',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0015': 'clear',
}
/** The last character of a sequence. */
const FINALS: Readonly<Record<string, Named>> = {
  ...{ A: 'up', B: 'down', C: 'right', D: 'left', H: 'first', F: 'last', Z: 'back-tab' },
}
/** The number before a tilde. */
const NUMBERS: Readonly<Record<string, Named>> = {
  ...{ 1: 'first', 4: 'last', 5: 'page-up', 6: 'page-down', 7: 'first', 8: 'last' },
}
const PASTE = '\u001b[200~'
const PASTED = '\u001b[201~'
const MOST_PASTED = 65_536

const ENDS = ['end', 'close', 'error'] as const

/** The text after one more key, without control characters. */
export function edited(text: string, key: Key): string {
  if ('text' in key) return text + key.text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
  return key.name === 'backspace' ? [...text].slice(0, -1).join('') : key.name === 'clear' ? '' : text
}

const LATE_MS = 3000
/** Until when an Enter still belongs to the answer before it. */
const lateUntil = new WeakMap<Keyboard, number>()

function withoutLateEnter(keyboard: Keyboard, keys: readonly Key[]): readonly Key[] {
  const isLate = keys[0]?.name === 'enter' && performance.now() < (lateUntil.get(keyboard) ?? 0)
  if (keys.length > 0) lateUntil.delete(keyboard)
  return isLate ? keys.slice(1) : keys
}

interface RawKeyboard {
  /** `show` paints in raw mode, so that an early Ctrl+C arrives as a key. */
  start(show: () => void): void
  stop(): void
  /** A letter was an answer by itself. Many press Enter after it, which then means nothing. */
  answered(): void
}

/** The keyboard in raw mode, from `start` to `stop`. The terminal gets its mode back also when the process ends before. */
export function openRawKeyboard(
  keyboard: Keyboard,
  press: (keys: readonly Key[]) => void,
  gone: () => void,
  restored: () => void = () => {},
): RawKeyboard {
  const wasRaw = keyboard.isRaw === true
  const mayUse = (): boolean => keyboard !== process.stdin || isInForeground()
  const read = openKeys()
  const heard = (bytes: Uint8Array): void => {
    const keys = read(bytes)
    // In raw mode Ctrl+Z is a key. The whole job stops, as it does in the other modes.
    if (keys.some(({ name }) => name === 'suspend')) process.kill(0, 'SIGTSTP')
    if (keys.some(({ name }) => name === 'quit')) process.kill(process.pid, 'SIGQUIT')
    const others = keys.filter(({ name }) => name !== 'suspend' && name !== 'quit')
    press(withoutLateEnter(keyboard, others))
  }
  let over = false
  let forget = (): void => {}
  const restore = (): void => {
    if (over) return
    over = true
    try {
      keyboard.setRawMode?.(wasRaw)
    } catch {
      // A terminal that is gone has no mode to restore.
    }
    restored()
  }
  return {
    start(show) {
      // In the background the first use of the terminal would stop the whole run.
      if (!mayUse()) {
        gone()
        return
      }
      process.on('exit', restore)
      process.on('uncaughtExceptionMonitor', restore)
      for (const event of ENDS) keyboard.on(event, gone)
      keyboard.on('data', heard)
      try {
        keyboard.setRawMode?.(true)
        show()
        keyboard.resume()
        forget = onSuspend({
          stop: () => {
            keyboard.setRawMode?.(wasRaw)
            keyboard.pause()
            restored()
          },
          continue: () => {
            if (!mayUse()) return
            keyboard.resume()
            keyboard.setRawMode?.(true)
            show()
          },
        })
      } catch {
        gone()
      }
    },
    stop() {
      forget()
      restore()
      keyboard.off('data', heard)
      for (const event of ENDS) keyboard.off(event, gone)
      process.off('exit', restore)
      process.off('uncaughtExceptionMonitor', restore)
      keyboard.pause()
    },
    answered: () => void lateUntil.set(keyboard, performance.now() + LATE_MS),
  }
}

/** Reads bytes of a terminal in raw mode. What is cut in two between pieces is kept until the rest comes. */
export function openKeys(): (bytes: Uint8Array) => readonly Key[] {
  const decoder = new TextDecoder()
  let rest = ''
  return (bytes) => {
    rest += decoder.decode(bytes, { stream: true })
    const keys: Key[] = []
    while (rest !== '') {
      const read = readKey(rest)
      if (read === undefined) break
      if (read.key !== undefined) keys.push(read.key)
      rest = rest.slice(read.length)
    }
    return keys
  }
}

/** The first key of a text and how much of it that is; nothing when its end has not come yet. */
function readKey(text: string): { readonly key?: Key; readonly length: number } | undefined {
  const first = text[0] ?? ''
  if (text.startsWith(PASTE)) return readPaste(text)
  if (first === '\u001b') return readSequence(text)
  const control = CONTROLS[first]
  if (control !== undefined) return { key: { name: control }, length: 1 }
  const [typed] = /^[^\p{C}]\p{M}*/u.exec(text) ?? []
  return typed === undefined ? { length: 1 } : { key: { name: 'char', text: typed }, length: typed.length }
}

function readPaste(text: string): { readonly key?: Key; readonly length: number } | undefined {
  const end = text.indexOf(PASTED)
  if (end < 0 && text.length < MOST_PASTED) return undefined
  const pasted = text.slice(PASTE.length, end < 0 ? text.length : end)
  return { key: { name: 'paste', text: pasted }, length: end < 0 ? text.length : end + PASTED.length }
}

/** Escape alone is a key. Followed by a bracket it starts a longer sequence. */
function readSequence(text: string): { readonly key?: Key; readonly length: number } | undefined {
  const [sequence, number, final] = /^\u001b(?:\[([0-?]*)[ -/]*|O)([@-~])/.exec(text) ?? []
  if (sequence !== undefined && final !== undefined) {
    const name = final === '~' ? NUMBERS[number ?? ''] : FINALS[final]
    return name === undefined ? { length: sequence.length } : { key: { name }, length: sequence.length }
  }
  if (/^\u001b(?:\[[0-?]*[ -/]*|O)$/.test(text)) return text.length < 32 ? undefined : { length: text.length }
  return { key: { name: 'escape' }, length: 1 }
}
