/** A tool and its arguments. */
export interface Invocation {
  readonly name: string
  readonly args: readonly string[]
}

export interface Narrowing {
  readonly flag: string
  readonly severity: 'block' | 'warn'
  readonly masks?: boolean
  /** What the option does, as a clause without a full stop. */
  readonly effect: string
}

/** Options that leave tests out. */
const SELECTS =
  /^(?:-t|--testNamePattern|--test-name-pattern|--test-skip-pattern|-g|--grep|-f|--fgrep|--invert|-i|-k|-m|--ignore|--ignore-glob|--deselect|--exclude|--testPathIgnorePatterns|--testPathPatterns?|--modulePathIgnorePatterns|-run|--run|-skip|--skip|--lib|--doc|--bins|-short|--short|--tag|--tags|--filter|--tests|--group|--exclude-group|--exclude-testsuite|--testsuite|--exclude-filter|--example|-e|-pl|--projects|-P|--pattern|--match|--spec|--changed|--onlyChanged|-o|--onlyFailures|--related|--findRelatedTests|--lf|--last-failed|--only-failures|--next-failure|--sw|--stepwise|--shard|--selectProjects|--ignoreProjects|--dir|--runTestsByPath|-Dtest|-DfailIfNoTests|--only|--test-only|--skip-tests|--exclude-task|-x|--norecursedirs|--co|--failed-first)(?:=|$)/
/** Options that run no tests at all. */
const RUNS_NONE =
  /^(?:--collect-only|--co|--dry-run|--dryRun|--no-run|--list|--listTests|--list-tests|--setup-only|--setup-plan|--showConfig|--version|--help|-h|-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?|-DskipITs(?:=true)?|--no-test|--no-tests|--list-suites)$/
/** Options that let a failing or empty run succeed. */
const SUCCEEDS =
  /^(?:--passWithNoTests(?:=true)?|--pass-with-no-tests|--exit-zero|--exit-code=0|--no-fail|--suppress-no-test-exit-code|-Dmaven\.test\.failure\.ignore(?:=true)?|-DtestFailureIgnore(?:=true)?|--fail-never|-fn|--allow-empty|--no-error-on-unmatched-pattern|--do-not-fail-on-\S+|--allow-only|--allowOnly|--dangerouslyIgnoreUnhandledErrors|--continue-on-error|--no-bail-exit|--failure-exit-code=0|--failure-exit-code 0|--no-fail-on-\S+)$/
/** Options that rewrite expected values. */
const REWRITES =
  /^(?:-u|--update|--updateSnapshot|--update-snapshots?|--snapshot-update|--force-update-snapshots|--inline-snapshot=\S*|-update|--ci=false|--update-golden|--approve)$/
const RETRIES =
  /^(?:--retries|--retry|--reruns|--flaky-test-attempts|--rerun-failing\S*|-Dsurefire\.rerunFailingTestsCount\S*|--test-retries)(?:=|$)/

/** Options that name what is left out. */
const EXCLUDES = /^(?:--ignore|--exclude|--testPathIgnorePatterns|--modulePathIgnorePatterns)$/

/** How a command tests less than before. `isNew`: all tests in a folder are new, so leaving it out loses nothing that was there. */
export function narrowings(
  before: Invocation | undefined,
  after: Invocation,
  isNew: (folder: string) => boolean = () => false,
): Narrowing[] {
  const had = new Set(before?.args ?? [])
  // A command that ran no tests before has none to leave out.
  if (before?.args.some((arg) => RUNS_NONE.test(arg))) return []
  const found: Narrowing[] = []
  after.args.forEach((arg, i) => {
    if (RETRIES.test(arg) && !(before?.args ?? []).some((old) => RETRIES.test(old)))
      found.push({ flag: arg, severity: 'warn', effect: `${arg} retries failing tests until they pass` })
    if (had.has(arg) && sameValue(before, after, arg, i)) return
    if (RUNS_NONE.test(arg)) found.push({ flag: arg, severity: 'block', effect: `${arg} runs no tests` })
    else if (SUCCEEDS.test(arg))
      found.push({
        flag: arg,
        severity: 'block',
        masks: true,
        effect: `${arg} lets the command succeed when tests fail or are missing`,
      })
    else if (REWRITES.test(arg))
      found.push({ flag: arg, severity: 'block', effect: `${arg} rewrites expected values to match the code` })
    else if (selects(arg, after)) {
      const [option = '', value = argumentOf(after.args, i)] = arg.split(/=(.*)/s)
      if (EXCLUDES.test(option) && isNew(normalized(value))) return
      const flag = [arg, argumentOf(after.args, i)].filter(Boolean).join(' ')
      found.push({ flag, severity: 'block', effect: `${flag} leaves tests out` })
    }
  })
  const [was, now] = [pathsOf(before), pathsOf(after)]
  if (before && before.name === after.name && fewerPaths(was, now))
    found.push({
      flag: now.join(' '),
      severity: 'block',
      effect: `it runs only ${now.join(' ')}${was.length > 0 ? ` instead of ${was.join(' ')}` : ''}`,
    })
  return found
}

