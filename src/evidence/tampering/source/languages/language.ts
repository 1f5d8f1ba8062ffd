import type { Grammar } from '../../../syntax/parse.ts'
import type { BlockKind } from '../tokens-and-blocks.ts'

/** Which nodes of a grammar mean what. A language that is read by its syntax tree is one such description. */
export interface LanguageSyntax {
  /** Tried in this order; the first that fits without an error is taken. */
  readonly grammars: readonly Grammar[]
  /** Nodes that are one token of kind `string`, `regex` or `word`, whatever is inside them. */
  readonly strings: ReadonlySet<string>
  readonly regexes?: ReadonlySet<string>
  readonly words?: ReadonlySet<string>
  readonly comments: ReadonlySet<string>
  /** Nodes that are no code: text around the code, directives of a preprocessor. */
  readonly skipped?: ReadonlySet<string>
  /** Annotations, attributes and decorators before a declaration: no part of its head. */
  readonly annotations?: ReadonlySet<string>
  /**
   * The blocks of a node by the field, or the type, of the child that is the body. `*` is any other named child; `@self` means
   * that the node is its own body and its first word the head.
   */
  readonly blocks: Readonly<Record<string, Readonly<Record<string, BlockKind>>>>
  /** Kinds of the brace pairs that no entry of `blocks` speaks of; others are `other`. */
  readonly braces?: Readonly<Record<string, BlockKind>>
  /** Nodes that hold statements without brackets around them. */
  readonly sequences?: ReadonlySet<string>
  /** Nodes that end the block before them: `rescue` ends the body that it belongs to. */
  readonly parts?: ReadonlySet<string>
  /** Nodes whose inside the grammar does not read; there words such as `fn` and `if` before a brace say what it is. */
  readonly opaque?: ReadonlySet<string>
}

export const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

/** The same blocks for several nodes. */
export const each = (
  list: string,
  blocks: Readonly<Record<string, BlockKind>>,
): Readonly<Record<string, Readonly<Record<string, BlockKind>>>> =>
  Object.fromEntries(list.split(' ').map((type) => [type, blocks]))
