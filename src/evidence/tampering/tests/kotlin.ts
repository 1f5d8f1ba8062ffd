import { kotlinFunction } from '../source/kotlin.ts'
import { findAt, is, listItems, plain, type Range, stringContent } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, descendants, type Unit } from '../source/unit.ts'
import type { Marker, TestCase } from './model.ts'

const GROUP = /^[xf]?(?:describe|context|given|Given|when|When|feature|and)$/

/** Kotest specs: calls with a name and a trailing block, and strings with a block. */
export function readKotest(unit: Unit): TestCase[] {
  if (
    !/\b(?:FunSpec|StringSpec|DescribeSpec|BehaviorSpec|ShouldSpec|WordSpec|FreeSpec|FeatureSpec|ExpectSpec|AnnotationSpec)\b/.test(
      unit.text,
    )
  )
    return []
  const calls = [...descendants(unit.root)].flatMap((block) => {
    const call = callOf(unit, block)
    return call ? [{ ...call, block }] : []
  })
  return calls.flatMap(({ name, word, markers, block }): TestCase[] => {
    const nested = calls.some(
      (other) => other.block !== block && other.block.head[0] >= block.body[0] && other.block.body[1] <= block.body[1],
    )
    if (GROUP.test(word) || (word === '' && nested)) return []
    const outer = ancestors(unit, block.head[0])
      .flatMap((holder) => calls.filter((call) => call.block === holder))
      .reverse()
    return [
      {
        kind: 'test',
        name,
        groups: outer.map((call) => call.name),
        line: unit.tokens[block.head[0]]!.line,
        span: [block.head[0], block.body[1]],
        body: block.body,
        markers: [...outer.flatMap((call) => call.markers), ...markers],
      },
    ]
  })
}

const LEAF = /^[xf]?(?:test|it|should|expect|then|Then|scenario)$/

function callOf(
  unit: Unit,
  { kind, head }: Block,
): { name: string; word: string; markers: readonly Marker[] } | undefined {
  const { tokens } = unit
  if (kind !== 'lambda' && kind !== 'other' && kind !== 'switch') return undefined
  const first = tokens[head[0]]
  if (!first) return undefined
  const markers: Marker[] = configMarkers(unit, head)
  if (first.kind === 'string') return { ...withTitleMarkers(stringContent(first.text), first.line, markers), word: '' }
  if (first.kind !== 'word' || !(LEAF.test(first.text) || GROUP.test(first.text)) || !is(tokens[head[0] + 1], '('))
    return undefined
  const name = listItems(tokens, head[0] + 1)[0]
  if (!name || tokens[name[0]]!.kind !== 'string') return undefined
  if (first.text.startsWith('x')) markers.push({ kind: 'skip', text: first.text, line: first.line })
  if (/^f[a-z]/.test(first.text) && first.text !== 'feature')
    markers.push({ kind: 'focus', text: first.text, line: first.line })
  return { ...withTitleMarkers(stringContent(tokens[name[0]]!.text), first.line, markers), word: first.text }
}

function configMarkers({ tokens }: Unit, head: Range): Marker[] {
  const text = plain(tokens, head)
  return /\bconfig \(.*\benabled = false\b/.test(text)
    ? [{ kind: 'skip', text: 'config(enabled = false)', line: tokens[head[0]]!.line }]
    : []
}

/** `!name` is ignored and `f:name` is focused. */
function withTitleMarkers(
  title: string,
  line: number,
  markers: Marker[],
): { name: string; markers: readonly Marker[] } {
  if (title.startsWith('!')) return { name: title.slice(1), markers: [...markers, { kind: 'skip', text: title, line }] }
  if (title.startsWith('f:'))
    return { name: title.slice(2), markers: [...markers, { kind: 'focus', text: title, line }] }
  return { name: title, markers }
}

/** `fun name() = expression`: Kotlin functions without a block as their body. */
export function expressionBodies(unit: Unit): Block[] {
  const { tokens } = unit
  if (unit.language !== 'kotlin') return []
  const holders = [unit.root, ...descendants(unit.root)].filter(({ kind }) => kind === 'class' || kind === 'file')
  return holders.flatMap((holder) => {
    const found: Block[] = []
    let start = holder.body[0]
    for (let i = holder.body[0]; i < holder.body[1]; i++) {
      const token = tokens[i]!
      if (is(token, ';') || is(token, '}')) start = i + 1
      else if (token.pair > i) i = token.pair
      else if (is(token, '=')) {
        const head: Range = [declarationStart(unit, start, i), i]
        const name = kotlinFunction(tokens, head)
        const end = expressionEnd(unit, i + 1, holder.body[1])
        if (name && is(tokens[i - 1], ')'))
          found.push({ kind: 'function', head, body: [i + 1, end], name, parent: holder, children: [] })
        i = end - 1
        start = end
      }
      if (token.pair > -1 && is(tokens[i], '}')) start = i + 1
    }
    return found
  })
}

/** Annotations before the declaration are not part of its head. */
function declarationStart({ tokens }: Unit, from: number, to: number): number {
  let start = from
  while (start < to && is(tokens[start], '@')) {
    start += 2
    while (is(tokens[start], '.')) start += 2
    if (is(tokens[start], '(') && tokens[start]!.pair > 0) start = tokens[start]!.pair + 1
  }
  return start
}

function expressionEnd({ tokens }: Unit, from: number, limit: number): number {
  const end = findAt(tokens, [from, limit], (token, i) => i > from && token.first && !/^[.?:)&|+=-]/.test(token.text))
  return end < 0 ? limit : end
}
