import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type * as TreeSitter from '@vscode/tree-sitter-wasm'

export type SyntaxTree = TreeSitter.Tree
export type TreeCursor = TreeSitter.TreeCursor

/** The grammars that are used, each a file `tree-sitter-NAME.wasm` of the package. */
export type Grammar = 'tsx' | 'typescript' | 'python' | 'go' | 'rust' | 'java' | 'c-sharp' | 'ruby' | 'php'

interface Runtime {
  readonly module: typeof TreeSitter
  readonly folder: string
  readonly parsers: Map<Grammar, TreeSitter.Parser>
}

let starting: Promise<Runtime> | undefined
let runtime: Runtime | undefined
/** Texts on which the runtime broke down. */
const unreadable = new Set<string>()

/** Thrown by `parse` when a grammar is not in memory; `withGrammars` loads it and starts the work again. */
class GrammarMissing extends Error {
  readonly grammar: Grammar
  constructor(grammar: Grammar) {
    super(`the grammar ${grammar} is not loaded; call loadGrammars or withGrammars first`)
    this.grammar = grammar
  }
}

/** Reads grammars into memory, once for the whole process. */
export async function loadGrammars(grammars: Iterable<Grammar>): Promise<void> {
  starting ??= start()
  const { module, folder, parsers } = await starting
  for (const grammar of grammars) {
    if (parsers.has(grammar)) continue
    const language = await module.Language.load(readFileSync(join(folder, `tree-sitter-${grammar}.wasm`)))
    const parser = new module.Parser()
    parser.setLanguage(language)
    parsers.set(grammar, parser)
  }
  runtime = await starting
}

/** Takes the package that this program was installed with, never one of the folder that is being checked. */
async function start(): Promise<Runtime> {
  const fromHere = createRequire(import.meta.url)
  const path = fromHere.resolve('@vscode/tree-sitter-wasm')
  // A runtime that broke down is of no more use; what was loaded of it before would be handed out again.
  delete fromHere.cache[path]
  const module = fromHere(path) as typeof TreeSitter
  const folder = dirname(path)
  await module.Parser.init({ locateFile: (file: string) => join(folder, file) })
  return { module, folder, parsers: new Map() }
}

/** Runs synchronous work that parses; whenever it lacks a grammar, the grammar is loaded and the work starts again. */
export async function withGrammars<T>(work: () => T): Promise<T> {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof GrammarMissing)) throw error
      await loadGrammars([error.grammar])
    }
  }
}

/** Brackets in brackets: more than this is no program, and the runtime breaks down at some thousands. */
const DEEPEST = 1000
/** A line this long is data, not a program that is worth the steps of one. */
const LONG_LINE = 20_000
/** A last resort: no real file comes near it. */
const LONGEST_MS = 15_000

/**
 * The syntax tree of a text; the caller deletes it. Parts that do not fit the grammar are ERROR nodes in it. Undefined for a
 * text that takes more work than real files do: the work is counted in steps of the parser.
 */
export function parse(text: string, grammar: Grammar): SyntaxTree | undefined {
  const parser = runtime?.parsers.get(grammar)
  if (parser === undefined) throw new GrammarMissing(grammar)
  const { deepest, longest } = shapeOf(text)
  if (unreadable.has(text) || deepest > DEEPEST) return undefined
  // Real files take at most 15 steps for 1,000 characters; among errors a step can take a hundred times as long.
  let steps = longest > LONG_LINE ? 100 + (text.length - longest) / 20 : 500 + text.length / 20
  const started = performance.now()
  const stop = () => --steps < 0 || performance.now() - started > LONGEST_MS
  try {
    // The declared type of the callback says void, but the runtime stops when it gives true.
    const tree = parser.parse(text, null, { progressCallback: stop as () => void })
    if (tree === null) parser.reset()
    return tree ?? undefined
  } catch (error) {
    if (!(error instanceof Error && error.constructor.name === 'RuntimeError')) throw error
    unreadable.add(text)
    starting = undefined
    runtime = undefined
    throw new GrammarMissing(grammar)
  }
}

function shapeOf(text: string): { readonly deepest: number; readonly longest: number } {
  let [depth, deepest, longest, lineStart] = [0, 0, 0, 0]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 10) {
      longest = Math.max(longest, i - lineStart)
      lineStart = i + 1
    } else if (code === 40 || code === 91 || code === 123) deepest = Math.max(deepest, ++depth)
    else if ((code === 41 || code === 93 || code === 125) && depth > 0) depth--
  }
  return { deepest, longest: Math.max(longest, text.length - lineStart) }
}
