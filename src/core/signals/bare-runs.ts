import type { Block, Source } from './dialect.ts'
import { fieldOf, listItemText, readFields } from './fields.ts'

/**
 * Finds runs of known fields without a header. Blank lines between fields are allowed. Keys must be upper case and not indented
 * like code. The `lead` field makes a run a block, and a second one starts a new block.
 */
export function headerlessBlocks(dialect: string, lead: string, known: ReadonlySet<string>, source: Source): Block[] {
  const blocks: Block[] = []
  let run: number[] = []
  let keys = new Set<string>()
  let openList = false
  const close = () => {
    const [at] = run
    if (at !== undefined) {
      const fields = readFields(run.flatMap((index) => source.lines[index] ?? []))
      blocks.push({ dialect, at, end: run.at(-1) ?? at, fields, complete: keys.has(lead) })
    }
    run = []
    keys = new Set()
    openList = false
  }
  for (const [index, line] of source.lines.entries()) {
    if (line.blank && !source.usedLines.has(index)) continue
    // In a fence, `#` starts a comment, not a heading.
    const comment = line.kind === 'fenced' && /^\s*#/.test(line.text)
    const skipped = source.usedLines.has(index) || line.indent >= 4 || line.fence || comment
    const field = skipped ? undefined : fieldOf(line.text)
    if (field && known.has(field.key) && !isSentence(field.key, field.value)) {
      const last = run.at(-1)
      if (keys.has(field.key) || (last !== undefined && source.lines[last]?.kind !== line.kind)) close()
      keys.add(field.key)
      run.push(index)
      openList = field.value === ''
    } else if (openList && listItemText(line.text) !== undefined) run.push(index)
    // Agents mix formats, so a field of another dialect doesn't end the run.
    else if (field && /^[A-Z]+(?:_[A-Z]+)+$/.test(field.key)) openList = false
    else close()
  }
  close()
  return blocks
}

const WORD_FIELDS = new Set(['EXIT_STATUS', 'EXIT_SIGNAL', 'EXIT_OVERRIDE', 'STATUS', 'PHASE_COMPLETE'])

/** `EXIT_STATUS: COMPLETE is what I would print` is a sentence about the field, not the field. */
function isSentence(key: string, value: string): boolean {
  if (!WORD_FIELDS.has(key)) return false
  const head = value.split(/\s+(?:#|\/\/|--?|–|—)\s|\s*[(,;<{[|]/)[0] ?? ''
  return head.split(/\s+/).length > 3
}
