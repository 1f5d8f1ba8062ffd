import { EventEmitter } from 'node:events'

/**
 * A minimal terminal. It supports only the escape sequences that the screen uses, so an unknown one fails the test. Lines that
 * scroll out at the top go to `history`.
 */
export class TerminalDouble {
  readonly isTTY = true
  history: string[] = []
  lines: string[] = []
  cursorShown = true
  wraps = true
  pasting = false
  writes = 0
  private row = 0
  private column = 0

  constructor(
    public columns: number,
    public rows: number,
  ) {
    this.lines = Array.from({ length: rows }, () => '')
  }

  /** Everything you can scroll through, without empty lines at the end. */
  get text(): string {
    return [...this.history, ...this.lines]
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()
  }

  get window(): string {
    return this.lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()
  }

  write(text: string): boolean {
    this.writes += 1
    for (let at = 0; at < text.length; ) {
      const [sequence, parameters = '', final = ''] = /^\u001b\[([?0-9;]*)([A-Za-z])/.exec(text.slice(at)) ?? []
      if (sequence !== undefined) {
        this.obey(parameters, final)
        at += sequence.length
        continue
      }
      this.print(text[at] ?? '')
      at += 1
    }
    return true
  }

  /** Changes the size. A taller window shows lines from the history again, above the cursor. */
  resize(columns: number, rows: number): void {
    while (rows > this.lines.length) {
      const back = this.history.pop()
      if (back === undefined) this.lines.push('')
      else {
        this.lines.unshift(back)
        this.row += 1
      }
    }
    // Rows below the cursor are dropped first.
    while (rows < this.lines.length) {
      if (this.row < this.lines.length - 1) this.lines.pop()
      else {
        this.history.push(this.lines.shift() ?? '')
        this.row -= 1
      }
    }
    this.columns = columns
    this.rows = rows
  }

  private obey(parameters: string, final: string): void {
    const numbers = parameters.split(';').map(Number)
    const first = numbers[0] || 1
    if (final === 'm') return
    if (final === 'H') [this.row, this.column] = [Math.min(this.rows, first) - 1, (numbers[1] || 1) - 1]
    else if (final === 'A') this.row = Math.max(0, this.row - first)
    else if (final === 'B') this.row = Math.min(this.rows - 1, this.row + first)
    else if (final === 'K' && parameters === '2') this.lines[this.row] = ''
    else if (final === 'J' && parameters === '') this.eraseBelow()
    else if (parameters.startsWith('?') && 'hl'.includes(final)) this.mode(parameters, final === 'h')
    else throw new Error(`an unknown sequence: ESC [ ${parameters}${final}`)
  }

  private mode(parameters: string, on: boolean): void {
    if (parameters === '?25') this.cursorShown = on
    else if (parameters === '?7') this.wraps = on
    else if (parameters === '?2004') this.pasting = on
    else if (parameters !== '?2026') throw new Error(`an unknown mode: ${parameters}`)
  }

  private eraseBelow(): void {
    this.lines[this.row] = (this.lines[this.row] ?? '').slice(0, this.column)
    for (let row = this.row + 1; row < this.rows; row++) this.lines[row] = ''
  }

  private print(char: string): void {
    if (char === '\r') this.column = 0
    else if (char === '\n') {
      // In a terminal's usual mode, a line feed also returns to the first column.
      this.column = 0
      if (this.row < this.rows - 1) this.row += 1
      else {
        this.history.push(this.lines.shift() ?? '')
        this.lines.push('')
      }
    } else if (char < ' ') throw new Error(`a control character: ${JSON.stringify(char)}`)
    else {
      const line = (this.lines[this.row] ?? '').padEnd(this.column)
      this.lines[this.row] = line.slice(0, this.column) + char + line.slice(this.column + 1)
      this.column += 1
    }
  }
}

/** A keyboard that types what the test says. */
export class KeyboardDouble extends EventEmitter {
  isTTY = true
  isRaw = false
  flowing = false
  setRawMode(raw: boolean): void {
    this.isRaw = raw
  }
  resume(): void {
    this.flowing = true
  }
  pause(): void {
    this.flowing = false
  }
  type(text: string): void {
    this.emit('data', Buffer.from(text))
  }
}
