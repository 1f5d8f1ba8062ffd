import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item'
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item'
import { readChecklist } from '../../src/evidence/checks/checklist.ts'

interface Node {
  readonly type: string
  readonly checked?: boolean | null
  readonly children?: readonly Node[]
  readonly position?: { readonly start: { readonly line: number } } | undefined
}

/** Boxes in the order of the document, as `x3` (ticked, line 3) and `o4` (open, line 4). */
export function boxesByMdast(markdown: string): string {
  const options = { extensions: [gfmTaskListItem()], mdastExtensions: [gfmTaskListItemFromMarkdown()] }
  const found: string[] = []
  const visit = (node: Node): void => {
    if (node.type === 'listItem' && typeof node.checked === 'boolean') {
      found.push(`${node.checked ? 'x' : 'o'}${node.children?.[0]?.position?.start.line}`)
    }
    node.children?.forEach(visit)
  }
  visit(fromMarkdown(markdown, options) as Node)
  return found.join(' ')
}

export const boxesByUs = (markdown: string): string =>
  readChecklist(markdown)
    .items.map((item) => `${item.done ? 'x' : 'o'}${item.line}`)
    .join(' ')
