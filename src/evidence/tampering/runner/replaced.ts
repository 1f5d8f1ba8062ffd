import { addedLines } from '../added.ts'
import type { Change, Changes } from '../changes.ts'
import { short } from '../findings.ts'
import { flatten } from '../settings/flatten.ts'
import type { TamperFinding } from '../types.ts'
import { lockFindings, RUNNER_PACKAGES } from './lock-file.ts'

/** Programs by which tests are run, under the names people call them by. */
const RUNNER_PROGRAMS =
  /^(?:vitest|jest|mocha|ava|tap|jasmine|karma|playwright|cypress|pytest|py\.test|tox|nox|rspec|rake|phpunit|pest|cargo|go|mvn|gradle|dotnet|tsc|eslint|biome|npm|npx|pnpm|yarn|node|python3?|ruby|php|make)(?:\.(?:cmd|bat|ps1|sh))?$/

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The runner itself was exchanged, or something was put in its way. */
export function replacementFindings(changes: Changes): TamperFinding[] {
  return [
    ...changes.all.flatMap((change) => [...fileFindings(change), ...settingFindings(change)]),
    ...lockFindings(changes),
  ]
}

function fileFindings(change: Change): TamperFinding[] {
  const { path, before, after } = change
  if (after === undefined) return []
  const say = (severity: 'block' | 'warn', detail: string): TamperFinding => ({
    kind: 'runner-replaced',
    severity,
    file: path,
    line: 1,
    ...(before !== undefined && { before: short(before) }),
    after: short(after),
    detail,
  })
  if (/(?:^|\/)node_modules\/(?:\.bin\/|\.pnpm\/)?/.test(path)) {
    return [say('block', 'An installed package was edited in place.')]
  }
  if (/(?:^|\/)(?:vendor\/bin\/|vendor\/(?:phpunit|pestphp)\/|site-packages\/|\.venv\/bin\/|venv\/bin\/)/.test(path))
    return [say('block', 'An installed tool was edited in place.')]
  if (before === undefined && /^(?:pytest|unittest|_pytest|pluggy|nose)(?:\.py|\/__init__\.py)$/.test(path))
    return [say('block', 'This module takes the place of the runner of the same name.')]
  if (
    before === undefined &&
    RUNNER_PROGRAMS.test(nameOf(path)) &&
    !/(?:^|\/)(?:src|lib|docs?|completions?|cmd|templates?|fixtures?|\.github)\//.test(path)
  )
    return [say('block', 'A program with the name of a tool may be run in its place.')]
  if (before !== undefined && /^(?:gradlew|mvnw)$/.test(nameOf(path)) && !/wrapper/.test(after))
    return [say('block', 'The wrapper does not start the build tool any more.')]
  if (/(?:^|\/)\.pnp\.c?js$/.test(path) && before !== undefined)
    return [say('warn', 'The map of installed packages was edited.')]
  return []
}

interface Diversion {
  readonly file: RegExp
  readonly key: RegExp
  readonly value?: RegExp
  readonly severity: 'block' | 'warn'
  readonly says: string
}

const DIVERSIONS: readonly Diversion[] = [
  {
    file: /(?:^|\/)\.npmrc$/,
    key: /^(?:script-shell|node-options|shell|scripts-prepend-node-path)$/,
    severity: 'block',
    says: 'scripts are run by another program or with other options',
  },
  { file: /(?:^|\/)\.npmrc$/, key: /registry$/, severity: 'warn', says: 'packages come from another place' },
  {
    file: /(?:^|\/)\.env[\w.]*$/,
    key: /^(?:NODE_OPTIONS|PYTEST_ADDOPTS|PYTEST_PLUGINS|PYTHONSTARTUP|RUBYOPT|JAVA_TOOL_OPTIONS|GOFLAGS|MAVEN_OPTS|MAVEN_ARGS)$/,
    severity: 'block',
    says: 'the runner gets other options from the environment',
  },
  {
    file: /(?:^|\/)\.cargo\/config(?:\.toml)?$/,
    key: /(?:^|\.)(?:runner|rustc-wrapper|rustc|rustflags)$|^alias\.(?:test|t)$/,
    severity: 'block',
    says: 'cargo runs tests through something else',
  },
  {
    file: /(?:^|\/)package\.json$/,
    key: /^(?:overrides|resolutions|pnpm\.overrides)\./,
    severity: 'block',
    says: 'the runner is exchanged',
  },
  {
    file: /(?:^|\/)package\.json$/,
    key: /^(?:devDependencies|dependencies|optionalDependencies)\./,
    value: /^(?:file|link|portal|npm|git\+?\w*|github|https?|workspace):|^\.{0,2}\//,
    severity: 'block',
    says: 'the runner comes from another place',
  },
  {
    file: /(?:^|\/)(?:pyproject\.toml|Pipfile)$/,
    key: /(?:sources|dependencies|packages)\.pytest(?:\.(?:path|git|url))?$/,
    value: /^(?:\.|\/|git|https?|file)/,
    severity: 'block',
    says: 'the runner comes from another place',
  },
]

function settingFindings(change: Change): TamperFinding[] {
  const rules = DIVERSIONS.filter(({ file }) => file.test(change.path))
  if (change.after === undefined) return []
  const lines = diverted(change)
  if (rules.length === 0) return lines
  const had = new Set(
    change.before === undefined ? [] : flatten(change.path, change.before).map(({ key, value }) => `${key}\n${value}`),
  )
  return [
    ...lines,
    ...flatten(change.path, change.after).flatMap(({ key, value, line }): TamperFinding[] => {
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
          detail: `${key}: ${rule.says}.`,
        },
      ]
    }),
  ]
}

const LINES: readonly [RegExp, RegExp][] = [
  [
    /(?:^|\/)go\.mod$/,
    /^(?:replace )?(?:github\.com\/stretchr\/testify|github\.com\/onsi\/\w+|gotest\.tools\S*)\b.*=> \.{0,2}\//,
  ],
  [/(?:^|\/)requirements[\w./-]*\.txt$/, /^(?:-e )?(?:pytest|tox|nose|unittest2)\b.*(?:@ |file:|\.\/)|^-e \S*pytest/],
  [/(?:^|\/)Gemfile$/, /^gem \(? ?["'](?:rspec[\w-]*|minitest)["'].*\b(?:path|git|github)\b/],
]

/** Dependencies written as lines: the runner taken from a folder of the project. */
function diverted(change: Change): TamperFinding[] {
  const found = LINES.find(([file]) => file.test(change.path))
  if (!found) return []
  return addedLines(change)
    .filter(({ text }) => found[1].test(text))
    .map(({ text, line }) => ({
      kind: 'runner-replaced',
      severity: 'block',
      file: change.path,
      line,
      after: short(text),
      detail: 'The runner comes from another place.',
    }))
}
