import { posix } from 'node:path'
import { MODULE_ENDINGS } from '../../../../packages/exitgate/src/checks/origins.ts'
import { runnerPart, SHARED_SETTINGS } from '../../../../packages/exitgate/src/checks/settings-parts.ts'
import { nameOf } from '../../../../packages/exitgate/src/checks/test-names.ts'
import {
  isRunnerConfig,
  isTestFile,
  type Language,
  languageOf,
} from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import { isPlainConftest, isPlainPython } from './plain-python.ts'

/** A changed file that decides how tests run. */
export interface Machinery {
  readonly path: string
  readonly isNew: boolean
  readonly line: number
  /** What it can do, as the end of a sentence. */
  readonly effect: string
}

interface ChangedFile {
  readonly path: string
  readonly wasThere: boolean
  readonly before?: string
  readonly after?: string
}

const RUNS_FIRST = 'runs before the tests and can change their results'
const DECIDES = 'decides how the tests run'
const HOOKS = 'gets every test from the runner and can change its result'

/** New and changed code and settings that a test runner loads by itself. A change that can only be harmless is left out. */
export function machineryIn(changes: readonly ChangedFile[], paths: readonly string[]): readonly Machinery[] {
  const known = new Set(paths)
  const found = new Map<string, Machinery>()
  const byPath = new Map(changes.map((change) => [change.path, change]))
  const add = (change: ChangedFile, effect: string) => {
    if (change.after === undefined || (change.wasThere && change.before === undefined)) return
    found.set(change.path, { path: change.path, isNew: !change.wasThere, line: firstNewLine(change), effect })
  }
  for (const change of changes) {
    if (change.after === undefined) continue
    const loaded = loadedFiles(change, known)
    const effect = effectOf(change, loaded.length > 0)
    if (effect === undefined) continue
    add(change, effect)
    // What the settings load is part of the change.
    for (const path of loaded) if (byPath.has(path) && !found.has(path)) add(byPath.get(path)!, RUNS_FIRST)
  }
  return [...found.values()]
}

const IN_TESTS = /(?:^|\/)(?:tests?|specs?|__tests__)\//

