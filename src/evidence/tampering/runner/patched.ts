import { isRunnerConfig, isTestSupport, type Language } from '../../test-files.ts'
import { addedLines } from '../added.ts'
import type { Change, Changes } from '../changes.ts'
import { short } from '../findings.ts'
import { plain } from '../source/token.ts'
import { below, readUnit } from '../source/unit.ts'
import type { TamperFinding } from '../types.ts'

interface Patch {
  readonly line: RegExp
  readonly severity: 'block' | 'warn'
  readonly says: string
}

const EXIT = 'the process ends with success, whatever the tests say'
const OVERRIDE = 'a function that tests rely on is replaced'

/** Lines that change what a runner reports, as plain tokens. */
const PATCHES: Readonly<Partial<Record<Language, readonly Patch[]>>> = {
  python: [
    { line: /\bos \. _exit \( 0 \)|^(?:sys \. )?exit \( (?:0 )?\)|\bpytest \. exit \(.*returncode = 0/, severity: 'block', says: EXIT },
    { line: /\. outcome = "(?:passed|skipped)"|\. exitstatus = (?:0|pytest \. ExitCode \. OK|ExitCode \. OK)|\. failed = False|\. testsfailed = 0|\bforce_result \(|\. excinfo = None|\. longrepr = None/, severity: 'block', says: 'results are rewritten' },
    { line: /\bitems (?:\[ : \] )?= \[ \]|\bitems \. clear \(|\bdel items\b|\bitems \. (?:remove|pop) \(/, severity: 'block', says: 'collected tests are thrown away' },
    { line: /\b(?:unittest \. )?TestCase \. (?:fail|failIf|run|assert\w+|_callTestMethod|addCleanup) =|\bsetattr \( (?:unittest \. )?TestCase\b|\bunittest \. (?:TestCase|TextTestResult|TestResult) \. \w+ =|\bpytest \. (?:fail|raises|approx) =|\bbuiltins \. (?:assert|AssertionError) =|\bAssertionError = /, severity: 'block', says: OVERRIDE },
    { line: /^def pytest_(?:runtest_protocol|pyfunc_call|runtest_call|runtestloop|ignore_collect|report_teststatus)\b/, severity: 'warn', says: 'a hook of the runner was added' },
  ],
  javascript: [
    { line: /\bprocess \. (?:exit|reallyExit) \( (?:0 )?\)|\bprocess \. exitCode = 0\b|\bprocess \. on \( "(?:exit|beforeExit)"[^]*(?:exitCode|exit|reallyExit)/, severity: 'block', says: EXIT },
    { line: /\b(?:global|globalThis|window|self) (?:\. (?:expect|it|test|describe|assert|fail)|\[ "(?:expect|it|test|describe|assert)" \]) =(?!=)|\bdefineProperty \( (?:global|globalThis|window|expect|assert) , "(?:expect|it|test|describe|assert|toBe|toEqual|equal\w*)"/, severity: 'block', says: OVERRIDE },
    { line: /\bassert (?:\. strict )?\. (?:equal|strictEqual|deepEqual|deepStrictEqual|ok|throws|rejects|fail|notEqual|match) =(?!=)|^(?:it|test|describe|expect) =(?!=)|\bexpect \. (?:prototype|toBe|toEqual) /, severity: 'block', says: OVERRIDE },
    { line: /\b(?:Runner|Test|Suite|Mocha|Runnable|VitestRunner|Circus)\b.*\. prototype \. \w+ =(?!=)|\bModule \. (?:_load|prototype \. require|_resolveFilename) =(?!=)|\bspecFilter =(?!=)|\brequire \. cache \[.*(?:assert|expect|vitest|jest|mocha|chai)/, severity: 'block', says: OVERRIDE },
  ],
  ruby: [
    { line: /\bexit ?! ?\(? ?(?:0|true)?|\bexit ! ?\( ?0|^at_exit \{.*exit|\bKernel \. exit !? ?\( ?(?:0|true)|^exit ?\(? ?(?:0|true)\b/, severity: 'block', says: EXIT },
    { line: /^(?:module|class) (?:Minitest(?: :: \w+)*|RSpec(?: :: \w+)+|Test :: Unit\b.*)$|\b(?:Minitest :: Assertions|RSpec :: (?:Expectations|Core|Matchers))\b.*(?:class_eval|module_eval|define_method|prepend)/, severity: 'block', says: OVERRIDE },
    { line: /\bexample \. run rescue\b|\bex \. run rescue\b|\bset_exception \( ?nil|\bexample \. instance_variable_set \(? ?:@exception/, severity: 'block', says: 'results are rewritten' },
  ],
  php: [
    { line: /^(?:exit|die) ?(?:\( (?:0 )?\))? ?$|\bexit \( 0 \)|\bregister_shutdown_function \(.*exit/, severity: 'block', says: EXIT },
    { line: /^namespace PHPUnit\b|\bclass_alias \(.*(?:TestCase|Assert)\b|\brunkit\w* \(|\buopz_\w+ \(/, severity: 'block', says: OVERRIDE },
  ],
  java: [{ line: /\bSystem \. exit \( 0 \)|\bRuntime \. getRuntime \( \) \. halt \( 0/, severity: 'block', says: EXIT }],
  kotlin: [{ line: /\b(?:System \. exit|exitProcess) \( 0 \)/, severity: 'block', says: EXIT }],
  csharp: [{ line: /\bEnvironment \. Exit \( 0 \)|\bEnvironment \. ExitCode = 0/, severity: 'block', says: EXIT }],
  rust: [{ line: /\bprocess :: exit \( 0 \)/, severity: 'block', says: EXIT }],
  go: [{ line: /\bos \. Exit \( 0 \)|\bsyscall \. Exit \( 0/, severity: 'block', says: EXIT }],
}

/** Loaded by the interpreter before anything else: nothing in a project needs to add one to pass its tests. */
const PRELOADED = /(?:^|\/)(?:sitecustomize|usercustomize)\.py$|\.pth$/

/** Code near the tests that changes their outcome instead of asking for it. */
export function patchFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change): TamperFinding[] => {
    if (change.after === undefined) return []
    if (PRELOADED.test(change.path)) return [{ kind: 'runner-patched', severity: 'block', file: change.path, line: 1, after: short(change.after), detail: 'This file is run by the interpreter before any test.' }]
    const near = isTestSupport(change.path, change.after) || isRunnerConfig(change.path) || SETUP.test(change.path)
    if (!near || change.language === undefined) return []
    return [...linePatches(change), ...wholePatches(change)]
  })
}

const SETUP = /(?:^|\/)(?:[\w.-]*(?:jest|vitest|mocha|test|spec|karma|jasmine)[\w.-]*(?:setup|bootstrap|environment|runner|preload|register|hooks?)[\w.-]*|(?:setup|bootstrap|global-?setup|preload|setupTests?|test-?(?:setup|helper|preload))[\w.-]*)\.\w+$/i

function linePatches(change: Change): TamperFinding[] {
  const patches = PATCHES[change.language!] ?? []
  return addedLines(change).flatMap(({ text, line }) => {
    const patch = patches.find((each) => each.line.test(text))
    return patch ? [{ kind: 'runner-patched' as const, severity: patch.severity, file: change.path, line, after: short(text), detail: `In the test code: ${patch.says}.` }] : []
  })
}

/** Functions of the runner that were written anew and leave out their purpose. */
function wholePatches({ path, before, after, language }: Change): TamperFinding[] {
  const unit = readUnit(after!, language!)
  const old = before === undefined ? '' : before
  const findings: TamperFinding[] = []
  const say = (line: number, text: string, detail: string) => findings.push({ kind: 'runner-patched', severity: 'block', file: path, line, after: short(text), detail })
  for (const block of below(unit.root)) {
    const body = plain(unit.tokens, block.body)
    const line = unit.tokens[block.head[0]]?.line ?? 1
    const head = plain(unit.tokens, block.head)
    if (old.includes(block.name) && sameBody(old, language!, block.name, body)) continue
    if (block.kind === 'function' && block.name === 'TestMain' && language === 'go' && !/\bm \. Run \(/.test(body)) say(line, head, 'TestMain does not run the tests.')
    if (block.kind === 'function' && block.name === 'handleTestExecutionException' && !/\bthrow\b/.test(body)) say(line, head, 'An extension swallows what tests throw.')
    if (block.kind === 'function' && block.name === 'evaluateExecutionCondition' && /\bdisabled \(/.test(body) && !/\bif\b/.test(body)) say(line, head, 'An extension switches tests off.')
    if (block.kind === 'function' && /^__(?:eq|ne)__$/.test(block.name) && /^return (?:True|False) ?;?$/.test(body.trim())) say(line, `${head}: ${body}`, 'An object that equals everything makes every comparison true.')
    if (block.kind === 'function' && block.name === 'pytest_collection_modifyitems' && /mark \. (?:skip|xfail)\b/.test(body) && !/getoption|\bif\b/.test(body)) say(line, head, 'Every collected test is skipped.')
    if (language === 'javascript' && block.kind === 'function' && /^to(?:Be|Equal|StrictEqual|Match|Contain|Throw|HaveLength|BeTruthy|HaveBeenCalledWith)$/.test(block.name) && /pass : true/.test(body)) say(line, head, 'A matcher of the runner is replaced by one that always passes.')
  }
  return findings
}

function sameBody(text: string, language: Language, name: string, body: string): boolean {
  const unit = readUnit(text, language)
  for (const block of below(unit.root)) if (block.name === name && plain(unit.tokens, block.body) === body) return true
  return false
}
