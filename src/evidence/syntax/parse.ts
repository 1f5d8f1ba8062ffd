import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type * as TreeSitter from '@vscode/tree-sitter-wasm'

export type SyntaxTree = TreeSitter.Tree
export type TreeCursor = TreeSitter.TreeCursor

/** The grammars in use, each a file `tree-sitter-NAME.wasm` in the package. */
export type Grammar = 'tsx' | 'typescript' | 'python' | 'go' | 'rust' | 'java' | 'c-sharp' | 'ruby' | 'php'

interface Runtime {
  readonly module: typeof TreeSitter
  readonly folder: string
  readonly parsers: Map<Grammar, TreeSitter.Parser>
}

let starting: Promise<Runtime> | undefined
let runtime: Runtime | undefined
/** Texts that crashed the runtime. */
const unreadable = new Set<string>()

/** Thrown by `parse` if a grammar is not loaded. `withGrammars` loads it and repeats the work. */
class GrammarMissing extends Error {
  readonly grammar: Grammar
  constructor(grammar: Grammar) {
    super(`grammar ${grammar} is not loaded; call loadGrammars or withGrammars first`)
    this.grammar = grammar
  }
}

/** Loads grammars, once per process. Nothing is loaded for an empty list: many projects have no test file with a grammar. */
export async function loadGrammars(grammars: Iterable<Grammar>): Promise<void> {
  const missing = [...new Set(grammars)].filter((grammar) => !runtime?.parsers.has(grammar))
  if (missing.length === 0) return
  starting ??= start()
  const { module, folder, parsers } = await starting
  for (const grammar of missing) {
    if (parsers.has(grammar)) continue
    const language = await module.Language.load(readFileSync(join(folder, `tree-sitter-${grammar}.wasm`)))
    const parser = new module.Parser()
    parser.setLanguage(language)
    parsers.set(grammar, parser)
  }
  runtime = await starting
}

/**
 * How much a function of the parser runs before V8 optimises it. With V8's own limit, a test of 2 KB was enough for that, and optimising
 * took longer than everything else about it. With this one, only large files reach it.
 */
const OPTIMISE_AFTER = 2_000_000_000

/** Loads the package installed with exitgate, never one from the checked folder. */
async function start(): Promise<Runtime> {
  const fromHere = createRequire(import.meta.url)
  const path = fromHere.resolve('@vscode/tree-sitter-wasm')
  // A crashed runtime can't be used again, so it must not come from the cache.
  delete fromHere.cache[path]
  const module = fromHere(path) as typeof TreeSitter
  const folder = dirname(path)
  setFlagsFromString(`--wasm-tiering-budget=${OPTIMISE_AFTER}`)
  await module.Parser.init({ locateFile: (file: string) => join(folder, file) })
  return { module, folder, parsers: new Map() }
}

/** Runs synchronous work that parses. If a grammar is missing, loads it and repeats the work. */
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

/** No real program nests brackets deeper, and a few thousand levels crash the runtime. */
const DEEPEST = 1000
/** A line this long is data and gets fewer steps. */
const LONG_LINE = 20_000
/** A last resort: no real file takes this long. */
const LONGEST_MS = 15_000

/**
 * The syntax tree of a text; the caller deletes it. Parts that don't match the grammar are ERROR nodes. Undefined if the text takes
 * more parser steps than any real file.
 */
export function parse(text: string, grammar: Grammar): SyntaxTree | undefined {
  const parser = runtime?.parsers.get(grammar)
  if (parser === undefined) throw new GrammarMissing(grammar)
  const { deepest, longest } = shapeOf(text)
  if (unreadable.has(text) || deepest > DEEPEST) return undefined
  // Real files take at most 15 steps per 1,000 characters. Between errors, a step can take a hundred times as long.
  let steps = longest > LONG_LINE ? 100 + (text.length - longest) / 20 : 500 + text.length / 20
  const started = performance.now()
  const stop = () => --steps < 0 || performance.now() - started > LONGEST_MS
  try {
    // The callback's declared type is void, but the runtime stops if it returns true.
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
