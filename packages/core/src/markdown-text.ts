/** A part of a Markdown text that may be shortened between its blocks. */
export interface Section {
  readonly before: readonly string[]
  /** Each is kept as a whole or not at all: a list item, a table row, a file with its diff. */
  readonly blocks: readonly string[]
  readonly after: readonly string[]
}

/** Folded on GitHub until the reader opens it. */
export const folded = (title: string, blocks: readonly string[], before: readonly string[] = []): Section => ({
  before: ['<details>', `<summary>${title}</summary>`, '', ...before],
  blocks,
  after: ['', '</details>', ''],
})

export const open = (title: string, blocks: readonly string[]): Section => ({
  before: [`### ${title}`, ''],
  blocks,
  after: [''],
})

const MORE_LENGTH = 100
/** So that no section leaves nothing for those after it. */
const MOST_OF_SECTION = 16_000

/** The sections in order, without those that are empty. What doesn't fit into `most` characters is counted instead. */
export function fitted(sections: readonly Section[], most: number): string {
  let text = ''
  for (const { before, blocks, after } of sections) {
    if (blocks.length === 0) continue
    const [head, tail] = [lines(before), lines(after)]
    let left = Math.min(most - text.length, MOST_OF_SECTION) - head.length - tail.length - MORE_LENGTH
    if (left < 0) continue
    const kept = blocks.findIndex((block) => {
      left -= block.length + 1
      return left < 0
    })
    const shown = kept < 0 ? blocks : blocks.slice(0, kept)
    const more = blocks.length - shown.length
    text += `${head}${lines(shown)}${more > 0 ? `\n${more} more left out here. \`exitgate report\` shows everything.\n` : ''}${tail}`
  }
  return text
}

const lines = (parts: readonly string[]): string => parts.map((part) => `${part}\n`).join('')

/** Lines of code in a fence that is longer than any in them. */
export function fenced(language: string, inside: readonly string[], indent = ''): string {
  const longest = Math.max(2, ...(inside.join('\n').match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...inside, fence].map((line) => indent + line).join('\n')
}

/** Our own sentences: what is in backticks becomes code, everything else is escaped. */
export const sentence = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .split(/(`[^`]+`)/)
    .map((part, at) => (at % 2 === 1 ? part : escaped(part)))
    .join('')

/** Text from outside, escaped so that none of it becomes a link, an image, a table, a heading or a mention. */
export function escaped(text: string, most = 1000): string {
  const kept = text.length <= most ? text : `${text.slice(0, most)}...`
  // A name or number after @ or # would notify or link; the joiner between them is invisible.
  return kept
    .replace(/\s+/g, ' ')
    .replace(/[@#](?=\w)/g, (mark) => `${mark}\u2060`)
    .replace(/[&<>`*_~[\]|\\$]|:(?=\/\/)|(?<=www)\.|^[-+=]|^\d+(?=[.)])/gi, (mark) =>
      [...mark].map((each) => `&#${each.charCodeAt(0)};`).join(''),
    )
}
