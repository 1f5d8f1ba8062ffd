/** One simple command of a line: its words without quotes, and what stands behind it. */
export interface Step {
  readonly words: readonly string[]
  readonly next: '' | ';' | '&&' | '||' | '|' | '&'
}

const OPERATORS = ['&&', '||', ';;', '|&', ';', '|', '&', '\n'] as const
const NAMES: Readonly<Record<string, Step['next']>> = { '\n': ';', ';;': ';', '|&': '|' }

/** Where what opens here (a quote, a substitution) ends. */
function closing(line: string, at: number): number {
  const open = line[at]!
  if (open === "'") return end(line.indexOf("'", at + 1), line)
  if (open === '`') return end(line.indexOf('`', at + 1), line)
  let depth = 0
  for (let i = at; i < line.length; i += 1) {
    const char = line[i]!
    if (char === '\\') i += 1
    else if (open === '"' && char === '"' && i > at) return i
    else if (open === '(' && char === '(') depth += 1
    else if (open === '(' && char === ')' && --depth === 0) return i
    else if (open === '(' && (char === '"' || char === "'") && i > at) i = closing(line, i)
  }
  return line.length
}
const end = (found: number, line: string) => (found < 0 ? line.length : found)

/** A line of shell as far as it must be understood: which commands run, and whose exit code counts. Never throws. */
export function readShellLine(line: string): readonly Step[] {
  const steps: Step[] = []
  let words: string[] = []
  let word: string | undefined
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endStep = (next: Step['next']) => {
    endWord()
    if (words.length > 0) steps.push({ words, next })
    else if (next !== '' && next !== ';' && steps.length > 0) steps.push({ ...steps.pop()!, next })
    words = []
  }
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at]!
    if (char === '\\') {
      at += 1
      if (line[at] !== '\n') word = (word ?? '') + (line[at] ?? '')
    } else if (char === "'" || char === '"') {
      const close = closing(line, at)
      const inner = line.slice(at + 1, close)
      word = (word ?? '') + (char === '"' ? inner.replace(/\\(["\\$`])/g, '$1') : inner)
      at = close
    } else if (char === '`' || (char === '$' && line[at + 1] === '(')) {
      const close = closing(line, char === '`' ? at : at + 1)
      word = (word ?? '') + line.slice(at, close + 1)
      at = close
    } else if (char === '#' && word === undefined) at = end(line.indexOf('\n', at), line) - 1
    else if (/[ \t\r]/.test(char)) endWord()
    else if ((char === '&' && line[at + 1] === '>') || (char === '&' && /[<>]$/.test(line.slice(0, at)))) {
      word = (word ?? '') + char
    } else {
      const operator = OPERATORS.find((each) => line.startsWith(each, at))
      if (operator !== undefined) {
        endStep(NAMES[operator] ?? (operator as Step['next']))
        at += operator.length - 1
      } else if (char === ')' || (char === '(' && word === undefined)) endStep(char === '(' ? '' : ';')
      else if ((char === '{' || char === '}') && word === undefined && /^(?:\s|;|$)/.test(line.slice(at + 1))) endWord()
      else word = (word ?? '') + char
    }
  }
  endStep('')
  return steps
}

/** `NAME=value` in front of a command. */
export const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*=/.test(word)
