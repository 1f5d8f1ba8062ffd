import { isTestFile, isTestSupport, languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { alone } from '../runners/alone.ts'
import { relatedTests } from '../runners/related.ts'
import type { CheckContext, Detected } from '../types.ts'
import type { ChangedSource } from './functions.ts'

const MOST_TEST_FILES = 2_000

interface TestText {
  readonly path: string
  readonly text: string
}

export async function testTexts({ workspace }: CheckContext): Promise<readonly TestText[]> {
  const paths = (await workspace.list()).filter((path) => languageOf(path) !== undefined && mayHoldTests(path))
  return paths.slice(0, MOST_TEST_FILES).flatMap((path) => {
    const text = workspace.read(path)
    return text === undefined || !isTestFile(path, text) ? [] : [{ path, text }]
  })
}

const mayHoldTests = (path: string) =>
  isTestFile(path) || isTestSupport(path) || /(?:^|\/)(?:tests?|specs?)\//.test(path)

/**
 * The commands limited to tests of these sources: by the runner itself, or to files that mention them. Undefined if no command can be
 * limited. What these tests don't notice, other tests still may.
 */
export async function relatedCommands(
  commands: readonly Detected[],
  sources: readonly ChangedSource[],
  tests: readonly TestText[],
  { workspace, deadlineMs, signal }: CheckContext,
): Promise<readonly Detected[] | undefined> {
  const changed = sources.map(({ path }) => path)
  const files = tests.filter(({ text }) => sources.some((source) => isMentioned(source, text)))
  const cases = files.map(({ path }) => ({ name: '', state: 'passed' as const, file: path }))
  const limits = { deadlineMs, ...(signal && { signal }) }
  const limited = await Promise.all(
    commands.map(async (each) => {
      if (each.runner === 'jest' || each.runner === 'go') return relatedTests(each, { workspace, changed, limits })
      return files.length === 0 || files.length > tests.length / 2 ? undefined : alone(each, cases)
    }),
  )
  return limited.every((each) => each === undefined) ? undefined : commands.map((each, at) => limited[at] ?? each)
}

function isMentioned({ path, functions }: ChangedSource, text: string): boolean {
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  return [stem, ...functions.map(({ name }) => name)].some((name) => name.length > 2 && text.includes(name))
}

const BUILT = 'dist|build|out|lib|es|esm|cjs'
const BUILT_PATH = new RegExp(`(?:^|/)(${BUILT})/`)
const BUILT_TEXT = new RegExp(`['"\`](?:[^'"\`\\s]*/)?(${BUILT})/[^'"\`\\s]*['"\`]`, 'g')

/** Names of folders for build output that tests import from, or that a package offers to others. */
export async function buildFolders(
  tests: readonly TestText[],
  { workspace }: CheckContext,
): Promise<ReadonlySet<string>> {
  const manifests = (await workspace.list()).filter((path) => /(?:^|\/)package\.json$/.test(path)).slice(0, 50)
  const offered = manifests.flatMap((path) => entriesOf(workspace.read(path)))
  return new Set([
    ...offered.flatMap((entry) => BUILT_PATH.exec(entry)?.[1] ?? []),
    ...tests.flatMap(({ text }) => [...text.matchAll(BUILT_TEXT)].map(([, folder]) => folder!)),
  ])
}

/** The files that a package offers to others. */
function entriesOf(manifest: string | undefined): readonly string[] {
  try {
    const { main, module, bin, exports } = JSON.parse(manifest ?? '{}') ?? {}
    const texts = (value: unknown): readonly string[] =>
      typeof value === 'string'
        ? [value]
        : typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(texts)
          : []
    return texts([main, module, bin, exports])
  } catch {
    return []
  }
}
