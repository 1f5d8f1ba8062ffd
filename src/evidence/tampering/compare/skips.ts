import { conditionScope } from '../../../../packages/exitgate/src/checks/skip-conditions.ts'
import { isTestSupport } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import { headCondition } from '../assertions/call-forms.ts'
import type { Change, Changes } from '../changes.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import { is, plain, type Range, type Token } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, descendants, readUnit, type Unit } from '../source/unit.ts'
import { fullName, type Marker } from '../tests/model.ts'
import type { ComparedTest } from './compared-test.ts'

/** A test that no longer runs, or that keeps others from running. */
export function skipFindings(before: ComparedTest, after: ComparedTest): TamperFinding[] {
  const oldMarkers = before.test.markers
  const file = after.file.path
  if (
    oldMarkers.some(
      ({ kind, condition }) => kind === 'skip' && (condition === undefined || conditionScope(condition) === 'always'),
    )
  )
    return focusFindings(oldMarkers, after)
  const added = after.test.markers.filter(
    (marker) => marker.kind !== 'focus' && !oldMarkers.some((old) => sameMarker(old, marker)),
  )
  const skips = added.flatMap((marker): TamperFinding[] => {
    const severity = skipSeverity(marker, before, after)
    if (severity === undefined) return []
    const what =
      marker.kind === 'inverted'
        ? 'now passes only when it fails'
        : marker.condition === undefined
          ? 'is now skipped'
          : `is now skipped (condition: ${short(marker.condition)})`
    return [
      {
        kind: 'test-skipped',
        severity,
        file,
        line: marker.line,
        before: oldMarkers.length === 0 ? 'not skipped' : short(oldMarkers.map(({ text }) => text).join(', ')),
        after: short(marker.text),
        test: fullName(after.test),
        detail: `Test "${after.test.name}" ${what}. Restore it.`,
      },
    ]
  })
  return [...mostSevere(skips), ...focusFindings(oldMarkers, after)]
}

const sameMarker = (a: Marker, b: Marker) =>
  a.kind === b.kind && (bareText(a.condition) === bareText(b.condition) || a.text === b.text)

const bareText = (text: string | undefined) => text?.replace(/[\s"':()]/g, '')

function skipSeverity(marker: Marker, before: ComparedTest, after: ComparedTest): 'block' | 'warn' | undefined {
  if (marker.kind === 'inverted') {
    if (!/expected|Expected|should_panic/.test(marker.text))
      return marker.condition === undefined || conditionScope(marker.condition) !== 'elsewhere' ? 'block' : 'warn'
    // A test that expects an error may describe new behaviour. If its code did not change, it was inverted.
    return sameCode(before, after) && before.assertions.length > 0 ? 'block' : undefined
  }
  const { condition } = marker
  if (condition === undefined) return 'block'
  if (condition === 'abstract') return undefined
  if (condition.startsWith('group ')) return 'warn'
  if (condition.startsWith('missing ')) {
    const wanted = condition.slice('missing '.length).split(/\s/)[0]!
    return wanted !== '' && before.file.unit.text.includes(wanted) ? 'warn' : 'block'
  }
  // One condition replaced another.
  const conditional = before.test.markers.filter((old) => old.kind === 'skip' && old.condition !== undefined).length
  const now = after.test.markers.filter((each) => each.kind === 'skip' && each.condition !== undefined).length
  if (conditional >= now && conditionScope(condition) !== 'always' && !/env|ENV/.test(condition)) return 'warn'
  return conditionScope(condition) === 'elsewhere' ? 'warn' : 'block'
}

const sameCode = (before: ComparedTest, after: ComparedTest) => before.codeHash === after.codeHash

/** One finding per test: the first that blocks, or else the first. */
function mostSevere(findings: readonly TamperFinding[]): TamperFinding[] {
  const blocking = findings.filter(({ severity }) => severity === 'block')
  return blocking.length > 0 ? blocking.slice(0, 1) : findings.slice(0, 1)
}

/** Also for new tests: a focused test keeps the others from running. */
export function focusFindings(oldMarkers: readonly Marker[], after: ComparedTest): TamperFinding[] {
  const { file, test } = after
  return test.markers
    .filter((marker) => marker.kind === 'focus' && !oldMarkers.some((old) => old.kind === 'focus'))
    .map((marker) => ({
      kind: 'test-focused',
      severity: marker.condition !== undefined && conditionScope(marker.condition) === 'elsewhere' ? 'warn' : 'block',
      file: file.path,
      line: marker.line,
      after: short(marker.text),
      detail: `"${short(marker.text)}" keeps the other tests in this file from running. Remove it.`,
    }))
}

const SKIP_HINT = /skip|Skip|pending|omit|assume|Inconclusive|Ignore|fixme/

/** Set-up code that skips every test after it. */
export function setUpSkipFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change): TamperFinding[] => {
    if (change.after === undefined || change.language === undefined || !SKIP_HINT.test(change.after)) return []
    if (!isTestSupport(change.path, change.after)) return []
    const oldSkips = skipsIn(change, change.before)
    return skipsIn(change, change.after).flatMap((skip): TamperFinding[] => {
      const { text, line, condition } = skip
      if (oldSkips.some((old) => sameSkip(old, skip))) return []
      const elsewhere = condition !== undefined && conditionScope(condition) === 'elsewhere'
      // The conditions in a new file only affect its own tests.
      if (change.before === undefined && condition !== undefined) return []
      return [
        {
          kind: 'test-skipped',
          severity: elsewhere ? 'warn' : 'block',
          file: change.path,
          line,
          after: short(text),
          detail: `The set-up code skips every test after it${condition === undefined ? '' : ` (condition: ${short(condition)})`}. Remove the skip.`,
        },
      ]
    })
  })
}

