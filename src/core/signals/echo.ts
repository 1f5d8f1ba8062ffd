import { clean, type Line } from './lines.ts'

/** Distinguishes the agent's own text from text copied from its prompt. */
export interface Echo {
  /** The line and a neighbour are both in the prompt, next to each other: the prompt was printed. */
  readonly line: (index: number) => boolean
  /** Compares a single line, without its neighbours. */
  readonly singleLine: (text: string) => boolean
  /** Lines `from` to `to` are literally in the prompt, and aren't the answer the prompt requests. */
  readonly block: (from: number, to: number, place: BlockPlace) => boolean
}

interface BlockPlace {
  /** Whether the message ends with the block. */
  readonly closes: boolean
  /** Lines that belong to this or another block. */
  readonly blockLines: ReadonlySet<number>
}

const NEVER: Echo = { line: () => false, singleLine: () => false, block: () => false }

export function echoDetector(prompt: string | undefined, lines: readonly Line[]): Echo {
  if (prompt === undefined) return NEVER
  const told = clean(prompt).split('\n').map(normalize).filter(Boolean)
  const standing = new Set(told)
  const pairs = new Set(told.slice(1).map((line, index) => `${told[index]}\n${line}`))
  const whole = `\n${told.join('\n')}\n`

  const said = lines.flatMap(({ text, fence }, index) =>
    fence || normalize(text) === '' ? [] : [{ index, text: normalize(text) }],
  )
  const textAt = new Map(said.map(({ index, text }) => [index, text]))
  // A single line can be exactly the answer the prompt requests. It is an echo only next to other lines of the prompt.
  const echoed = new Set(
    said.flatMap(({ index, text }, order) => {
      const next = said[order + 1]
      return next && pairs.has(`${text}\n${next.text}`) ? [index, next.index] : []
    }),
  )
  const line = (index: number): boolean =>
    echoed.has(index) || (said.length === 1 && told.length === 1 && standing.has(textAt.get(index) ?? ''))
  // An agent told to end with a literal block writes its own text before it. An echo has text of the prompt around it.
  const isAnswer = (from: number, { closes, blockLines }: BlockPlace): boolean => {
    const before = said.findLast(({ index }) => index < from && !blockLines.has(index))
    return closes && before !== undefined && !standing.has(before.text)
  }
  const block = (from: number, to: number, where: BlockPlace): boolean => {
    const words = lines.slice(from, to + 1).flatMap((_line, offset) => textAt.get(from + offset) ?? [])
    const stands = words.length < 2 ? line(from) : whole.includes(`\n${words.join('\n')}\n`)
    return stands && !isAnswer(from, where)
  }
  return { line, block, singleLine: (text) => standing.has(normalize(clean(text))) }
}

/** The same words in the same order, ignoring punctuation, spaces and case. */
function normalize(text: string): string {
  return text
    .replace(/\\_/g, '_')
    .replace(/[*`~#>\s]+/g, ' ')
    .trim()
    .toLowerCase()
}
