import {
  isRunnerConfig,
  isTestFile,
  isTestSupport,
  type Language,
} from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Change, Changes } from '../changes.ts'
import { addedLines } from '../changes.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import { flatten } from '../settings/flatten.ts'
import { ancestors, readUnit, type Unit } from '../source/unit.ts'
import { overriddenFunctions } from './patched-functions.ts'

interface Patch {
  readonly line: RegExp
  readonly file?: RegExp
  readonly severity: 'block' | 'warn'
  readonly effect: string
  /** The runner's own code may do this. */
  readonly isOwn?: boolean
}

const EXIT = 'This line exits with success even if tests fail'
const OVERRIDE = 'This line replaces a function that tests rely on'

/** Lines that change what a runner reports, as plain tokens. */
const PATCHES: Readonly<Partial<Record<Language, readonly Patch[]>>> = {
  python: [
    {
      line: /\bos \. _exit \( 0 \)|^(?:sys \. )?exit \( (?:0 )?\)|\bpytest \. exit \(.*returncode = 0/,
      severity: 'block',
      effect: EXIT,
    },
    {
      line: /\. outcome = "(?:passed|skipped)"|\. exitstatus = (?:0|pytest \. ExitCode \. OK|ExitCode \. OK)|\. failed = False|\. testsfailed = 0|\bforce_result \(|\. excinfo = None|\. longrepr = None/,
      severity: 'block',
      effect: 'This line rewrites test results',
    },
    {
      file: /(?:^|\/)(?:conftest|\w*plugin\w*)\.py$/,
      line: /\bitems (?:\[ : \] )?= \[ \]|\bitems \. clear \(|\bdel items\b|\bitems \. (?:remove|pop) \(/,
      severity: 'block',
      effect: 'This line discards collected tests',
    },
    {
      line: /\b(?:unittest \. )?TestCase \. (?:fail|failIf|run|assert\w+|_callTestMethod|addCleanup) =|\bsetattr \( (?:unittest \. )?TestCase\b|\bunittest \. (?:TestCase|TextTestResult|TestResult) \. \w+ =|\bpytest \. (?:fail|raises|approx) =|\bbuiltins \. (?:assert|AssertionError) =|\bAssertionError = /,
      severity: 'block',
      effect: OVERRIDE,
    },
    {
      line: /^def pytest_(?:runtest_protocol|pyfunc_call|runtest_call|runtestloop|ignore_collect|report_teststatus)\b/,
      severity: 'warn',
      effect: 'This adds a hook to the test runner',
    },
  ],
  javascript: [
    {
      line: /^(?:export )?(?:const|let|var) (?:expect|it|test|describe) = (?:async )?\(.*\) => (?:new Proxy|\( \{|\{ \}|undefined|null|void)|^(?:export )?(?:const|let|var) (?:it|test|describe) = (?:\( .*\) => \{ \}|noop|Function \. prototype)/,
      severity: 'block',
      effect: OVERRIDE,
    },
    {
      line: /\bprocess \. (?:exit|reallyExit) \( (?:0 )?\)|\bprocess \. exitCode = 0\b|\bprocess \. on \( "(?:exit|beforeExit)"[^]*(?:exitCode|exit|reallyExit)/,
      severity: 'block',
      effect: EXIT,
    },
    {
      line: /\b(?:global|globalThis|window|self) (?:\. (?:expect|it|test|describe|assert|fail)|\[ "(?:expect|it|test|describe|assert)" \]) =(?!=)|\bdefineProperty \( (?:global|globalThis|window|expect|assert) , "(?:expect|it|test|describe|assert|toBe|toEqual|equal\w*)"/,
      severity: 'block',
      effect: OVERRIDE,
    },
    {
      line: /\bassert (?:\. strict )?\. (?:equal|strictEqual|deepEqual|deepStrictEqual|ok|throws|rejects|fail|notEqual|match) =(?!=)|^(?:it|test|describe|expect) =(?!=)|\bexpect \. (?:prototype|toBe|toEqual) /,
      severity: 'block',
      effect: OVERRIDE,
    },
    {
      line: /\b(?:Runner|Test|Suite|Mocha|Runnable|VitestRunner|Circus)\b.*\. prototype \. \w+ =(?!=)|\bModule \. (?:_load|prototype \. require|_resolveFilename) =(?!=)|\bspecFilter =(?!=)|\brequire \. cache \[.*(?:assert|expect|vitest|jest|mocha|chai)/,
      severity: 'block',
      effect: OVERRIDE,
    },
  ],
  ruby: [
    {
      line: /\bexit ?! ?\(? ?(?:0|true)?|\bexit ! ?\( ?0|^at_exit \{.*exit|\bKernel \. exit !? ?\( ?(?:0|true)|^exit ?\(? ?(?:0|true)\b/,
      severity: 'block',
      effect: EXIT,
    },
    {
      line: /^(?:module|class) (?:Minitest(?: :: \w+)*|RSpec(?: :: \w+)+|Test :: Unit\b.*)$|\b(?:Minitest :: Assertions|RSpec :: (?:Expectations|Core|Matchers))\b.*(?:class_eval|module_eval|define_method|prepend)/,
      severity: 'block',
      effect: OVERRIDE,
    },
    {
      line: /\bexample \. run rescue\b|\bex \. run rescue\b|\bset_exception \( ?nil|\bexample \. instance_variable_set \(? ?:@exception/,
      severity: 'block',
      effect: 'This line rewrites test results',
    },
  ],
  php: [
    {
      line: /^(?:exit|die) ?(?:\( (?:0 )?\))? ?$|\bexit \( 0 \)|\bregister_shutdown_function \(.*exit/,
      severity: 'block',
      effect: EXIT,
    },
    {
      line: /^namespace PHPUnit\b/,
      severity: 'block',
      effect: OVERRIDE,
      isOwn: true,
    },
    {
      line: /\bclass_alias \(.*(?:TestCase|Assert)\b|\brunkit\w* \(|\buopz_\w+ \(/,
      severity: 'block',
      effect: OVERRIDE,
    },
  ],
  java: [
    { line: /\bSystem \. exit \( 0 \)|\bRuntime \. getRuntime \( \) \. halt \( 0/, severity: 'block', effect: EXIT },
  ],
  kotlin: [{ line: /\b(?:System \. exit|exitProcess) \( 0 \)/, severity: 'block', effect: EXIT }],
  csharp: [{ line: /\bEnvironment \. Exit \( 0 \)|\bEnvironment \. ExitCode = 0/, severity: 'block', effect: EXIT }],
  rust: [{ line: /\bprocess :: exit \( 0 \)/, severity: 'block', effect: EXIT }],
  go: [{ line: /\bos \. Exit \( 0 \)|\bsyscall \. Exit \( 0/, severity: 'block', effect: EXIT }],
}

/** Python loads these before anything else. No project needs a new one to pass its tests. */
const PRELOADED = /(?:^|\/)(?:sitecustomize|usercustomize)\.py$|\.pth$/

/** Code near the tests that changes their results. */
export function patchFindings(changes: Changes): TamperFinding[] {
  const loaded = loadedBySettings(changes)
  return changes.all.flatMap((change): TamperFinding[] => {
    if (change.after === undefined) return []
    if (PRELOADED.test(change.path))
      return [
        {
          kind: 'runner-patched',
          severity: 'block',
          file: change.path,
          line: 1,
          after: short(change.after),
          detail: 'Python runs this file before every test. Remove it.',
        },
      ]
    const isTestCode =
      isTestSupport(change.path, change.after) ||
      isRunnerConfig(change.path) ||
      SETUP.test(change.path) ||
      loaded.some((name) => change.path.replace(/\.\w+$/, '').endsWith(name))
    if (!isTestCode || change.language === undefined) return []
    // These folders contain programs that tests start. How they exit is up to them.
    if (/(?:^|\/)(?:fixtures?|__fixtures__|testdata|stubs?|data|examples?)\//i.test(change.path)) return []
    return [...linePatches(change, () => isPhpUnit(changes)), ...overriddenFunctions(change)]
  })
}

/** The project is PHPUnit itself, so its namespace is its own. */
const isPhpUnit = ({ before }: Changes) => /"name"\s*:\s*"phpunit\/phpunit"/.test(before.read('composer.json') ?? '')

/** Project files that the runner's settings load, without a leading `./` and the extension. */
function loadedBySettings(changes: Changes): string[] {
  return changes.all
    .filter(({ path, after }) => after !== undefined && isRunnerConfig(path))
    .flatMap(({ path, after }) =>
      flatten(path, after!).filter(
        ({ key }) => !/package\.json$/.test(path) || /^(?:jest|mocha|ava|tap|vitest|c8|nyc)\./.test(key),
      ),
    )
    .filter(({ key }) =>
      /setup|teardown|require|import|preload|bootstrap|environment|plugins|reporters?|runner/i.test(key),
    )
    .flatMap(({ value }) => /^(?:<rootDir>)?\.{0,2}\/?([\w./-]+)$/.exec(value)?.[1] ?? [])
    .filter((name) => name.includes('/') || /\.[cm]?[jt]s$/.test(name))
    .map((name) => name.replace(/^\.?\//, '').replace(/\.\w+$/, ''))
}

const SETUP =
  /(?:^|\/)(?:[\w.-]*(?:jest|vitest|mocha|test|spec|karma|jasmine)[\w.-]*(?:setup|bootstrap|environment|runner|preload|register|hooks?)[\w.-]*|(?:setup|bootstrap|global-?setup|preload|setupTests?|test-?(?:setup|helper|preload))[\w.-]*)\.\w+$/i

/** A file without any of these words contains no patch and is not read further. */
const HINT =
  /expect\s*=|exit|outcome|longrepr|excinfo|testsfailed|force_result|items|TestCase|AssertionError|pytest_|global|window|self\[|defineProperty|prototype|_load|specFilter|require\.cache|assert[.\s]|^\s*(?:it|test|describe|expect) =|Minitest|RSpec|PHPUnit|class_alias|runkit|uopz|halt|die/im

function linePatches(change: Change, isRunner: () => boolean): TamperFinding[] {
  const patches = PATCHES[change.language!] ?? []
  if (!HINT.test(change.after!)) return []
  const conditional = conditionalLines(change)
  return addedLines(change).flatMap(({ text, line }) => {
    const patch = patches.find((each) => each.line.test(text) && (each.file?.test(change.path) ?? true))
    return patch && !(patch.isOwn === true && isRunner())
      ? [
          {
            kind: 'runner-patched' as const,
            severity: conditional(line) ? ('warn' as const) : patch.severity,
            file: change.path,
            line,
            after: short(text),
            detail: `${patch.effect}. Remove it.`,
          },
        ]
      : []
  })
}

/**
 * In a test file, an exit inside a condition may belong to a process that the test itself starts. But outside of functions it ends
 * the file, and the tests that it had before don't run.
 */
function conditionalLines({ path, before, after, language }: Change): (line: number) => boolean {
  if (language === 'go' || !isTestFile(path, after)) return () => false
  let unit: Unit | undefined
  return (line) => {
    unit ??= readUnit(after!, language!)
    const at = unit.tokens.findIndex((token) => token.line === line)
    const around = at < 0 ? [] : ancestors(unit, at)
    const inFunction = around.some(({ kind }) => kind === 'function' || kind === 'lambda')
    return around.some(({ kind }) => kind === 'if' || kind === 'else') && (before === undefined || inFunction)
  }
}
