import { isTestFile, isTestSupport, type Language, languageOf } from '../test-files.ts'
import type { SourceView, TamperOptions, TestCommand } from './types.ts'

/** A path whose text differs between the two trees. */
export interface Change {
  readonly path: string
  readonly before?: string
  readonly after?: string
  readonly language?: Language
}

/** All that the detectors may look at. */
export interface Changes {
  readonly all: readonly Change[]
  readonly before: SourceView
  readonly after: SourceView
  /** Changed files that hold tests, before or after. */
  readonly tests: readonly Change[]
  /** Changed code that is neither a test nor serves tests. */
  readonly sources: readonly Change[]
  /** How the project was tested before. */
  readonly commands: readonly TestCommand[]
}

/** A file longer than this is data or generated: it is compared by name alone. */
const TOO_LONG = 2_000_000

export function changesBetween(before: SourceView, after: SourceView, options: TamperOptions): Changes {
  const paths = options.changed ?? [...new Set([...before.paths, ...after.paths])]
  const [was, now] = [new Set(before.paths), new Set(after.paths)]
  const all: Change[] = []
  for (const path of [...new Set(paths)].sort()) {
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
  return { all, before, after, tests, sources, commands: options.commands ?? [] }
}

/** Source that no reader knows, but that explains a change of a test or a snapshot. */
const OTHER_SOURCE =
  /\.(?:vue|svelte|astro|css|scss|less|html?|hbs|ejs|erb|haml|slim|twig|blade\.php|c|cc|cpp|h|hpp|swift|scala|ex|exs|dart|lua|sql|graphql|proto|sh|mdx|njk|liquid|mustache|jinja2?|tmpl|gotmpl|cshtml|razor|xaml)$/

const textOf = (view: SourceView, path: string) => {
  const text = view.read(path)
  return text !== undefined && text.length > TOO_LONG ? `${text.length}:${text.slice(0, 100)}` : text
}

const holdsTests = ({ path, before, after }: Change) =>
  (before !== undefined && isTestFile(path, before)) || (after !== undefined && isTestFile(path, after))
