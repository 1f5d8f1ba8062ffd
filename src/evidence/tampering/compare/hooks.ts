import { isTestSupport } from '../../test-files.ts'
import { headCondition } from '../assertions/finder.ts'
import type { Change, Changes } from '../changes.ts'
import { short } from '../findings.ts'
import { is, plain, type Range, type Token } from '../source/token.ts'
import { around, type Block, below, readUnit, type Unit } from '../source/unit.ts'
import type { TamperFinding } from '../types.ts'
import { holds } from './conditions.ts'

/** Names of functions that run before tests, in the languages that know them by name. */
const SET_UP =
  /^(?:setUp|setUpClass|setUpModule|setup|setup_method|setup_class|setup_module|setup_function|asyncSetUp|setUpBeforeClass|SetupTest|SetupSuite|BeforeTest|beforeEach|beforeAll|Setup)$/
/** Calls that take such a function as a block. */
const SET_UP_CALL = /^(?:before|beforeEach|beforeAll|beforeSuite|setup|suiteSetup|prepend_before|append_before)$/
const SKIPS =
  /^(?:pytest \. skip \(|self \. skipTest \(|raise (?:unittest \. )?SkipTest|this \. skip \(|t \. Skip|s \. T \( \) \. Skip|skip\b|pending\b|omit\b|(?:\$this ->|self ::|static ::) markTest(?:Skipped|Incomplete)|(?:Assumptions \. |Assume \. )?assume(?:True|False|That) \(|Assert \. (?:Ignore|Inconclusive) \(|(?:ctx|context|test|it) \. (?:skip|fixme) \()/

/** Set-up code that skips every test it runs before. */
export function hookFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change): TamperFinding[] => {
    if (change.after === undefined || change.language === undefined || !MENTIONS.test(change.after)) return []
    if (!isTestSupport(change.path, change.after)) return []
    const had = new Set(skipsIn(change, change.before).map(({ text }) => text))
    return skipsIn(change, change.after).flatMap(({ text, line, condition }): TamperFinding[] => {
      if (had.has(text)) return []
      const elsewhere = condition !== undefined && holds(condition) === 'elsewhere'
      // A new file brings its own tests; its conditions are theirs.
      if (change.before === undefined && condition !== undefined) return []
      return [
        {
          kind: 'test-skipped',
          severity: elsewhere ? 'warn' : 'block',
          file: change.path,
          line,
          after: short(text),
          detail: `The set-up skips every test it runs before${condition === undefined ? '' : ` when ${short(condition)}`}.`,
        },
      ]
    })
  })
}

const MENTIONS = /skip|Skip|pending|omit|assume|Inconclusive|Ignore|fixme/

interface Skip {
  readonly text: string
  readonly line: number
  readonly condition?: string
}

function skipsIn({ language }: Change, text: string | undefined): Skip[] {
  if (text === undefined) return []
  const unit = readUnit(text, language!)
  return [...below(unit.root)].filter((block) => isSetUp(unit, block)).flatMap((block) => skipsOf(unit, block))
}

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

/** `beforeEach(function () {`: the word before the bracket that the function is given in. */
function callee(tokens: readonly Token[], [from]: Range): number {
  for (let i = from - 1; i >= Math.max(0, from - 6); i--) if (is(tokens[i], '(')) return i - 1
  return -1
}

/** `@pytest.fixture(autouse=True)` above the function. */
function autouse({ tokens }: Unit, { head }: Block): boolean {
  return /fixture \( [^@]*autouse = True[^@]*\)$/.test(plain(tokens, [Math.max(0, head[0] - 24), head[0]]))
}

function skipsOf(unit: Unit, block: Block): Skip[] {
  const { tokens } = unit
  const found: Skip[] = []
  for (let i = block.body[0]; i < block.body[1]; i++) {
    if (!tokens[i]!.first && i !== block.body[0] && !is(tokens[i - 1], ';')) continue
    const text = plain(tokens, [i, Math.min(i + 12, block.body[1])])
    if (!SKIPS.test(text)) continue
    const holders = around(unit, i, block)
    if (holders.some(({ kind }) => kind === 'catch' || kind === 'else')) continue
    const asked = holders.filter(({ kind }) => kind === 'if').map((holder) => headCondition(unit, holder))
    const trailing = unit.language === 'ruby' ? / (?:if|unless) .*/.exec(text)?.[0].trim() : undefined
    const assumption = /^(?:\w+ \. )?assume(True|False|That) \( (.*)$/.exec(text)
    if (assumption) asked.push(assumption[1] === 'False' ? assumption[2]! : `not ( ${assumption[2]} )`)
    if (trailing !== undefined) asked.push(trailing.replace(/^if /, '').replace(/^unless (.*)$/, 'not ( $1 )'))
    const condition = asked.join(' && ')
    const constant = condition === '' || /^not \( false\b/.test(condition) || condition === 'true'
    found.push({ text, line: tokens[i]!.line, ...(!constant && { condition }) })
  }
  return found
}
