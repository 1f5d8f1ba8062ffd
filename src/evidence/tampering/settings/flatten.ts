import { visit } from 'jsonc-parser'
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml'
import { flattenToml } from '../../../../packages/exitgate/src/checks/toml.ts'
import type { Setting } from '../finding.ts'
import { findAt, is, listItems, plain, type Range, stringContent, type Token } from '../source/tokens-and-blocks.ts'
import { readUnit } from '../source/unit.ts'

const FORMATS: readonly [RegExp, (text: string) => Setting[]][] = [
  [/\.jsonc?$|(?:^|\/)\.(?:nycrc|c8rc|mocharc|swcrc|babelrc)$/, flattenJson],
  [/\.(?:json5|[cm]?[jt]s)$/, flattenObjects],
  [/\.toml$/, flattenToml],
  [/\.(?:ini|cfg|coveragerc)$|(?:^|\/)\.coveragerc$/, flattenIni],
  [/\.(?:xml|xml\.dist|csproj|props|runsettings|dist)$/, flattenXml],
  [/\.(?:ya?ml|neon)$|(?:^|\/)\.taprc$/, flattenYaml],
  [/\.properties$|(?:^|\/)(?:\.npmrc|\.env[\w.]*)$/, flattenProperties],
]

/** Every value of a settings file in a known format; empty for other files. Never throws. */
export function flatten(path: string, text: string): Setting[] {
  return FORMATS.find(([pattern]) => pattern.test(path))?.[1](text) ?? []
}

/** The object literals in a settings file that is code. */
function flattenObjects(text: string): Setting[] {
  const { tokens } = readUnit(text, 'javascript')
  const settings: Setting[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (!is(token, '{') || token.pair < 0 || !isObject(tokens, i)) continue
    walkObject(tokens, i, '', settings)
    i = token.pair
  }
  return settings
}

