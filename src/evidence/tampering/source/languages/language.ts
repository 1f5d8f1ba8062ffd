import type { Grammar } from '../../../syntax/parse.ts'
import type { BlockKind } from '../tokens-and-blocks.ts'

/** What the nodes of a grammar mean. Each language with a grammar has one such description. */
export interface LanguageSyntax {
  /** Tried in this order, until one parses without errors. */
  readonly grammars: readonly Grammar[]
  /** Nodes that are one token of kind `string`, `regex` or `word`, whatever they contain. */
  readonly strings: ReadonlySet<string>
  readonly regexes?: ReadonlySet<string>
  readonly words?: ReadonlySet<string>
  /** The name that the language sees, where one can be written in several ways. */
  nameOf?(text: string): string
  readonly comments: ReadonlySet<string>
  /** Nodes that are not code: text around the code, preprocessor directives. */
  readonly skipped?: ReadonlySet<string>
  /** Annotations, attributes and decorators. They are not part of the head. */
  readonly annotations?: ReadonlySet<string>
  /**
   * The blocks of a node, by the field or type of the child that is the body. Use `*` for any other named child. With `@self`, the node
   * is its own body, and its first word is the head.
   */
  readonly blocks: Readonly<Record<string, Readonly<Record<string, BlockKind>>>>
  /** Kinds of brace pairs that are not in `blocks`. The rest is `other`. */
  readonly braces?: Readonly<Record<string, BlockKind>>
  /** Nodes with statements that have no brackets around them. */
  readonly sequences?: ReadonlySet<string>
  /** Nodes that end the block before them: `rescue` ends the body it belongs to. */
  readonly parts?: ReadonlySet<string>
  /** Nodes whose content the grammar doesn't read. Words such as `fn` and `if` before a brace show what it is. */
  readonly opaque?: ReadonlySet<string>
}

export const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

/** The same blocks for several nodes. */
export const each = (
  list: string,
  blocks: Readonly<Record<string, BlockKind>>,
): Readonly<Record<string, Readonly<Record<string, BlockKind>>>> =>
  Object.fromEntries(list.split(' ').map((type) => [type, blocks]))
