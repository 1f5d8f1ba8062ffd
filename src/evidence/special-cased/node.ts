import type { Language } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { type Grammar, parse, type SyntaxTree } from '../syntax/parse.ts'

/** A node of a syntax tree, copied out of the parser so that it can be walked freely. */
export interface SyntaxNode {
  readonly type: string
  readonly field: string | undefined
  readonly named: boolean
  readonly text: string
  readonly start: number
  readonly line: number
  readonly lastLine: number
  readonly children: SyntaxNode[]
  readonly parent: SyntaxNode | undefined
}

const GRAMMARS: Readonly<Partial<Record<Language, readonly Grammar[]>>> = {
  javascript: ['tsx', 'typescript'],
  python: ['python'],
  go: ['go'],
  rust: ['rust'],
  java: ['java'],
  ruby: ['ruby'],
  php: ['php'],
}

/** Whether programs in this language can be examined. */
export const isReadable = (language: Language | undefined): language is Language =>
  language !== undefined && GRAMMARS[language] !== undefined

/** The root of a text's syntax tree, or undefined if the language or the text can't be read. */
export function readTree(text: string, language: Language): SyntaxNode | undefined {
  const source = language === 'rust' ? withoutMacros(text) : text
  for (const [at, grammar] of (GRAMMARS[language] ?? []).entries()) {
    const tree = parse(source, grammar)
    if (tree === undefined) return undefined
    try {
      if (!tree.rootNode.hasError || at === GRAMMARS[language]!.length - 1) return copyOf(tree, source)
    } finally {
      tree.delete()
    }
  }
  return undefined
}

/** The grammar doesn't read inside macros, so `assert_eq!(a, b)` becomes a call and `vec![a]` an array, at the same positions. */
const withoutMacros = (text: string) => text.replace(/\bvec!/g, '    ').replace(/\b(\w+)!(?=\s*\()/g, '$1_')

function copyOf(tree: SyntaxTree, text: string): SyntaxNode {
  const cursor = tree.walk()
  const enter = (parent: SyntaxNode | undefined): SyntaxNode => {
    const node: SyntaxNode = {
      type: cursor.nodeType,
      field: cursor.currentFieldName ?? undefined,
      named: cursor.nodeIsNamed,
      text: text.slice(cursor.startIndex, cursor.endIndex),
      start: cursor.startIndex,
      line: cursor.startPosition.row + 1,
      lastLine: cursor.endPosition.row + 1,
      children: [],
      parent,
    }
    parent?.children.push(node)
    return node
  }
  const root = enter(undefined)
  let current = root
  for (;;) {
    if (cursor.gotoFirstChild()) {
      current = enter(current)
      continue
    }
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) {
        cursor.delete()
        return root
      }
      current = current.parent ?? root
    }
    current = enter(current.parent)
  }
}

export const fieldOf = (node: SyntaxNode, ...names: readonly string[]): SyntaxNode | undefined =>
  node.children.find(({ field }) => field !== undefined && names.includes(field))

export const fieldsOf = (node: SyntaxNode, name: string): readonly SyntaxNode[] =>
  node.children.filter(({ field }) => field === name)

export const namedChildren = (node: SyntaxNode): readonly SyntaxNode[] =>
  node.children.filter(({ named, type }) => named && !type.includes('comment'))

/** Calls `visit` for the node and everything in it. `visit` returns false to leave out what is inside. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => unknown): void {
  const open = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (visit(next) === false) continue
    for (let i = next.children.length - 1; i >= 0; i--) open.push(next.children[i]!)
  }
}
