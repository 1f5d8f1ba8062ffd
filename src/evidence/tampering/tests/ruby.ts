import { findAt, is, plain, type Range, splitAt, stringContent } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, descendants, type Unit } from '../source/unit.ts'
import type { Marker, TestCase } from './model.ts'

const EXAMPLE = /^(?:x|f)?(?:it|specify|example|scenario|its|test|should)$|^(?:pending|skip|focus)$/
const GROUP = /^(?:x|f)?(?:describe|context|feature|shared_examples|shared_examples_for|shared_context)$/

export function readRuby(unit: Unit): TestCase[] {
  const { tokens } = unit
  const groups = new Map<Block, { name: string; markers: readonly Marker[] }>()
  const tests: TestCase[] = []
  const add = (block: Block, name: string, span: Range, own: readonly Marker[]) => {
    const outer = ancestors(unit, block.head[0])
      .flatMap((holder) => groups.get(holder) ?? [])
      .reverse()
    const markers = [...outer.flatMap((group) => group.markers), ...own, ...bodySkips(unit, block)]
    const line = tokens[span[0]]!.line
    tests.push({ kind: 'test', name, groups: outer.map((group) => group.name), line, span, body: block.body, markers })
  }
  for (const block of descendants(unit.root)) {
    const line = tokens[block.head[0]]?.line ?? 1
    if (block.kind === 'class') groups.set(block, { name: block.name, markers: [] })
    else if (block.kind === 'function' && /^test_/.test(block.name))
      add(block, block.name, [block.head[0], block.body[1]], [])
    else if (block.kind === 'lambda') {
      const call = callOf(unit, block.head)
      if (!call) continue
      const own = [...wordMarkers(call.word, line), ...tagMarkers(unit, call.args, line)]
      if (GROUP.test(call.word)) groups.set(block, { name: call.name, markers: own })
      else if (EXAMPLE.test(call.word))
        add(block, call.name || plain(tokens, block.body), [block.head[0], block.body[1]], own)
    }
  }
  return [...tests, ...testsWithoutBlock(unit, groups)]
}

interface Call {
  readonly word: string
  readonly name: string
  readonly args: readonly Range[]
}

/** `RSpec.describe Foo, type: :model`, `it('name', focus: true)`, `its(:size)`. */
function callOf({ tokens }: Unit, head: Range): Call | undefined {
  let at = head[0]
  if (tokens[at]?.text === 'RSpec' && is(tokens[at + 1], '.')) at += 2
  const word = tokens[at]
  if (at >= head[1] || word?.kind !== 'word' || !(EXAMPLE.test(word.text) || GROUP.test(word.text))) return undefined
  const bracket = is(tokens[at + 1], '(') && tokens[at + 1]!.pair > 0
  const range: Range = bracket ? [at + 2, tokens[at + 1]!.pair] : [at + 1, head[1]]
  const args = splitAt(tokens, range, ',')
  const first = args[0]
  const name = first
    ? tokens[first[0]]!.kind === 'string' && first[1] - first[0] === 1
      ? stringContent(tokens[first[0]]!.text)
      : plain(tokens, first)
    : ''
  return { word: word.text, name, args }
}

function wordMarkers(word: string, line: number): Marker[] {
  if (/^x(?:it|specify|example|scenario|describe|context|feature)$/.test(word) || word === 'pending' || word === 'skip')
    return [{ kind: 'skip', text: word, line }]
  if (/^f(?:it|specify|example|describe|context)$/.test(word) || word === 'focus')
    return [{ kind: 'focus', text: word, line }]
  return []
}

/** `skip: true`, `:focus`, `pending: 'reason'` after the name. */
function tagMarkers({ tokens }: Unit, args: readonly Range[], line: number): Marker[] {
  return args.slice(1).flatMap((arg): Marker[] => {
    const text = plain(tokens, arg)
    const option = /^(if|unless) : (.*)$/.exec(text)
    if (option)
      return [{ kind: 'skip', text, line, condition: option[1] === 'if' ? `not ( ${option[2]} )` : option[2]! }]
    const match = /^:?(skip|pending|focus|focused)\b(?: (?::|=>) (.*))?$/.exec(text)
    if (!match || match[2] === 'false' || match[2] === 'nil') return []
    const kind = match[1]!.startsWith('focus') ? 'focus' : 'skip'
    const constant = match[2] === undefined || match[2] === 'true' || match[2].startsWith('"')
    return [{ kind, text, line, ...(!constant && { condition: match[2]! }) }]
  })
}

