import { type ChangedFile, roleOf } from '../../../packages/exitgate/src/checks/sides.ts'
import { type Language, languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { addedLines } from '../../../packages/exitgate/src/tree/line-diff.ts'
import { fieldOf, isReadable, readTree, type SyntaxNode, walk } from '../special-cased/node.ts'
import { emptied, isFunction, type Mutation, mutationsIn, type Place } from './operators.ts'

/** A function with changed lines, and what can be changed in these lines. */
export interface ChangedFunction {
  readonly file: string
  readonly name: string
  readonly line: number
  readonly lastLine: number
  /** Its text, to tell it from a later version. */
  readonly text: string
  readonly mutations: readonly Mutation[]
}

export interface ChangedSource {
  readonly path: string
  readonly text: string
  readonly functions: readonly ChangedFunction[]
}

export interface ChangedSources {
  readonly sources: readonly ChangedSource[]
  /** Changed source in languages that can't be read, or without its earlier text. */
  readonly unread: readonly string[]
}

const LONGEST = 400_000
/** Programs without an extension that is known here may still be source. */
const OTHER_SOURCE =
  /\.(?:c|cc|cpp|cxx|h|hpp|m|mm|swift|scala|ex|exs|erl|hs|clj|dart|lua|jl|pl|sh|kt|kts|cs|vue|svelte)$/i

/** The functions that changed. Call it inside `withGrammars`. */
export function changedSources(changes: readonly ChangedFile[]): ChangedSources {
  const sources: ChangedSource[] = []
  const unread: string[] = []
  for (const change of changes) {
    const { path, wasThere, before, after } = change
    const role = roleOf(change)
    if (after === undefined || (role !== 'source' && role !== 'both')) continue
    const language = languageOf(path)
    if (!isReadable(language)) {
      if (language !== undefined || OTHER_SOURCE.test(path)) unread.push(path)
      continue
    }
    const functions =
      after.length > LONGEST || (wasThere && before === undefined)
        ? undefined
        : functionsIn(path, after, language, addedLines(before ?? '', after))
    if (functions === undefined) unread.push(path)
    else if (functions.length > 0) sources.push({ path, text: after, functions })
  }
  return { sources, unread }
}

function functionsIn(
  path: string,
  text: string,
  language: Language,
  added: ReadonlySet<number>,
): readonly ChangedFunction[] | undefined {
  try {
    const root = readTree(text, language)
    return root === undefined ? undefined : functionsOf(root, path, text, language, added)
  } catch (error) {
    // It nests too deeply.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function functionsOf(
  root: SyntaxNode,
  file: string,
  source: string,
  language: Language,
  added: ReadonlySet<number>,
): readonly ChangedFunction[] {
  const found: ChangedFunction[] = []
  walk(root, (node) => {
    if (isTestCode(node)) return false
    const body = isFunction(node) ? fieldOf(node, 'body') : undefined
    const name = body === undefined ? undefined : (nameOf(node) ?? (isInFunction(node) ? undefined : 'anonymous'))
    if (body === undefined || name === undefined) return true
    const isOwn = (each: SyntaxNode) => !(isFunction(each) && nameOf(each) !== undefined)
    const place: Place = { language, source, result: resultOf(node, language) }
    const inside = mutationsIn(body, place, isOwn).filter(({ line }) => added.has(line))
    const whole = isNew(body, added) && !isConstructor(name) ? emptied(body, place) : []
    const mutations = [...whole, ...inside]
    if (mutations.length > 0) {
      const text = source.slice(node.start, node.start + node.text.length)
      found.push({ file, name, line: node.line, lastLine: node.lastLine, text, mutations })
    }
    return true
  })
  return found
}

/** Whether the body has code, and every line of it is new. */
function isNew({ line, text }: SyntaxNode, added: ReadonlySet<number>): boolean {
  const lines = text.split('\n').flatMap((part, at) => (/[^\s{}()[\];,]/.test(part) ? [line + at] : []))
  return lines.length > 0 && lines.every((each) => added.has(each))
}

const isConstructor = (name: string): boolean => /^(?:constructor|initialize|__\w+(?:__)?|new)$/.test(name)

function nameOf(node: SyntaxNode): string | undefined {
  const { parent } = node
  const isAssigned = parent !== undefined && /variable_declarator|public_field|assignment|^pair$/.test(parent.type)
  const name = fieldOf(node, 'name') ?? (isAssigned ? fieldOf(parent, 'name', 'left', 'key', 'property') : undefined)
  return name?.text.match(/[\p{L}\p{N}_$?!]+$/u)?.[0]
}

function isInFunction({ parent }: SyntaxNode): boolean {
  for (let at = parent; at !== undefined; at = at.parent) if (isFunction(at)) return true
  return false
}

/** The declared result. In Java it is in front of the name. */
function resultOf(node: SyntaxNode, language: Language): string | undefined {
  const field = language === 'java' ? 'type' : language === 'go' ? 'result' : 'return_type'
  return fieldOf(node, field)
    ?.text.replace(/^\s*(?:->|:)\s*/, '')
    .trim()
}

/** Tests inside a source file. */
function isTestCode({ type, text, parent, field, ...node }: SyntaxNode): boolean {
  if (type === 'mod_item' || type === 'function_item') {
    const siblings = parent?.children ?? []
    for (let at = siblings.findIndex(({ start }) => start === node.start) - 1; at >= 0; at--) {
      const before = siblings[at]!
      if (before.type !== 'attribute_item' && !before.type.includes('comment')) break
      if (/\btest\b|\bbench\b|rstest|proptest/.test(before.text)) return true
    }
    return false
  }
  return type === 'if_statement' && /^if\s*\(\s*import\.meta\.vitest/.test(text)
}
