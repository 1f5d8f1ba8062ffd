import type { Language } from '../../test-files.ts'
import type { Block, SourceParts } from './block.ts'
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

export type { Block, BlockKind } from './block.ts'

/** A source file, read as far as every language allows: tokens, and blocks inside blocks. */
export interface Unit extends SourceParts {
  readonly language: Language
  readonly text: string
}

/** A new language is one description and one line here. Kotlin has no grammar in the package and is read without one. */
const SYNTAX: Readonly<Record<Exclude<Language, 'kotlin'>, LanguageSyntax>> = {
  ...{ javascript, python, go, rust, java, csharp, ruby, php },
}

/** The grammars of the language have to be in memory: see `withGrammars`. */
export function readUnit(text: string, language: Language): Unit {
  const parts = language === 'kotlin' ? kotlinParts(text) : partsFromTree(text, SYNTAX[language])
  return { language, text, ...parts }
}

/** The blocks around a token, innermost first, up to (not including) `until`. */
export function around(unit: Unit, index: number, until?: Block): Block[] {
  const blocks: Block[] = []
  for (let block: Block | undefined = unit.owner[index]; block && block !== until; block = block.parent)
    blocks.push(block)
  return blocks
}

/** Every block below this one, in order of the text. Without recursion: ten thousand brackets are quickly written. */
export function* below(block: Block): Generator<Block> {
  const waiting = [...block.kids].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next
    for (let i = next.kids.length - 1; i >= 0; i--) waiting.push(next.kids[i]!)
  }
}
