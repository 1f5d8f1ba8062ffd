import { markdownBlocks } from '../checks/markdown-blocks.ts'

const FOLDER = /(?:^|\/)(?:adrs?|decisions|architecture-decisions|architecture_decisions|architectural-decisions)\//i
/** `0001-use-postgres.md`, `adr-001-use-postgres.md`, `ADR-0001.md`, `2024-01-05-use-postgres.md`. */
const NAME = /(?:^|\/)(?:adr[-_ ]?)?\d{1,8}(?:[-_. ][^/]*)?\.(?:md|markdown|mdx)$/i
const TEMPLATE = /template|example/i

export const mayBeAdr = (path: string): boolean =>
  FOLDER.test(path) && NAME.test(path) && !TEMPLATE.test(path.slice(path.lastIndexOf('/')))

/** What an architecture decision record lacks, in words; empty when it is one. */
export function lackingInAdr(text: string): readonly string[] {
  const sections = sectionsOf(text)
  const said = (name: RegExp) => sections.some(({ title, filled }) => name.test(title) && filled)
  const status =
    /^(?:\s*[-*+]\s*)?(?:\*\*|__)?status(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*\S/im.test(text) || said(/^status\b/i)
  return [
    ...(status ? [] : ['a status']),
    ...(said(/^(?:context|problem)\b/i) ? [] : ['a context']),
    ...(said(/^decision(?! drivers)\b/i) ? [] : ['a decision']),
  ]
}

interface Section {
  readonly title: string
  /** Something stands under the heading, be it in a sub-section. */
  filled: boolean
  readonly level: number
}

function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = []
  let path: Section[] = []
  for (const block of markdownBlocks(text)) {
    if (block.kind === 'heading') {
      // "2. Decision" is as good as "Decision".
      const title = block.text.replace(/^[\d.\s*_]+/, '')
      path = [...path.filter(({ level }) => level < block.level), { title, filled: false, level: block.level }]
      sections.push(path.at(-1)!)
    } else for (const section of path) section.filled = true
  }
  return sections
}
