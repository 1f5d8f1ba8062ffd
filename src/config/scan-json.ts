import { type JSONPath, printParseErrorCode, visit } from 'jsonc-parser'
import { shown } from './errors.ts'
import { pathOf } from './paths.ts'

/** What JSON.parse doesn't report: line numbers, duplicate keys and the position of a syntax error. */
export interface JsonScan {
  /** Line (from 1) of every key and list item, by dotted path. */
  readonly lines: ReadonlyMap<string, number>
  readonly duplicates: readonly { readonly line: number; readonly text: string }[]
  readonly error?: { readonly line: number; readonly column: number; readonly text: string }
}

/** More than any configuration needs, and too little to overflow the stack. */
const MAX_DEPTH = 100

const EXPECTED: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  InvalidSymbol: 'expected text in double quotes, a number, true, false or null',
  InvalidCommentToken: 'expected a key or a value',
  ColonExpected: 'expected ":"',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "}"',
  CloseBracketExpected: 'expected "]"',
  EndOfFileExpected: 'expected the end of the file',
}
const IN_STRINGS = 'unterminated string, or a character that must be escaped'

class NotJson extends Error {
  constructor(
    readonly offset: number,
    what: string,
  ) {
    super(what)
  }
}

export function scanJson(text: string): JsonScan {
  const lines = new Map<string, number>()
  const duplicates: { line: number; text: string }[] = []
  let depth = 0
  /** The line of a list item; keys have theirs already. */
  const note = (path: JSONPath, line: number): void => {
    if (typeof path.at(-1) === 'number') lines.set(pathOf(path.map(String)), line + 1)
  }
  const open = (offset: number, _length: number, line: number, _column: number, path: () => JSONPath): void => {
    depth += 1
    if (depth > MAX_DEPTH) throw new NotJson(offset, `nested deeper than ${MAX_DEPTH} levels`)
    note(path(), line)
  }
  const close = (): void => {
    depth -= 1
  }
  try {
    visit(
      text,
      {
        onObjectBegin: open,
        onArrayBegin: open,
        onObjectEnd: close,
        onArrayEnd: close,
        onLiteralValue: (_value, _offset, _length, line, _column, path) => note(path(), line),
        onObjectProperty(key, _offset, _length, line, _column, above) {
          const path = pathOf([...above().map(String), key])
          const before = lines.get(path)
          const why = `duplicate key ${shown(key)}, first defined on line ${before}. Remove one of them.`
          if (before === undefined) lines.set(path, line + 1)
          else duplicates.push({ line: line + 1, text: why })
        },
        onError(code, offset) {
          const what = EXPECTED[printParseErrorCode(code)]
          if (/,\s*$/.test(text.slice(0, offset)) && /^[}\]]/.test(text.slice(offset)))
            throw new NotJson(offset, `trailing comma before "${text[offset]}"`)
          throw new NotJson(offset, what === undefined ? IN_STRINGS : `${what}, found ${foundAt(text, offset)}`)
        },
      },
      { disallowComments: true },
    )
    return { lines, duplicates }
  } catch (thrown) {
    if (!(thrown instanceof NotJson)) throw thrown
    const before = text.slice(0, thrown.offset).split('\n')
    const place = { line: before.length, column: before.at(-1)!.length + 1 }
    return { lines, duplicates, error: { ...place, text: `invalid JSON: ${thrown.message}.` } }
  }
}

/** Describes the text at a position. */
function foundAt(text: string, offset: number): string {
  const rest = text.slice(offset, offset + 60)
  if (rest === '') return 'the end of the file'
  if (/^(?:\/\/|\/\*|#)/.test(rest)) return 'a comment (only YAML files may have comments)'
  return shown(/^(?:[\w.+-]+|.)/su.exec(rest)?.[0])
}