/** A brace after an operator, an opening bracket or `return` is a value, not a block. */
function isObject(tokens: readonly Token[], open: number): boolean {
  const before = tokens[open - 1]
  if (before === undefined) return true
  if (before.kind === 'word') return before.text === 'return' || before.text === 'default'
  return /^(?:[=([,:?]|=>|\|\||\?\?)$/.test(before.text) && !(before.text === '=>' && !looksLikeObject(tokens, open))
}

const looksLikeObject = (tokens: readonly Token[], open: number) => is(tokens[open + 2], ':')

function walkObject(tokens: readonly Token[], open: number, path: string, settings: Setting[]): void {
  for (const [from, to] of listItems(tokens, open)) {
    const key = tokens[from]!
    const colon = is(tokens[from + 1], ':')
    if (!colon || (key.kind !== 'word' && key.kind !== 'string' && key.kind !== 'number')) continue
    const name = key.kind === 'string' ? stringContent(key.text) : key.text
    walkValue(tokens, [from + 2, to], path === '' ? name : `${path}.${name}`, settings)
  }
}

function walkValue(tokens: readonly Token[], [from, to]: Range, path: string, settings: Setting[]): void {
  const first = tokens[from]
  if (!first) return
  const isBracketed = first.pair === to - 1
  if (is(first, '{') && isBracketed) {
    walkObject(tokens, from, path, settings)
    if (first.pair === from + 1) settings.push({ key: path, value: '', line: first.line })
  } else if (is(first, '[') && isBracketed) {
    const items = listItems(tokens, from)
    items.forEach((item, i) => walkValue(tokens, item, `${path}.${i}`, settings))
    if (items.length === 0) settings.push({ key: path, value: '', line: first.line })
  } else {
    settings.push({
      key: path,
      value:
        to - from === 1 && first.kind === 'string' ? unescaped(stringContent(first.text)) : plain(tokens, [from, to]),
      line: first.line,
    })
    // A call can have a settings object as its argument: `defineProject({ … })`.
    const open = findAt(tokens, [from, to], (token) => is(token, '(') || is(token, '{'))
    if (open >= 0 && is(tokens[open], '(') && is(tokens[open + 1], '{')) walkObject(tokens, open + 1, path, settings)
  }
}

const unescaped = (text: string) => text.replace(/\\(["'\\/])/g, '$1').replace(/\\n/g, '\n')

/** JSON, with comments and trailing commas. If it is invalid, returns the values before the error. */
function flattenJson(text: string): Setting[] {
  const settings: Setting[] = []
  /** The path to the current value: names, and indexes in lists. */
  const path: (string | number)[] = []
  const add = (value: string, line: number) => settings.push({ key: path.join('.'), value, line: line + 1 })
  /** The line of the object or list that was opened last, while it is empty. */
  let empty: number | undefined
  const begin = (first: string | number) => (_offset: number, _length: number, line: number) => {
    path.push(first)
    empty = line
  }
  const end = () => {
    path.pop()
    if (empty !== undefined && path.length > 0) add('', empty)
    empty = undefined
  }
  try {
    visit(
      text,
      {
        onObjectBegin: begin(''),
        onObjectProperty: (name) => {
          path[path.length - 1] = name
          empty = undefined
        },
        onObjectEnd: end,
        onArrayBegin: begin(0),
        onArrayEnd: end,
        onSeparator: (character) => {
          const last = path.at(-1)
          if (character === ',' && typeof last === 'number') path[path.length - 1] = last + 1
        },
        onLiteralValue: (value, _offset, _length, line) => {
          add(String(value), line)
          empty = undefined
        },
      },
      { allowTrailingComma: true },
    )
  } catch {
    // Nested deeper than the stack allows: not a settings file.
  }
  return settings
}

/** No settings file is nested deeper. */
const MAX_DEPTH = 40

/** YAML, every document in the file. If it is invalid, returns the values before the error. */
function flattenYaml(text: string): Setting[] {
  const settings: Setting[] = []
  const counter = new LineCounter()
  const lineOf = (node: unknown, fallback: number) => {
    const range = (node as { range?: readonly number[] | null } | null)?.range
    return range ? counter.linePos(range[0]!).line : fallback
  }
  const walk = (node: unknown, path: string, above: number): void => {
    if (path.split('.').length > MAX_DEPTH) return
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : ''
        walk(value, path === '' ? name : `${path}.${name}`, lineOf(key, above))
      }
    } else if (isSeq(node)) node.items.forEach((item, i) => walk(item, `${path}.${i}`, lineOf(item, above)))
    else if (isScalar(node)) {
      const block = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
      settings.push({
        key: path,
        value: String(node.value ?? ''),
        line: block ? lineOf(node, above) + 1 : lineOf(node, above),
      })
    } else if (!isAlias(node)) settings.push({ key: path, value: '', line: above })
  }
  try {
    const documents = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: false })
    for (const document of Array.isArray(documents) ? documents : []) walk(document.contents, '', 1)
  } catch {
    // An incomplete file. Other detectors still read its lines.
    return settings
  }
  return settings
}

const TAG =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!(?:[^>]*)>|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g

const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Elements by their path, attributes after an @. Entities are not expanded, so no file can grow. */
function flattenXml(text: string): Setting[] {
  const settings: Setting[] = []
  const path: string[] = []
  let last = 0
  let line = 1
  let content = ''
  for (const match of text.matchAll(TAG)) {
    content += text.slice(last, match.index) + (match[1] ?? '')
    line += lineBreaks(text.slice(last, match.index))
    last = match.index + match[0].length
    const [mark, , closes, name, attributes, single] = match
    if (name !== undefined) {
      if (closes === '/') {
        const value = content.trim()
        if (path.at(-1) === name && value !== '') settings.push({ key: path.join('.'), value, line })
        // A plugin is identified by its id, which comes before its settings.
        if (name === 'artifactId' && path.at(-2) === 'plugin') path[path.length - 2] = `plugin(${value})`
        const at = path.findLastIndex((part) => part === name || part.startsWith(`${name}(`))
        if (at >= 0) path.length = at
      } else {
        path.push(name)
        for (const each of attributes!.matchAll(ATTRIBUTE))
          settings.push({ key: `${path.join('.')}@${each[1]}`, value: each[2] ?? each[3] ?? '', line })
        if (single === '/') path.pop()
      }
      content = ''
    }
    line += lineBreaks(mark)
  }
  return settings
}

const lineBreaks = (text: string) => text.split('\n').length - 1

/** INI as Python's tools read it: sections, and values that continue on indented lines. */
function flattenIni(text: string): Setting[] {
  const settings: { key: string; value: string; line: number }[] = []
  let section = ''
  let current: (typeof settings)[number] | undefined
  text.split('\n').forEach((raw, i) => {
    const line = raw.replace(/\r$/, '')
    if (/^\s*[#;]/.test(line)) return
    const head = /^\[([^\]]+)\]/.exec(line)
    if (head) {
      section = head[1]!.trim()
      current = undefined
    } else if (/^\s+\S/.test(line) && current) current.value += `${current.value === '' ? '' : '\n'}${line.trim()}`
    else {
      const pair = /^([\w.:-][^=:]*?)\s*[=:]\s*(.*)$/.exec(line)
      current = undefined
      if (!pair) return
      current = { key: section === '' ? pair[1]! : `${section}.${pair[1]!}`, value: pair[2]!.trim(), line: i + 1 }
      settings.push(current)
    }
  })
  return settings
}

/** `key=value` lines. */
function flattenProperties(text: string): Setting[] {
  return text.split('\n').flatMap((line, i): Setting[] => {
    const pair = /^\s*(?:export\s+)?([\w.:@/-]+)\s*[=:]\s*(.*?)\s*$/.exec(line)
    return pair && !/^\s*[#!;]/.test(line)
      ? [{ key: pair[1]!, value: pair[2]!.replace(/^(["'])(.*)\1$/, '$2'), line: i + 1 }]
      : []
  })
}
