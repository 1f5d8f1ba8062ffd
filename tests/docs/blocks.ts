import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { root } from '../source-tree.ts'

/** One code block of a page. Its info string says how it is tested. */
export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  /** The info string after the language: `run`, `same`, `exit=10`, `output`, `file=PLAN.md` ... */
  readonly options: readonly string[]
  /** The reason, if the block says `not-run: reason`. */
  readonly notRun?: string
  readonly text: string
  /** The offsets of the block in the page, including its fences. */
  readonly from: number
  readonly to: number
}

const markdownIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`)

/** Pages about the project itself: measurements, decisions, generated lists. Their links are checked, nothing else. */
export const INTERNAL_PAGES: readonly string[] = markdownIn('docs/internal')

/** The README and every page for users. */
export const PAGES: readonly string[] = ['README.md', ...markdownIn('docs').filter((page) => dirname(page) === 'docs')]

/** The pages that run an agent most often. Pages with the same runs are together, because these run once. */
export const LONG_PAGES: readonly [readonly string[], readonly string[]] = [
  ['README.md', 'docs/getting-started.md', 'docs/migration.md', 'docs/permissions.md'],
  ['docs/claims.md', 'docs/loop.md', 'docs/recipes.md'],
]

export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

const NOT_RUN = /^not-run:\s*(.*)$/

/** Parsed as Markdown, so that indented blocks and blocks in lists are found too. */
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
        options: notRun === undefined ? meta.split(/\s+/).filter(Boolean) : [],
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
export function optionValue({ options }: Block, name: string): string | undefined {
  return options.find((option) => option.startsWith(`${name}=`))?.slice(name.length + 1)
}

export const has = ({ options }: Block, option: string): boolean => options.includes(option)
export const nameOf = ({ page, line, language, options }: Block): string =>
  `${page}:${line} ${[language, ...options].join(' ')}`
