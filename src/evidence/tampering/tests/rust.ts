import { findAt, is, listItems, plain, type Range, type Token } from '../source/tokens-and-blocks.ts'
import { ancestors, descendants, type Unit } from '../source/unit.ts'
import type { Marker, TestCase } from './model.ts'

const TEST = /^(?:\w+ :: )*(?:test|rstest|test_case|case|quickcheck|bench|wasm_bindgen_test|test_log|proptest)\b/

export function readRust(unit: Unit): TestCase[] {
  const { tokens } = unit
  const tests: TestCase[] = []
  const file = innerMarkers(unit)
  for (const block of descendants(unit.root)) {
    if (block.kind !== 'function') continue
    const attributes = attributesBefore(tokens, block.head[0])
    const texts = attributes.map((range) => plain(tokens, range))
    if (!texts.some((text) => TEST.test(text))) continue
    const modules = ancestors(unit, block.head[0])
      .filter(({ kind }) => kind === 'class')
      .reverse()
    const markers = [
      ...file,
      ...modules.flatMap((module) => markersOf(tokens, attributesBefore(tokens, module.head[0]))),
      ...markersOf(tokens, attributes),
    ]
    const rows = texts.filter((text) => /^(?:\w+ :: )*(?:case|test_case)(?: :: \w+)? \(/.test(text))
    tests.push({
      kind: 'test',
      name: block.name,
      groups: modules.map(({ name }) => name),
      line: tokens[block.head[0]]!.line,
      span: [attributes[0]?.[0] ?? block.head[0], block.body[1]],
      body: block.body,
      markers,
      ...(rows.length > 0 && { rows }),
    })
  }
  return [...tests, ...macroTests(unit, file)]
}

/** `rgtest!(name, |dir, cmd| { … })`: a macro of the project that declares a test. */
function macroTests({ tokens }: Unit, markers: readonly Marker[]): TestCase[] {
  return tokens.flatMap((token, i): TestCase[] => {
    if (token.kind !== 'word' || !/test/.test(token.text) || !is(tokens[i + 1], '!')) return []
    const open = i + 2
    const name = tokens[open + 1]
    if (!is(tokens[open], '(') || tokens[open]!.pair < 0 || name?.kind !== 'word' || !is(tokens[open + 2], ','))
      return []
    const end = tokens[open]!.pair
    const body = findAt(tokens, [open + 3, end], (each) => is(each, '{'))
    if (body < 0 || tokens[body]!.pair < 0) return []
    const own = { name: name.text, line: token.line, body: [body + 1, tokens[body]!.pair] as Range }
    return [{ kind: 'test', groups: [], span: [i, end + 1], markers, ...own }]
  })
}

/** Contents of the `#[…]` directly before an item, in order. */
export function attributesBefore(tokens: readonly Token[], item: number): Range[] {
  const found: Range[] = []
  // The head of a block may begin with its attributes or after them.
  let i = item
  while (is(tokens[i], '#') && is(tokens[i + 1], '[') && tokens[i + 1]!.pair > 0) {
    found.push([i + 2, tokens[i + 1]!.pair])
    i = tokens[i + 1]!.pair + 1
  }
  let at = item - 1
  while (is(tokens[at], ']') && tokens[at]!.pair > 0 && is(tokens[tokens[at]!.pair - 1], '#')) {
    found.unshift([tokens[at]!.pair + 1, at])
    at = tokens[at]!.pair - 2
  }
  return found
}

function markersOf(tokens: readonly Token[], attributes: readonly Range[]): Marker[] {
  return attributes.flatMap((range): Marker[] => {
    const word = tokens[range[0]]!.text
    const line = tokens[range[0]]!.line
    const text = `#[${plain(tokens, range)}]`
    if (word === 'ignore') return [{ kind: 'skip', text, line }]
    if (word === 'should_panic') return [{ kind: 'inverted', text, line }]
    if (word === 'cfg_attr') return conditional(tokens, range, text, line)
    if (word !== 'cfg') return []
    const condition = plain(tokens, [range[0] + 2, range[1] - 1])
    // Every test module has `cfg(test)`.
    if (condition === 'test') return []
    const rest = condition.replace(/^all \( test , (.*) \)$/, '$1')
    if (rest === 'any ( )' || rest === 'FALSE' || rest === 'not ( test )' || rest === 'false')
      return [{ kind: 'skip', text, line }]
    return [{ kind: 'skip', text, line, condition: `not ( ${rest} )` }]
  })
}

/** `#[cfg_attr(condition, ignore)]`. */
function conditional(tokens: readonly Token[], range: Range, text: string, line: number): Marker[] {
  const [condition, ...attributes] = listItems(tokens, range[0] + 1)
  const ignores = attributes.some(([from]) => is(tokens[from], 'ignore'))
  if (!condition || !ignores) return []
  const when = plain(tokens, condition)
  return [{ kind: 'skip', text, line, ...(when !== 'test' && when !== 'all ( )' && { condition: when }) }]
}

/** `#![cfg(…)]` at the top of a test file. */
function innerMarkers(unit: Unit): Marker[] {
  const { tokens } = unit
  const found: Range[] = []
  findAt(tokens, [0, tokens.length], (token, i) => {
    if (is(token, '#') && is(tokens[i + 1], '!') && is(tokens[i + 2], '[') && tokens[i + 2]!.pair > 0)
      found.push([i + 3, tokens[i + 2]!.pair])
    return false
  })
  return markersOf(tokens, found)
}

/** Modules in files of their own: `mod name;`. */
export function declaredModules(unit: Unit): { readonly name: string; readonly line: number }[] {
  const { tokens } = unit
  return tokens.flatMap((token, i) =>
    is(token, 'mod') && tokens[i + 1]?.kind === 'word' && is(tokens[i + 2], ';')
      ? [{ name: tokens[i + 1]!.text, line: token.line }]
      : [],
  )
}

/** Modules and functions that are compiled only for tests. */
export const testModules = (unit: Unit): Range[] =>
  [...descendants(unit.root)]
    .filter(({ head }) =>
      attributesBefore(unit.tokens, head[0]).some((range) =>
        /\btest\b|^cfg \( any \( \) \)/.test(plain(unit.tokens, range)),
      ),
    )
    .map(({ head, body }) => [head[0], body[1]])
