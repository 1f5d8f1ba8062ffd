import type { Language } from '../test-files.ts'
import type { Change } from './changes.ts'
import { plain } from './source/token.ts'
import { readUnit } from './source/unit.ts'

/** A line of the tree as it is that did not stand in the file before. */
export interface AddedLine {
  readonly text: string
  readonly line: number
}

/** Several detectors ask for the lines of the same change, and few lines of a file change. */
const known = new WeakMap<Change, readonly AddedLine[]>()

/** Lines that came in, without comments where the language is known: there their tokens stand apart by single spaces. */
export function addedLines(change: Change, language: Language | undefined = change.language): readonly AddedLine[] {
  if (language !== change.language) return linesAdded(change, language)
  const lines = known.get(change) ?? linesAdded(change, language)
  known.set(change, lines)
  return lines
}

function linesAdded(change: Change, language: Language | undefined): AddedLine[] {
  const count = new Map<string, number>()
  for (const { text } of codeLines(change.before, language)) count.set(text, (count.get(text) ?? 0) + 1)
  return codeLines(change.after, language).filter(({ text }) => {
    const left = count.get(text) ?? 0
    if (left > 0) count.set(text, left - 1)
    return left === 0
  })
}

/** Lines that went out, with their place in the tree as it was. */
export function removedLines(change: Change, language: Language | undefined = change.language): AddedLine[] {
  return linesAdded(
    {
      path: change.path,
      ...(change.after !== undefined && { before: change.after }),
      ...(change.before !== undefined && { after: change.before }),
    },
    language,
  )
}

export function codeLines(text: string | undefined, language: Language | undefined): AddedLine[] {
  if (text === undefined) return []
  if (language === undefined) {
    return text
      .split('\n')
      .map((line, i) => ({ text: line.trim(), line: i + 1 }))
      .filter((line) => line.text !== '' && !/^(?:#(?!!)|\/\/)/.test(line.text))
  }
  const { tokens } = readUnit(text, language)
  const lines: AddedLine[] = []
  let from = 0
  for (let i = 1; i <= tokens.length; i++) {
    if (i < tokens.length && !tokens[i]!.first) continue
    if (i > from) lines.push({ text: plain(tokens, [from, i]), line: tokens[from]!.line })
    from = i
  }
  return lines
}
