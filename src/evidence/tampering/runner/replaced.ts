import type { Change, Changes } from '../changes.ts'
import { addedLines } from '../changes.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import { flatten } from '../settings/flatten.ts'
import { REDIRECTS } from './redirects.ts'

/** The runner itself was replaced, or something runs instead of it. */
export function replacementFindings(changes: Changes): TamperFinding[] {
  return [
    ...changes.all.flatMap((change) => [
      ...fileFindings(change, changes.before.paths),
      ...lineFindings(change),
      ...settingFindings(change),
    ]),
    ...lockFindings(changes),
  ]
}

/** The usual names of programs that run tests. */
export const RUNNER_PROGRAMS =
  /^(?:vitest|jest|mocha|ava|tap|jasmine|karma|playwright|cypress|pytest|py\.test|tox|nox|rspec|rake|phpunit|pest|cargo|go|mvn|gradle|dotnet|tsc|eslint|biome|npm|npx|pnpm|yarn|node|python3?|ruby|php|make)(?:\.(?:cmd|bat|ps1|sh))?$/

/** Modules that would be loaded instead of a test runner, an assertion library or what these are made of. */
const SHADOWS =
  /^(?:(?:src|tests?)\/)?(?:pytest|unittest|_pytest|pluggy|iniconfig|nose2?|doctest|traceback|inspect|importlib|site|ast|contextlib|functools|warnings|atexit)(?:\.pyc?|\/__init__\.pyc?|\.[\w-]+\.so)$|(?:^|\/)(?:lib|test|tests|spec)\/(?:minitest|rspec|test-unit)(?:\.rb|\/(?!.*_spec\.rb$|.*_test\.rb$|.*_plugin\.rb$).*\.rb)$|(?:^|\/)(?:lib|test|spec)\/test\/unit(?:\.rb|\/.*\.rb)$|(?:^|\/)org\/(?:junit|testng|hamcrest|assertj)\/.*\.(?:java|kt)$/
