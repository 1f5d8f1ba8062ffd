import { clean, type Line } from './lines.ts'

/** Tells the agent's own words from those of the prompt it was given. */
export interface Echo {
  /** The line and one beside it stand together in the prompt: somebody printed the prompt back. */
  readonly line: (index: number) => boolean
  /** A line by itself, without neighbours to compare. */
  readonly loose: (text: string) => boolean
  /** Lines `from` to `to` stand in the prompt word for word, and are not the answer that the prompt asks for. */
  readonly block: (from: number, to: number, place: Place) => boolean
}

interface Place {
  /** The message ends with the block. */
  readonly closes: boolean
  /** Lines that belong to a block, this one or another. */
  readonly held: ReadonlySet<number>
}

const NEVER: Echo = { line: () => false, loose: () => false, block: () => false }

export function echoOf(prompt: string | undefined, lines: readonly Line[]): Echo {
  if (prompt === undefined || prompt.trim() === '') return NEVER
  const told = clean(prompt).split('\n').map(alike).filter(Boolean)
  const standing = new Set(told)
  const pairs = new Set(told.slice(1).map((line, index) => `${told[index]}\n${line}`))
  const whole = `\n${told.join('\n')}\n`

  const said = lines.flatMap(({ text, fence }, index) =>
    fence || alike(text) === '' ? [] : [{ index, text: alike(text) }],
  )
  const place = new Map(said.map(({ index }, order) => [index, order]))
  const together = (first: number, second: number) => pairs.has(`${said[first]?.text}\n${said[second]?.text}`)

  const line = (index: number): boolean => {
    const order = place.get(index)
    if (order === undefined || !standing.has(said[order]?.text ?? '')) return false
    // One line alone can be the very answer the prompt asked for: it is an echo only in the prompt's company.
    return together(order - 1, order) || together(order, order + 1) || (said.length === 1 && told.length === 1)
  }
  // Whoever is told to close with a block to the letter does so behind words of their own; an echo brings the prompt's words with it.
  const isAnswer = (from: number, { closes, held }: Place): boolean => {
    const before = said.findLast(({ index }) => index < from && !held.has(index))
    return closes && before !== undefined && !standing.has(before.text)
  }
  const block = (from: number, to: number, where: Place): boolean => {
    const words: string[] = []
    for (let index = from; index <= to; index += 1) {
      const order = place.get(index)
      if (order !== undefined) words.push(said[order]?.text ?? '')
    }
    const stands = words.length < 2 ? line(from) : whole.includes(`\n${words.join('\n')}\n`)
    return stands && !isAnswer(from, where)
  }
  return { line, block, loose: (text) => standing.has(alike(clean(text))) }
}

/** The same words in the same order, whatever the marks, blanks and case. */
function alike(text: string): string {
  return text
    .replace(/\\_/g, '_')
    .replace(/[*`~#>\s]+/g, ' ')
    .trim()
    .toLowerCase()
}