/** In the same function, or in the same words. One with a condition must keep one. */
const sameSkip = (old: SetUpSkip, now: SetUpSkip) =>
  (old.text === now.text || old.at === now.at) && (old.condition === undefined || now.condition !== undefined)

interface SetUpSkip {
  readonly text: string
  /** The functions and classes around it. */
  readonly at: string
  readonly line: number
  readonly condition?: string
}

function skipsIn({ language }: Change, text: string | undefined): SetUpSkip[] {
  if (text === undefined) return []
  const unit = readUnit(text, language!)
  return [...descendants(unit.root)]
    .filter((block) => isSetUp(unit, block))
    .flatMap((block) => skipsInSetUp(unit, block))
}

/** Names of functions that runners call before tests. */
const SET_UP =
  /^(?:setUp|setUpClass|setUpModule|setup|setup_method|setup_class|setup_module|setup_function|asyncSetUp|setUpBeforeClass|SetupTest|SetupSuite|BeforeTest|beforeEach|beforeAll|Setup)$/

/** Calls that take such a function as a block. */
const SET_UP_CALL = /^(?:before|beforeEach|beforeAll|beforeSuite|setup|suiteSetup|prepend_before|append_before)$/

function isSetUp(unit: Unit, block: Block): boolean {
  const { tokens, language } = unit
  if (block.kind === 'function' && SET_UP.test(block.name)) return true
  if (block.kind === 'function' && language === 'python') return autouse(unit, block)
  if ((language === 'java' || language === 'kotlin' || language === 'csharp') && block.kind === 'function') {
    return /@ Before(?:Each|All|Class|Method|Test)?\b|\[ (?:SetUp|OneTimeSetUp|TestInitialize)\b/.test(
      plain(tokens, [Math.max(0, block.head[0] - 12), block.head[0]]),
    )
  }
  if (block.kind !== 'lambda' && block.kind !== 'function') return false
  const call = language === 'ruby' ? block.head[0] : callee(tokens, block.head)
  return call >= 0 && SET_UP_CALL.test(tokens[call]?.text ?? '')
}

/** `@pytest.fixture(autouse=True)` above the function. */
function autouse({ tokens }: Unit, { head }: Block): boolean {
  return /fixture \( [^@]*autouse = True[^@]*\)$/.test(plain(tokens, [Math.max(0, head[0] - 24), head[0]]))
}

/** `beforeEach(function () {`: the word before the bracket around the function. */
function callee(tokens: readonly Token[], [from]: Range): number {
  for (let i = from - 1; i >= Math.max(0, from - 6); i--) if (is(tokens[i], '(')) return i - 1
  return -1
}

const SKIP_STATEMENT =
  /^(?:pytest \. skip \(|self \. skipTest \(|raise (?:unittest \. )?SkipTest|this \. skip \(|t \. Skip|s \. T \( \) \. Skip|skip\b|pending\b|omit\b|(?:\$this ->|self ::|static ::) markTest(?:Skipped|Incomplete)|(?:Assumptions \. |Assume \. )?assume(?:True|False|That) \(|Assert \. (?:Ignore|Inconclusive) \(|(?:ctx|context|test|it) \. (?:skip|fixme) \()/

function skipsInSetUp(unit: Unit, block: Block): SetUpSkip[] {
  const { tokens } = unit
  const found: SetUpSkip[] = []
  for (let i = block.body[0]; i < block.body[1]; i++) {
    if (!tokens[i]!.first && i !== block.body[0] && !is(tokens[i - 1], ';')) continue
    const text = plain(tokens, [i, Math.min(i + 12, block.body[1])])
    if (!SKIP_STATEMENT.test(text)) continue
    const holders = ancestors(unit, i, block)
    if (holders.some(({ kind }) => kind === 'catch' || kind === 'else')) continue
    const conditions = holders.filter(({ kind }) => kind === 'if').map((holder) => headCondition(unit, holder))
    const trailing = unit.language === 'ruby' ? / (?:if|unless) .*/.exec(text)?.[0].trim() : undefined
    const assumption = /^(?:\w+ \. )?assume(True|False|That) \( (.*)$/.exec(text)
    if (assumption) conditions.push(assumption[1] === 'False' ? assumption[2]! : `not ( ${assumption[2]} )`)
    if (trailing !== undefined) conditions.push(trailing.replace(/^if /, '').replace(/^unless (.*)$/, 'not ( $1 )'))
    const condition = conditions.join(' && ')
    const constant = condition === '' || /^not \( false\b/.test(condition) || condition === 'true'
    const at = [block, ...ancestors(unit, block.head[0])].map(({ name }) => name).join(' < ')
    found.push({ text, at, line: tokens[i]!.line, ...(!constant && { condition }) })
  }
  return found
}