/** `-i`, `-e`, `-x`, `-m` and the like have different meanings in different tools. */
function selects(arg: string, { name }: Invocation): boolean {
  if (!SELECTS.test(arg)) return false
  const flag = arg.split('=')[0]!
  if (flag === '-i') return name === 'mocha'
  if (flag === '-e') return name === 'rspec'
  if (flag === '-x' || flag === '--exclude-task') return name === 'gradle'
  if (flag === '-m') return name === 'pytest' || name === 'py.test'
  if (flag === '-o') return name === 'jest'
  if (flag === '-f') return name === 'mocha'
  if (flag === '-t') return /^(?:vitest|jest|bun test|rspec|ruby)$/.test(name)
  if (flag === '-P' || flag === '-pl') return name === 'mvn'
  if (flag === '--dir' || flag === '--run') return name !== 'vitest' || flag === '--dir'
  if (flag === '--tags') return name !== 'go test'
  if (flag === '--projects' || flag === '--group' || flag === '--spec') return true
  return true
}

/** The value that follows an option. */
const argumentOf = (args: readonly string[], i: number) =>
  args[i]!.includes('=') || args[i + 1]?.startsWith('-') ? '' : (args[i + 1] ?? '')

/** The same option with the same value, or with one value of a list it had before. */
const sameValue = (before: Invocation | undefined, after: Invocation, arg: string, i: number) => {
  const values = (before?.args ?? []).flatMap((old, at) => (old === arg ? argumentOf(before!.args, at).split(',') : []))
  return (
    values.length > 0 &&
    argumentOf(after.args, i)
      .split(',')
      .every((value) => values.includes(value))
  )
}

/** Arguments that are files or packages. */
function pathsOf(classified: Invocation | undefined): string[] {
  if (!classified) return []
  const { args, name } = classified
  const takesValue =
    /^(?:--reporter|-r|--require|-c|--config|--timeout|-n|--cov|--cov-report|-p|--project|-j|--coverprofile|-covermode|-count|-timeout|--ui|--loader|--import|-o|--out\S*|--logger|--settings|--results-directory|-coverprofile|--format|--pool|--maxWorkers|-w|--mode|--environment|--cov-fail-under|--junitxml|--durations|--maxfail|--tb|-W|-vv)$/
  return args.filter((arg, i) => {
    if (arg.startsWith('-') || arg === 'run' || arg === 'test' || arg === 'exec' || arg === '--') return false
    if (i > 0 && takesValue.test(args[i - 1]!)) return false
    if (i > 0 && SELECTS.test(args[i - 1]!) && !args[i - 1]!.includes('=')) return false
    return /[/.*]|^(?:tests?|specs?|src)$/.test(arg) || name === 'pytest'
  })
}

const normalized = (path: string) =>
  path
    .replace(/^\.\//, '')
    .replace(/\/(?:\.\.\.|\*\*?)?$/, '')
    .replace(/\/\*\*\/.*$|\/\*.*$/, '')

/** Whether fewer paths are tested: a path where there was none, or some of the old paths are missing and no new ones were added. */
function fewerPaths(was: readonly string[], now: readonly string[]): boolean {
  if (now.length === 0) return false
  if (was.length === 0)
    return !now.every(
      (path) =>
        /^(?:\.|tests?|specs?|src|\.\/\.\.\.|\*\*.*|__tests__)$/.test(normalized(path)) ||
        /^\.\/?(?:\.\.\.)?$/.test(path) ||
        /^(?:\*\*|src|tests?|specs?|packages|lib)\/.*\*/.test(path),
    )
  const covers = (wide: string, narrow: string) =>
    normalized(wide) === '' ||
    normalized(wide) === '.' ||
    normalized(narrow) === normalized(wide) ||
    normalized(narrow).startsWith(`${normalized(wide)}/`)
  return (
    was.some((old) => !now.some((path) => covers(path, old))) &&
    now.every((path) => was.some((old) => covers(old, path)))
  )
}
