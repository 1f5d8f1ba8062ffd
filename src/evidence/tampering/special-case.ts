import { isRunnerConfig, type Language } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { addedLines, type Changes } from './changes.ts'
import type { TamperFinding } from './finding.ts'
import { short } from './finding.ts'

/** How source checks whether a test is running, as plain tokens. */
const TEST_CHECKS: Readonly<Record<Language, RegExp>> = {
  javascript:
    /\bprocess \. env (?:\. NODE_ENV|\[ "NODE_ENV" \]) (?:===?|!==?) "test"|"test" (?:===?|!==?) process \. env \. NODE_ENV|\b(?:process|import \. meta) \. env \. (?:VITEST\w*|JEST_WORKER_ID|TEST\b|MOCHA\w*|CYPRESS|PLAYWRIGHT\w*)|\bimport \. meta \. env \. MODE (?:===?|!==?) "test"|\btypeof (?:jest|vi|describe|it|expect|__vitest\w*) (?:===?|!==?)|\bglobalThis \. (?:__vitest\w*|jest)\b|\bnavigator \. webdriver\b|\bwindow \. Cypress\b/,
  python:
    /PYTEST_CURRENT_TEST|"(?:pytest|unittest|_pytest)" (?:not )?in sys \. modules|\bsys \. argv \[ 0 \].*(?:pytest|test)|\binspect \. (?:stack|currentframe) \( \).*test|\b(?:settings|config|app \. config)(?: \[ "TESTING" \]| \. TESTING)\b|\bTESTING\b.*environ|environ.*\bTESTING\b/,
  go: /\btesting \. Testing \( \)|\bflag \. Lookup \( "test\.v" \)|HasSuffix \( os \. Args \[ 0 \] , "\.test"/,
  rust: /\bcfg ! \( test \)|\bcfg ! \( not \( test \) \)/,
  java: /"(?:org\.)?junit[\w.]*"|getStackTrace \( \).*(?:[tT]est|junit)|surefire\.|\bisRunningTest\b/,
  kotlin: /"(?:org\.)?junit[\w.]*"|stackTrace.*(?:[tT]est|junit)|surefire\./,
  csharp: /"(?:xunit|nunit|MSTest|testhost)[\w.]*"|StackTrace \( \).*[tT]est|IsRunningFromUnitTest/i,
  ruby: /\bRails \. env \. test\?|\bENV \[ "(?:RAILS_ENV|RACK_ENV|APP_ENV)" \] == "test"|\bdefined\? ?\(? ?(?:RSpec|Minitest)\b|\$PROGRAM_NAME.*(?:rspec|test)/,
  php: /\bdefined \( "PHPUNIT\w*"|\bclass_exists \( .*PHPUnit|->runningUnitTests|-> runningUnitTests|"APP_ENV".*(?:===?) "test(?:ing)?"|environment \( "testing"|PHPUNIT_COMPOSER_INSTALL/,
}

/** Variables that a runner sets in its test processes. Product code only needs them to tell a test from a user. */
const RUNNER_VARIABLES = /\b(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST_(?:WORKER|POOL)_ID|PYTEST_CURRENT_TEST)\b/

/** Where a test run leaves traces, and the values there that name a test. A command called `test` and a default value are none. */
const TRACES_IN_JAVASCRIPT: readonly (readonly [trace: RegExp, value: RegExp])[] = [
  [/\bprocess \. (?:argv \[ 1 \]|argv0|execArgv|mainModule)/g, /\b(?:tests?|spec)\b/],
  [/\bprocess \. argv\b/g, /[^"][./\\](?:tests?|spec)\b|^"[./\\](?:tests?|spec)\b/],
  [
    /\bprocess \. argv\b[^;{}]*?\. (?:some|find|findIndex|filter|every|map|join) \((?!.*=== "(?:test|spec)")/g,
    /\b(?:tests?|spec)\b/,
  ],
  [/\. stack\b/g, /\b(?:test|spec)s?\b/],
  [/\brequire \. (?:main|cache)\b/g, /\b(?:test|spec|jest|mocha|vitest)\b/],
]
/** Further away, a value belongs to something else: minified code has one line. */
const NEAR = 200
const VALUE = /(?<=(\|\| |\?\? )?)(?:"[^"]*"|\/(?! )(?:[^/\\]|\\.)+\/)/g

const hasTraceInJavaScript = (text: string) =>
  TRACES_IN_JAVASCRIPT.some(([trace, value]) =>
    [...text.matchAll(trace)].some(({ index, 0: { length } }) =>
      [...text.slice(index + length, index + length + NEAR).matchAll(VALUE)].some(
        ([literal, isDefault]) => isDefault === undefined && value.test(literal),
      ),
    ),
  )

/** Other traces of a running test: loaded runners, the name of the started program, the files on the stack. */
const RUNNER_TRACES: Readonly<Partial<Record<Language, { test(text: string): boolean }>>> = {
  javascript: { test: hasTraceInJavaScript },
  python:
    /"(?:pytest|unittest|_pytest)[\w.]*" (?:not )?in sys \. modules|\bsys \. modules \. get \( "_?(?:pytest|unittest)|\bsys \. argv\b(?!.* or\b).*(?:pytest|unittest)|"[^"]*test[^"]*" (?:not )?in .{0,20}\bsys \. argv \[ 0 \]|\bsys \. argv \[ 0 \].{0,40}(?:[!=]=|\bin|\. \w+) [^"]{0,20}"[^"]*test|\binspect \. (?:stack|currentframe) \( \).*test|\bsys \. _getframe \(.*test/,
  go: /\btesting \. Testing \( \)|\bflag \. Lookup \( "test\.|os \. Args\b.*"(?:[^"]*\.test\b|-test\.)|os \. Args \[ 0 \].*"[^"]*test\b/,
  rust: /\benv (?:: :|::) (?:current_exe\b.*"[^"]*(?:deps|test)|args(?:_os)? \( \) (?:.*"[^"]*(?:deps\b|--test)|\. (?:next \( \)|nth \( 0 \)).*"[^"]*test))/,
  ruby: /\bdefined\? ?\(? ?(?:: : ?)?(?:RSpec|Minitest|MiniTest|Test : : Unit)\b|\$(?:PROGRAM_NAME|0)\b.*(?:rspec|test)|\bcaller\b.*(?:_spec|_test|spec\/|test\/)/,
}

/** Every file with such a check contains one of these. */
const HINT =
  /test|spec|mocha|deps|TEST|JEST|CYPRESS|webdriver|jest|RSpec|junit|surefire|PHPUNIT|PHPUnit|__(?:eq|ne|bool|hash)__|describe|expect|xunit|nunit/i

/** Source that behaves differently under test. */
export function specialCaseFindings(changes: Changes): TamperFinding[] {
  return changes.sources.flatMap((change): TamperFinding[] => {
    if (
      change.language === undefined ||
      change.after === undefined ||
      isRunnerConfig(change.path) ||
      /(?:^|\/)[\w.-]+\.config\.\w+$|(?:^|\/)(?:config|settings|environments?)\//.test(change.path)
    )
      return []
    const testCheck = TEST_CHECKS[change.language]
    if (!HINT.test(change.after)) return []
    const added = addedLines(change)
    return added.flatMap(({ text, line }, at): TamperFinding[] => {
      const equalsAll =
        change.language === 'python' &&
        /^def __(?:eq|ne|bool|hash)__ \( self(?: , \w+)?(?: : \w+)? \) (?:-> bool )?: return True$/.test(
          text.endsWith(':') ? `${text} ${added[at + 1]?.text}` : text,
        )
      const usesRunnerVariable = RUNNER_VARIABLES.test(text)
      const looksForTest = change.language !== undefined && RUNNER_TRACES[change.language]?.test(text) === true
      if (!testCheck.test(text) && !usesRunnerVariable && !looksForTest && !equalsAll) return []
      return [
        {
          kind: 'test-special-case',
          severity: usesRunnerVariable || looksForTest || equalsAll ? 'block' : 'warn',
          file: change.path,
          line,
          after: short(text),
          detail: equalsAll
            ? 'This object equals everything, so every comparison with it passes. Remove it.'
            : usesRunnerVariable
              ? 'The source checks for a variable that only the test runner sets. Remove the special case.'
              : 'The source checks whether a test is running. Remove the special case.',
        },
      ]
    })
  })
}

/** Most files contain none of these and can be skipped. */
const LIBRARY_HINT = /\b(?:assert|node:test|chai|expect|vitest|globals|tap|ava|should|unittest|pytest)\b/

/** Source code that changes the assertion library so that every test passes. */
export function patchedAssertionFindings(changes: Changes): TamperFinding[] {
  return changes.sources.flatMap((change): TamperFinding[] => {
    if (change.language === undefined || change.after === undefined || !LIBRARY_HINT.test(change.after)) return []
    const names = libraryNames(change.after, change.language)
    if (names.length === 0) return []
    const one = `(?:${names.map((name) => name.replaceAll('$', String.raw`\$`)).join('|')})`
    const replaced = new RegExp(
      String.raw`(?<!\. )\b${one} (?:\. \w+ |\[ [^\]]* \] )+=(?![=>])|\b(?:assign|definePropert(?:y|ies)|set|method|setattr|object) \( ${one}\b`,
    )
    return addedLines(change).flatMap(({ text, line }) =>
      replaced.test(text)
        ? [
            {
              kind: 'runner-patched' as const,
              severity: 'block' as const,
              file: change.path,
              line,
              after: short(text),
              detail: 'This source line replaces a function that tests rely on. Remove it.',
            },
          ]
        : [],
    )
  })
}

const JAVASCRIPT_LIBRARY = `['"](?:(?:node:)?assert(?:/strict)?|node:test|chai|expect|vitest|@jest/globals|uvu/assert|tap|ava|should)['"]`

/** Finds the names under which a source file imports an assertion library. */
const LIBRARY_IMPORTS: Readonly<Partial<Record<Language, readonly RegExp[]>>> = {
  javascript: [
    new RegExp(String.raw`\bimport\s+(?:\*\s*as\s+)?([\w$]+)[^;'"]*?\bfrom\s*${JAVASCRIPT_LIBRARY}`, 'g'),
    new RegExp(String.raw`\bimport\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*${JAVASCRIPT_LIBRARY}`, 'g'),
    new RegExp(
      String.raw`(?:\b(?:const|let|var)|,)\s+(?:\{([^}]*)\}|([\w$]+))\s*=\s*(?:\(?await\s+import|require)\s*\(\s*${JAVASCRIPT_LIBRARY}`,
      'g',
    ),
  ],
  python: [
    /^[ \t]*import[ \t]+(?:unittest|pytest)[\w.]*[ \t]+as[ \t]+(\w+)/gm,
    /^[ \t]*import[ \t]+(unittest|pytest)\b/gm,
    /^[ \t]*from[ \t]+(?:unittest|pytest)[\w.]*[ \t]+import[ \t]+([^\n]+)/gm,
  ],
}

/** In `{ strict as assert, ok }` and `TestCase as T, mock`, the name after `as` counts. */
function libraryNames(text: string, language: Language): string[] {
  const found = (LIBRARY_IMPORTS[language] ?? []).flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, ...groups]) => groups.flatMap((group) => group?.split(',') ?? [])),
  )
  return [...new Set(found.flatMap((each) => /([\w$]+)\W*$/.exec(each)?.[1] ?? []))]
}