function effectOf(change: ChangedFile, loadsFiles: boolean): string | undefined {
  const { path, before, after = '' } = change
  const name = nameOf(path)
  if (/(?:^|\/)(?:node_modules|vendor|fixtures?|__fixtures__|testdata|examples?)\//.test(path)) return undefined
  if (name === 'conftest.py') return isPlainConftest(before, after) ? undefined : HOOKS
  if (name === '__init__.py') return IN_TESTS.test(path) && !isPlainPython(before, after) ? RUNS_FIRST : undefined
  if (/^\.?pytest\.(?:ini|toml)$/.test(name)) return DECIDES
  if (SHARED_SETTINGS.test(path)) {
    const changed = runnerPart(path, before) !== runnerPart(path, after)
    return changed && (!path.endsWith('package.json') || loadsFiles) ? DECIDES : undefined
  }
  if (/^(?:spec_helper|rails_helper|test_helper)\.rb$|^\.rspec(?:-local)?$/.test(name)) return RUNS_FIRST
  if (/(?:^|\/)minitest\/\w+_plugin\.rb$/.test(path)) return HOOKS
  if (/^(?:site|user)customize\.py$/.test(name)) return RUNS_FIRST
  const option = OPTIONS.find(([file]) => file.test(path))?.[1]
  if (option !== undefined) return newLines(before, after).some((line) => option.test(line)) ? DECIDES : undefined
  if (name === 'Rakefile') return DECIDES
  if (/^(?:bootstrap|Pest)\.php$/.test(name) && IN_TESTS.test(path)) return RUNS_FIRST
  if (/(?:^|\/)META-INF\/services\/org\.(?:junit|testng)/.test(path) || name === 'junit-platform.properties')
    return HOOKS
  if (/(?:^|\/)__mocks__\//.test(path) && !change.wasThere) return 'replaces a module in the tests'
  if (SETUP.test(name) && languageOf(path) !== undefined && !isTestFile(path, after))
    return onlyImportsPackages(before, after) ? undefined : RUNS_FIRST
  if (isRunnerConfig(path) || TRANSFORMS.test(name)) return loadsFiles || hasCode(before, after) ? DECIDES : undefined
  if (patchesOthers(change)) return RUNS_FIRST
  return checksLess(change) ? 'checks less than before' : undefined
}

const SETUP =
  /^(?:[\w.-]*(?:jest|vitest|mocha|test|spec|karma|jasmine)[\w.-]*(?:setup|bootstrap|environment|runner|preload|register|hooks?|reporter|transform)[\w.-]*|(?:setup|bootstrap|global-?setup|preload|register|setupTests?|test-?(?:setup|helper|preload))[\w.-]*)\.(?:[cm]?[jt]sx?|rb|php|py)$/i
const TRANSFORMS = /^(?:\.babelrc(?:\.\w+)?|babel\.config\.\w+|\.swcrc)$/

/** Settings from which programs take other options: these start something else, or load code first. */
const LOADS_CODE = String.raw`.*[\s"'=](?:-r|--require|--import|--loader|--experimental-loader|--eval|-e|--test-reporter)\b`
const OPTIONS: readonly (readonly [file: RegExp, line: RegExp])[] = [
  [
    /(?:^|\/)\.(?:npmrc|yarnrc(?:\.ya?ml)?)$/,
    new RegExp(
      `^\\s*(?:script-shell|shell|userconfig|globalconfig|prefix|yarn-?[Pp]ath|plugins|pnpDataPath|node-options${LOADS_CODE})`,
    ),
  ],
  [
    /(?:^|\/)\.env[\w.]*$/,
    new RegExp(
      `^\\s*(?:export\\s+)?(?:PYTEST_\\w+|PYTHON(?:STARTUP|HOME|PATH)|RUBYOPT|PERL5OPT|_?JAVA_\\w*OPTIONS|JDK_JAVA_OPTIONS|GOFLAGS|MAVEN_\\w+|LD_\\w+|DYLD_\\w+|BASH_ENV|RUSTC\\w*|CARGO_TARGET_\\w+|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS)\\s*=|^\\s*(?:export\\s+)?NODE_OPTIONS=${LOADS_CODE}`,
    ),
  ],
  [/(?:^|\/)\.cargo\/config(?:\.toml)?$/, /\b(?:runner|rustc\S*|rustdoc|linker|rustflags|test|env)\b/],
]

/** Lines of a text that the other does not have. */
function newLines(before: string | undefined, after: string): string[] {
  const had = new Set((before ?? '').split('\n').map((line) => line.trim()))
  return after.split('\n').filter((line) => line.trim() !== '' && !had.has(line.trim()))
}

function firstNewLine({ before, after = '' }: ChangedFile): number {
  const first = newLines(before, after)[0]
  return first === undefined ? 1 : after.split('\n').indexOf(first) + 1
}

/** `import '@testing-library/jest-dom'` and the like: code that the lock file knows. */
const onlyImportsPackages = (before: string | undefined, after: string): boolean =>
  newLines(before, after).every((line) =>
    /^\s*(?:\/[/*].*|\*.*|import\s+(?:[\w*{}\s,]+\s+from\s+)?['"](?![./])[^'"]+['"];?|require\(\s*['"](?![./])[^'"]+['"]\s*\);?)\s*$/.test(
      line,
    ),
  )

/** Settings are mostly data. Plugins, hooks and statements are code that runs in the runner. */
const hasCode = (before: string | undefined, after: string): boolean =>
  newLines(before, after).some((line) =>
    /\b(?:transform|load|resolveId|config|configResolved|configureVitest|configureServer|buildStart|buildEnd|on[A-Z]\w+|setup|teardown|process|processAsync)\s*(?:\(|:\s*(?:async\s*)?(?:function\b|\())|^\s*(?:process\.(?!env\.\w+ ?\?\?)|globalThis|global\b|Object\.|Reflect\.|require\.|module\.constructor|await\b)|\b(?:eval|Function|execSync|spawnSync|writeFileSync)\s*\(/.test(
      line,
    ),
  )

const ENDINGS = [...MODULE_ENDINGS, '.rb', '.php']

/** Files of the project that new lines of a settings file name. Tests that it selects are not loaded by it. */
function loadedFiles({ path, before, after = '' }: ChangedFile, known: ReadonlySet<string>): string[] {
  if (!isRunnerConfig(path) && !TRANSFORMS.test(nameOf(path)) && !/^\.rspec|Rakefile$/.test(nameOf(path))) return []
  const folder = posix.dirname(path)
  const shared = SHARED_SETTINGS.test(path)
  const lines = shared ? newLines(runnerPart(path, before), runnerPart(path, after)) : newLines(before, after)
  const words = lines.flatMap((line) =>
    [...line.matchAll(/(?:<rootDir>\/?|\.{0,2}\/)?[\w@-][\w@./-]*/g)].map(([word]) => word),
  )
  const modules = lines.flatMap((line) =>
    [...line.matchAll(/-p\s+([\w.]+)|pytest_plugins.*?["']([\w.]+)["']/g)].map(
      ([, a, b]) => `${(a ?? b)!.replaceAll('.', '/')}.py`,
    ),
  )
  const names = [...words.map((word) => word.replace(/^<rootDir>\/?/, './')), ...modules]
  const files = names.flatMap((name) => {
    const base = posix.join(folder, name)
    return ENDINGS.map((ending) => base + ending).find((file) => known.has(file)) ?? []
  })
  return [...new Set(files)].filter((file) => file !== path && languageOf(file) !== undefined && !isTestFile(file))
}

/** How helpers of tests report a failure, in files that use a test library. */
const CHECKS: Readonly<Partial<Record<Language, readonly [uses: RegExp, fails: RegExp]>>> = {
  go: [/"testing"/, /\.(?:Errorf?|Fatalf?|Fail(?:Now)?)\(/g],
  python: [
    /^\s*(?:import|from)\s+(?:pytest|unittest)\b/m,
    /\bassert\b|\braise\b|\bpytest\.fail\(|\.(?:fail|assert\w+)\(/g,
  ],
  javascript: [/['"](?:vitest|@jest\/globals|chai|node:test|expect)['"]/, /\b(?:expect|assert)\b[.(]|\bthrow\b/g],
  ruby: [/minitest|rspec/i, /\b(?:assert\w*|refute\w*|expect|flunk|raise)\b/g],
}

/** A helper outside the test files that no longer fails where it did. */
function checksLess({ path, before, after = '' }: ChangedFile): boolean {
  const language = languageOf(path)
  const rule = language === undefined ? undefined : CHECKS[language]
  if (rule === undefined || before === undefined || isTestFile(path, after) || !rule[0].test(before)) return false
  return (before.match(rule[1])?.length ?? 0) > (after.match(rule[1])?.length ?? 0)
}

/** A new test file that replaces something for all others: in many runners they share a process. */
function patchesOthers({ path, wasThere, after = '' }: ChangedFile): boolean {
  if (wasThere || !isTestFile(path, after)) return false
  const language = languageOf(path)
  if (language === 'python')
    return /^(?:(?!self\b|os\.environ)[A-Za-z_][\w.]*\.[\w.]+\s*=(?!=)|setattr\(|sys\.(?:modules|meta_path)|(?:[\w.]*patch[\w.]*)\(.*\)\.start\()/m.test(
      after,
    )
  if (language === 'go') return /^func init\(\)/m.test(after)
  if (language === 'ruby')
    return /^\s*(?:class|module)\s+[A-Z]\w*::|\.(?:prepend|class_eval|define_method|alias_method)\b/m.test(after)
  if (language === 'javascript')
    return /^(?!\s)(?:[A-Za-z_$][\w$]*(?:\.[\w$]+)+\s*=(?!=)|Object\.(?:assign|definePropert)|Reflect\.)|require\.cache\[|syncBuiltinESMExports/m.test(
      after,
    )
  return false
}