/** Metadata of a package in the tree itself, which Python finds like an installed one. */
const ENTRY_POINTS = /\.(?:dist|egg)-info\/entry_points\.txt$/
/** A build script may only write to OUT_DIR. */
const WRITES_SOURCES =
  /\b(?:fs::(?:write|rename|copy|remove_file)|File::create|OpenOptions)\b[^;]*(?:"(?:\.\/)?(?:tests?|src|benches)\b|CARGO_MANIFEST_DIR)|"(?:\.\/)?(?:tests|src)\/[^"]*"(?:[\s\S]*)\bfs::write\b/

function fileFindings(change: Change, others: readonly string[]): TamperFinding[] {
  const { path, before, after } = change
  if (after === undefined) return []
  const finding = (severity: 'block' | 'warn', detail: string): TamperFinding => ({
    kind: 'runner-replaced',
    severity,
    file: path,
    line: 1,
    ...(before !== undefined && { before: short(before) }),
    after: short(after),
    detail,
  })
  if (/(?:^|\/)node_modules\//.test(path)) return [finding('block', 'An installed package was edited. Reinstall it.')]
  if (/(?:^|\/)(?:vendor\/bin\/|vendor\/(?:phpunit|pestphp)\/|site-packages\/|\.venv\/bin\/|venv\/bin\/)/.test(path))
    return [finding('block', 'An installed tool was edited. Reinstall it.')]
  if (before === undefined && SHADOWS.test(path))
    return [finding('block', 'This module shadows the test runner or library of the same name. Remove it.')]
  if (before === undefined && ENTRY_POINTS.test(path) && /^\s*\[pytest11\]/m.test(after))
    return [finding('block', 'pytest loads the plugin that this file names. Remove it.')]
  if (before === undefined && (path === 'GNUmakefile' || path === 'makefile') && others.includes('Makefile'))
    return [finding('block', 'make reads this file instead of the Makefile. Remove it.')]
  if (nameOf(path) === 'build.rs' && WRITES_SOURCES.test(after) && !WRITES_SOURCES.test(before ?? ''))
    return [finding('block', 'This build script writes outside its output folder. Write to OUT_DIR only.')]
  if (
    before === undefined &&
    RUNNER_PROGRAMS.test(nameOf(path)) &&
    !/(?:^|\/)(?:src|lib|docs?|completions?|cmd|templates?|fixtures?|\.github)\//.test(path)
  )
    return [finding('block', 'This file has the name of a tool and may run instead of it. Remove it.')]
  if (before !== undefined && /^(?:gradlew|mvnw)$/.test(nameOf(path)) && !/wrapper/.test(after))
    return [finding('block', 'This wrapper no longer starts the build tool. Restore it.')]
  if (/(?:^|\/)\.pnp\.c?js$/.test(path) && before !== undefined)
    return [finding('warn', 'The list of installed packages was edited. Review it.')]
  return []
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** Packages that run or check tests. */
export const RUNNER_PACKAGES =
  /^(?:vitest|@vitest\/[\w-]+|jest|@jest\/[\w-]+|jest-\w+|ts-jest|babel-jest|mocha|chai|ava|tap|tape|jasmine(?:-core)?|karma|@playwright\/test|playwright|cypress|expect|node:test|pytest(?:-[\w-]+)?|unittest2|nose2?|rspec(?:-[\w-]+)?|minitest|phpunit\/phpunit|pestphp\/pest|github\.com\/stretchr\/testify|@testing-library\/[\w-]+|typescript|eslint)$/

function settingFindings(change: Change): TamperFinding[] {
  const rules = REDIRECTS.filter(({ file }) => file.test(change.path))
  if (change.after === undefined || rules.length === 0) return []
  const had = new Set(
    change.before === undefined ? [] : flatten(change.path, change.before).map(({ key, value }) => `${key}\n${value}`),
  )
  return flatten(change.path, change.after).flatMap(({ key, value, line }): TamperFinding[] => {
    const rule = rules.find((each) => each.key.test(key) && (each.value?.test(value) ?? true))
    if (!rule || had.has(`${key}\n${value}`)) return []
    const name = key
      .replace(/^(?:overrides|resolutions|pnpm\.overrides|devDependencies|dependencies|optionalDependencies)\./, '')
      .replace(/\.version$/, '')
    if (/package\.json$/.test(change.path) && !RUNNER_PACKAGES.test(name)) return []
    return [
      {
        kind: 'runner-replaced',
        severity: rule.severity,
        file: change.path,
        line,
        after: short(`${key} = ${value}`),
        detail: `${key}: ${rule.effect}. Undo this.`,
      },
    ]
  })
}

const LINES: readonly [RegExp, RegExp][] = [
  [
    /(?:^|\/)go\.mod$/,
    /^(?:replace )?(?:github\.com\/stretchr\/testify|github\.com\/onsi\/\w+|gotest\.tools\S*)\b.*=> \.{0,2}\//,
  ],
  [/(?:^|\/)requirements[\w./-]*\.txt$/, /^(?:-e )?(?:pytest|tox|nose|unittest2)\b.*(?:@ |file:|\.\/)|^-e \S*pytest/],
  [/(?:^|\/)Gemfile$/, /^gem \(? ?["'](?:rspec[\w-]*|minitest)["'].*\b(?:path|git|github)\b/],
]

/** Dependencies listed line by line: the runner comes from a project folder. */
function lineFindings(change: Change): TamperFinding[] {
  const found = LINES.find(([file]) => file.test(change.path))
  if (!found || change.after === undefined) return []
  return addedLines(change)
    .filter(({ text }) => found[1].test(text))
    .map(({ text, line }) => ({
      kind: 'runner-replaced',
      severity: 'block',
      file: change.path,
      line,
      after: short(text),
      detail: 'The test runner comes from another source. Restore the original.',
    }))
}

interface Locked {
  version: string
  from: string
  integrity: string
  readonly line: number
}

const LOCK_FILES: readonly [RegExp, (path: string, text: string) => Map<string, Locked>][] = [
  [/(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/, fromNpm],
  [/(?:^|\/)yarn\.lock$/, fromYarn],
  [/(?:^|\/)pnpm-lock\.yaml$/, fromPnpm],
]

function fromNpm(path: string, text: string): Map<string, Locked> {
  const found = new Map<string, Locked>()
  for (const { key, value, line } of flatten(path, text)) {
    const match =
      /^(?:packages\.(?:.*\/)?node_modules\/|dependencies\.)((?:@[^./]+\/)?[^./]+(?:\.[^./]+)*?)\.(version|resolved|integrity|link)$/.exec(
        key,
      )
    if (!match) continue
    const entry = found.get(match[1]!) ?? { version: '', from: '', integrity: '', line }
    found.set(match[1]!, entry)
    if (match[2] === 'version') entry.version = value
    else if (match[2] === 'integrity') entry.integrity = value
    else if (match[2] === 'resolved') entry.from = value
    else entry.from = `link:${entry.from}`
  }
  return found
}

function fromYarn(_path: string, text: string): Map<string, Locked> {
  const found = new Map<string, Locked>()
  for (const match of text.matchAll(/^"?((?:@[^/@\s]+\/)?[^@\s"]+)@[^\n]*:\n((?: {2}.*\n?)*)/gm)) {
    const body = match[2]!
    const field = (name: string) => new RegExp(`^ {2}${name}:? "?([^"\\n]*)"?`, 'm').exec(body)?.[1] ?? ''
    found.set(match[1]!, {
      version: field('version'),
      from: field('resolved') || field('resolution'),
      integrity: field('integrity') || field('checksum'),
      line: text.slice(0, match.index).split('\n').length,
    })
  }
  return found
}

function fromPnpm(_path: string, text: string): Map<string, Locked> {
  const found = new Map<string, Locked>()
  for (const match of text.matchAll(
    /^ {2}['"]?\/?((?:@[^/@\s]+\/)?[^@\s'"/]+)[@/]([^\s:'"(]+)[^\n]*:\n {4}resolution: \{([^}\n]*)\}/gm,
  )) {
    const integrity = /integrity: ([^,}\s]+)/.exec(match[3]!)?.[1] ?? ''
    const from = /(?:tarball|directory): ([^,}]+)/.exec(match[3]!)?.[1] ?? ''
    found.set(match[1]!, {
      version: match[2]!,
      from: /directory:/.test(match[3]!) ? `file:${from}` : from,
      integrity,
      line: text.slice(0, match.index).split('\n').length,
    })
  }
  return found
}

/** Sources other than a registry. */
const LOCAL = /^(?:file:|link:|git|\.{0,2}\/)/

/** A test runner in the lock file that has the same version but other contents, or doesn't come from a registry. */
function lockFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap(({ path, before, after }) => {
    const read = LOCK_FILES.find(([file]) => file.test(path))?.[1]
    if (!read || before === undefined || after === undefined) return []
    const was = read(path, before)
    // Another version of Yarn writes other checksums for the same package.
    const [format, newFormat] = [before, after].map((text) => /^__metadata:\n(?: .*\n)+/m.exec(text)?.[0])
    return [...read(path, after)].flatMap(([name, now]): TamperFinding[] => {
      const old = was.get(name)
      if (!old || !RUNNER_PACKAGES.test(name)) return []
      const sameVersion = old.version === now.version
      const swapped = sameVersion && format === newFormat && old.integrity !== '' && now.integrity !== old.integrity
      const local = LOCAL.test(now.from) && !LOCAL.test(old.from)
      if (!swapped && !local) return []
      return [
        {
          kind: 'runner-replaced',
          severity: 'block',
          file: path,
          line: now.line,
          before: short(`${name} ${old.version} ${old.from} ${old.integrity}`),
          after: short(`${name} ${now.version} ${now.from} ${now.integrity}`),
          detail: local
            ? `The lock file takes ${name} from another source. Restore the entry.`
            : `The lock file has other contents for the same version of ${name}. Restore the entry.`,
        },
      ]
    })
  })
}
