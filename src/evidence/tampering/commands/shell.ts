/** One command of a script: its words, where it stands, and whether its failure is lost. */
export interface Command {
  readonly text: string
  readonly words: readonly string[]
  readonly line: number
  /** Why nobody hears of its failure. */
  readonly masked?: string
}

interface Piece {
  words: string[]
  text: string
  line: number
  /** What stands between this command and the next. */
  end: string
}

/** Always succeeds, so that what stands before `||` never fails. */
const SUCCEEDS = /^(?:true|:|\/bin\/true|\/usr\/bin\/true|echo|printf|exit|return)$/

/** Who runs the commands: a line at a time, stopping at the first failure; or as a whole, where the last one decides. */
export type Caller = 'line' | 'strict' | 'script'

/** Commands of a shell script, a package script or a recipe. Quoting is respected; nothing is expanded. */
export function shellCommands(script: string, firstLine = 1, caller: Caller = 'line'): Command[] {
  const pieces = piecesOf(script, firstLine)
  const pipefail = /\bset -[a-z]*o pipefail|\bset -o pipefail|-eo pipefail|-euo pipefail/.test(script)
  let careless = false
  const strict = caller === 'strict' || /(?:^|\n|;|&&)\s*set -[a-z]*e|^#!.*\s-[a-z]*e\b/.test(script)
  return pieces.flatMap((piece, i): Command[] => {
    if (piece.words[0] === 'set') {
      if (piece.words.some((word) => /^\+[a-z]*e/.test(word))) careless = true
      else if (piece.words.some((word) => /^-[a-z]*e/.test(word))) careless = false
    }
    const masked = maskOf(pieces, i, {
      pipefail,
      careless: careless && !laterExits(pieces, i),
      strict,
      script: caller === 'script',
    })
    return [{ text: piece.text, words: piece.words, line: piece.line, ...(masked !== undefined && { masked }) }]
  })
}

/** `set +e; cmd; status=$?; …; exit $status` keeps the code. */
const laterExits = (pieces: readonly Piece[], from: number) =>
  pieces.slice(from).some(({ text }) => /exit ["']?\$|exit [1-9]|return ["']?\$|\[ *["']?\$/.test(text))

interface Mood {
  readonly pipefail: boolean
  readonly careless: boolean
  readonly strict: boolean
  readonly script: boolean
}

function maskOf(pieces: readonly Piece[], i: number, { pipefail, careless, strict, script }: Mood): string | undefined {
  const piece = pieces[i]!
  if (piece.words[0] === '!') return 'its result is turned over'
  let at = i
  while (pieces[at]!.end === '&&' || pieces[at]!.end === '|') {
    if (pieces[at]!.end === '|' && !pipefail)
      return `its output goes to ${pieces[at + 1]?.words[0] ?? 'a pipe'}, which decides the result`
    if (at + 1 >= pieces.length) break
    at++
  }
  const next = pieces[at + 1]
  const end = pieces[at]!.end
  if (end === '||' && next && succeeds(next) && !failsLater(pieces, at + 1)) return `|| ${next.text} hides its failure`
  if (end === '&') return 'it runs in the background'
  if (careless) return 'set +e ignores its failure'
  const last = pieces.at(-1)!
  // Without -e the last command of a list decides.
  if (
    (end === ';' || (script && end === '\n')) &&
    !strict &&
    last !== pieces[at] &&
    succeeds(last) &&
    !pieces.slice(at + 1).some(({ text }) => /exit ["']?\$|\$\?/.test(text))
  )
    return `${last.text} comes after it and decides the result`
  return undefined
}

function succeeds({ words }: Piece): boolean {
  const name = words[0]?.replace(/^\(/, '') ?? ''
  if (!SUCCEEDS.test(name)) return false
  const code = words[1]?.replace(/\)$/, '')
  return name === 'exit' || name === 'return' ? (code === undefined ? false : code === '0') : true
}

/** `|| (echo failed; exit 1)` does fail. */
const failsLater = (pieces: readonly Piece[], from: number) => {
  for (let i = from; i < pieces.length; i++) {
    if (/^\(?(?:exit|return|false)\b/.test(pieces[i]!.text) && !/\b0\)?$/.test(pieces[i]!.text)) return true
    if (pieces[i]!.end === '\n') return false
  }
  return false
}

function piecesOf(script: string, firstLine: number): Piece[] {
  const pieces: Piece[] = []
  let words: string[] = []
  let word = ''
  let started = false
  let line = firstLine
  let begin = firstLine
  let from = 0
  const endWord = () => {
    if (started) words.push(word)
    word = ''
    started = false
  }
  const endPiece = (end: string, to: number) => {
    endWord()
    if (words.length > 0)
      pieces.push({
        words,
        text: script
          .slice(from, to)
          .replace(/\\\r?\n/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
        line: begin,
        end,
      })
    // A separator on its own changes how the command before it ends: `cmd` newline is weaker than `cmd &&`.
    else if (pieces.length > 0 && end !== '\n' && pieces.at(-1)!.end === '\n') pieces.at(-1)!.end = end
    words = []
    begin = line
  }
  for (let i = 0; i < script.length; i++) {
    const char = script[i]!
    if (char === '\n') {
      if (script[i - 1] === '\\') {
        line++
        continue
      }
      endPiece('\n', i)
      line++
      begin = line
      from = i + 1
    } else if (char === '\\') {
      if (script[i + 1] !== '\n' && script[i + 1] !== '\r') {
        word += script[i + 1] ?? ''
        started = true
        i++
      }
    } else if (char === '"' || char === "'") {
      const close = closing(script, i)
      if (!started) begin = words.length === 0 ? line : begin
      word += script.slice(i + 1, close)
      started = true
      line += script.slice(i, close).split('\n').length - 1
      i = close
    } else if (char === '#' && !started && (i === 0 || /\s/.test(script[i - 1]!))) {
      while (i + 1 < script.length && script[i + 1] !== '\n') i++
    } else if (char === '&' && script[i + 1] === '&') {
      endPiece('&&', i)
      from = ++i + 1
    } else if (char === '|' && script[i + 1] === '|') {
      endPiece('||', i)
      from = ++i + 1
    } else if (char === '|' || char === ';' || (char === '&' && script[i - 1] !== '>' && script[i + 1] !== '>')) {
      endPiece(char, i)
      from = i + 1
    } else if (/\s/.test(char)) {
      endWord()
    } else {
      if (!started && words.length === 0) begin = line
      word += char
      started = true
    }
  }
  endPiece('\n', script.length)
  return pieces
}

function closing(script: string, open: number): number {
  const quote = script[open]!
  for (let i = open + 1; i < script.length; i++) {
    if (script[i] === '\\' && quote === '"') i++
    else if (script[i] === quote) return i
  }
  return script.length
}
