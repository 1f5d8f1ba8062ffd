import type { Block, Source } from './dialect.ts'
import { fieldOf, itemOf, readTree } from './fields.ts'

/**
 * Runs of known fields that stand by themselves, blank lines between them allowed. Keys must be written in capitals and
 * must not be indented like code; `lead` names the field that makes a run a block, and its return begins a new one.
 */
export function bareRuns(dialect: string, lead: string, known: ReadonlySet<string>, source: Source): Block[] {
  const blocks: Block[] = []
  let run: number[] = []
  let keys = new Set<string>()
  let openList = false
  const close = () => {
    const at = run[0]
    const end = run.at(-1)
    if (at !== undefined && end !== undefined) {
      const fields = readTree(run.flatMap((index) => source.lines[index] ?? []))
      blocks.push({ dialect, at, end, fields, complete: keys.has(lead) })
    }
    run = []
    keys = new Set()
    openList = false
  }
  for (const [index, line] of source.lines.entries()) {
    if (line.blank && !source.taken.has(index)) continue
    // In a fence a `#` is the comment of a script, not a heading.
    const comment = line.standing === 'fenced' && /^\s*#/.test(line.text)
    const skipped = source.taken.has(index) || line.indent >= 4 || line.fence || comment
    const field = skipped ? undefined : fieldOf(line.text)
    if (field && known.has(field.key) && !isSentence(field.key, field.value)) {
      const last = run.at(-1)
      if (keys.has(field.key) || (last !== undefined && source.lines[last]?.standing !== line.standing)) close()
      keys.add(field.key)
      run.push(index)
      openList = field.value === ''
    } else if (openList && run.length > 0 && itemOf(line.text) !== undefined) run.push(index)
    // Agents mix their formats: a field of another dialect in between does not end the run.
    else if (field && /^[A-Z]+(?:_[A-Z]+)+$/.test(field.key)) openList = false
    else close()
  }
  close()
  return blocks
}

const WORDS = new Set(['EXIT_STATUS', 'EXIT_SIGNAL', 'EXIT_OVERRIDE', 'STATUS', 'PHASE_COMPLETE'])

/** `EXIT_STATUS: COMPLETE is what I would print` talks about the line; it is not one. */
function isSentence(key: string, value: string): boolean {
  if (!WORDS.has(key)) return false
  const head = value.split(/\s+(?:#|\/\/|--?|–|—)\s|\s*[(,;<{[|]/)[0] ?? ''
  return head.split(/\s+/).length > 3
}
