import { posix } from 'node:path'
import {
  holdsTests,
  isRunnerConfig,
  isTestFile,
  languageOf,
} from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import { readCommands } from '../commands/classify.ts'
import { recipesIn } from '../commands/read-recipes.ts'
import type { TestCommand } from '../finding.ts'

/** Whether a shell runs this file. A file without any hint counts too. */
export function isShell(path: string, text: string): boolean {
  if (/\.(?:sh|bash|zsh|ksh)$/.test(path) || /^#!.*\b(?:ba|z|da|k|a)?sh\b/.test(text)) return true
  return languageOf(path) === undefined && !/^#!/.test(text) && !/\.\w+$/.test(posix.basename(path))
}

const MAX_STRINGS = 200
/** Folders of the product: their files are the work, not its tests. */
const PRODUCT = /(?:^|\/)(?:src|lib|app|dist|build|packages|pkg|cmd|internal)(?:\/|$)/

/** Strings in a program that may be what it starts: command lines, shell scripts, and modules in its own folder. */
function stringsIn(path: string, text: string): string[] {
  const fileFolder = posix.dirname(path)
  const ownFolder = fileFolder !== '.' && !PRODUCT.test(fileFolder)
  const found: string[] = []
  for (const [, , string = ''] of text.matchAll(/(["'`])((?:(?!\1)[^\\\n]){2,300})\1/g)) {
    if (found.length >= MAX_STRINGS) break
    if (/^(?:sh|bash|node|python\d?|npm|pnpm|yarn|make|just|\.\/)\s*\S* /.test(string)) found.push(string)
    else if (/^[\w@./-]+\.(?:sh|bash)$/.test(string)) found.push(string)
    else if (ownFolder && /^(?:\.\/)?[\w@-]+\.(?:[cm]?[jt]s|py|rb)$/.test(string)) found.push(posix.join('./', string))
  }
  return found
}

type Read = (path: string) => string | undefined

/** Shell text to readOnce at, the folder it runs in, and the folder of its file. */
interface Line {
  readonly text: string
  readonly cwd: string
  readonly fileFolder?: string
  readonly depth: number
}

/** Limits for scripts that call other scripts. */
const MAX_DEPTH = 4
const MAX_LINES = 300
const MAX_READS = 600

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
const DEPENDENCIES = /(?:^|\/)(?:node_modules|vendor|\.venv|venv|site-packages|\.git)\//

/** Whether a command can start a file with this name. */
export const isScriptName = (path: string): boolean => SCRIPTS.test(path) && !DEPENDENCIES.test(path)

/**
 * The project's own files that its test commands start, also through package scripts, recipes and other scripts. Their output and
 * exit codes decide whether tests pass, so they matter as much as the tests.
 */
export function startedFiles(commands: readonly TestCommand[], read: Read): readonly string[] {
  const found = new Set<string>()
  const texts = new Map<string, string | undefined>()
  const readOnce: Read = (path) => {
    if (!texts.has(path)) texts.set(path, texts.size < MAX_READS ? read(path) : undefined)
    return texts.get(path)
  }
  const lines = commands.flatMap(({ command, cwd, behind }): Line[] =>
    [command, behind ?? ''].map((text) => ({ text, cwd: posix.normalize(cwd || '.'), depth: 0 })),
  )
  const seen = new Set<string>()
  // The loop also visits lines that are added while it runs.
  for (const line of lines) {
    const key = `${line.cwd}\n${line.fileFolder ?? ''}\n${line.text}`
    if (line.depth > MAX_DEPTH || lines.length > MAX_LINES || seen.has(key)) continue
    seen.add(key)
    lines.push(...startedBy(line, readOnce, (path) => take(path, line)))
  }
  function take(path: string, { cwd, depth }: Line): Line[] {
    if (found.has(path)) return []
    found.add(path)
    return linesOf(path, readOnce(path)!, cwd, depth + 1)
  }
  return [...found]
}

/** What a file may start: the lines of a shell script, or the command lines and file names in a program. */
function linesOf(path: string, text: string, cwd: string, depth: number): Line[] {
  const fileFolder = posix.dirname(path)
  if (isShell(path, text)) return [{ text, cwd, fileFolder, depth }]
  return stringsIn(path, text).map((each) => ({ text: each, cwd, fileFolder, depth }))
}

function startedBy(line: Line, read: Read, take: (path: string) => Line[]): Line[] {
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
      const path = pathOf(word, started, { ...line, cwd }, read)
      if (path !== undefined) more.push(...take(path))
    })
  }
  return more
}

/** The path of a word in the project, if it is a started file and neither a test nor a settings file. */
function pathOf(word: string, started: boolean, { cwd, fileFolder }: Line, read: Read): string | undefined {
  const name = expanded(word)
  if (!/^[\w.@+/-]+$/.test(name) || name.startsWith('-') || !(started || /[./]/.test(word))) return undefined
  const folders = fileFolder === undefined ? [cwd] : [cwd, fileFolder, posix.dirname(fileFolder)]
  const candidates = folders.flatMap((folder) =>
    ['', ...(started ? ['.js', '.mjs', '.cjs', '.ts', '/index.js', '/__main__.py'] : [])].map((end) =>
      posix.join(folder, `${name}${end}`),
    ),
  )
  return candidates.find((path) => {
    if (path.startsWith('..') || path.startsWith('/') || !isScriptName(path) || isRunnerConfig(path)) return false
    const text = read(path)
    // A file with a test's name but without tests is a test program.
    return text !== undefined && !(isTestFile(path, text) && holdsTests(path, text))
  })
}

/** `"$(dirname "$0")/lib.sh"` and `$ROOT/check.sh` without the parts only a shell can resolve. */
const expanded = (word: string): string =>
  word
    .replace(/^(?:\$\([^)]*\)|\$\{[^}]*\}|\$\w+|`[^`]*`)\/?/, './')
    .replace(/^\.\/(?=\.)/, '')
    .replace(/^\.\/+/, '')

/** The commands of the package scripts or recipes that a command runs. */
function recipeLines(words: readonly string[], { cwd, depth }: Line, read: Read): Line[] {
  const at = words.findIndex((word) => MANAGERS.test(word) || Object.hasOwn(MAKERS, word))
  if (at < 0) return []
  const tool = words[at]!
  const rest = words.slice(at + 1)
  const moved = rest.findIndex((word) => /^(?:-C|--prefix|--dir|--cwd|--directory)$/.test(word))
  const folder = moved < 0 ? cwd : posix.join(cwd, rest[moved + 1] ?? '')
  const targets = rest.filter((word, i) => !word.startsWith('-') && (moved < 0 || i !== moved + 1))
  const files = MANAGERS.test(tool) ? [tool === 'composer' ? 'composer.json' : 'package.json'] : MAKERS[tool]!
  const path = files.map((name) => posix.join(folder, name)).find((name) => read(name) !== undefined)
  const recipes = path === undefined ? [] : (recipesIn(path, read(path)!) ?? [])
  const names = targets.flatMap((name) => (MANAGERS.test(tool) ? withPreAndPost(name) : [name]))
  const wanted = recipes.filter(({ name }, i) => {
    const plain = name.replace(/^tasks\./, '')
    return names.includes(plain) || (targets.length === 0 && i === 0 && !MANAGERS.test(tool))
  })
  return wanted.flatMap(({ commands }) => commands.map(({ text }) => ({ text, cwd: folder, depth: depth + 1 })))
}

/** A package manager also runs the `pre` and `post` scripts. */
const withPreAndPost = (name: string): string[] => {
  const full = name === 't' || name === 'tst' ? 'test' : name
  return [`pre${full}`, full, `post${full}`]
}
