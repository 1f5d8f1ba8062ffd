import type { Language } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import { findAt, is, plain, type Range } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, type Unit } from '../source/unit.ts'
import { headCondition } from './call-forms.ts'

export interface AssertionContext {
  /** Why the assertion doesn't run, or why its failure is lost. */
  readonly lost?: string
  /** It runs only when this is true. */
  readonly condition?: string
  /** It runs once for each of several values. */
  readonly loops?: boolean
}

const FALSE = /^(?:false|False|0|nil|None|null|! true|not True|not true|"" |1 == 2|1 > 2|\( false \))$/
const TRUE = /^(?:true|True|1|! false|not False)$/

/** The head of a block that runs for each item of a list. */
const ITERATION = /\b(?:each|forEach|each_with_index|map|times|forEachRow)\b/

/** What the code around an assertion does to it, up to the body of the test. */
export function contextOf(unit: Unit, at: number, body: Range): AssertionContext {
  let condition: string | undefined
  let loops = false
  for (const block of ancestors(unit, at)) {
    if (block.body[1] > body[1] || block.body[0] < body[0]) break
    const lost = whyLost(unit, block, at)
    if (lost !== undefined) return { lost }
    if (block.kind === 'if' || block.kind === 'else') {
      const blockCondition = headCondition(unit, block)
      if (
        FALSE.test(blockCondition) ||
        blockCondition.split(' && ').some((part) => FALSE.test(part)) ||
        /^not \( (?:true|True|1) \)$/.test(blockCondition)
      )
        return { lost: `it is inside ${block.kind} (${blockCondition})` }
      if (!TRUE.test(blockCondition)) condition ??= blockCondition
    }
    if (block.kind === 'catch') condition ??= 'an error is thrown'
    loops ||=
      block.kind === 'loop' || ITERATION.test(plain(unit.tokens, [Math.max(0, block.head[0] - 2), block.head[1]]))
  }
  const stop = unreachable(unit, at, body)
  if (stop !== undefined) return { lost: stop }
  return { ...(condition !== undefined && { condition: condition.slice(0, 200) }), ...(loops && { loops }) }
}

