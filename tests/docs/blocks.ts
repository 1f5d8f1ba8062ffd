import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { root } from '../source-tree.ts'

/** One code block of a page. What stands behind its language says how it is held to its word. */
export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  /** The words of the info string behind the language: `run`, `same`, `exit=10`, `output`, `file=PLAN.md` ... */
  readonly words: readonly string[]
  /** Why it is not run, when it says so. */
  readonly notRun?: string
  readonly text: string
  /** Where the block stands in the page, fences and all. */
  readonly from: number
  readonly to: number
}

/** The README and every page of the guide. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
]

/** The pages that run an agent most often. */
export const LONG_PAGES: readonly [readonly string[], readonly string[]] = [
  ['README.md', 'docs/getting-started.md'],
  ['docs/claims.md', 'docs/loop.md', 'docs/recipes.md'],
]

export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

const NOT_RUN = /^not-run:\s*(.*)$/

/** Read as Markdown is read, so that neither an indented block nor one within a list is overlooked. */
export function blocksOf(page: string): readonly Block[] {
  const found: Block[] = []
  visit(fromMarkdown(textOf(page)))
  return found

  function visit(node: ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number]): void {
    if (node.type === 'code') {
      const meta = node.meta?.trim() ?? ''
      const notRun = NOT_RUN.exec(meta)?.[1]
      found.push({
        page,
        line: node.position?.start.line ?? 0,
        language: node.lang ?? '',
        words: notRun === undefined ? meta.split(/\s+/).filter(Boolean) : [],
        ...(notRun === undefined ? {} : { notRun }),
        text: node.value,
        from: node.position?.start.offset ?? 0,
        to: node.position?.end.offset ?? 0,
      })
    }
    if ('children' in node) for (const child of node.children) visit(child as typeof node)
  }
}

/** `exit=10` -> `10`. */
export function said({ words }: Block, name: string): string | undefined {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
}

export const has = ({ words }: Block, word: string): boolean => words.includes(word)
export const nameOf = ({ page, line, language, words }: Block): string =>
  `${page}:${line} ${[language, ...words].join(' ')}`
