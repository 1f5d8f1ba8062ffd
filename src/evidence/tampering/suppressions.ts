import { newSuppressions, runsTool } from '../../../packages/exitgate/src/checks/suppressions.ts'
import type { Change, Changes } from './changes.ts'
import type { Setting, TamperFinding } from './finding.ts'
import { short } from './finding.ts'
import { flatten } from './settings/flatten.ts'

/** What type checkers and linters are newly told to overlook. It blocks where a required command runs the tool. */
export function suppressionFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change) => [...commentFindings(change, changes), ...settingFindings(change, changes)])
}

function finding(
  change: Change,
  changes: Changes,
  tool: string,
  rest: Pick<TamperFinding, 'line' | 'detail' | 'after'>,
) {
  const severity = runsTool(tool, changes.required) ? 'block' : 'warn'
  return { kind: 'suppression-added', severity, file: change.path, ...rest } as const
}

function commentFindings(change: Change, changes: Changes): TamperFinding[] {
  const { path, before, after } = change
  if (after === undefined || GENERATED.test(path)) return []
  return newSuppressions(path, before, after).map(({ tool, line, text }) =>
    finding(change, changes, tool, {
      line,
      after: short(text),
      detail: `"${short(text)}" silences ${tool}. Fix what it reports, or accept this.`,
    }),
  )
}

const GENERATED = /(?:^|\/)(?:dist|build|out|vendor|node_modules|generated|__generated__)\/|\.min\.js$|\.d\.ts$/

interface StrictRule {
  readonly tool: string
  readonly file: RegExp
  readonly key: RegExp
  /** Whether the values now are less strict than before. */
  readonly isLooser: (was: readonly string[], now: readonly string[]) => boolean
}

const isOff = (value: string) => /^(?:off|0|false|none|disabled?)$/i.test(value)
const turnedOff: StrictRule['isLooser'] = (was, now) => now.some(isOff) && !was.some(isOff)
const turnedOn: StrictRule['isLooser'] = (was, now) => now.includes('true') && !was.includes('true')
const added: StrictRule['isLooser'] = (was, now) => now.some((each) => !was.includes(each))
const lowered: StrictRule['isLooser'] = ([was], [now]) => now !== undefined && Number(now) < Number(was)

const STRICT =
  /(?:^|\.)compilerOptions\.(?:strict\w*|no(?:Implicit|Unused|Unchecked|Fallthrough|PropertyAccess)\w*|exactOptionalPropertyTypes|useUnknownInCatchVariables|checkJs|alwaysStrict)$/
const TSCONFIG = /(?:^|\/)[tj]sconfig[\w.-]*\.json$/
const ESLINT = /(?:^|\/)(?:\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|package\.json)$/
const PYTHON =
  /(?:^|\/)(?:pyproject\.toml|setup\.cfg|tox\.ini|mypy\.ini|\.mypy\.ini|\.flake8|\.?ruff\.toml|pyrightconfig\.json)$/
const PHPSTAN = /(?:^|\/)phpstan[\w.-]*\.(?:neon|ya?ml)(?:\.dist)?$/

/** Settings of checkers. A rule that is missing on one side is not known to be off there. */
const RULES: readonly StrictRule[] = [
  { tool: 'TypeScript', file: TSCONFIG, key: STRICT, isLooser: turnedOff },
  { tool: 'ESLint', file: ESLINT, key: /(?:^|\.)rules\.[\w@/-]+(?:\.0)?$/, isLooser: turnedOff },
  { tool: 'ESLint', file: /(?:^|\/)\.eslintignore$/, key: /./, isLooser: added },
  { tool: 'Biome', file: /(?:^|\/)biome\.jsonc?$/, key: /\.rules\..*$|(?:^|\.)enabled$/, isLooser: turnedOff },
  { tool: 'flake8', file: PYTHON, key: /(?:^|\.)(?:extend-)?(?:per-file-)?ignores?(?:\.|$)/, isLooser: added },
  {
    tool: 'mypy',
    file: PYTHON,
    key: /mypy.*(?:^|\.)(?:ignore_errors|ignore_missing_imports|follow_untyped_imports)$/,
    isLooser: turnedOn,
  },
  {
    tool: 'mypy',
    file: PYTHON,
    key: /mypy.*(?:^|\.)(?:strict\w*|disallow_\w+|check_untyped_defs|warn_\w+)$/,
    isLooser: turnedOff,
  },
  { tool: 'mypy', file: PYTHON, key: /mypy.*(?:^|\.)disable_error_code(?:\.\d+)?$/, isLooser: added },
  { tool: 'pyright', file: PYTHON, key: /(?:^|\.)report\w+$/, isLooser: turnedOff },
  { tool: 'RuboCop', file: /(?:^|\/)\.rubocop[\w.-]*\.ya?ml$/, key: /(?:^|\.)Enabled$/, isLooser: turnedOff },
  {
    tool: 'golangci-lint',
    file: /(?:^|\/)\.golangci\.\w+$/,
    key: /(?:^|\.)(?:disable|exclude)(?:\.\d+)?$/,
    isLooser: added,
  },
  { tool: 'PHPStan', file: PHPSTAN, key: /(?:^|\.)level$/, isLooser: lowered },
  { tool: 'PHPStan', file: PHPSTAN, key: /(?:^|\.)ignoreErrors(?:\.|$)/, isLooser: added },
  {
    tool: 'Clippy',
    file: /(?:^|\/)Cargo\.toml$/,
    key: /(?:^|\.)lints\./,
    isLooser: (was, now) => now.includes('allow') && !was.includes('allow'),
  },
]

function settingFindings(change: Change, changes: Changes): TamperFinding[] {
  const { path, before, after } = change
  const rules = RULES.filter(({ file }) => file.test(path))
  if (rules.length === 0 || before === undefined || after === undefined) return []
  const [was, now] = [byKey(flatten(path, before)), byKey(flatten(path, after))]
  return [...now].flatMap(([key, settings]): TamperFinding[] => {
    const rule = rules.find((each) => each.key.test(key))
    const values = (all: readonly Setting[] = []) => all.map(({ value }) => value)
    if (rule === undefined || !rule.isLooser(values(was.get(key)), values(settings))) return []
    const text = short(`${key}: ${values(settings).join(', ')}`)
    const detail = `${rule.tool} checks less now: ${text}. Undo this, or accept it.`
    return [finding(change, changes, rule.tool, { line: settings[0]!.line, after: text, detail })]
  })
}

/** Settings by key. The elements of a list belong together. */
function byKey(settings: readonly Setting[]): ReadonlyMap<string, readonly Setting[]> {
  const found = new Map<string, Setting[]>()
  for (const each of settings) {
    const key = each.key.replace(/\.\d+$/, '')
    found.set(key, [...(found.get(key) ?? []), each])
  }
  return found
}