const DEFERRED =
  /\b(?:setTimeout|setImmediate|setInterval|queueMicrotask|nextTick) \( (?:async )?\( \) =>$|\b(?:setTimeout|setImmediate|setInterval|nextTick) \( (?:async )?function \( \)$/

function whyLost(unit: Unit, block: Block, at: number): string | undefined {
  const { tokens, language } = unit
  if (block.kind === 'try') {
    const handler = catchBlocks(block).find((each) => swallows(unit, each))
    if (handler) return 'a catch block swallows its failure'
  }
  const head = plain(tokens, block.head)
  if (block.kind === 'other' && /^(?:async )?with (?:contextlib \. )?suppress \(/.test(head))
    return 'suppress() swallows its failure'
  if (
    block.kind === 'other' &&
    /^with (?:pytest \. raises|self \. assertRaises) \( (?:AssertionError|Exception|BaseException)\b/.test(head)
  )
    return 'its failure is expected'
  if (
    block.kind === 'loop' &&
    /\b(?:in|of|range) (?:\[ \]|\( \)|range \( 0 \)|0)(?: \))?$|^while (?:\( )?(?:false|False)\b/.test(head)
  )
    return 'the loop around it never runs'
  if (block.kind === 'lambda' || block.kind === 'function') {
    const before = plain(tokens, [Math.max(0, block.head[0] - 6), block.head[1]])
    if (/\bcatch_unwind \(|\brunCatching$|\brunCatching \{?$/.test(before)) return 'its failure is caught and ignored'
    if (emptyCatchFollows(unit, block, at)) return 'catch() swallows its failure'
    if (language === 'javascript' && DEFERRED.test(before) && !signalsEnd(unit, block))
      return 'it may run after the test has ended'
  }
  return undefined
}

/** The catch blocks that follow a try block. */
function catchBlocks(block: Block): Block[] {
  const siblings = block.parent?.children ?? []
  const found: Block[] = []
  for (let i = siblings.indexOf(block) + 1; i > 0 && i < siblings.length; i++) {
    const next = siblings[i]!
    if (next.kind === 'catch') found.push(next)
    else if (next.kind !== 'else' && next.kind !== 'finally') break
  }
  return found
}

/** Error types broad enough to catch a failed assertion, or any failure of the code under test. */
const BROAD =
  /\b(?:AssertionError|AssertionFailedError|Assertion|Exception|BaseException|Throwable|Error|StandardError|XunitException|ExpectationNotMetError|ExpectationFailedException|Err|any|unknown|_)\b/

/** With one of these in a catch block, the failure is not lost. */
const REPORTS_FAILURE =
  /^(?:throw|raise|rethrow|fail|flunk|expect\w*|assert\w*|reject|panic|abort|Fail|Error|Errorf|Fatal|Fatalf|FailNow|failNow|done|should\w*|verify\w*|refute\w*|must\w*|Assert\w*|addFailure|exit|markTestIncomplete)$/

function swallows(unit: Unit, handler: Block): boolean {
  const { tokens, language } = unit
  const kinds = plain(tokens, [handler.head[0] + 1, handler.head[1]])
  const named = language !== 'javascript' && kinds !== '' && !(language === 'ruby' && kinds.startsWith('=>'))
  if (named && !BROAD.test(kinds)) return false
  for (let i = handler.body[0]; i < handler.body[1]; i++)
    if (tokens[i]!.kind === 'word' && REPORTS_FAILURE.test(tokens[i]!.text)) return false
  return true
}

/** `promise.then(() => expect(…)).catch(() => {})`. */
function emptyCatchFollows({ tokens, language }: Unit, block: Block, at: number): boolean {
  if (language !== 'javascript') return false
  let i = block.body[1]
  if (is(tokens[i], '}')) i++
  if (!is(tokens[i], ')')) return false
  i++
  while (is(tokens[i], '.') && i > at) {
    const open = tokens[i + 2]
    if (!is(open, '(') || open!.pair < 0) return false
    if (is(tokens[i + 1], 'catch'))
      return !tokens
        .slice(i + 3, open!.pair)
        .some((token) => token.kind === 'word' && (REPORTS_FAILURE.test(token.text) || token.text === 'done'))
    i = open!.pair + 1
  }
  return false
}

/** A callback of the test, or of a promise around it, is called at the end. */
const signalsEnd = ({ tokens }: Unit, { body }: Block) =>
  tokens.slice(body[0], body[1]).some(({ text }) => /^(?:done|resolve|reject|cb|callback|next|end|finish)$/.test(text))

const NOTHING = /^(?:;|\}|undefined|null|None|nil|void|true|Promise|Ok)$/

/** Why code before this place always leaves the test. */
export function unreachable(unit: Unit, at: number, body: Range): string | undefined {
  for (const block of [...ancestors(unit, at), undefined]) {
    const range: Range = block && block.body[0] >= body[0] && block.body[1] <= body[1] ? block.body : body
    const exit = firstExit(unit, range, block?.kind === 'loop')
    if (exit !== undefined && exit.at < at) return exit.why
    const certain = alwaysReturns(unit, range, at)
    if (certain !== undefined) return certain
    if (range === body) break
  }
  return undefined
}

type EarlyExit = { readonly at: number; readonly why: string }

/** By code range: a test can have a thousand assertions, and all of them look up the same range. */
const exitCache = new WeakMap<Unit, Map<string, EarlyExit | undefined>>()

/** The first statement of a code range, outside brackets, that leaves it. */
function firstExit(unit: Unit, range: Range, inLoop: boolean): EarlyExit | undefined {
  const known = exitCache.get(unit) ?? new Map()
  exitCache.set(unit, known)
  const key = `${range[0]}-${range[1]}-${inLoop}`
  if (!known.has(key)) known.set(key, findExit(unit, range, inLoop))
  return known.get(key)
}

function findExit(unit: Unit, range: Range, inLoop: boolean): EarlyExit | undefined {
  const { tokens } = unit
  for (let i = range[0]; i < range[1]; i++) {
    const token = tokens[i]!
    if (token.pair > i) {
      i = token.pair
      continue
    }
    if (token.kind !== 'word' || unit.owner[i] !== unit.owner[range[0]]) continue
    if (!(token.first || i === range[0] || is(tokens[i - 1], ';'))) continue
    const next = tokens[i + 1]
    const loops = inLoop && (token.text === 'continue' || token.text === 'break')
    const returns = token.text === 'return' && (!next || next.first || NOTHING.test(next.text)) && !trailingIf(unit, i)
    if (loops || returns) return { at: i, why: `it comes after the ${token.text} on line ${token.line}` }
    if (exitsProcess(unit, i)) return { at: i, why: `the process exits on line ${token.line}, before it` }
  }
  return undefined
}

/** Ruby: `return if condition`. */
const trailingIf = ({ tokens, language }: Unit, i: number) =>
  language === 'ruby' && /^(?:if|unless)$/.test(tokens[i + 1]?.text ?? '')

const exitsProcess = ({ tokens }: Unit, i: number) =>
  /^(?:process \. exit|os \. _exit|sys \. exit|os \. Exit|System \. exit|std :: process :: exit|Environment \. Exit|exit|exit!) \(/.test(
    plain(tokens, [i, Math.min(i + 6, tokens.length)]),
  )

/** `if (true) return`: a return under a condition that is always true. */
function alwaysReturns(unit: Unit, [from, to]: Range, at: number): string | undefined {
  const owner = unit.owner[from]
  const block = owner?.children.find(
    ({ kind, head, body }) => kind === 'if' && head[0] >= from && body[1] <= Math.min(to, at) && body[1] > body[0],
  )
  if (!block || !TRUE.test(headCondition(unit, block))) return undefined
  const first = unit.tokens[block.body[0]]
  return first?.text === 'return' ? `it comes after the return on line ${first.line}` : undefined
}

/** The test's own variables and their values, without those that are set twice. */
export type Locals = ReadonlyMap<string, string>

const DECLARED = new Set<Language>(['javascript', 'java', 'kotlin', 'csharp', 'rust', 'go'])

export function localsOf(unit: Unit, [from, to]: Range): Locals {
  const { tokens } = unit
  const values = new Map<string, string>()
  const twice = new Set<string>()
  for (let i = from; i < to; i++) {
    const name = tokens[i]!
    if (name.kind !== 'word' || !(is(tokens[i + 1], '=') || is(tokens[i + 1], ':=')) || is(tokens[i - 1], '.')) continue
    // In languages with declarations, a later assignment is not a declaration.
    if (
      DECLARED.has(unit.language) &&
      !is(tokens[i + 1], ':=') &&
      tokens[i - 1]?.kind !== 'word' &&
      !is(tokens[i - 1], '>') &&
      !is(tokens[i - 1], ']')
    )
      continue
    const end = findAt(
      tokens,
      [i + 2, to],
      (token, at) => is(token, ';') || is(token, ',') || (at > i + 2 && token.first && !/^[.?:+&|]/.test(token.text)),
    )
    if (values.has(name.text)) twice.add(name.text)
    values.set(name.text, plain(tokens, [i + 2, end < 0 ? to : end]).replace(/^await /, ''))
  }
  for (const name of twice) values.delete(name)
  return values
}

/** An assertion's text, followed by the values of the test's variables in it, resolved two levels deep. */
export function scopeOf(text: string, locals: Locals): string {
  const seen = new Set<string>()
  let scope = text
  for (let round = 0; round < 2; round++) {
    const names = (scope.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter(
      (name) => locals.has(name) && !seen.has(name),
    )
    for (const name of names) {
      if (seen.has(name)) continue
      seen.add(name)
      scope += ` ${locals.get(name)}`
    }
  }
  return scope
}
