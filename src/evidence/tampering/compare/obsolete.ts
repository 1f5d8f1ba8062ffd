import type { Change, Changes } from '../changes.ts'
import { inside, plain, type Range } from '../source/token.ts'
import { below, readUnit, type Unit } from '../source/unit.ts'
import { testModules } from '../tests/rust.ts'
import { overlap } from './match.ts'

/** What this change took out of the source, so that a test of it has lost its subject. */
export interface Vanished {
  /** Why a stretch of test code is about something that is gone, or undefined when it is not. */
  reason(words: ReadonlySet<string>, literals: ReadonlySet<string>): string | undefined
  /** Why a whole file of tests is: the source it is named after was deleted. */
  fileReason(path: string): string | undefined
}

interface Source {
  readonly words: Set<string>
  readonly strings: Set<string>
  /** Functions and classes by name, each with the words of its code. */
  readonly definitions: Map<string, Set<string>>
}

const EMPTY: Source = { words: new Set(), strings: new Set(), definitions: new Map() }
/** Too common to say anything about what a test is for. */
const COMMON =
  /^(?:get|set|id|name|value|type|key|data|test|main|run|init|length|size|result|error|err|self|this|string|int|str|list|dict|true|false|null|none|nil|new|return|const|let|var|function|async|await|import|from|export|default|class|def|if|else|for|in|of|to|is|and|or|not|the|a|an)$/i

/** Nothing is read before it is asked for: most changes take no test away. */
export function vanishedIn(changes: Changes): Vanished {
  let made: Vanished | undefined
  const vanished = () => (made ??= lookInto(changes))
  return {
    reason: (words, literals) => vanished().reason(words, literals),
    fileReason: (path) => vanished().fileReason(path),
  }
}

function lookInto(changes: Changes): Vanished {
  // A file of Rust holds source and tests; what is not a test of it counts as source.
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
  const definitions = new Set<string>()
  const mentions = new Set<string>()
  const strings = new Set<string>()
  for (const { was, now: source } of sources) {
    for (const [name, body] of was.definitions) {
      const renamed = added.some(([, other]) => body.size > 2 && overlap(body, other) >= 0.7)
      if (!source.definitions.has(name) && !now.words.has(name) && !renamed) definitions.add(name)
    }
    const words = lost(was.words, source.words).filter(
      (word) => !now.words.has(word) && !was.definitions.has(word) && word.length > 2,
    )
    for (const word of words) mentions.add(word)
    for (const text of lost(was.strings, source.strings))
      if (!now.strings.has(text) && text.length > 3) strings.add(text)
  }
  const deleted = sources
    .filter(({ change }) => change.after === undefined && !movedTo(change, sources))
    .map(({ change }) => change.path)
  return {
    reason(words, literals) {
      const name =
        [...words].find((word) => definitions.has(word) && !COMMON.test(word)) ??
        [...words].find((word) => mentions.has(word) && !COMMON.test(word))
      if (name !== undefined) return `${name} was taken out of the source`
      const text = [...literals].find((literal) => strings.has(literal))
      return text === undefined ? undefined : `"${text.slice(0, 40)}" was taken out of the source`
    },
    fileReason(path) {
      const source = deleted.find((other) => stem(other) === stem(path))
      return source === undefined ? undefined : `${source} was deleted too`
    },
  }
}

/** What is missing now; nothing when as much came in as went out, since then it may have been renamed. */
function lost(was: ReadonlySet<string>, now: ReadonlySet<string>): string[] {
  const gone = [...was].filter((each) => !now.has(each))
  const came = [...now].filter((each) => !was.has(each))
  return came.length >= gone.length ? [] : gone
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

function movedTo(change: Change, sources: readonly { change: Change; was: Source; now: Source }[]): boolean {
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
    else if (token.kind === 'string') strings.add(inside(token.text))
  })
  const definitions = new Map<string, Set<string>>()
  for (const block of below(unit.root)) {
    if ((block.kind !== 'function' && block.kind !== 'class') || block.name === '' || inTests(block.head[0])) continue
    const body = unit.tokens
      .slice(block.body[0], block.body[1])
      .filter((token) => token.kind === 'word' || token.kind === 'number')
    definitions.set(block.name, new Set(body.map((token) => token.text)))
  }
  return { words, strings, definitions }
}

/** Modules and functions of Rust that are compiled for tests only. */
const testModules = (unit: Unit): Range[] =>
  [...below(unit.root)]
    .filter(({ head }) =>
      attributesBefore(unit.tokens, head[0]).some((range) =>
        /\btest\b|^cfg \( any \( \) \)/.test(plain(unit.tokens, range)),
      ),
    )
    .map(({ head, body }) => [head[0], body[1]])

function union(sets: readonly ReadonlySet<string>[]): Set<string> {
  const all = new Set<string>()
  for (const set of sets) for (const each of set) all.add(each)
  return all
}
