import { BLOCK_LIMIT, type Block, withoutMarkup } from './dialect.ts'
import { fieldOf, listItemText, readFields } from './fields.ts'
import type { Line } from './lines.ts'

/** Blocks between `---NAME---` and `---END_NAME---`, each alone on its line. A shortened end mark counts too. */
export function markedBlocks(dialect: string, name: string, lines: readonly Line[]): Block[] {
  if (!lines.some(({ text }) => text.includes(name))) return []
  const start = new RegExp(`^-{2,}\\s*${name}\\s*-{2,}$`)
  const end = new RegExp(`^-{2,}\\s*END(?:_${name}|_STATUS|_BLOCK)?\\s*-{2,}$`)
  const blocks: Block[] = []
  let at: number | undefined
  const close = (endMark?: number) => {
    if (at === undefined) return
    const last = endMark ?? lastField(lines, at)
    const fields = readFields(lines.slice(at + 1, last + 1).filter(isText))
    blocks.push({ dialect, at, end: last, fields, complete: endMark !== undefined })
    at = undefined
  }
  for (const [index, line] of lines.entries()) {
    if (at !== undefined && index - at > BLOCK_LIMIT) close()
    if (!line.text.includes(name) && !line.text.includes('END')) continue
    const text = withoutMarkup(line.text)
    if (end.test(text)) close(index)
    else if (start.test(text)) {
      close()
      at = index
    }
  }
  close()
  return blocks
}

const isText = (line: Line): boolean => !line.fence && !/^\s*-{2,}/.test(line.text)

/** A truncated block ends with its last field before the first other line. */
function lastField(lines: readonly Line[], at: number): number {
  let last = at
  for (const [offset, line] of lines.slice(at + 1, at + BLOCK_LIMIT + 1).entries()) {
    if (line.blank) continue
    if (line.fence || (!fieldOf(line.text) && listItemText(line.text) === undefined)) break
    last = at + 1 + offset
  }
  return last
}
