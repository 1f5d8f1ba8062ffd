import { isCrateRoot } from '../../../packages/exitgate/src/checks/reported-tests.ts'
import { folderOf, nameOf, partsOf, titleOf } from '../../../packages/exitgate/src/checks/test-names.ts'
import { isTestFile, isTestSupport, languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { TestCase } from '../../../packages/test-output/src/types.ts'
import { loadGrammars } from '../syntax/parse.ts'
import type { SourceView } from '../tampering/finding.ts'
import { plain } from '../tampering/source/tokens-and-blocks.ts'
import { grammarsFor } from '../tampering/source/unit.ts'
import { fullName, type TestCase as SourceTest, type TestFile } from '../tampering/tests/model.ts'
import { readTestFile } from '../tampering/tests/read.ts'

export interface TestIndex {
  /** The one file that can contain a reported test; undefined if there are none or several. */
  fileOf(test: TestCase): string | undefined
  /** Its body and the rows of its table as plain text; undefined if it is not found. */
  bodyOf(test: TestCase): string | undefined
}

/** Finds reported tests in the files of a tree. Files are read only if a test does not report its file. */
export async function testIndex(view: SourceView, root = ''): Promise<TestIndex> {
  await loadGrammars(grammarsFor(view.paths.filter(mayHoldTests)))
  const paths = new Set(view.paths)
  const parsed = new Map<string, TestFile | undefined>()
  let names: ReadonlyMap<string, readonly string[]> | undefined
  const byName = () => {
    names ??= namesOf(view.paths)
    return names
  }
  let candidates: readonly { readonly path: string; readonly text: string }[] | undefined
  const files = new Map<TestCase, string | undefined>()
  const parse = (path: string): TestFile | undefined => {
    if (!parsed.has(path)) {
      const text = view.read(path)
      parsed.set(path, text === undefined ? undefined : readTestFile(path, text))
    }
    return parsed.get(path)
  }
  const holders = (): typeof candidates & object => {
    const possible = view.paths.filter((path) => languageOf(path) !== undefined && mayHoldTests(path))
    candidates ??= possible.flatMap((path) => {
      const text = view.read(path)
      return text !== undefined && isTestFile(path, text) ? [{ path, text }] : []
    })
    return candidates
  }
  const search = (test: TestCase): string | undefined => {
    const title = functionName(test.name)
    const literal = holders().filter(({ text }) => text.includes(title))
    // A title with placeholders differs in the source from the reported one.
    const possible = literal.length > 0 ? literal : holders().filter(({ text }) => sharesWord(text, title))
    const named = possible.filter(({ path }) => found(parse(path), test) !== undefined)
    const placed = named.length > 1 ? named.filter(({ path }) => isPlaced(path, test.name)) : named
    return placed.length === 1 ? placed[0]!.path : undefined
  }
  const place = (test: TestCase): string | undefined => {
    const given = pathInReport(test, paths, byName(), root)
    if (given === undefined) return search(test)
    return isCrateRoot(given) && found(parse(given), test) === undefined ? (search(test) ?? given) : given
  }
  const fileOf = (test: TestCase): string | undefined => {
    if (!files.has(test)) files.set(test, place(test))
    return files.get(test)
  }
  const bodyOf = (test: TestCase): string | undefined => {
    const path = fileOf(test)
    const file = path === undefined ? undefined : parse(path)
    const source = found(file, test)
    if (file === undefined || source === undefined) return undefined
    return [plain(file.unit.tokens, source.body ?? source.span), ...(source.rows ?? [])].join('\n')
  }
  return { fileOf, bodyOf }
}

function namesOf(paths: readonly string[]): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const path of paths) {
    const known = names.get(nameOf(path))
    if (known === undefined) names.set(nameOf(path), [path])
    else known.push(path)
  }
  return names
}

/** Rust allows tests in any file. */
const mayHoldTests = (path: string) => isTestSupport(path) || languageOf(path) === 'rust'

