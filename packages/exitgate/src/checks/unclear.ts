import { isTestFile, isTestSupport, languageOf } from '../frameworks/test-files.ts'
import { newLines } from '../tree/line-diff.ts'
import type { RefutedTest } from './originals.ts'
import { importsIn, standIn } from './origins.ts'
import { type ChangedFile, isShell, roleOf } from './sides.ts'
import { nameOf, withoutEnding } from './test-names.ts'

/** The files of a tree. */
export interface FilesOfTree {
  readonly paths: readonly string[]
  read(path: string): string | undefined
}

/** A module that makes or checks something for tests, by its name. */
const SERVES = /(?:^|[\W_])(?:test[-_]?(?:kit|utils?|lib|support)|testing|harness|fixtures?|helpers?)\.\w+$/i
/** A module that uses a test library. */
const USES: Readonly<Record<string, RegExp>> = {
  javascript: /['"](?:node:)?(?:assert(?:\/strict)?|test|vitest|@jest\/globals|chai|expect)['"]/,
  python: /^\s*(?:import|from)\s+(?:pytest|unittest)\b/m,
  ruby: /^\s*require\s+['"](?:minitest|rspec|test\/unit)/m,
}
/** What is there belongs to the product, whatever it uses. */
const PRODUCT = /(?:^|\/)(?:src|app|lib|pkg|cmd|internal|dist|build|packages)\/|^pytest/

const mayServeTests = (change: ChangedFile): boolean => {
  const { path, before } = change
  if (before === undefined || roleOf(change) !== 'source') return false
  if (isShell(change)) return true
  return !PRODUCT.test(path) && (SERVES.test(path) || USES[languageOf(path) ?? '']?.test(before) === true)
}

/** Changed files that the tests of the start use, and that may be product or belong to the tests. Their role is unclear. */
export function usedByTests(changes: readonly ChangedFile[], before: FilesOfTree): ReadonlySet<string> {
  const candidates = changes.filter(mayServeTests)
  if (candidates.length === 0) return new Set()
  const tests = before.paths.filter((path) => languageOf(path) !== undefined && isTestSupport(path))
  const texts = tests.flatMap((path) => before.read(path) ?? [])
  const isNamed = (path: string) => {
    const stem = withoutEnding(path)
    const word = new RegExp(`(?<![\\w-])${stem.replace(/[^\w-]/g, '\\$&')}(?![\\w-])`)
    return texts.some((text) => word.test(text))
  }
  return new Set(candidates.map(({ path }) => path).filter(isNamed))
}

/** Code that replaces or patches product code, or decides which tests count. */
const REPLACES =
  /\b(?:jest|vi|mock|sinon|td)\.(?:mock|doMock|unstable_mockModule|module|method|spyOn|stub|replace\w*|getter|setter)\s*\(|\bspyOn\(|\bmonkeypatch\b|\bunittest\.mock\b|(?:@|\bmock\.)patch\b|\bpatch\.(?:object|dict|multiple)\(|\bsetattr\(|\.skipTest\(|\b(?:test|it|describe|context|suite|t|ctx|this)\.(?:skip|todo)\(|\bpytest\.(?:skip|xfail|mark)\b|@(?:unittest\.)?(?:skip|expectedFailure)|\bpytest_(?:runtest|collection|pyfunc|report)\w*|\.(?:prepend|class_eval|define_method|instance_eval)\b|\ballow(?:_any_instance_of)?\(/

const PLAIN_IMPORT = /^[ \t]*import[ \t]+([\w.]+)[ \t]*(?:#.*)?$/gm

/** The names that a file has from modules of the project. */
function importedFrom({ path, after = '' }: ChangedFile, { paths }: FilesOfTree): readonly string[] {
  if (languageOf(path) === 'javascript')
    return [...importsIn({ path, text: after })].flatMap(([name, from]) => (from.startsWith('.') ? [name] : []))
  if (languageOf(path) !== 'python') return []
  const known = new Set(paths.map((each) => each.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.')))
  const isOwn = (module: string) => module.startsWith('.') || known.has(module) || known.has(`src.${module}`)
  const plain = [...after.matchAll(PLAIN_IMPORT)].map(([, module = '']) => [module, module] as const)
  return [...plain, ...importsIn({ path, text: after })].flatMap(([name, from]) => (isOwn(from) ? [name] : []))
}

/** What such files do, as a sentence; undefined if that is harmless. */
export const unclearJudge =
  (changes: readonly ChangedFile[], now: FilesOfTree) =>
  (paths: readonly string[]): string | undefined => {
    for (const change of changes) {
      const what = paths.includes(change.path) ? hidesProduct(change, now) : undefined
      if (what !== undefined) return `${change.path} ${what.replace(/\.$/, '')}.`
    }
    return undefined
  }

/**
 * How a changed file of unclear role hides the product, as the end of a sentence. It may patch or mock product code, mark tests, or no
 * longer use the product.
 */
function hidesProduct(change: ChangedFile, now: FilesOfTree): string | undefined {
  const { path, before, after } = change
  if (before === undefined || after === undefined) return undefined
  const added = newLines(change)
  if (REPLACES.test(added)) return 'replaces product code, or marks tests'
  const imported = importedFrom(change, now)
  if (
    imported.some((name) => new RegExp(`^\\s*${name.replaceAll('$', '\\$')}(?:\\.\\w+)+\\s*=(?![=>])`, 'm').test(added))
  )
    return 'changes code that it imports'
  const words = new Set(before.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))
  const instead = standIn({ path, text: before }, { path, text: after }, words, now.read)
  if (instead !== undefined) return `no longer uses the product: ${instead.replace('in the test file', 'there')}`
  const known = now.paths.filter((each) => each !== path && !isTestFile(each))
  const named = (text: string) => known.filter((each) => text.includes(each) || text.includes(`/${nameOf(each)}`))
  const [was, is] = [named(before), named(after)]
  const lost = was.filter((each) => !is.includes(each))
  return isShell(change) && lost.length > 0 && is.every((each) => was.includes(each))
    ? `no longer uses ${lost[0]}`
    : undefined
}

/** Tests that pass only with the same files are one line for people. */
export function perFile(refuted: readonly RefutedTest[]): readonly (RefutedTest & { readonly others?: number })[] {
  const keyOf = ({ is, needs = [] }: RefutedTest) => (is === 'helped' ? needs.join('\n') : undefined)
  return refuted.flatMap((each) => {
    const key = keyOf(each)
    const same = key === undefined ? [each] : refuted.filter((one) => keyOf(one) === key)
    return same[0] === each || key === undefined ? [{ ...each, others: same.length - 1 }] : []
  })
}
