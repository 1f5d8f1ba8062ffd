import type { ChangedFile } from '../../../packages/exitgate/src/checks/sides.ts'
import type { PutFile } from '../../../packages/exitgate/src/checks/trees.ts'
import type { EmptiedSource } from '../../../packages/exitgate/src/checks/without.ts'
import { type Language, languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { type Grammar, parse } from '../syntax/parse.ts'

/** How functions look in a language, and what remains of one that does nothing. */
interface Hollowing {
  readonly grammars: readonly Grammar[]
  /** Nodes with a field `body`. */
  readonly functions: readonly string[]
  /** Left as they are: without them no object could be made. */
  readonly constructors: RegExp
  readonly block: string
  /** Instead of a body that is a single expression. */
  readonly expression?: string
}

/** In a language whose compiler refuses a function that returns nothing, it panics. */
const HOLLOWING: Partial<Record<Language, Hollowing>> = {
  javascript: {
    grammars: ['tsx', 'typescript'],
    functions: [
      'function_declaration',
      'function_expression',
      'arrow_function',
      'method_definition',
      'generator_function',
      'generator_function_declaration',
    ],
    constructors: /^constructor$/,
    block: '{}',
    expression: 'undefined',
  },
  python: {
    grammars: ['python'],
    functions: ['function_definition'],
    constructors: /^__\w+__$/,
    block: 'return None',
  },
  ruby: { grammars: ['ruby'], functions: ['method', 'singleton_method'], constructors: /^initialize$/, block: 'nil' },
  rust: {
    grammars: ['rust'],
    functions: ['function_item'],
    constructors: /^(?:main|new|default|drop)$/,
    block: '{ panic!("emptied") }',
  },
  php: {
    grammars: ['php'],
    functions: ['function_definition', 'method_declaration'],
    constructors: /^__construct$/,
    block: '{}',
  },
}

/**
 * The changed source with its new and changed functions emptied. A test that can't be loaded without the changes can be loaded with
 * this, and shows whether it looks at what the functions do.
 */
export function hollowed(changes: readonly ChangedFile[], reverted: readonly PutFile[]): EmptiedSource | undefined {
  const files: PutFile[] = []
  const names = new Set<string>()
  for (const { path } of reverted) {
    const { before = '', after } = changes.find((change) => change.path === path) ?? {}
    const how = HOLLOWING[languageOf(path) ?? 'go']
    if (after === undefined) files.push({ path })
    else if (how === undefined) return undefined
    else {
      const known = new Set(functionsIn(before, how)?.map(({ text }) => text))
      const fresh = functionsIn(after, how)?.filter(({ text }) => !known.has(text))
      if (fresh === undefined) return undefined
      files.push({ path, text: emptied(after, fresh) })
      for (const { name } of fresh) names.add(name)
    }
  }
  return names.size === 0 ? undefined : { files, names }
}

interface FoundFunction {
  readonly name: string
  /** The whole function, to tell a changed one from an old one. */
  readonly text: string
  readonly start: number
  readonly end: number
  readonly instead: string
}

/** The named functions of a text, outermost ones only. Undefined if it can't be read. */
function functionsIn(text: string, how: Hollowing): readonly FoundFunction[] | undefined {
  for (const grammar of how.grammars) {
    const tree = parse(text, grammar)
    if (tree === undefined) continue
    try {
      if (tree.rootNode.hasError) continue
      const found: FoundFunction[] = []
      const nodes = tree.rootNode.descendantsOfType([...how.functions])
      for (const node of nodes) {
        const body = node?.childForFieldName('body')
        if (!node || !body || found.some(({ start, end }) => start <= body.startIndex && body.endIndex <= end)) continue
        const name = nameOf(node.childForFieldName('name') ?? named(node))
        // A function without a name is an argument: emptying it would leave callers waiting.
        if (name === undefined || how.constructors.test(name) || isRustTest(node)) continue
        const isBlock = how.expression === undefined || body.type === 'statement_block'
        const instead = isBlock ? how.block : how.expression!
        found.push({ name, text: node.text, start: body.startIndex, end: body.endIndex, instead })
      }
      return found
    } finally {
      tree.delete()
    }
  }
  return undefined
}

/** It has the attribute of a test, or is in a module that only tests have. */
function isRustTest(node: Node): boolean {
  for (let each: Node | null = node; each !== null; each = each.parent)
    for (let at = each.previousNamedSibling; at?.type === 'attribute_item'; at = at.previousNamedSibling)
      if (/\btest\b|rstest|proptest/.test(at.text)) return true
  return false
}

type Node = NonNullable<ReturnType<NonNullable<ReturnType<typeof parse>>['rootNode']['childForFieldName']>>

const nameOf = (node: Node | null | undefined): string | undefined => node?.text.match(/[\p{L}\p{N}_$]+$/u)?.[0]

/** `const NAME = () => ...`, `exports.NAME = function`, `{ NAME: () => ... }`, `export default () => ...` */
function named({ parent }: Node): Node | null | undefined {
  switch (parent?.type) {
    case 'variable_declarator':
      return parent.childForFieldName('name')
    case 'assignment_expression':
      return parent.childForFieldName('left')
    case 'pair':
      return parent.childForFieldName('key')
    case 'export_statement':
      return parent.child(1)
    default:
      return undefined
  }
}

function emptied(text: string, functions: readonly FoundFunction[]): string {
  const backwards = [...functions].sort((one, other) => other.start - one.start)
  return backwards.reduce((now, { start, end, instead }) => now.slice(0, start) + instead + now.slice(end), text)
}