/** The path that the report itself gives (relative, absolute, or only its end), or a path at the start of the name. */
function pathInReport(
  test: TestCase,
  paths: ReadonlySet<string>,
  byName: ReadonlyMap<string, readonly string[]>,
  root: string,
): string | undefined {
  const inName = /^(\S+\.[A-Za-z]\w{0,4})(?:::|\s+[>›»]\s+)/.exec(test.name)?.[1]
  for (const given of [test.file, inName]) {
    if (given === undefined) continue
    const path = given
      .replaceAll('\\', '/')
      .replace(/^file:\/\//, '')
      .replace(/^\.\//, '')
    const base = root.replaceAll('\\', '/')
    const inside = base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path
    if (paths.has(inside)) return inside
    const ends = (byName.get(nameOf(inside)) ?? []).filter((known) => known.endsWith(`/${inside}`))
    if (ends.length === 1) return ends[0]
  }
  return undefined
}

/** Whether a package, module or class in the name points to this file: `p.FTest`, `tests.test_c.TestC`, `example.com/m/pkg`. */
function isPlaced(path: string, name: string): boolean {
  const stem = path.replace(/\.\w+$/, '')
  const folder = folderOf(path)
  return name.split(/\s+[>›»]\s+|::/).some((part) => {
    const place = `/${part}`
    const dotted = `/${part.replaceAll('.', '/')}`
    if (dotted.lastIndexOf('/') > 0 && (`/${stem}`.endsWith(dotted) || `${dotted}/`.startsWith(`/${stem}/`)))
      return true
    return folder !== '' && place.endsWith(`/${folder}`)
  })
}

/** A cheap check before a file is parsed. */
const sharesWord = (text: string, title: string) =>
  (title.match(/[\p{L}_]\w{2,}/gu) ?? []).some((word) => text.includes(word))

/** Go subtests follow a slash and write spaces as underscores; the function comes first. */
const functionName = (name: string) => /^(Test\w+)\//.exec(titleOf(name))?.[1] ?? titleOf(name)

const found = (file: TestFile | undefined, test: TestCase) => (file === undefined ? undefined : findTest(file, test))

/** The test in its file: by its full name, then by its title, then by a title with placeholders. */
export function findTest({ tests }: Pick<TestFile, 'tests'>, test: Pick<TestCase, 'name'>): SourceTest | undefined {
  const name = partsOf(test.name).join(' > ')
  const title = functionName(test.name)
  const byFullName = tests.filter((one) => name === fullName(one) || name.endsWith(` > ${fullName(one)}`))
  if (byFullName.length > 0) return byFullName[0]
  const bySpaces = tests.find((one) => one.groups.length > 0 && spaced(fullName(one)) === spaced(name))
  if (bySpaces !== undefined) return bySpaces
  const byTitle = tests.filter(({ name: one }) =>
    [title, title.replaceAll('_', ' ')].some((each) => each === one || each === titleOf(one)),
  )
  if (byTitle.length > 0) return closest(byTitle, name)
  const byTemplate = tests.filter((one) => PLACEHOLDERS.test(one.name) && fits(one.name, title))
  return byTemplate.length > 0 ? closest(byTemplate, name) : undefined
}

/** Not every report shows where one group ends and the next begins. */
const spaced = (name: string) => name.replaceAll(' > ', ' ')
const closest = (tests: readonly SourceTest[], name: string) =>
  tests.find((one) => one.groups.length > 0 && name.includes(one.groups.at(-1)!)) ?? tests[0]

/** `%i`, `$name`, `${name}`, `#{name}`, `{0}`. */
const PLACEHOLDERS = /%[sdifjopc#$%]|\$\{[^}]*\}|#\{[^}]*\}|\$\w+(?:\.\w+)*|\{\w*\}/

/** Whether a title fits this template: its fixed parts appear in the same order. */
function fits(template: string, title: string): boolean {
  const parts = template.split(new RegExp(PLACEHOLDERS.source, 'g'))
  const last = parts.pop()!
  if (!title.startsWith(parts[0]!) || !title.endsWith(last)) return false
  let at = 0
  for (const part of parts) {
    const found = title.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return title.length - last.length >= at
}
