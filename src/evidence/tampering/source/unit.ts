import { type Language, languageOf } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Grammar } from '../../syntax/parse.ts'
import { partsFromTree } from './from-tree.ts'
import { kotlinParts } from './kotlin.ts'
import { csharp } from './languages/csharp.ts'
import { go } from './languages/go.ts'
import { java } from './languages/java.ts'
import { javascript } from './languages/javascript.ts'
import type { LanguageSyntax } from './languages/language.ts'
import { php } from './languages/php.ts'
import { python } from './languages/python.ts'
import { ruby } from './languages/ruby.ts'
import { rust } from './languages/rust.ts'
import type { Block, SourceParts } from './tokens-and-blocks.ts'

export type { Block } from './tokens-and-blocks.ts'

/** A source file as tokens and nested blocks, the same for every language. */
export interface Unit extends SourceParts {
  readonly language: Language
  readonly text: string
}

/** A new language is one description and one line here. Kotlin is read without a grammar. */
const syntaxOf = (language: Exclude<Language, 'kotlin'>): LanguageSyntax =>
  ({ javascript, python, go, rust, java, csharp, ruby, php })[language]

/** The grammars that these files may need. */
export function grammarsFor(paths: readonly string[]): ReadonlySet<Grammar> {
  const languages = new Set(paths.map(languageOf))
  return new Set(
    [...languages].flatMap((language) =>
      language === undefined || language === 'kotlin' ? [] : syntaxOf(language).grammars,
    ),
  )
}

/** About 15 MB. Tokens take fifty times as much memory as their text, so a large change doesn't fit. */
const MAX_TOKENS = 100_000
/** A file before and after the change must both fit, however long they are. */
const MIN_UNITS = 2
/** The most recently read files, oldest first: all detectors read the same few. */
const recent = new Map<string, Unit>()
let recentTokens = 0

/** The language's grammars must be loaded: see `withGrammars`. The same text always returns equal tokens. */
export function readUnit(text: string, language: Language): Unit {
  const known = recent.get(text)
  if (known?.language === language) return known
  const parts = language === 'kotlin' ? kotlinParts(text) : partsFromTree(text, syntaxOf(language))
  const unit: Unit = { language, text, ...parts }
  if (known) forget(known)
  for (const oldest of recent.values()) {
    if (recent.size < MIN_UNITS || recentTokens + unit.tokens.length <= MAX_TOKENS) break
    forget(oldest)
  }
  recent.set(text, unit)
  recentTokens += unit.tokens.length
  return unit
}

function forget({ text, tokens }: Unit): void {
  recent.delete(text)
  recentTokens -= tokens.length
}

/** The blocks around a token, innermost first, up to (not including) `until`. */
export function ancestors(unit: Unit, index: number, until?: Block): Block[] {
  const blocks: Block[] = []
  for (let block: Block | undefined = unit.owner[index]; block && block !== until; block = block.parent)
    blocks.push(block)
  return blocks
}

/** Every block inside this one, in text order. Not recursive, because a file can nest thousands of brackets. */
export function* descendants(block: Block): Generator<Block> {
  const waiting = [...block.children].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next
    for (let i = next.children.length - 1; i >= 0; i--) waiting.push(next.children[i]!)
  }
}
