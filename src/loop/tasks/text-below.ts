import { type ChecklistItem, MOST_DETAIL } from '../../evidence/checks/checklist.ts'

const MOST_LINES = 200
/** What begins something of its own; any other line that follows at once is still the item's own sentence. */
const BEGINS = /^\s*(?:$|[-*+>|#`~]|\d{1,9}[.)]\s)/

/** What stands below an item of a Markdown text, further in than the item itself: its details, without their margin. */
export function textBelow(markdown: string): (item: ChecklistItem) => string {
  const lines = markdown.split(/\r\n|\n|\r/)
  return ({ line, file }) => {
    const first = lines[line - 1]
    if (file !== undefined || first === undefined) return ''
    const margin = marginOf(first)
    const below: string[] = []
    let length = 0
    for (const text of lines.slice(line, line + MOST_LINES)) {
      if (text.trim() !== '' && marginOf(text) <= margin) break
      if (below.length === 0 && !BEGINS.test(text)) continue
      below.push(text.slice(0, MOST_DETAIL))
      length += text.length
      if (length > MOST_DETAIL) break
    }
    const inner = Math.min(...below.filter((text) => text.trim() !== '').map(marginOf))
    return below
      .map((text) => text.replaceAll('\t', '    ').slice(Number.isFinite(inner) ? inner : 0))
      .join('\n')
      .trim()
  }
}

/** Columns before the text; a tab is four of them. */
function marginOf(line: string): number {
  let columns = 0
  for (const char of line.slice(0, MOST_DETAIL)) {
    if (char === ' ') columns += 1
    else if (char === '\t') columns += 4
    else break
  }
  return columns
}
