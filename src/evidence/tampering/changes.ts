import {
  isTestFile,
  isTestSupport,
  type Language,
  languageOf,
} from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { SourceView, TamperOptions, TestCommand } from './finding.ts'
import { plain } from './source/tokens-and-blocks.ts'
import { readUnit } from './source/unit.ts'

/** A line that only one of the two trees has. */
export interface ChangedLine {
  readonly text: string
  readonly line: number
}

/** Cached, because several detectors need the lines of the same change. */
const addedLinesCache = new WeakMap<Change, readonly ChangedLine[]>()

/** Added lines. If the language is known, they have no comments, and single spaces separate their tokens. */
export function addedLines(change: Change, language: Language | undefined = change.language): readonly ChangedLine[] {
  if (language !== change.language) return findAddedLines(change, language)
  const lines = addedLinesCache.get(change) ?? findAddedLines(change, language)
  addedLinesCache.set(change, lines)
  return lines
}

function findAddedLines(change: Change, language: Language | undefined): ChangedLine[] {
  const count = new Map<string, number>()
  for (const { text } of codeLines(change.before, language)) count.set(text, (count.get(text) ?? 0) + 1)
  return codeLines(change.after, language).filter(({ text }) => {
    const left = count.get(text) ?? 0
    if (left > 0) count.set(text, left - 1)
    return left === 0
  })
}

/** Removed lines, with their line numbers in the old tree. */
export function removedLines(change: Change, language: Language | undefined = change.language): ChangedLine[] {
  return findAddedLines(
    {
      path: change.path,
      ...(change.after !== undefined && { before: change.after }),
      ...(change.before !== undefined && { after: change.before }),
    },
    language,
  )
}

export function codeLines(text: string | undefined, language: Language | undefined): ChangedLine[] {
  if (text === undefined) return []
  if (language === undefined) {
    return text
      .split('\n')
      .map((line, i) => ({ text: line.trim(), line: i + 1 }))
      .filter((line) => line.text !== '' && !/^(?:#(?!!)|\/\/)/.test(line.text))
  }
  const { tokens } = readUnit(text, language)
  const lines: ChangedLine[] = []
  let from = 0
  for (let i = 1; i <= tokens.length; i++) {
    if (i < tokens.length && !tokens[i]!.first) continue
    if (i > from) lines.push({ text: plain(tokens, [from, i]), line: tokens[from]!.line })
    from = i
  }
  return lines
}

/** A path whose text differs between the two trees. */
export interface Change {
  readonly path: string
  readonly before?: string
  readonly after?: string
  readonly language?: Language
}

/** Everything the detectors may look at. */
export interface Changes {
  readonly all: readonly Change[]
  readonly before: SourceView
  readonly after: SourceView
  /** Changed files with tests, before or after. */
  readonly tests: readonly Change[]
  /** Changed code that is neither a test nor test support. */
  readonly sources: readonly Change[]
  /** How the project was tested before. */
  readonly commands: readonly TestCommand[]
  /** The required commands that don't test, and the scripts they run. */
  readonly required: readonly string[]
}

/** A longer file is data or generated, and only its length and start are compared. */
const TOO_LONG = 2_000_000

export function changesBetween(before: SourceView, after: SourceView, options: TamperOptions): Changes {
  const paths = options.changed ?? [...new Set([...before.paths, ...after.paths])]
  const wanted = new Set(paths)
  const isWanted = (path: string) => wanted.has(path)
  const [was, now] = [new Set(before.paths.filter(isWanted)), new Set(after.paths.filter(isWanted))]
  const all: Change[] = []
  for (const path of [...wanted].sort()) {
    const old = was.has(path) ? textOf(before, path) : undefined
    const text = now.has(path) ? textOf(after, path) : undefined
    if (old === text) continue
    const language = languageOf(path)
    all.push({
      path,
      ...(old !== undefined && { before: old }),
      ...(text !== undefined && { after: text }),
      ...(language && { language }),
    })
  }
  const tests = all.filter((change) => holdsTests(change))
  const sources = all.filter(
    (change) =>
      (change.language !== undefined || OTHER_SOURCE.test(change.path)) &&
      !tests.includes(change) &&
      !isTestSupport(change.path),
  )
  return { all, before, after, tests, sources, commands: options.commands ?? [], required: options.required ?? [] }
}

/** Source in a language without a reader. A change in it can explain a changed test or snapshot. */
const OTHER_SOURCE =
  /\.(?:vue|svelte|astro|css|scss|less|html?|hbs|ejs|erb|haml|slim|twig|blade\.php|c|cc|cpp|h|hpp|swift|scala|ex|exs|dart|lua|sql|graphql|proto|sh|mdx|njk|liquid|mustache|jinja2?|tmpl|gotmpl|cshtml|razor|xaml)$/

const textOf = (view: SourceView, path: string) => {
  const text = view.read(path)
  return text !== undefined && text.length > TOO_LONG ? `${text.length}:${text.slice(0, 100)}` : text
}

const holdsTests = ({ path, before, after }: Change) =>
  (before !== undefined && isTestFile(path, before)) || (after !== undefined && isTestFile(path, after))