/** `skip 'reason'` and `pending`, with the condition of a trailing or surrounding `if`. */
const bodySkips = (unit: Unit, test: Block): Marker[] =>
  [test, ...rescuesOf(test)].flatMap((block) => skipsIn(unit, block))

/** The `rescue` parts of a method or block follow its body. */
function rescuesOf(test: Block): Block[] {
  const next = test.parent?.children.slice(test.parent.children.indexOf(test) + 1) ?? []
  const end = next.findIndex(({ kind }) => kind !== 'catch' && kind !== 'else' && kind !== 'finally')
  return next.slice(0, end < 0 ? next.length : end).filter(({ kind }) => kind === 'catch')
}

function skipsIn(unit: Unit, test: Block): Marker[] {
  const { tokens } = unit
  const markers: Marker[] = []
  if (test.kind === 'catch' && MISSING.test(plain(tokens, test.head))) return []
  for (let i = test.body[0]; i < test.body[1]; i++) {
    const token = tokens[i]!
    if (
      !(token.first || is(tokens[i - 1], ';') || i === test.body[0]) ||
      !/^(?:skip|pending|omit)$/.test(token.text) ||
      token.kind !== 'word'
    )
      continue
    const holders = ancestors(unit, i, test)
    if (holders.some(({ kind }) => kind === 'function' || kind === 'loop' || kind === 'else')) continue
    // A library that is missing is a reason to skip. Any other error is a failure.
    const caught = holders.find(({ kind }) => kind === 'catch')
    if (caught && MISSING.test(plain(tokens, caught.head))) continue
    let end = i + 1
    while (end < test.body[1] && !tokens[end]!.first) end++
    const modifier = findAt(tokens, [i, end], (each) => is(each, 'if') || is(each, 'unless'))
    const conditions = holders
      .filter(({ kind }) => kind === 'if')
      .map(({ head }) => negated(tokens[head[0]]!.text, plain(tokens, [head[0] + 1, head[1]])))
    if (modifier > 0) conditions.push(negated(tokens[modifier]!.text, plain(tokens, [modifier + 1, end])))
    const condition = conditions.join(' && ')
    markers.push({
      kind: 'skip',
      text: plain(tokens, [i, end]),
      line: token.line,
      ...(condition !== '' && condition !== 'true' && { condition }),
    })
  }
  return markers
}

const MISSING = /\b(?:LoadError|NotImplementedError|SocketError|ECONNREFUSED|EACCES|EPERM)\b/

const negated = (word: string, condition: string) => (word === 'unless' ? `not ( ${condition} )` : condition)

/** `it 'is pending'` without a block. */
function testsWithoutBlock(
  unit: Unit,
  groups: ReadonlyMap<Block, { name: string; markers: readonly Marker[] }>,
): TestCase[] {
  const { tokens } = unit
  return tokens.flatMap((token, i): TestCase[] => {
    if (
      token.kind !== 'word' ||
      !/^x?(?:it|specify|example)$/.test(token.text) ||
      !token.first ||
      tokens[i + 1]?.kind !== 'string'
    )
      return []
    let end = i + 1
    while (end < tokens.length && !tokens[end]!.first) end++
    if (tokens.slice(i, end).some((each) => is(each, 'do') || is(each, '{'))) return []
    const outer = ancestors(unit, i)
      .flatMap((holder) => groups.get(holder) ?? [])
      .reverse()
    if (outer.length === 0) return []
    return [
      {
        kind: 'test',
        name: stringContent(tokens[i + 1]!.text),
        groups: outer.map(({ name }) => name),
        line: token.line,
        span: [i, end],
        markers: [{ kind: 'skip', text: 'no block', line: token.line }],
      },
    ]
  })
}
