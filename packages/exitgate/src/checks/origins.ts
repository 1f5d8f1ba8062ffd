import { isTestSupport, languageOf } from '../frameworks/test-files.ts'
import { folderOf } from './test-names.ts'

/** One version of a test file. */
interface TestText {
  readonly path: string
  readonly text: string
}

const JAVASCRIPT =
  /\bimport\s+(?:type\s+)?(?:\*\s*as\s+)?([\w$]+)?\s*,?\s*(?:\{([^}]*)\})?\s*from\s*['"]([^'"]+)['"]|\b(?:const|let|var)\s+(?:\{([^}]*)\}|([\w$]+))\s*=\s*(?:await\s+import|require)\s*\(\s*['"]([^'"]+)['"]\s*\)/g
const PYTHON =
  /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n(#]+))|^[ \t]*import[ \t]+([\w.]+)[ \t]+as[ \t]+(\w+)/gm
const DECLARED =
  /^[ \t]*(?:export\s+)?(?:(?:const|let|var|class|(?:async\s+)?function\*?|(?:async\s+)?def)\s+([\w$]+)|([\w$]+)\s*=(?!=))/gm
const MODULE_MOCK =
  /\b(?:vi|jest)\.(?:mock|doMock|unstable_mockModule)\(\s*['"]([^'"]+)['"]|\bmock\.module\(\s*['"]([^'"]+)['"]/g

/** Runners are extended by the project itself. */
const STRUCTURE = /^(?:test|it|describe|suite|context|before\w*|after\w*)$/
const ASSERTS = /^(?:assert|expect|should)$/

/** Where the names come from that a test file imports: the name, and the module as written. */
export function importsIn({ path, text }: TestText): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const add = (names: string | undefined, from: string) => {
    for (const name of (names ?? '').split(',')) {
      const local = /([\w$]+)\s*$/.exec(name.replace(/:\s*/, ' as '))?.[1]
      if (local !== undefined) found.set(local, from)
    }
  }
  if (languageOf(path) === 'javascript')
    for (const [, whole, named, from, required, all, module] of text.matchAll(JAVASCRIPT)) {
      add(whole ?? all, from ?? module!)
      add(named ?? required, from ?? module!)
    }
  if (languageOf(path) === 'python')
    for (const [, from, inBrackets, names, module, alias] of text.matchAll(PYTHON))
      add(inBrackets ?? names ?? alias, from ?? module!)
  return found
}

/**
 * A name that the test uses as before, but that no longer comes from the product or from a package: the tests define it themselves, or
 * mock it. Such a test checks its own code. `read` gives the files of the new tree.
 */
export function standIn(
  before: TestText,
  after: TestText,
  usedNames: ReadonlySet<string>,
  read: (path: string) => string | undefined,
): string | undefined {
  const [was, now] = [importsIn(before), importsIn(after)]
  const declared = new Set([...after.text.matchAll(DECLARED)].map(([, one, other]) => one ?? other))
  const mocked = ({ text }: TestText) => new Set([...text.matchAll(MODULE_MOCK)].map(([, one, other]) => one ?? other))
  const [mockedBefore, mockedNow] = [mocked(before), mocked(after)]
  for (const [name, from] of was) {
    if ((!usedNames.has(name) && !ASSERTS.test(name)) || STRUCTURE.test(name)) continue
    const is = now.get(name)
    if (
      is !== undefined &&
      is === from &&
      mockedNow.has(from) &&
      !mockedBefore.has(from) &&
      !isOfTests(before.path, from)
    )
      return `${name} from ${from} is mocked now`
    if (is === from || isOfTests(before.path, from)) continue
    const isOwn =
      is === undefined
        ? declared.has(name)
        : (isOfTests(after.path, is) || (is.startsWith('.') && !from.startsWith('.') && ASSERTS.test(name))) &&
          !isPassedOn(after.path, is, name, read)
    if (isOwn && !isGone(before.path, from, name, read))
      return `${name} ${is === undefined ? 'is defined in the test file' : `comes from ${is}`} instead of ${from}`
  }
  return undefined
}

/** A file that serves tests, by the path in an import. */
function isOfTests(path: string, from: string): boolean {
  if (from.startsWith('.') && languageOf(path) === 'javascript') return isTestSupport(besideOf(path, from))
  return (
    languageOf(path) === 'python' && /(?:^|\.)(?:tests?|conftest|test_\w+|fakes?|stubs?|helpers?)(?:\.|$)/.test(from)
  )
}

/** What an import may leave out at its end. */
export const MODULE_ENDINGS = [
  '',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.cts',
  '.tsx',
  '.jsx',
  '/index.js',
  '/index.ts',
]
const ENDINGS = [...MODULE_ENDINGS, '.py', '/__init__.py']

type Read = (path: string) => string | undefined

/** The text of an imported module of the project. */
function moduleText(path: string, from: string, read: Read): string | undefined {
  const isPython = languageOf(path) === 'python'
  const base = isPython ? from.replaceAll('.', '/') : besideOf(path, from).replace(/\.[cm]?js$/, '')
  const folders = isPython ? ['', 'src/', `${folderOf(path)}/`] : ['']
  return folders
    .flatMap((folder) => ENDINGS.map((end) => read(`${folder}${base}${end}`.replace(/^\.?\//, ''))))
    .find((text) => text !== undefined)
}

/** What the product no longer has may live on in its tests. */
function isGone(path: string, from: string, name: string, read: Read): boolean {
  const isOwn = languageOf(path) === 'python' || from.startsWith('.')
  const text = isOwn ? moduleText(path, from, read) : undefined
  return text === undefined ? from.startsWith('.') : !text.includes(name)
}

/** The module only exports it again. */
function isPassedOn(path: string, from: string, name: string, read: Read): boolean {
  const text = moduleText(path, from, read)
  if (text === undefined) return true
  const isDefined = [...text.matchAll(DECLARED)].some(([, one, other]) => (one ?? other) === name)
  return !isDefined && new RegExp(`export\\s*\\{[^}]*\\b${name}\\b`).test(text)
}

/** The path that an import leads to. */
function besideOf(path: string, from: string): string {
  const parts = folderOf(path).split('/')
  for (const part of from.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.filter((part) => part !== '').join('/')
}
