import { posix } from 'node:path'
import { holdsTests, isRunnerConfig, isTestFile, languageOf } from '../../test-files.ts'
import { readCommands } from '../commands/classify.ts'
import { recipesIn } from '../commands/read-recipes.ts'
import type { TestCommand } from '../finding.ts'

/** Whether a file is read by a shell; so is one that says nothing about what reads it. */
export function isShell(path: string, text: string): boolean {
  if (/\.(?:sh|bash|zsh|ksh)$/.test(path) || /^#!.*\b(?:ba|z|da|k|a)?sh\b/.test(text)) return true
  return languageOf(path) === undefined && !/^#!/.test(text) && !/\.\w+$/.test(posix.basename(path))
}

const MOST_STRINGS = 200
/** A folder of the product: what stands there is the work, not what judges it. */
const PRODUCT = /(?:^|\/)(?:src|lib|app|dist|build|packages|pkg|cmd|internal)(?:\/|$)/

/** What the strings of a program name that it may start: command lines, shell scripts, and modules of its own folder. */
function stringsIn(path: string, text: string): string[] {
  const home = posix.dirname(path)
  const own = home !== '.' && !PRODUCT.test(home)
  const found: string[] = []
  for (const [, , string = ''] of text.matchAll(/(["'`])((?:(?!\1)[^\\\n]){2,300})\1/g)) {
    if (found.length >= MOST_STRINGS) break
    if (/^(?:sh|bash|node|python\d?|npm|pnpm|yarn|make|just|\.\/)\s*\S* /.test(string)) found.push(string)
    else if (/^[\w@./-]+\.(?:sh|bash)$/.test(string)) found.push(string)
    else if (own && /^(?:\.\/)?[\w@-]+\.(?:[cm]?[jt]s|py|rb)$/.test(string)) found.push(posix.join('./', string))
  }
  return found
}

/** Whether a program is there to test: by its name, or by what it does when it is no part of the product. */
export function isTestProgram(path: string, text: string): boolean {
  const name = posix.basename(path)
  if (/(?:^|[\W_])(?:tests?|checks?|specs?|verify|ci|suite|e2e|smoke|unit|qa|validate|selftest)(?:[\W_]|$)/i.test(name))
    return true
  return (
    !PRODUCT.test(posix.dirname(path)) &&
    /child_process|subprocess|\bos\.system|unittest|pytest|node:test|\bassert\b|\bexeca\b/.test(text)
  )
}

type Read = (path: string) => string | undefined

/** One thing to look into: lines of shell, where they run, and where they are written. */
interface Line {
  readonly text: string
  readonly cwd: string
  readonly home?: string
  readonly depth: number
}

/** A script calls another, and that one a third; whoever nests deeper, or names more, is followed no further. */
const DEEPEST = 4
const MOST_LINES = 300
const MOST_READS = 600

const INTERPRETERS =
  /^(?:(?:ba|da|z|k|a)?sh|source|\.|node|nodejs|tsx|ts-node|bun|deno|python[\d.]*|pypy\d?|py|ruby|perl|php|pwsh|exec)$/
const MANAGERS = /^(?:npm|pnpm|yarn|bun|composer)$/
const MAKERS: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
}
const SCRIPTS = /\.(?:sh|bash|zsh|ksh|[cm]?[jt]s|py|rb|pl|php|ps1|bat|cmd)$|(?:^|\/)[^./][^./]*$/
const FETCHED = /(?:^|\/)(?:node_modules|vendor|\.venv|venv|site-packages|\.git)\//

/** Whether a file of this name can be what a command starts. */
export const isScriptName = (path: string): boolean => SCRIPTS.test(path) && !FETCHED.test(path)

/**
 * The project's own files that its test commands start, by way of package scripts, recipes and other such files too. They
 * are as much a part of the tests as the tests: what they print and how they end is what is believed.
 */
export function namedFiles(commands: readonly TestCommand[], read: Read): readonly string[] {
  const found = new Set<string>()
  const texts = new Map<string, string | undefined>()
  const look: Read = (path) => {
    if (!texts.has(path)) texts.set(path, texts.size < MOST_READS ? read(path) : undefined)
    return texts.get(path)
  }
  const lines = commands.flatMap(({ command, cwd, behind }): Line[] =>
    [command, behind ?? ''].map((text) => ({ text, cwd: posix.normalize(cwd || '.'), depth: 0 })),
  )
  const seen = new Set<string>()
  // A list that grows while it is walked through is walked through to its end.
  for (const line of lines) {
    const key = `${line.cwd}\n${line.home ?? ''}\n${line.text}`
    if (line.depth > DEEPEST || lines.length > MOST_LINES || seen.has(key)) continue
    seen.add(key)
    lines.push(...behindLine(line, look, (path) => take(path, line)))
  }
  function take(path: string, { cwd, depth }: Line): Line[] {
    if (found.has(path)) return []
    found.add(path)
    return linesOf(path, look(path)!, cwd, depth + 1)
  }
  return [...found]
}

/** What a file leads to: the lines of a shell script, the command lines and names of files in a program. */
function linesOf(path: string, text: string, cwd: string, depth: number): Line[] {
  const home = posix.dirname(path)
  if (isShell(path, text)) return [{ text, cwd, home, depth }]
  return stringsIn(path, text).map((each) => ({ text: each, cwd, home, depth }))
}

function behindLine(line: Line, read: Read, take: (path: string) => Line[]): Line[] {
  const more: Line[] = []
  let { cwd } = line
  for (const { words } of readCommands(line.text)) {
    if (words[0] === 'cd' && words[1] !== undefined) cwd = posix.join(cwd, expanded(words[1]))
    const inner = words.findIndex((word, i) => /^-[a-z]*c$/.test(word) && i > 0)
    if (inner > 0 && words[inner + 1] !== undefined)
      more.push({ ...line, text: words[inner + 1]!, cwd, depth: line.depth + 1 })
    more.push(...recipeLines(words, { ...line, cwd }, read))
    words.forEach((word, i) => {
      const started = INTERPRETERS.test(words[i - 1] ?? '')
      const path = placeOf(word, started, { ...line, cwd }, read)
      if (path !== undefined) more.push(...take(path))
    })
  }
  return more
}

/** Where a word lies in the project, if it is a file that is started and neither a test nor a setting. */
function placeOf(word: string, started: boolean, { cwd, home }: Line, read: Read): string | undefined {
  const name = expanded(word)
  if (!/^[\w.@+/-]+$/.test(name) || name.startsWith('-') || !(started || /[./]/.test(word))) return undefined
  const folders = home === undefined ? [cwd] : [cwd, home, posix.dirname(home)]
  const places = folders.flatMap((folder) =>
    ['', ...(started ? ['.js', '.mjs', '.cjs', '.ts', '/index.js', '/__main__.py'] : [])].map((end) =>
      posix.join(folder, `${name}${end}`),
    ),
  )
  return places.find((path) => {
    if (path.startsWith('..') || path.startsWith('/') || !isScriptName(path) || isRunnerConfig(path)) return false
    const text = read(path)
    // A test by its name alone, without a test in it, is a program that tests.
    return text !== undefined && !(isTestFile(path, text) && holdsTests(path, text))
  })
}

/** `"$(dirname "$0")/lib.sh"` and `$ROOT/check.sh` without what only a shell knows. */
const expanded = (word: string): string =>
  word
    .replace(/^(?:\$\([^)]*\)|\$\{[^}]*\}|\$\w+|`[^`]*`)\/?/, './')
    .replace(/^\.\/(?=\.)/, '')
    .replace(/^\.\/+/, '')

/** The commands of the package scripts or recipes that a command asks for. */
function recipeLines(words: readonly string[], { cwd, depth }: Line, read: Read): Line[] {
  const at = words.findIndex((word) => MANAGERS.test(word) || Object.hasOwn(MAKERS, word))
  if (at < 0) return []
  const tool = words[at]!
  const rest = words.slice(at + 1)
  const moved = rest.findIndex((word) => /^(?:-C|--prefix|--dir|--cwd|--directory)$/.test(word))
  const folder = moved < 0 ? cwd : posix.join(cwd, rest[moved + 1] ?? '')
  const asked = rest.filter((word, i) => !word.startsWith('-') && (moved < 0 || i !== moved + 1))
  const files = MANAGERS.test(tool) ? [tool === 'composer' ? 'composer.json' : 'package.json'] : MAKERS[tool]!
  const path = files.map((name) => posix.join(folder, name)).find((name) => read(name) !== undefined)
  const recipes = path === undefined ? [] : (recipesIn(path, read(path)!) ?? [])
  const names = asked.flatMap((name) => (MANAGERS.test(tool) ? aroundScript(name) : [name]))
  const wanted = recipes.filter(({ name }, i) => {
    const plain = name.replace(/^tasks\./, '')
    return names.includes(plain) || (asked.length === 0 && i === 0 && !MANAGERS.test(tool))
  })
  return wanted.flatMap(({ commands }) => commands.map(({ text }) => ({ text, cwd: folder, depth: depth + 1 })))
}

/** A package manager runs what is called `pre` and `post` with it. */
const aroundScript = (name: string): string[] => {
  const full = name === 't' || name === 'tst' ? 'test' : name
  return [`pre${full}`, full, `post${full}`]
}
