import type { Change, Changes } from '../changes.ts'
import { addedLines, removedLines } from '../changes.ts'
import { stringContent } from '../source/tokens-and-blocks.ts'
import { descendants, readUnit } from '../source/unit.ts'
import { testModules } from '../tests/rust.ts'
import { overlap } from './compared-test.ts'

/** What this change removed from the source. A test of it is obsolete. */
export interface RemovedSource {
  /** Why some test code is obsolete; undefined if it isn't. */
  reason(words: ReadonlySet<string>, literals: ReadonlySet<string>): string | undefined
  /** Why a complete test file is obsolete: the source file it is named after was deleted. */
  fileReason(path: string): string | undefined
}

interface Source {
  readonly words: Set<string>
  readonly strings: Set<string>
  /** Functions and classes by name, each with the words in its code. */
  readonly definitions: Map<string, Set<string>>
}

const EMPTY: Source = { words: new Set(), strings: new Set(), definitions: new Map() }
/** Too common to show what a test is about. */
const COMMON =
  /^(?:get|set|id|name|value|type|key|data|test|main|run|init|length|size|result|error|err|self|this|string|int|str|list|dict|true|false|null|none|nil|new|return|const|let|var|function|async|await|import|from|export|default|class|def|if|else|for|in|of|to|is|and|or|not|the|a|an)$/i

/** Reads nothing until it is needed: most changes remove no test. */
export function findRemovedSource(changes: Changes): RemovedSource {
  let computed: RemovedSource | undefined
  const found = () => (computed ??= computeRemovedSource(changes))
  return {
    reason: (words, literals) => found().reason(words, literals),
    fileReason: (path) => found().fileReason(path),
  }
}

function computeRemovedSource(changes: Changes): RemovedSource {
  // A Rust file can contain source and tests. Everything outside its tests counts as source.
  const mixed = changes.tests.filter(({ path, language }) => language === 'rust' && !/(?:^|\/)tests\//.test(path))
  const sources = [...changes.sources, ...mixed].map((change) => ({
    change,
    was: sourceOf(change, change.before),
    now: sourceOf(change, change.after),
  }))
  const now = {
    words: union(sources.map(({ now: source }) => source.words)),
    strings: union(sources.map(({ now: source }) => source.strings)),
  }
  const added = sources.flatMap(({ was, now: source }) =>
    [...source.definitions].filter(([name]) => !was.definitions.has(name)),
  )
  const lines = memo(() => sources.map(({ change }) => lineChange(change)))
  const answers = new Map<string, boolean>()
  const isGone = (name: string, look: () => boolean) => {
    const known = answers.get(name) ?? look()
    answers.set(name, known)
    return known
  }
  const isWordGone = (word: string) =>
    isGone(word, () => {
      if (word.length < 3 || COMMON.test(word) || now.words.has(word)) return false
      if (!sources.some(({ was }) => was.words.has(word))) return false
      const body = sources.map(({ was }) => was.definitions.get(word)).find((found) => found !== undefined)
      if (body !== undefined) return !added.some(([, other]) => body.size > 2 && overlap(body, other) >= 0.7)
      return !wasRenamed(word, lines())
    })
  const isTextGone = (text: string) =>
    isGone(`"${text}"`, () => {
      if (text.length < 4 || now.strings.has(text) || !sources.some(({ was }) => was.strings.has(text))) return false
      return !wasRenamed(`"${text}"`, lines()) && !wasRenamed(`:${text}`, lines())
    })
  const deleted = sources
    .filter(({ change }) => change.after === undefined && !wasMoved(change, sources))
    .map(({ change }) => change.path)
  return {
    reason(words, literals) {
      const name = [...words].find(isWordGone)
      if (name !== undefined) return `the source no longer contains ${name}`
      const text = [...literals].find(isTextGone)
      return text === undefined ? undefined : `the source no longer contains "${text.slice(0, 40)}"`
    },
    fileReason(path) {
      const source = deleted.find((other) => stem(other) === stem(path))
      return source === undefined ? undefined : `${source} was deleted too`
    },
  }
}

interface LineChange {
  readonly removed: readonly string[]
  /** Added lines by their number of tokens. */
  readonly added: ReadonlyMap<number, readonly (readonly string[])[]>
}

function lineChange(change: Change): LineChange {
  const added = new Map<number, (readonly string[])[]>()
  for (const { text } of addedLines(change)) {
    const tokens = text.split(' ')
    added.set(tokens.length, [...(added.get(tokens.length) ?? []), tokens])
  }
  return { removed: removedLines(change).map(({ text }) => text), added }
}

/** Whether most lines with this token came back with another one in its place. Then it was renamed or changed, not removed. */
function wasRenamed(token: string, changes: readonly LineChange[]): boolean {
  let lines = 0
  let back = 0
  for (const { removed, added } of changes) {
    for (const line of removed) {
      const tokens = line.split(' ')
      if (!tokens.includes(token)) continue
      lines++
      const isSameLine = (other: readonly string[]) => tokens.every((each, i) => each === other[i] || each === token)
      if ((added.get(tokens.length) ?? []).some(isSameLine)) back++
    }
  }
  return lines > 0 && back * 2 >= lines
}

function memo<T>(make: () => T): () => T {
  let value: { readonly value: T } | undefined
  return () => {
    value ??= { value: make() }
    return value.value
  }
}

/** `src/foo-bar.test.ts`, `tests/test_foo_bar.py` and `FooBarTest.java` are all about foobar. */
const stem = (path: string) =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.[^.]+$/, '')
    .replace(
      /(?:[._-](?:test|tests|spec|specs|unit|e2e))+$|^(?:test|tests|spec)[._-]|(?:Tests?|Specs?|IT)$|_(?:test|spec)$/g,
      '',
    )
    .replace(/[._-]/g, '')
    .toLowerCase()

function wasMoved(change: Change, sources: readonly { change: Change; was: Source; now: Source }[]): boolean {
  const own = sources.find((each) => each.change === change)!.was
  return sources.some(
    (other) => other.change.before === undefined && own.words.size > 0 && overlap(own.words, other.now.words) >= 0.6,
  )
}

function sourceOf(change: Change, text: string | undefined): Source {
  if (text === undefined) return EMPTY
  if (change.language === undefined) {
    return {
      words: new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []),
      strings: new Set([...text.matchAll(/["']([^"'\n]{2,80})["']/g)].map((match) => match[1]!)),
      definitions: new Map(),
    }
  }
  const unit = readUnit(text, change.language)
  const words = new Set<string>()
  const strings = new Set<string>()
  const tests = change.language === 'rust' ? testModules(unit) : []
  const inTests = (i: number) => tests.some(([from, to]) => i >= from && i < to)
  unit.tokens.forEach((token, i) => {
    if (inTests(i)) return
    if (token.kind === 'word') words.add(token.text)
    else if (token.kind === 'string') strings.add(stringContent(token.text))
  })
  const definitions = new Map<string, Set<string>>()
  for (const block of descendants(unit.root)) {
    if ((block.kind !== 'function' && block.kind !== 'class') || block.name === '' || inTests(block.head[0])) continue
    const body = unit.tokens
      .slice(block.body[0], block.body[1])
      .filter((token) => token.kind === 'word' || token.kind === 'number')
    definitions.set(block.name, new Set(body.map((token) => token.text)))
  }
  return { words, strings, definitions }
}

function union(sets: readonly ReadonlySet<string>[]): Set<string> {
  const all = new Set<string>()
  for (const set of sets) for (const each of set) all.add(each)
  return all
}
